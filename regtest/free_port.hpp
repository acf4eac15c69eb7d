// A TCP port on loopback that nobody listens on.
#pragma once

#include <cstdint>

namespace headlight::regtest {

/// Below the range that the system gives to outgoing connections, so that none takes it meanwhile.
/// Another process may still: who binds it must be ready to ask again.
std::uint16_t free_port();

} // namespace headlight::regtest
