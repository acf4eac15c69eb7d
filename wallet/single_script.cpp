#include "wallet/single_script.hpp"

#include "wallet/address.hpp"
#include "wallet/descriptor.hpp"

namespace headlight::wallet {

SingleForm single_form(std::string_view descriptor_text) {
    if (descriptor_text.starts_with("addr(")) return SingleForm::addr;
    return descriptor_text.starts_with("raw(") ? SingleForm::raw : SingleForm::none;
}

std::string single_text(SingleForm form, ByteView script_pubkey, const chain::Network& network) {
    if (form == SingleForm::raw) return with_checksum("raw(" + to_hex(script_pubkey) + ")").value();
    const auto address = encode_address(script_pubkey, network);
    if (form == SingleForm::none || !address) return {};
    return with_checksum("addr(" + *address + ")").value();
}

std::optional<Bytes> script_of_addr(std::string_view text, const chain::Network& network) {
    if (single_form(text) != SingleForm::addr) return std::nullopt;
    const auto begin = text.find('(') + 1;
    const auto script = decode_address(text.substr(begin, text.find(')') - begin), network);
    if (!script || single_text(SingleForm::addr, *script, network) != text) return std::nullopt;
    return *script;
}

} // namespace headlight::wallet
