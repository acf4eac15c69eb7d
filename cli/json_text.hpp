// JSON as text, with numbers as people write them.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>

namespace headlight::cli {

/// On one line. Fractions are decimal ("0.068"), never with an exponent.
std::string json_text(const boost::json::value& value);

} // namespace headlight::cli
