#include "sync/transactions.hpp"

namespace headlight::sync {
namespace {

constexpr std::size_t max_strangers = 200;

} // namespace

void Relay::on_inv(PeerId peer, const p2p::Inv& inv) {
    for (const auto& entry : inv.entries) {
        if (entry.type == p2p::InvType::tx) announce(entry.hash);
    }
    request_more(peer);
}

void Relay::announce(const chain::Hash256& txid) {
    const auto* known = context_.wallet.ledger().find(txid);
    if (known && !known->confirmation) {
        context_.note(context_.wallet.ledger().record(known->tx, txid, context_.now.unix_seconds));
    }
    Announced announced;
    if (const auto filter = scan_.filter(); filter && filter->in_effect) {
        announced.filter = filter;
        announced.ordinal = scan_.ordinal() + 1;
    }
    if (known) {
        if (announced.filter) {
            filters_.learn(*announced.filter, known->tx, txid, announced.ordinal);
        }
        return;
    }
    const bool stranger = std::any_of(strangers_.begin(), strangers_.end(),
                                      [&](const auto& entry) { return entry.first == txid; });
    if (stranger || requested_.contains(txid) || wanted_.size() >= limits::max_inv_entries) return;
    wanted_.emplace_back(txid, std::move(announced));
}

void Relay::request_more(PeerId peer) {
    p2p::GetData getdata;
    const auto nonce = context_.nonce();
    while (!wanted_.empty() && requested_.size() < limits::max_tx_requests) {
        auto [txid, announced] = std::move(wanted_.front());
        wanted_.pop_front();
        announced.fence_nonce = nonce;
        if (!requested_.emplace(txid, std::move(announced)).second) continue;
        getdata.entries.push_back({p2p::InvType::tx, txid});
    }
    if (getdata.entries.empty()) return;
    context_.send(peer, std::move(getdata));
    context_.send(peer, p2p::Ping{nonce});
}

bool Relay::on_transaction(const chain::Transaction& tx, const chain::Hash256& txid) {
    const auto requested = requested_.find(txid);
    if (requested == requested_.end()) return false;
    const auto announced = std::move(requested->second);
    requested_.erase(requested);
    if (announced.filter) filters_.learn(*announced.filter, tx, txid, announced.ordinal);
    take(tx, txid);
    return true;
}

void Relay::take(const chain::Transaction& tx, const chain::Hash256& txid) {
    auto& ledger = context_.wallet.ledger();
    const bool known = ledger.find(txid) != nullptr;
    auto delta = ledger.record(tx, txid, context_.now.unix_seconds);
    const bool ours = delta.ours;
    context_.note(std::move(delta));
    if (!ours) {
        scan_.keep_loose(tx, txid); // older nodes do not send it again with its block (pitfall B5)
        remember_stranger(tx, txid);
        return;
    }
    if (!known) ++context_.statistics.transactions_new;
    retry_strangers();
}

void Relay::remember_stranger(const chain::Transaction& tx, const chain::Hash256& txid) {
    if (chain::serialize(tx).size() > limits::max_pending_bytes) return;
    strangers_.emplace_back(txid, tx);
    if (strangers_.size() > max_strangers) strangers_.pop_front();
}

void Relay::retry_strangers() {
    for (std::size_t i = 0; i < strangers_.size(); ++i) {
        if (!context_.wallet.ledger().relevant(strangers_[i].second)) continue;
        const auto [txid, tx] = strangers_[i];
        strangers_.erase(strangers_.begin() + static_cast<std::ptrdiff_t>(i));
        take(tx, txid); // which starts over with the rest
        return;
    }
}

void Relay::on_notfound(const p2p::NotFound& message) {
    for (const auto& entry : message.entries)
        requested_.erase(entry.hash);
    if (const auto peer = scan_.peer()) request_more(*peer);
}

void Relay::on_pong(std::uint64_t nonce) {
    std::erase_if(requested_, [&](const auto& entry) { return entry.second.fence_nonce == nonce; });
    if (const auto peer = scan_.peer()) request_more(*peer);
}

void Relay::forget() {
    wanted_.clear();
    requested_.clear();
}

} // namespace headlight::sync
