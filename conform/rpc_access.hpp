// Where a node's RPCs are.
#pragma once

#include <cstdint>
#include <string>

namespace headlight::conform {

struct RpcAccess {
    std::string host = "127.0.0.1";
    std::uint16_t port = 18443;
    std::string credentials{}; ///< user:password
};

} // namespace headlight::conform
