// Messages of every kind with random content that a payload can carry, from a seed.
#pragma once

#include "p2p/message.hpp"

#include <random>

namespace headlight::tests {

using Random = std::mt19937_64;

Bytes random_bytes(Random& random, std::size_t most);
/// A message of the variant's alternative `index`.
p2p::Message random_message(Random& random, std::size_t index);
/// A message of any kind.
p2p::Message random_message(Random& random);

} // namespace headlight::tests
