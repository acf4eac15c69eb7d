// Any text as HOST[:PORT], and any bytes as an address: what is accepted reads the same when
// written.
#include "p2p/address.hpp"

#include <cstdlib>

namespace {

using namespace headlight;

void require(bool holds) {
    if (!holds) std::abort();
}

void check_text(std::string_view text) {
    const auto endpoint = p2p::parse_endpoint(text, 8333);
    if (!endpoint) {
        require(endpoint.error().code == errc::bad_argument && !endpoint.error().cause.empty());
        return;
    }
    require(!endpoint->host.empty() && endpoint->port != 0);
    const auto again = p2p::parse_endpoint(p2p::to_string(*endpoint), 1);
    require(again && *again == *endpoint);
}

void check_addresses(ByteView bytes) {
    chain::Reader reader(bytes);
    const auto first = p2p::read_net_address_v2(reader);
    if (reader.ok()) {
        require(!p2p::is_valid(first) || !p2p::to_string(first).empty());
        chain::Writer writer;
        p2p::write_net_address_v2(writer, first);
        const auto read = bytes.first(reader.position());
        require(writer.data() == Bytes(read.begin(), read.end()));
    }
    chain::Reader old(bytes);
    const auto second = p2p::read_net_address(old, true);
    // As a peer to connect to, an address has the form that the program itself reads.
    if (old.ok()) require(p2p::parse_endpoint(p2p::to_string(second), 1).has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    check_text({reinterpret_cast<const char*>(data), size});
    check_addresses({data, size});
    return 0;
}
