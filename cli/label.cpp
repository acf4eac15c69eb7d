// `label`: names for addresses and transactions, and where they show.
#include "cli/label.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "client/client.hpp"
#include "wallet/address.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace headlight::cli {

namespace {

using wallet::Wallet;

const std::string& label_under(const Wallet& wallet, const std::string& name) {
    static const std::string none;
    const auto found = wallet.labels().find(name);
    return found == wallet.labels().end() ? none : found->second;
}

/// Without surrogates, overlong forms and what Unicode does not have (RFC 3629).
bool is_utf8(std::string_view text) {
    const auto byte = [&](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto first = byte(at);
        const std::size_t more = first < 0x80       ? 0
                                 : first >> 5 == 6  ? 1
                                 : first >> 4 == 14 ? 2
                                 : first >> 3 == 30 ? 3
                                                    : 4;
        if (more == 4) return false;
        std::uint32_t code = more == 0 ? first : first & (0x3FU >> more);
        for (std::size_t i = 1; i <= more; ++i) {
            if (byte(at + i) >> 6 != 2) return false;
            code = code << 6 | (byte(at + i) & 0x3FU);
        }
        constexpr std::uint32_t least[]{0, 0x80, 0x800, 0x10000};
        if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
            return false;
        at += more + 1;
    }
    return true;
}

void add_once(std::vector<std::string>& all, std::string label) {
    if (!label.empty() && std::ranges::count(all, label) == 0) all.push_back(std::move(label));
}

void print(Context& context, const std::string& item, const std::string& label) {
    if (context.out.json())
        context.out.value(boost::json::object{{"item", item}, {"label", label_json(label)}});
    else
        context.out.text(label.empty() ? item + " has no label.\n" : label + "\n");
}

} // namespace

std::string label_name(std::string_view descriptor_text) {
    constexpr std::string_view begin = "addr(";
    if (!descriptor_text.starts_with(begin)) return std::string(descriptor_text);
    const auto address = descriptor_text.substr(begin.size());
    return std::string(address.substr(0, address.find(')')));
}

result<std::vector<std::string>> label_names(std::string_view item, const chain::Network& network) {
    item = trim(item);
    if (const auto txid = chain::Hash256::from_string(item))
        return std::vector<std::string>{txid->to_string()};
    const auto descriptors = wallet::parse_watch_item(item, network);
    if (!descriptors) {
        auto error = descriptors.error();
        error.cure += error.cure.empty() ? "" : "; ";
        error.cure += "or give a transaction id, 64 hex digits";
        return error;
    }
    std::vector<std::string> names;
    for (const auto& descriptor : *descriptors)
        names.push_back(label_name(descriptor.text()));
    return names;
}

result<void> check_label(std::string_view text) {
    const auto bad = [](std::string cause) {
        return Error{errc::bad_argument, "this text cannot be a label", std::move(cause),
                     "Give a short text on one line"};
    };
    if (trim(text).empty()) return bad("it is empty");
    if (text.size() > limits::max_label_bytes)
        return bad("it has " + std::to_string(text.size()) + " bytes, and " +
                   std::to_string(limits::max_label_bytes) + " are the most");
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    };
    if (std::ranges::any_of(text, is_control)) return bad("it holds a control character");
    if (!is_utf8(text)) return bad("it is not UTF-8");
    return {};
}

std::string script_label(const Wallet& wallet, ByteView script_pubkey) {
    if (wallet.labels().empty()) return {};
    if (const auto address = wallet::encode_address(script_pubkey, wallet.network())) {
        if (const auto& label = label_under(wallet, *address); !label.empty()) return label;
    }
    for (const auto& ref : wallet.scripts().find(script_pubkey)) {
        const auto text = wallet.scripts().state(ref.descriptor).descriptor;
        if (const auto& label = label_under(wallet, text); !label.empty()) return label;
    }
    return {};
}

std::string transaction_label(const Wallet& wallet, const chain::Hash256& txid) {
    if (wallet.labels().empty()) return {};
    if (const auto& own = label_under(wallet, txid.to_string()); !own.empty()) return own;
    const auto* stored = wallet.ledger().find(txid);
    if (!stored) return {};
    std::vector<std::string> labels;
    for (const auto& output : stored->tx.outputs)
        add_once(labels, script_label(wallet, output.script_pubkey));
    for (const auto& input : stored->tx.inputs) {
        const auto* parent = wallet.ledger().find(input.prevout.txid);
        if (!parent || input.prevout.index >= parent->tx.outputs.size()) continue;
        const auto& spent = parent->tx.outputs[input.prevout.index].script_pubkey;
        if (!wallet.scripts().find(spent).empty()) add_once(labels, script_label(wallet, spent));
    }
    std::string text;
    for (const auto& label : labels)
        text += (text.empty() ? "" : "; ") + label;
    return text;
}

boost::json::value label_json(const std::string& label) {
    if (label.empty()) return nullptr;
    return boost::json::value(label);
}

result<void> perform(Context& context, const command::Label& label) {
    const auto names = label_names(label.item, context.network());
    if (!names) return names.error();
    if (label.text) {
        if (const auto good = check_label(*label.text); !good) return good.error();
    }
    const bool changes = label.text || label.remove;
    auto opened =
        client::open_wallet(context.paths, changes ? wallet::store::WalletDb::Mode::read_write
                                                   : wallet::store::WalletDb::Mode::read_only);
    if (!opened) return opened.error();
    for (const auto& name : *names)
        if (changes) opened->wallet->set_label(name, label.text.value_or(""));
    if (changes) {
        if (auto saved = opened->save(); !saved) return saved;
    }
    print(context, label.item, label_under(*opened->wallet, names->front()));
    return {};
}

} // namespace headlight::cli
