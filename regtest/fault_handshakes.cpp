// Faults of the handshake, and peers that lack what we need.
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

namespace {

template <class... Kinds>
bool swallow_kinds(SimSession&, FaultState&, const p2p::Message& message) {
    return (is<Kinds>(message) || ...);
}

bool swallow_everything(SimSession&, FaultState&, const p2p::Message&) { return true; }

void no_verack(SimSession&, FaultState&, Messages& messages) {
    if (as<p2p::Verack>(messages.front())) messages.clear();
}

void verack_first(SimSession&, FaultState&, Messages& messages) {
    if (!as<p2p::Version>(messages.front())) return;
    messages.emplace_back(p2p::Message(p2p::Verack{}));
    std::swap(messages.front(), messages.back());
}

void own_nonce(SimSession& session, FaultState&, Messages& messages) {
    if (auto* version = as<p2p::Version>(messages.front())) version->nonce = session.peer()->nonce;
}

void second_version(SimSession&, FaultState&, Messages& messages) {
    if (as<p2p::Verack>(messages.front())) messages.push_back(p2p::Message(p2p::Version{}));
}

void without_bloom(SimNodeConfig& config) { config.services &= ~p2p::services::bloom; }
void pruned(SimNodeConfig& config) { config.services &= ~p2p::services::network; }

/// As Bitcoin Core: what may not be there any more is not asked for twice.
bool serve_latest(SimSession& session, FaultState&, const p2p::Message& message) {
    constexpr std::int32_t served = 290; // two more than BIP-159 promises
    const auto& node = session.node();
    const auto* getdata = std::get_if<p2p::GetData>(&message);
    const bool deep = getdata && std::ranges::any_of(getdata->entries, [&](const auto& entry) {
                          const auto* block = node.block(entry.hash);
                          return block && node.tip().height - block->height > served;
                      });
    if (deep) session.close();
    return deep;
}

void old_version(SimNodeConfig& config) { config.version = 70'002; }
void huge_height(SimNodeConfig& config) { config.start_height = 2'000'000'000; }

} // namespace

std::vector<Fault> handshake_faults() {
    return {
        {.name = "silent",
         .does = "accepts the connection and says nothing",
         .swallow = swallow_everything},
        {.name = "no-verack", .does = "sends version, never verack", .outgoing = no_verack},
        {.name = "verack-first", .does = "sends verack before version", .outgoing = verack_first},
        {.name = "second-version", .does = "sends version twice", .outgoing = second_version},
        {.name = "own-nonce", .does = "says our own nonce", .outgoing = own_nonce},
        {.name = "no-bloom", .does = "lacks NODE_BLOOM", .configure = without_bloom},
        {.name = "pruned",
         .does = "lacks NODE_NETWORK, and closes when asked for deep blocks",
         .configure = pruned,
         .swallow = serve_latest},
        {.name = "old-version", .does = "speaks protocol 70002", .configure = old_version},
        {.name = "huge-height",
         .does = "a start height of two thousand million",
         .configure = huge_height},
        {.name = "silent-after-handshake",
         .does = "answers the handshake and pings only",
         .swallow = swallow_kinds<p2p::GetHeaders, p2p::GetData, p2p::Mempool>},
        {.name = "no-headers",
         .does = "never answers getheaders",
         .swallow = swallow_kinds<p2p::GetHeaders>},
    };
}

} // namespace headlight::regtest
