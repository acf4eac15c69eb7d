// A simulated node behind a real port on loopback: real sockets and a real clock around SimNode,
// its faults included, broken bytes and slow links too.
#pragma once

#include "regtest/sim_node.hpp"

namespace boost::asio {
class io_context;
}

namespace headlight::regtest {

class Recorder;

class SimServer {
  public:
    /// Port 0 takes a free one. `node` and `recorder` (null: nothing is written down) outlive the
    /// server; all calls are on the thread that runs `context`. Errors: in_use, io.
    static result<std::unique_ptr<SimServer>> open(boost::asio::io_context& context, SimNode& node,
                                                   std::uint16_t port = 0,
                                                   Recorder* recorder = nullptr);
    virtual ~SimServer() = default;

    virtual std::uint16_t port() const = 0;
    /// Milliseconds since the server was opened: the node's time.
    virtual std::int64_t now_ms() const = 0;
    /// Sends what the node has to say after it was changed from outside (a new block, a
    /// transaction).
    virtual void flush() = 0;
};

} // namespace headlight::regtest
