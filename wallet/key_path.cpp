// Derivation paths in descriptors: an origin's steps, and the steps, <0;1> and /* behind a key.
#include "wallet/key_path.hpp"

#include "chain/bytes.hpp"
#include "chain/limits.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/text.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

Error bad_step(std::string_view step, std::string cause) {
    return Error{errc::bad_descriptor, "the path step " + quote(step) + " is not one",
                 std::move(cause)};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool strip_hardened_mark(std::string_view& step) {
    if (!step.ends_with('h') && !step.ends_with('\'')) return false;
    step.remove_suffix(1);
    return true;
}

result<std::uint32_t> parse_number(std::string_view step) {
    auto digits = step;
    const bool is_hardened = strip_hardened_mark(digits);
    const auto number = parse_decimal(digits);
    if (!number)
        return bad_step(step, "a step is a number, with h or ' behind it when it is hardened");
    if (*number >= hardened) return bad_step(step, "the largest number is 2147483647");
    return is_hardened ? *number | hardened : *number;
}

// "<0;1;2h>" (BIP-389)
result<std::vector<std::uint32_t>> parse_alternatives(std::string_view step) {
    if (!step.ends_with('>')) return bad_step(step, "its > is missing");
    std::vector<std::uint32_t> numbers;
    for (const auto part : split(step.substr(1, step.size() - 2), ';')) {
        const auto number = parse_number(part);
        if (!number) return number.error();
        if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end())
            return bad_step(step, quote(part) + " stands in it twice");
        if (numbers.size() == limits::max_multipath)
            return bad_step(step, "more than " + std::to_string(limits::max_multipath) +
                                      " alternatives are not supported");
        numbers.push_back(*number);
    }
    if (numbers.size() < 2) return bad_step(step, "<> holds two numbers or more (BIP-389)");
    return numbers;
}

std::optional<Error> append_step(KeyPath& path, std::string_view step) {
    if (!step.starts_with('<')) {
        const auto number = parse_number(step);
        if (!number) return number.error();
        path.steps.push_back({*number});
        return std::nullopt;
    }
    if (path.alternatives() > 1) return bad_step(step, "<> stands at most once in a key (BIP-389)");
    auto numbers = parse_alternatives(step);
    if (!numbers) return numbers.error();
    path.steps.push_back(std::move(*numbers));
    return std::nullopt;
}

std::string number_text(std::uint32_t number) {
    return number < hardened ? std::to_string(number) : std::to_string(number - hardened) + "h";
}

} // namespace

std::size_t KeyPath::alternatives() const {
    std::size_t most = 1;
    for (const auto& step : steps)
        most = std::max(most, step.size());
    return most;
}

std::string KeyPath::text() const {
    std::string text;
    for (const auto& step : steps) {
        text += '/';
        if (step.size() > 1) text += '<';
        for (std::size_t i = 0; i < step.size(); ++i)
            text += (i > 0 ? ";" : "") + number_text(step[i]);
        if (step.size() > 1) text += '>';
    }
    if (wildcard == Wildcard::index) text += "/*";
    if (wildcard == Wildcard::hardened_index) text += "/*h";
    return text;
}

result<KeyPath> parse_key_path(std::string_view text) {
    KeyPath path;
    if (text.empty()) return path;
    for (const auto step : split(text.substr(1), '/')) {
        if (path.wildcard != KeyPath::Wildcard::none)
            return bad_step(step, "nothing can follow /*");
        auto plain = step;
        const bool is_hardened = strip_hardened_mark(plain);
        if (plain == "*")
            path.wildcard =
                is_hardened ? KeyPath::Wildcard::hardened_index : KeyPath::Wildcard::index;
        else if (auto error = append_step(path, step))
            return *std::move(error);
    }
    return path;
}

result<KeyOrigin> parse_key_origin(std::string_view text) {
    const auto slash = std::min(text.find('/'), text.size());
    const auto fingerprint = text.substr(0, slash);
    if (fingerprint.size() != 8 || !from_hex(fingerprint))
        return Error{errc::bad_descriptor, "the fingerprint " + quote(fingerprint) + " is not one",
                     "an origin starts with 8 hex digits"};
    auto path = parse_key_path(text.substr(slash));
    if (!path) return path.error();
    if (path->wildcard != KeyPath::Wildcard::none || path->alternatives() > 1)
        return Error{errc::bad_descriptor, "the origin " + quote(text) + " has a * or <>",
                     "an origin names one key"};
    return KeyOrigin{to_lower(fingerprint), std::move(*path)};
}

} // namespace headlight::wallet
