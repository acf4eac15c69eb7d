// What this process asks of the system's network functions: the test's own definitions of them
// stand before the system's, and count.
#pragma once

#include "p2p/address.hpp"

#include <set>
#include <string>
#include <vector>

namespace headlight::tests {

class NetworkCalls {
  public:
    /// Counts from here on.
    NetworkCalls();
    /// Where sockets were connected to, or datagrams sent.
    static std::set<p2p::Endpoint> destinations();
    /// The names that were looked up.
    static std::vector<std::string> lookups();

    /// The calls of the thread that holds one are not the client's.
    class NotOurs {
      public:
        NotOurs();
    };
};

} // namespace headlight::tests
