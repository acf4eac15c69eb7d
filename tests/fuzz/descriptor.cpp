// Descriptors and watch items from any text: what is taken reads back as itself, and what is
// refused says why without a private key in it.
#include "wallet/descriptor.hpp"
#include "chain/script.hpp"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace headlight;

void require(bool holds) {
    if (!holds) std::abort();
}

void check(const wallet::Descriptor& descriptor, const chain::Network& network) {
    const auto again = wallet::Descriptor::parse(descriptor.text(), network);
    require(again.has_value() && again->text() == descriptor.text());
    require(again->branches() == descriptor.branches() && again->ranged() == descriptor.ranged());
    const auto branches = descriptor.branches();
    require(branches >= 1);
    for (const std::uint32_t branch : {0U, branches - 1}) {
        const std::uint32_t index = descriptor.ranged() ? 0x7fffffff : 0;
        const auto script = descriptor.script_pubkey(branch, index);
        require(script.has_value() && *script == again->script_pubkey(branch, index).value());
        require(!chain::filter_elements(*script).empty());
    }
    require(!descriptor.script_pubkey(branches, 0).has_value());
    require(!descriptor.script_pubkey(0, 0x80000000).has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto id : {chain::NetworkId::main, chain::NetworkId::regtest}) {
        const auto& network = chain::network(id);
        const auto descriptor = wallet::Descriptor::parse(text, network);
        if (descriptor)
            check(*descriptor, network);
        else
            require(!descriptor.error().message.empty() && !descriptor.error().code.empty());
        const auto items = wallet::parse_watch_item(text, network);
        if (!items) continue;
        require(!items->empty());
        for (const auto& item : *items)
            check(item, network);
    }
    return 0;
}
