#include "cli/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <charconv>

namespace headlight::cli {

namespace {

// The fewest digits that read as the same number; boost::json writes 0.068 as 6.8E-2.
std::string decimal(double number) {
    char digits[400]; // the smallest double has 324 zeros
    const auto end =
        std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed).ptr;
    return {digits, end};
}

void append(std::string& text, const boost::json::value& value) {
    if (value.is_double()) {
        text += decimal(value.get_double());
    } else if (value.is_array()) {
        const auto start = text.size();
        for (const auto& element : value.get_array()) {
            text += text.size() == start ? '[' : ',';
            append(text, element);
        }
        text += text.size() == start ? "[]" : "]";
    } else if (value.is_object()) {
        const auto start = text.size();
        for (const auto& member : value.get_object()) {
            text += text.size() == start ? '{' : ',';
            text += boost::json::serialize(member.key());
            text += ':';
            append(text, member.value());
        }
        text += text.size() == start ? "{}" : "}";
    } else {
        text += boost::json::serialize(value);
    }
}

} // namespace

std::string json_text(const boost::json::value& value) {
    std::string text;
    append(text, value);
    return text;
}

} // namespace headlight::cli
