// The table of broken nodes.
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

const std::vector<Fault>& broken_nodes() {
    static const auto nodes = [] {
        std::vector<Fault> all;
        for (auto* part : {broken_handshakes, broken_filters, broken_matching, broken_updates,
                           broken_blocks, broken_relay, broken_headers, broken_limits})
            for (const auto& fault : part())
                all.push_back(fault);
        return all;
    }();
    return nodes;
}

} // namespace headlight::regtest
