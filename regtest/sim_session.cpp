#include "regtest/sim_session.hpp"

#include "bip37/messages.hpp"
#include "chain/limits.hpp"
#include "regtest/faults.hpp"
#include "regtest/sim_node.hpp"

#include <algorithm>

namespace headlight::regtest {

namespace {

// Bitcoin Core's own figures (net_processing.cpp).
constexpr std::size_t max_blocks_to_announce = 8;
constexpr std::size_t max_inv_of_transactions = 1'000;
constexpr std::int32_t wtxid_relay_version = 70016;
constexpr std::int32_t feefilter_version = 70013;
constexpr std::int64_t least_fee_rate = 1'000;
constexpr std::int64_t usual_fee_rate =
    5'000; // of all simulated transactions, whose fees are unknown
constexpr std::int32_t least_version = 31800;
constexpr std::size_t max_getblocks = 500;

chain::Transaction without_witness(chain::Transaction tx) {
    for (auto& input : tx.inputs)
        input.witness.clear();
    return tx;
}

bool is_transaction(p2p::InvType type) {
    return type == p2p::InvType::tx || type == p2p::InvType::wtx ||
           type == p2p::InvType::witness_tx;
}

} // namespace

SimSession::SimSession(SimNode& node, std::uint32_t number, std::int64_t now_ms)
    : node_(&node),
      faults_(std::make_unique<FaultRun>(node.config().faults)),
      now_ms_(now_ms),
      ping_nonce_(node.config().nonce * 1'000 + number) {
    last_slot_ = trickle_slot();
    faults_->opened(*this);
}

SimSession::~SimSession() = default;

void SimSession::on(const p2p::Message& message, std::int64_t now_ms) {
    tick(now_ms);
    if (closed_ || faults_->swallow(*this, message)) return;
    // What Bitcoin Core takes before the version (nothing) and before the verack.
    const bool early = std::holds_alternative<p2p::Version>(message) ||
                       (peer_ && (std::holds_alternative<p2p::Verack>(message) ||
                                  std::holds_alternative<p2p::SendHeaders>(message) ||
                                  std::holds_alternative<p2p::SendAddrV2>(message) ||
                                  std::holds_alternative<p2p::Unknown>(message)));
    if (!early && !established_) return;
    std::visit([this](const auto& m) { handle(m); }, message);
    // Under noban nothing waits: relayed transactions and the mempool precede the next answer.
    if (node_->config().noban) trickle();
}

void SimSession::on(const NodeFrame& frame, std::int64_t now_ms) {
    tick(now_ms);
    if (closed_ || faults_->frame(*this, frame)) return;
    switch (frame.trouble) {
    case FrameTrouble::none:
        return on(frame.message, now_ms);
    case FrameTrouble::wrong_magic:
    case FrameTrouble::too_long:
        return close();
    case FrameTrouble::over_limit:
        if (established_) close();
        return;
    default: // ignored, the connection kept
        return;
    }
}

void SimSession::tick(std::int64_t now_ms) {
    now_ms_ = std::max(now_ms_, now_ms);
    if (closed_) return;
    faults_->tick(*this);
    if (trickle_slot() == last_slot_) return;
    last_slot_ = trickle_slot();
    trickle();
}

std::optional<std::int64_t> SimSession::next_wake_ms() const {
    if (closed_ || !established_) return std::nullopt;
    auto wake = faults_->next_wake_ms(now_ms_);
    if (mempool_asked_ || !to_announce_.empty()) {
        const auto slot = (trickle_slot() + 1) * node_->config().trickle_ms;
        wake = std::min(wake.value_or(slot), slot);
    }
    return wake;
}

std::vector<Outgoing> SimSession::take() {
    std::vector<Outgoing> out(std::make_move_iterator(out_.begin()),
                              std::make_move_iterator(out_.end()));
    out_.clear();
    return out;
}

std::int64_t SimSession::bytes_per_second() const { return faults_->bytes_per_second(); }

void SimSession::emit(Outgoing outgoing) {
    if (closed_) return;
    closed_ = std::holds_alternative<CloseConnection>(outgoing);
    out_.push_back(std::move(outgoing));
}

void SimSession::close() { emit(CloseConnection{}); }

void SimSession::send(p2p::Message message) {
    for (auto& outgoing : faults_->outgoing(*this, std::move(message)))
        emit(std::move(outgoing));
}

bool SimSession::offers_bloom() const {
    return (node_->config().services & p2p::services::bloom) != 0;
}

// ------------------------------------------------------------------------------- the handshake

void SimSession::handle(const p2p::Version& message) {
    if (peer_) return; // a second one is ignored
    if (message.version < least_version) return close();
    peer_ = message;
    const auto& config = node_->config();
    p2p::Version ours;
    ours.version = config.version;
    ours.services = config.services;
    ours.time = config.unix_at_zero + now_ms_ / 1'000;
    ours.nonce = config.nonce;
    ours.user_agent = config.user_agent;
    ours.start_height = config.start_height.value_or(node_->tip().height);
    send(ours);
    if (std::min(message.version, config.version) >= wtxid_relay_version) {
        send(p2p::Unknown{"wtxidrelay", 0});
        send(p2p::SendAddrV2{});
    }
    send(p2p::Verack{});
    relay_ = message.relay;
}

void SimSession::handle(const p2p::Verack&) {
    if (established_) return;
    established_ = true;
    send(p2p::Unknown{"sendcmpct", 9});
    send(p2p::Ping{ping_nonce_});
    if (std::min(peer_->version, node_->config().version) >= feefilter_version)
        send(p2p::FeeFilter{least_fee_rate});
}

void SimSession::handle(const p2p::SendAddrV2&) {
    if (established_) close();
}

void SimSession::handle(const p2p::Unknown& message) {
    if (message.command != "wtxidrelay") return;
    if (established_) return close();
    wtxid_relay_ = true;
}

void SimSession::handle(const p2p::FeeFilter& message) { fee_rate_ = message.fee_rate; }

void SimSession::handle(const p2p::Ping& message) {
    if (message.nonce) send(p2p::Pong{*message.nonce});
}

// ------------------------------------------------------------------------------------- headers

void SimSession::handle(const p2p::SendHeaders&) { prefers_headers_ = true; }

void SimSession::handle(const p2p::GetHeaders& message) {
    if (message.locator.size() > limits::max_locator_hashes) return close();
    p2p::Headers answer;
    if (message.locator.empty()) { // asks for one header by its hash
        const auto* block = node_->block(message.stop);
        if (!block) return;
        answer.headers.push_back(block->header);
        best_header_sent_ = block;
        return send(std::move(answer));
    }
    const auto& active = node_->active();
    best_header_sent_ = &node_->tip();
    for (auto next = after_locator(message.locator); next < active.size(); ++next) {
        answer.headers.push_back(active[next]->header);
        const bool full = answer.headers.size() == limits::max_headers_per_message;
        if (!full && active[next]->hash != message.stop) continue;
        best_header_sent_ = active[next];
        break;
    }
    send(std::move(answer));
}

/// The height from which an answer goes on; after genesis when nothing of the locator is known.
std::size_t SimSession::after_locator(const std::vector<chain::Hash256>& locator) const {
    for (const auto& hash : locator) {
        const auto* block = node_->block(hash);
        if (block && node_->is_active(*block)) return static_cast<std::size_t>(block->height) + 1;
    }
    return 1;
}

void SimSession::handle(const p2p::GetBlocks& message) {
    p2p::Inv answer;
    const auto& active = node_->active();
    for (auto next = after_locator(message.locator);
         next < active.size() && answer.entries.size() < max_getblocks; ++next) {
        if (active[next]->hash == message.stop) break;
        answer.entries.push_back({p2p::InvType::block, active[next]->hash});
    }
    if (!answer.entries.empty()) send(std::move(answer));
}

bool SimSession::has_header(const SimBlock& block) const {
    return best_header_sent_ && best_header_sent_->height >= block.height &&
           &node_->chain().ancestor(best_header_sent_->hash, block.height) == &block;
}

void SimSession::announce_blocks(const std::vector<const SimBlock*>& connected,
                                 std::int64_t now_ms) {
    tick(now_ms);
    if (!established_ || closed_ || connected.empty()) return;
    const auto skipped = connected.size() - std::min(connected.size(), max_blocks_to_announce);
    const std::vector<const SimBlock*> blocks(
        connected.begin() + static_cast<std::ptrdiff_t>(skipped), connected.end());
    if (prefers_headers_ && announce_by_headers(blocks)) return;
    if (has_header(*blocks.back())) return;
    send(p2p::Inv{{{p2p::InvType::block, blocks.back()->hash}}});
}

bool SimSession::announce_by_headers(const std::vector<const SimBlock*>& connected) {
    p2p::Headers message;
    for (const auto* block : connected) {
        if (message.headers.empty()) {
            if (has_header(*block)) continue;
            // The peer must be able to connect the first one.
            const auto* parent = node_->chain().find(block->header.previous);
            if (parent && !has_header(*parent)) return false;
        }
        message.headers.push_back(block->header);
    }
    if (message.headers.empty()) return false;
    best_header_sent_ = connected.back();
    send(std::move(message));
    return true;
}

// --------------------------------------------------------------------- blocks and transactions

// Transactions up to the next block, that block, and then what was not found so far; and so on.
// This is why a notfound may follow a merkleblock of the same request.
void SimSession::handle(const p2p::GetData& message) {
    if (message.entries.size() > limits::max_inv_entries) return close();
    for (std::size_t i = 0; i < message.entries.size() && !closed_;) {
        p2p::NotFound missing;
        for (; i < message.entries.size() && is_transaction(message.entries[i].type); ++i)
            if (!serve_transaction(message.entries[i]))
                missing.entries.push_back(message.entries[i]);
        if (i < message.entries.size()) serve_block(message.entries[i++]);
        if (!missing.entries.empty()) send(std::move(missing));
    }
}

bool SimSession::serve_transaction(const p2p::InvEntry& entry) {
    const bool witness = entry.type == p2p::InvType::witness_tx;
    const auto give = [&](const chain::Transaction& tx) {
        send(p2p::Tx{witness ? tx : without_witness(tx)});
        return true;
    };
    // One that came after the last announcement is not shown yet, so that asking tells nothing.
    const auto* entry_in_mempool = node_->find_in_mempool(entry.hash);
    if (entry_in_mempool && entry_in_mempool->sequence < announced_sequence_)
        return give(entry_in_mempool->tx);
    const auto& tip = node_->tip();
    const auto found = std::find(tip.txids.begin(), tip.txids.end(), entry.hash);
    if (found == tip.txids.end()) return false;
    return give(tip.transactions[static_cast<std::size_t>(found - tip.txids.begin())]);
}

void SimSession::serve_block(const p2p::InvEntry& entry) {
    const auto* block = node_->block(entry.hash);
    if (!block) return; // silence, not notfound
    switch (entry.type) {
    case p2p::InvType::block:
        return serve_whole(*block, false);
    case p2p::InvType::witness_block:
        return serve_whole(*block, true);
    case p2p::InvType::filtered_block:
        return serve_filtered(*block, false);
    case p2p::InvType::witness_filtered_block:
        return serve_filtered(*block, true);
    default:
        return;
    }
}

void SimSession::serve_whole(const SimBlock& block, bool witness) {
    p2p::Block message{block.header, block.transactions};
    for (auto& tx : message.transactions)
        if (!witness) tx = without_witness(std::move(tx));
    Answer answer{p2p::Message(std::move(message))};
    faults_->whole(*this, block, answer);
    deliver(std::move(answer));
}

void SimSession::serve_filtered(const SimBlock& block, bool witness) {
    if (!filter_) return;
    std::vector<bool> matched;
    for (std::size_t i = 0; i < block.transactions.size(); ++i)
        matched.push_back(match(block.transactions[i], block.txids[i]));
    Answer answer;
    answer.emplace_back(p2p::Message(
        bip37::MerkleBlock{block.header, bip37::build_partial_merkle_tree(block.txids, matched)}));
    for (std::size_t i = 0; i < matched.size(); ++i) {
        if (!matched[i]) continue;
        const auto& tx = block.transactions[i];
        answer.emplace_back(p2p::Message(p2p::Tx{witness ? tx : without_witness(tx)}));
    }
    faults_->answer(*this, block, answer);
    deliver(std::move(answer));
}

void SimSession::deliver(std::vector<Outgoing> answer) {
    for (auto& outgoing : answer) {
        if (auto* message = std::get_if<p2p::Message>(&outgoing)) {
            send(std::move(*message));
        } else {
            emit(std::move(outgoing));
        }
    }
}

bool SimSession::match(const chain::Transaction& tx, const chain::Hash256& txid) {
    return faults_->match(*filter_, tx, txid);
}

// ------------------------------------------------------------------------------------- filters

void SimSession::handle(const bip37::FilterLoad& message) {
    const auto& filter = message.filter;
    if (!offers_bloom() || filter.data().size() > limits::max_filter_bytes ||
        filter.hash_functions() > limits::max_hash_functions)
        return close();
    filter_ = filter;
    relay_ = true;
}

void SimSession::handle(const bip37::FilterAdd& message) {
    if (!offers_bloom() || !filter_ || message.element.size() > limits::max_filter_add_bytes)
        return close();
    filter_->insert(message.element);
}

void SimSession::handle(const bip37::FilterClear&) {
    if (!offers_bloom()) return close();
    filter_.reset();
    relay_ = true;
}

// ------------------------------------------------------------------ relay, and the mempool message

void SimSession::handle(const p2p::Inv& message) {
    p2p::GetData wanted;
    for (const auto& entry : message.entries) {
        if (!is_transaction(entry.type)) continue;
        known_to_peer_.insert(entry.hash);
        if (!node_->find_in_mempool(entry.hash))
            wanted.entries.push_back({p2p::InvType::tx, entry.hash});
    }
    if (!wanted.entries.empty()) send(std::move(wanted));
}

void SimSession::handle(const p2p::Tx& message) {
    known_to_peer_.insert(txid(message.transaction));
    node_->add_to_mempool(message.transaction, now_ms_, this);
}

void SimSession::handle(const p2p::Mempool&) {
    if (!offers_bloom() && !node_->config().noban) return close();
    mempool_asked_ = true;
}

void SimSession::announce_transaction(const chain::Hash256& txid, std::int64_t now_ms) {
    tick(now_ms);
    if (!established_ || known_to_peer_.contains(txid)) return;
    to_announce_.push_back(txid);
    if (node_->config().noban) trickle();
}

std::int64_t SimSession::trickle_slot() const {
    return now_ms_ / std::max<std::int64_t>(node_->config().trickle_ms, 1);
}

p2p::InvEntry SimSession::entry_for(const chain::Hash256& txid) const {
    const auto* entry = wtxid_relay_ ? node_->find_in_mempool(txid) : nullptr;
    if (!entry) return {p2p::InvType::tx, txid};
    return {p2p::InvType::wtx, chain::wtxid(entry->tx)};
}

void SimSession::trickle_mempool(std::vector<p2p::InvEntry>& entries) {
    if (!mempool_asked_) return;
    mempool_asked_ = false;
    for (const auto& entry : node_->mempool()) {
        std::erase(to_announce_, entry.txid);
        if (filter_ && !match(entry.tx, entry.txid)) continue;
        known_to_peer_.insert(entry.txid);
        entries.push_back(entry_for(entry.txid));
    }
}

void SimSession::trickle() {
    if (!established_ || closed_) return;
    std::vector<p2p::InvEntry> entries;
    trickle_mempool(entries);
    if (!relay_ || fee_rate_ > usual_fee_rate) to_announce_.clear();
    for (const auto& id : to_announce_) {
        const auto* entry = node_->find_in_mempool(id);
        if (!entry || known_to_peer_.contains(id)) continue;
        if (filter_ && !match(entry->tx, id)) continue;
        known_to_peer_.insert(id);
        entries.push_back(entry_for(id));
    }
    to_announce_.clear();
    announced_sequence_ = node_->mempool_sequence();
    for (std::size_t i = 0; i < entries.size(); i += max_inv_of_transactions) {
        const auto end = std::min(entries.size(), i + max_inv_of_transactions);
        send(p2p::Inv{{entries.begin() + static_cast<std::ptrdiff_t>(i),
                       entries.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
}

} // namespace headlight::regtest
