#include "chain/result.hpp"

#include <stdexcept>

namespace headlight {

std::string to_string(const Error& error) {
    std::string text = error.message;
    if (!error.cause.empty()) text += ": " + error.cause;
    if (!error.cure.empty()) text += ". " + error.cure;
    return text;
}

void throw_exception_from_error(const Error& error, const boost::source_location&) {
    throw std::logic_error("an unchecked result failed: " + to_string(error));
}

} // namespace headlight
