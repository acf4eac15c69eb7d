#include "sync/filter.hpp"

#include "bip37/relevance.hpp"

namespace headlight::sync {
namespace {

/// Steps in which a wallet's filter grows: few, so that its size tells little and rarely changes.
constexpr std::uint32_t size_classes[] = {500,    1'000,  2'000,  5'000,
                                          10'000, 20'000, 50'000, 100'000};

} // namespace

std::uint32_t size_class_for(std::size_t elements, std::uint32_t size_class) {
    if (size_class >= elements) return size_class;
    const auto wanted = elements + elements / 4; // room for coins to come
    for (const auto step : size_classes) {
        if (step >= wanted) return step;
    }
    return static_cast<std::uint32_t>(std::min<std::size_t>(wanted, UINT32_MAX));
}

bip37::FilterSize filter_size_for(std::size_t elements, std::uint32_t size_class, double fp_rate) {
    const auto planned = bip37::plan_size(size_class_for(elements, size_class), fp_rate);
    if (planned) return *planned;
    const auto functions = bip37::core_size(elements, fp_rate);
    return {limits::max_filter_bytes, functions ? functions->hash_functions : 1};
}

FilterKeeper::FilterKeeper(Context& context) : context_(context) {
    for (const auto& coin : context_.wallet.ledger().watched_coins()) {
        coin_position_.emplace(coin, coin_log_.size());
        coin_log_.push_back(coin);
    }
}

void FilterKeeper::take_ledger_changes() {
    for (const auto& coin : context_.ledger_changes.coins_removed)
        coin_position_.erase(coin);
    for (const auto& coin : context_.ledger_changes.coins_added) {
        if (!context_.wallet.ledger().watched_coins().contains(coin)) continue; // gone again since
        coin_position_[coin] = coin_log_.size(); // a coin that comes back is a new entry
        coin_log_.push_back(coin);
    }
    context_.ledger_changes = {};
}

std::size_t FilterKeeper::element_count() const {
    std::size_t count = coin_position_.size();
    const auto& book = context_.wallet.scripts();
    for (std::size_t i = 0; i < book.size(); ++i)
        count += book.at(i).elements.size();
    return count;
}

bip37::FilterSize FilterKeeper::choose_size(std::size_t elements) {
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
                       "The sync stays complete, with more transactions that are not yours; "
                       "spread the scripts over several wallets to avoid that"});
    }
    return filter_size_for(elements, parameters.size_class, rate);
}

std::shared_ptr<LoadedFilter> FilterKeeper::make() {
    take_ledger_changes();
    const auto& book = context_.wallet.scripts();
    const auto elements = std::max<std::size_t>(element_count(), 1);
    const auto size = choose_size(elements);

    auto loaded = std::make_shared<LoadedFilter>();
    loaded->scripts = book.size();
    loaded->coins = loaded->coins_checked = coin_log_.size();
    loaded->mirror = bip37::BloomFilter(size.bytes, size.hash_functions,
                                        context_.wallet.filter().tweak, bip37::UpdateFlags::all);
    for (std::size_t i = 0; i < book.size(); ++i) {
        for (const auto& element : book.at(i).elements)
            loaded->mirror.insert(element);
    }
    // In the order of the map, not of the log: two starts give the same bytes either way, since
    // a Bloom filter forgets the order.
    for (const auto& [coin, position] : coin_position_)
        loaded->mirror.insert(coin);
    loaded->sent = loaded->mirror;
    loaded->fresh_rate = loaded->mirror.false_positive_rate();
    return loaded;
}

bool FilterKeeper::learn(LoadedFilter& filter, const chain::Transaction& tx,
                         const chain::Hash256& txid, std::uint64_t ordinal) {
    const auto& book = context_.wallet.scripts();
    for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
        for (const auto& ref : book.find(tx.outputs[i].script_pubkey)) {
            // Only a script that the filter held makes the server add the outpoint.
            const auto position = book.position(ref);
            if (position && *position < filter.scripts)
                filter.added.try_emplace({txid, i}, ordinal);
        }
    }
    return bip37::match_and_update(filter.mirror, tx, txid);
}

bool FilterKeeper::holds_coin(const LoadedFilter& filter, std::size_t position,
                              std::uint64_t ordinal) const {
    const auto& coin = coin_log_[position];
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
        if (book.required(i)) return false;
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
        const auto refs = book.find(output.script_pubkey);
        return std::any_of(refs.begin(), refs.end(), [&](const auto& ref) {
            const auto position = book.position(ref);
            return position && *position < filter.scripts;
        });
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
