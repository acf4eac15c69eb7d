#include "sync/filter.hpp"

#include "bip37/relevance.hpp"

namespace headlight::sync {

FilterKeeper::FilterKeeper(Context& context) : context_(context), parts_(context.wallet) {
    for (const auto& coin : context_.wallet.ledger().watched_coins())
        log_coin(coin);
}

/// A coin that comes back is a new entry.
void FilterKeeper::log_coin(const chain::OutPoint& coin) {
    coin_position_[coin] = coin_log_.size();
    coin_log_.push_back({coin, parts_.of(coin)});
}

void FilterKeeper::take_ledger_changes() {
    for (const auto& coin : context_.ledger_changes.coins_removed)
        coin_position_.erase(coin);
    for (const auto& coin : context_.ledger_changes.coins_added) {
        if (!context_.wallet.ledger().watched_coins().contains(coin)) continue; // gone again since
        log_coin(coin);
    }
    context_.ledger_changes = {};
}

void FilterKeeper::choose_size() {
    const auto elements = elements_of(context_.wallet, parts_);
    auto parameters = context_.wallet.filter();
    parameters.size_class = size_class_for(elements, parameters.size_class);
    context_.wallet.set_filter(parameters);
    const auto rate = context_.config.fp_rate;
    const bool fits = bip37::plan_size(parameters.size_class, rate).has_value() ||
                      elements <= bip37::capacity(limits::max_filter_bytes, rate);
    if (!fits && !warned_too_large_) {
        warned_too_large_ = true;
        context_.warn({errc::too_large,
                       std::to_string(elements) +
                           " watched elements are more than one filter holds at the wanted rate",
                       "BIP-37 allows " + std::to_string(limits::max_filter_bytes) + " bytes",
                       "The sync stays complete, with more transactions that are not yours; " +
                           std::string(parameters.shards < limits::max_shards
                                           ? "the next run spreads the elements over more filters"
                                           : "whole blocks (--method full) need no filter")});
    }
}

std::shared_ptr<LoadedFilter> FilterKeeper::make(std::uint32_t part, std::string_view peer) {
    take_ledger_changes();
    choose_size();
    auto loaded = std::make_shared<LoadedFilter>();
    loaded->part = part;
    loaded->scripts = context_.wallet.scripts().size();
    loaded->coins = loaded->coins_checked = coin_log_.size();
    // A proxy's circuits are not to be linked by one tweak.
    const auto identity = context_.config.proxy ? peer : std::string_view{};
    loaded->mirror = filter_of(context_.wallet, context_.config.fp_rate, parts_, part, identity);
    loaded->sent = loaded->mirror;
    loaded->fresh_rate = loaded->mirror.false_positive_rate();
    return loaded;
}

bool FilterKeeper::holds_script(const LoadedFilter& filter, ByteView script_pubkey) const {
    const auto& book = context_.wallet.scripts();
    const auto refs = book.find(script_pubkey);
    return std::any_of(refs.begin(), refs.end(), [&](const auto& ref) {
        const auto position = book.position(ref);
        return position && *position < filter.scripts && parts_.at(*position) == filter.part;
    });
}

bool FilterKeeper::learn(LoadedFilter& filter, const chain::Transaction& tx,
                         const chain::Hash256& txid, std::uint64_t ordinal) {
    for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
        // Only a script that the filter held makes the server add the outpoint.
        if (holds_script(filter, tx.outputs[i].script_pubkey))
            filter.added.try_emplace({txid, i}, ordinal);
    }
    return bip37::match_and_update(filter.mirror, tx, txid);
}

bool FilterKeeper::holds_coin(const LoadedFilter& filter, std::size_t position,
                              std::uint64_t ordinal) const {
    const auto& [coin, part] = coin_log_[position];
    if (part != filter.part) return true; // another filter's
    const auto watched = coin_position_.find(coin);
    if (watched == coin_position_.end() || watched->second != position)
        return true; // no longer asked
    const auto added = filter.added.find(coin);
    return added != filter.added.end() && added->second <= ordinal;
}

bool FilterKeeper::covers(LoadedFilter& filter, std::uint64_t ordinal) {
    take_ledger_changes();
    const auto& book = context_.wallet.scripts();
    for (auto i = filter.scripts; i < book.size(); ++i) {
        if (book.required(i) && parts_.at(i) == filter.part) return false;
    }
    // Answers are nearly always judged in the order they came; one that is not starts over.
    auto i = ordinal >= filter.checked_ordinal ? filter.coins_checked : filter.coins;
    while (i < coin_log_.size() && holds_coin(filter, i, ordinal))
        ++i;
    if (ordinal >= filter.checked_ordinal) {
        filter.coins_checked = i;
        filter.checked_ordinal = ordinal;
    }
    return i == coin_log_.size();
}

bool FilterKeeper::had_to_match(const LoadedFilter& filter, std::uint64_t ordinal,
                                const chain::Transaction& tx) const {
    const auto& book = context_.wallet.scripts();
    const auto held = [&](const chain::TxOut& output) {
        return holds_script(filter, output.script_pubkey);
    };
    const auto loaded = [&](const chain::TxIn& input) {
        const auto added = filter.added.find(input.prevout);
        if (added != filter.added.end() && added->second <= ordinal) return true;
        const auto* parent = context_.wallet.ledger().find(input.prevout.txid);
        return parent && input.prevout.index < parent->tx.outputs.size() &&
               !book.find(parent->tx.outputs[input.prevout.index].script_pubkey).empty() &&
               filter.sent.contains(input.prevout);
    };
    return std::any_of(tx.outputs.begin(), tx.outputs.end(), held) ||
           std::any_of(tx.inputs.begin(), tx.inputs.end(), loaded);
}

bool FilterKeeper::worn(const LoadedFilter& filter) const {
    const auto rate = filter.mirror.false_positive_rate();
    return rate > limits::refresh_fp_factor * context_.config.fp_rate &&
           rate > limits::refresh_fp_factor * filter.fresh_rate;
}

} // namespace headlight::sync
