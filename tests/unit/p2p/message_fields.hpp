// A message's content in the form that wire.json publishes.
#pragma once

#include "p2p/message.hpp"

#include <boost/json/object.hpp>

namespace headlight::tests {

boost::json::object fields_of(const p2p::Message& message);

} // namespace headlight::tests
