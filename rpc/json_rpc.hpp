// JSON-RPC over HTTP to a full node: one kept connection, synchronous, with a timeout.
#pragma once

#include "chain/result.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace headlight::rpc {

class JsonRpc {
  public:
    /// `credentials` as HTTP's basic scheme takes them: "user:password".
    JsonRpc(std::string host, std::uint16_t port, const std::string& credentials);
    ~JsonRpc();

    /// The `result` member of the answer. `path` is "/" or "/wallet/NAME". Errors: not_accepted
    /// with the node's own words as cause; no_peer when nobody answers; timeout; malformed.
    result<boost::json::value> call(const std::string& path, std::string_view method,
                                    const boost::json::array& params,
                                    std::chrono::milliseconds timeout);

  private:
    struct Http;
    std::unique_ptr<Http> http_;
};

} // namespace headlight::rpc
