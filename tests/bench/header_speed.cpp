#include "tests/bench/header_speed.hpp"

#include "p2p/message.hpp"
#include "regtest/chain_builder.hpp"
#include "tests/support/files.hpp"
#include "wallet/store/header_file.hpp"

#include <ctime>
#include <stdexcept>

namespace headlight::bench {

namespace {

using wallet::store::HeaderFile;

constexpr std::uint32_t first_header_time = 1'600'000'000;

/// As they come from a peer: payloads of 2,000 headers.
std::vector<Bytes> header_messages(const chain::Network& network, std::int32_t count) {
    std::vector<Bytes> messages;
    auto previous = network.genesis_hash;
    p2p::Headers message;
    for (std::int32_t i = 1; i <= count; ++i) {
        chain::BlockHeader header{0x20000000,
                                  previous,
                                  previous,
                                  first_header_time + static_cast<std::uint32_t>(i),
                                  network.pow_limit_bits,
                                  0};
        regtest::grind(header);
        previous = chain::hash_of(header);
        message.headers.push_back(header);
        if (message.headers.size() < limits::max_headers_per_message && i < count) continue;
        messages.push_back(p2p::encode_payload(message));
        message.headers.clear();
    }
    return messages;
}

void store(chain::HeaderTree& tree, HeaderFile& file) {
    file.apply(tree.unsaved()).value();
    tree.saved(tree.tip().hash);
}

} // namespace

double time_headers(std::int32_t count) {
    const auto& network = chain::network(chain::NetworkId::regtest);
    const auto messages = header_messages(network, count);
    const tests::TemporaryFolder folder(tests::TemporaryFolder::Place::disk);
    const auto start = std::clock();
    const auto opened =
        HeaderFile::open(folder.path() / "headers", network, HeaderFile::Mode::read_write).value();
    chain::HeaderTree tree(network, *opened.file);
    std::int32_t stored = 0;
    for (const auto& payload : messages) {
        const auto message = p2p::decode_payload("headers", payload).value();
        for (const auto& header : std::get<p2p::Headers>(message).headers)
            tree.accept(header, first_header_time + count);
        if (tree.tip_height() - stored < limits::persist_headers) continue;
        stored = tree.tip_height();
        store(tree, *opened.file);
    }
    if (stored < tree.tip_height()) store(tree, *opened.file);
    const auto taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (opened.file->tip_height() != count) throw std::logic_error("headers were refused");
    return taken;
}

} // namespace headlight::bench
