#include "cli/follow.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

using wallet::LedgerDelta;

std::string_view to_string(LedgerDelta::Event::Kind kind) {
    using enum LedgerDelta::Event::Kind;
    switch (kind) {
    case seen:
        return "seen";
    case confirmed:
        return "confirmed";
    case unconfirmed:
        return "unconfirmed";
    case conflicted:
        return "conflicted";
    case abandoned:
        return "abandoned";
    case dropped:
        break;
    }
    return "dropped";
}

bool ours(const wallet::Wallet& wallet, const chain::TxOut& output) {
    return !wallet.scripts().find(output.script_pubkey).empty();
}

// Of one transaction, without building the whole history.
Amount net_amount(const wallet::Wallet& wallet, const chain::Transaction& tx) {
    Amount net = 0;
    for (const auto& output : tx.outputs)
        if (ours(wallet, output)) net += output.amount;
    for (const auto& input : tx.inputs) {
        const auto* spent = wallet.ledger().find(input.prevout.txid);
        if (!spent || input.prevout.index >= spent->tx.outputs.size()) continue;
        const auto& output = spent->tx.outputs[input.prevout.index];
        if (ours(wallet, output)) net -= output.amount;
    }
    return net;
}

} // namespace

void Follow::on(const sync::Notice& notice) {
    std::visit([this](const auto& one) { print(one); }, notice);
}

void Follow::finished(const boost::json::object& result) { event("finished", result); }

void Follow::event(std::string_view name, const boost::json::object& members) {
    boost::json::object line{{"event", name}, {"time", now_()}};
    for (const auto& member : members)
        line.insert(member);
    line_(line);
}

void Follow::print(const sync::notice::Progress& progress) {
    if (phase_ == progress.phase) return; // each block has its own event
    phase_ = progress.phase;
    event("phase", {{"phase", to_string(progress.phase)},
                    {"headers", progress.headers},
                    {"scanned", progress.scanned}});
}

void Follow::print(const sync::notice::Transaction& transaction) {
    const auto& change = transaction.event;
    boost::json::object line{{"txid", change.txid.to_string()}, {"kind", to_string(change.kind)}};
    const auto* stored = wallet_ ? wallet_->ledger().find(change.txid) : nullptr;
    if (stored) {
        line["amount"] = net_amount(*wallet_, stored->tx);
        line["height"] = stored->confirmation ? boost::json::value(stored->confirmation->height)
                                              : boost::json::value(nullptr);
    }
    event("transaction", line);
}

void Follow::print(const sync::notice::Block& block) {
    boost::json::object line{{"height", block.height}, {"hash", block.hash.to_string()}};
    line["fork"] = block.fork >= 0 ? boost::json::value(block.fork) : nullptr;
    event("block", line);
}

void Follow::print(const sync::notice::Warning& warning) {
    event("warning", {{"warning", to_json(warning.error)}});
}

void Follow::print(const sync::notice::PeerLog& log) {
    if (verbose_) event("peer", {{"address", log.address}, {"text", log.text}});
}

} // namespace headlight::cli
