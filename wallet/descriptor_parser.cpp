// The grammar of descriptors: BIP-380 to 386 and 389, without script trees.
#include "wallet/descriptor_node.hpp"

#include "chain/limits.hpp"
#include "wallet/address.hpp"
#include "wallet/text.hpp"

#include <algorithm>
#include <array>

namespace headlight::wallet {

namespace {

using Node = Descriptor::Node;
using Kind = Node::Kind;
using Failure = std::optional<Error>;

struct Function {
    std::string_view name;
    Kind kind;
    bool in_sh, in_wsh;             // whether sh() and wsh() may stand around it
    bool uncompressed, x_only_keys; // which forms of keys it takes, besides compressed ones
};

constexpr std::array<Function, 9> functions{{
    {"pk", Kind::pk, true, true, true, false},
    {"pkh", Kind::pkh, true, true, true, false},
    {"wpkh", Kind::wpkh, true, false, false, false},
    {"combo", Kind::combo, false, false, true, false},
    {"multi", Kind::multi, true, true, true, false},
    {"sortedmulti", Kind::sortedmulti, true, true, true, false},
    {"tr", Kind::tr, false, false, false, true},
    {"addr", Kind::addr, false, false, false, false},
    {"raw", Kind::raw, false, false, false, false},
}};

class Parser {
  public:
    Parser(std::string_view text, const chain::Network& network) : text_(text), network_(network) {}

    result<Node> parse() {
        if (auto error = open_wrappers()) return *std::move(error);
        if (auto error = read_function()) return *std::move(error);
        if (auto error = read_arguments()) return *std::move(error);
        if (auto error = close_all()) return *std::move(error);
        if (auto error = check_alternatives()) return *std::move(error);
        return std::move(node_);
    }

  private:
    Error bad(std::string message, std::string cause = {}, std::string cure = {}) const {
        return Error{errc::bad_descriptor, std::move(message), std::move(cause), std::move(cure)};
    }

    std::string here() const { return "at character " + std::to_string(position_ + 1); }

    std::string_view rest() const { return text_.substr(position_); }

    bool take(std::string_view token) {
        if (!rest().starts_with(token)) return false;
        position_ += token.size();
        return true;
    }

    // The text up to the next comma or closing parenthesis.
    std::string_view take_argument() {
        const auto argument = rest().substr(0, rest().find_first_of(",)"));
        position_ += argument.size();
        return argument;
    }

    Failure open_wrappers() {
        for (;;) {
            const auto where = here();
            if (take("sh(")) {
                if (node_.sh || node_.wsh)
                    return bad("sh() " + where + " is inside another function",
                               "sh() stands outermost");
                node_.sh = true;
            } else if (take("wsh(")) {
                if (node_.wsh)
                    return bad("wsh() " + where + " is inside wsh()",
                               "wsh() stands outermost or in sh()");
                node_.wsh = true;
            } else {
                return std::nullopt;
            }
        }
    }

    Failure read_function() {
        const auto where = here();
        const auto name = rest().substr(0, rest().find('('));
        if (name.size() == rest().size())
            return bad("no function " + where + ": " + quote(rest(), 8),
                       "a descriptor is a function such as wpkh(KEY), with its parentheses");
        function_ = std::find_if(functions.begin(), functions.end(),
                                 [&](const Function& known) { return known.name == name; });
        if (function_ == functions.end())
            return bad(
                "unknown function " + quote(name) + " " + where,
                "these are known: pk, pkh, wpkh, sh, wsh, multi, sortedmulti, tr, addr, raw");
        if ((node_.wsh && !function_->in_wsh) || (node_.sh && !node_.wsh && !function_->in_sh))
            return bad(std::string(name) + "() " + where + " cannot stand inside " +
                       (node_.wsh ? "wsh()" : "sh()"));
        node_.kind = function_->kind;
        position_ += name.size() + 1;
        return std::nullopt;
    }

    Failure read_arguments() {
        switch (node_.kind) {
        case Kind::multi:
        case Kind::sortedmulti:
            return read_multi();
        case Kind::addr:
            return read_address();
        case Kind::raw:
            return read_raw();
        case Kind::tr:
            return read_taproot();
        default:
            return read_key();
        }
    }

    Failure read_key() {
        const auto start = position_;
        const auto text = take_argument();
        if (text.find('(') != std::string_view::npos)
            return bad(std::string(function_->name) + "() takes a key, and at character " +
                       std::to_string(start + 1) + " stands a function");
        // Segwit takes compressed keys only (BIP-143), so what a function allows ends at wsh().
        const KeyRules rules{node_.wsh ? "wsh" : function_->name,
                             function_->uncompressed && !node_.wsh, function_->x_only_keys};
        auto key = KeyExpression::parse(text, start, rules, network_);
        if (!key) return key.error();
        node_.keys.push_back(std::move(*key));
        return std::nullopt;
    }

    Failure read_multi() {
        const auto where = here();
        const auto text = take_argument();
        const auto required = parse_decimal(text);
        if (!required || *required == 0)
            return bad("the threshold " + quote(text, 8) + " " + where + " is none",
                       "multi() starts with how many keys must sign, 1 or more");
        node_.required = *required;
        while (take(",")) {
            if (node_.keys.size() == limits::max_multisig_keys)
                return bad("more than 20 keys " + here(), "multi() holds 20 at most");
            if (auto error = read_key()) return error;
        }
        if (*required > node_.keys.size())
            return bad("the threshold " + std::to_string(*required) + " " + where +
                           " is above the number of keys",
                       "there are " + std::to_string(node_.keys.size()));
        return std::nullopt;
    }

    Failure read_taproot() {
        if (auto error = read_key()) return error;
        if (rest().starts_with(','))
            return bad("tr() has a script tree " + here(),
                       "script trees are not supported, only tr(KEY)",
                       "Watch the addresses of its outputs");
        return std::nullopt;
    }

    Failure read_address() {
        const auto where = here();
        node_.literal = to_lower_bech32(take_argument());
        auto script = decode_address(node_.literal, network_);
        if (!script) {
            auto error = script.error();
            error.message = "addr() " + where + ": " + error.message;
            if (error.code == errc::bad_address) error.code = errc::bad_descriptor;
            return error;
        }
        node_.script = std::move(*script);
        return std::nullopt;
    }

    // Bech32 may be all upper case; the canonical text is lower.
    std::string to_lower_bech32(std::string_view address) const {
        auto lower = to_lower(address);
        const bool one_case = std::none_of(address.begin(), address.end(),
                                           [](char c) { return c >= 'a' && c <= 'z'; });
        return one_case && lower.starts_with(network_.bech32_prefix) ? lower : std::string(address);
    }

    Failure read_raw() {
        const auto where = here();
        const auto text = take_argument();
        auto script = from_hex(text);
        if (!script)
            return bad("raw() " + where + " holds no hex: " + quote(text, 16),
                       "it takes a script in hex, two digits a byte");
        node_.literal = to_hex(*script);
        node_.script = std::move(*script);
        return std::nullopt;
    }

    Failure close_all() {
        const int open = 1 + (node_.sh ? 1 : 0) + (node_.wsh ? 1 : 0);
        for (int i = 0; i < open; ++i)
            if (!take(")"))
                return bad(rest().empty() ? "a ) is missing at the end"
                                          : "a ) is due " + here() + ", not " + quote(rest(), 8));
        if (!rest().empty())
            return bad("nothing can follow the last ) " + here(),
                       "there stands " + quote(rest(), 8));
        return std::nullopt;
    }

    Failure check_alternatives() const {
        const auto branches = node_branches(node_);
        for (const auto& key : node_.keys)
            if (key.alternatives() != 1 && key.alternatives() != branches)
                return bad(key.name() + " has " + std::to_string(key.alternatives()) +
                               " alternatives in <>, and another has " + std::to_string(branches),
                           "every <> of a descriptor has the same number (BIP-389)");
        return std::nullopt;
    }

    std::string_view text_;
    const chain::Network& network_;
    std::size_t position_ = 0;
    const Function* function_ = nullptr;
    Node node_;
};

} // namespace

std::string_view function_name(Kind kind) {
    return std::find_if(functions.begin(), functions.end(),
                        [&](const Function& known) { return known.kind == kind; })
        ->name;
}

result<Node> parse_node(std::string_view text, const chain::Network& network) {
    if (text.size() > limits::max_descriptor_bytes)
        return Error{errc::bad_descriptor, "the descriptor is too long",
                     std::to_string(text.size()) + " characters, and " +
                         std::to_string(limits::max_descriptor_bytes) + " is the most"};
    return Parser(text, network).parse();
}

} // namespace headlight::wallet
