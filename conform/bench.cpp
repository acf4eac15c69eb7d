#include "conform/bench.hpp"

#include "bip37/relevance.hpp"
#include "conform/mill.hpp"

#include <algorithm>
#include <chrono>
#include <random>

namespace headlight::conform {

namespace {

constexpr Amount fee = 1'000; // satoshis: some 5 a virtual byte, above any node's least
constexpr std::size_t most_sent = 6;

std::uint64_t random_nonce() {
    static std::mt19937_64 source(std::random_device{}());
    return source();
}

bool announces(const p2p::Message& message, const chain::Hash256& id) {
    const auto* inv = std::get_if<p2p::Inv>(&message);
    return inv && std::any_of(inv->entries.begin(), inv->entries.end(),
                              [&](const auto& entry) { return entry.hash == id; });
}

} // namespace

p2p::Version our_version(const Greeting& greeting) {
    p2p::Version version;
    version.version = greeting.version;
    version.time = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
    version.nonce = random_nonce();
    version.user_agent = "/headlight-conform/";
    version.relay = greeting.relay;
    return version;
}

Bytes version_payload(const Greeting& greeting) {
    auto payload = p2p::encode_payload(our_version(greeting));
    if (!greeting.relay_byte) payload.pop_back();
    return payload;
}

Heard shake_hands(Peer& peer, const Greeting& greeting, p2p::Version& version) {
    peer.send_raw("version", version_payload(greeting));
    const auto is_version = [](const auto& m) { return std::holds_alternative<p2p::Version>(m); };
    auto heard = peer.until(is_version, peer.deadlines().answer);
    if (heard.end != WaitEnd::reached) return heard;
    version = *heard.first<p2p::Version>();
    for (const auto& message : greeting.before_verack)
        peer.send(message);
    peer.send(p2p::Verack{});
    const auto is_verack = [](const auto& m) { return std::holds_alternative<p2p::Verack>(m); };
    return peer.until(is_verack, peer.deadlines().answer);
}

Peer& Bench::connect() { return peers_.emplace_back(node_, deadlines_); }

Peer& Bench::greet(const Greeting& greeting) {
    auto& peer = connect();
    peer.keep_log(false);
    p2p::Version version;
    const auto heard = shake_hands(peer, greeting, version);
    node_version_ = version.version;
    if (heard.end != WaitEnd::reached)
        throw Ended{heard.closed() && heard.messages.empty()
                        ? skipped("the node closes at once: it may have banned this address")
                        : fail("no handshake: " + heard.text())};
    peer.keep_log(true);
    return peer;
}

Scene& Bench::scene() {
    if (!scene_) throw Ended{skipped("no blocks are known")};
    return *scene_;
}

Maker& Bench::maker() {
    if (!maker_) throw Ended{skipped("needs --rpc")};
    return *maker_;
}

Ended Bench::lacking(std::string_view what) {
    return {skipped("the chain holds no " + std::string(what))};
}

Coin Bench::take_coin() {
    maker();
    auto& coins = scene().coins;
    if (coins.empty()) throw Ended{skipped("no coins are left")};
    const auto coin = coins.back();
    coins.pop_back();
    return coin;
}

void Bench::submit(const chain::Transaction& tx) {
    if (const auto taken = maker().submit(tx); !taken)
        throw Ended{skipped("the node takes no such transaction: " + taken.error().cause)};
    submitted_.push_back(tx);
}

chain::Transaction Bench::payment(const Coin& coin, const std::vector<Bytes>& scripts) {
    chain::Transaction tx;
    chain::TxIn input;
    input.prevout = coin.outpoint;
    input.witness = anyone_witness();
    tx.inputs.push_back(std::move(input));
    const auto part = (coin.amount - fee) / static_cast<Amount>(scripts.size());
    for (const auto& script : scripts)
        tx.outputs.push_back({part, script});
    return tx;
}

SceneBlock Bench::mine(std::vector<chain::Transaction> transactions) {
    auto mill = Mill::open(maker(), network());
    if (!mill) throw Ended{skipped("no block can be made: " + to_string(mill.error()))};
    auto block = mill->mine(std::move(transactions));
    if (!block) throw Ended{skipped("no block can be made: " + to_string(block.error()))};
    return std::move(*block);
}

bool Bench::any_closed() const {
    return std::any_of(peers_.begin(), peers_.end(), [](const auto& p) { return p.closed(); });
}

std::string Bench::sent() const {
    std::string text;
    std::size_t count = 0;
    for (const auto& peer : peers_) {
        bool first = true;
        for (const auto& one : peer.sent()) {
            if (++count > most_sent) continue;
            if (!text.empty())
                text += first ? " | " : "; "; // the next connection, the next message
            text += one;
            first = false;
        }
    }
    if (count > most_sent) text += "; and " + std::to_string(count - most_sent) + " more";
    if (!submitted_.empty())
        text += (text.empty() ? "" : "; ") + std::string("by RPC ") +
                std::to_string(submitted_.size()) +
                (submitted_.size() == 1 ? " transaction" : " transactions");
    return text;
}

bip37::BloomFilter filter_of(const std::vector<Bytes>& elements, bip37::UpdateFlags flags) {
    bip37::BloomFilter filter(1'000, 20, 0x5eed, flags);
    for (const auto& element : elements)
        filter.insert(element);
    return filter;
}

Bytes to_bytes(ByteView view) { return {view.begin(), view.end()}; }
Bytes to_bytes(const chain::Hash256& hash) { return to_bytes(hash.view()); }

Bytes filterload_payload(ByteView data, std::uint32_t functions, std::uint32_t tweak,
                         std::uint8_t flags) {
    return chain::Writer().var_bytes(data).u32(functions).u32(tweak).u8(flags).take();
}

Filtered ask(Peer& peer, const chain::Hash256& block, p2p::InvType type) {
    peer.send(p2p::GetData{{{type, block}}});
    Filtered answer{{}, {}, peer.fence()};
    for (const auto& message : answer.heard.messages) {
        if (const auto* merkleblock = std::get_if<bip37::MerkleBlock>(&message)) {
            if (hash_of(merkleblock->header) == block) answer.merkleblock = *merkleblock;
        } else if (const auto* tx = std::get_if<p2p::Tx>(&message); tx && answer.merkleblock) {
            answer.transactions.push_back(tx->transaction);
        }
    }
    return answer;
}

std::vector<std::size_t> matched(const Filtered& answer) {
    if (!answer.merkleblock) throw Ended{fail("no merkleblock: " + answer.heard.text())};
    const auto proven = bip37::verify(*answer.merkleblock);
    if (!proven) throw Ended{fail("a false merkleblock: " + proven.error().cause)};
    std::vector<std::size_t> positions;
    for (const auto& match : proven->matches)
        positions.push_back(match.position);
    return positions;
}

std::vector<std::size_t> due(bip37::BloomFilter& filter, const SceneBlock& block) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < block.transactions.size(); ++i)
        if (bip37::match_and_update(filter, block.transactions[i], block.txids[i]))
            positions.push_back(i);
    return positions;
}

std::string positions_text(const std::vector<std::size_t>& positions, std::size_t total) {
    constexpr std::size_t most = 6;
    auto text = std::to_string(positions.size()) + " of " + std::to_string(total);
    for (std::size_t i = 0; i < positions.size() && i < most; ++i)
        text += (i == 0 ? " (" : ", ") + std::to_string(positions[i]);
    if (positions.size() > most) text += " …";
    return positions.empty() ? text : text + ")";
}

Outcome matches(const Filtered& answer, const std::vector<std::size_t>& wanted) {
    const auto found = matched(answer);
    const auto total = answer.merkleblock->tree.total_transactions;
    const auto text = "matched " + positions_text(found, total);
    if (found == wanted) return pass(text);
    return fail(text + ", where " + positions_text(wanted, total) + " is due");
}

bool announced(Peer& peer, const chain::Hash256& txid) {
    const auto heard =
        peer.until([&](const auto& m) { return announces(m, txid); }, peer.deadlines().announce);
    return heard.end == WaitEnd::reached;
}

bool told(Peer& peer, const chain::Hash256& txid) {
    // Nodes tell several peers within one round, not within one moment.
    auto heard = peer.listen(peer.deadlines().quiet);
    const auto fenced = peer.fence();
    heard.messages.insert(heard.messages.end(), fenced.messages.begin(), fenced.messages.end());
    return std::any_of(heard.messages.begin(), heard.messages.end(),
                       [&](const auto& m) { return announces(m, txid); });
}

Filtered ask_genesis(Peer& peer) { return ask(peer, peer.network().genesis_hash); }

bool genesis_matched(const Filtered& answer) { return !matched(answer).empty(); }

Bytes genesis_element(const chain::Network& network) {
    return to_bytes(network.genesis.merkle_root); // which is its one transaction's id
}

} // namespace headlight::conform
