// Checks of clients: the filters that they load.
#include "chain/limits.hpp"
#include "chain/script.hpp"
#include "judge/transcript.hpp"

#include <algorithm>
#include <set>

namespace headlight::judge {

namespace {

const Outcome no_filter = skipped("no filter was loaded");

/// Whether a command came that was longer than it may be.
bool any_over_limit(const Transcript& transcript, std::string_view command) {
    for (const auto& conversation : transcript.conversations()) {
        for (const auto& line : conversation)
            if (line.over_limit(command)) return true;
    }
    return false;
}

Outcome within_limits(const Transcript& transcript) {
    if (any_over_limit(transcript, "filterload")) return fail("more than a filterload may hold");
    for (const auto* filter : transcript.filters()) {
        const auto bytes = filter->data().size();
        if (bytes > limits::max_filter_bytes) return fail(std::to_string(bytes) + " bytes");
        if (filter->hash_functions() > limits::max_hash_functions)
            return fail(std::to_string(filter->hash_functions()) + " hash functions");
    }
    return transcript.filters().empty() ? no_filter : pass("all of them");
}

Outcome not_everything(const Transcript& transcript) {
    for (const auto* filter : transcript.filters()) {
        if (filter->false_positive_rate() >= 1)
            return fail(std::to_string(filter->data().size()) + " bytes and " +
                        std::to_string(filter->hash_functions()) +
                        " hash functions match everything");
    }
    return transcript.filters().empty() ? no_filter : pass("none matches everything");
}

Outcome asks_who_serves(const Transcript& transcript) {
    bool any_without = false;
    for (const auto& conversation : transcript.conversations()) {
        bool offered = true;
        for (const auto& line : conversation) {
            if (const auto* version = line.node_says<p2p::Version>())
                offered = (version->services & p2p::services::bloom) != 0;
            any_without = any_without || !offered;
            if (!offered && line.client_says<bip37::FilterLoad>())
                return fail("a filter for a node that does not offer NODE_BLOOM");
        }
    }
    return any_without ? pass("none for a node without NODE_BLOOM")
                       : skipped("the node offers NODE_BLOOM: try --fault no-bloom");
}

Outcome one_tweak(const Transcript& transcript) {
    const auto filters = transcript.filters();
    if (filters.size() < 2) return skipped("one filter at most: let the client connect again");
    for (const auto* filter : filters)
        if (filter->tweak() != filters.front()->tweak())
            return fail("tweak " + std::to_string(filters.front()->tweak()) + ", then " +
                        std::to_string(filter->tweak()) + ": what is in both filters stands out");
    return pass("one tweak in " + std::to_string(filters.size()) + " filters");
}

Outcome never_smaller(const Transcript& transcript) {
    const auto filters = transcript.filters();
    if (filters.size() < 2) return skipped("one filter at most: let the client connect again");
    for (std::size_t i = 1; i < filters.size(); ++i)
        if (filters[i]->data().size() < filters[i - 1]->data().size())
            return fail(std::to_string(filters[i - 1]->data().size()) + " bytes, then " +
                        std::to_string(filters[i]->data().size()));
    return pass("no filter is smaller than the one before");
}

Outcome add_within_limits(const Transcript& transcript) {
    if (any_over_limit(transcript, "filteradd")) return fail("more than 520 bytes");
    bool any = false;
    const auto found = transcript.each<bip37::FilterAdd>(
        [&](const bip37::FilterAdd& add, const Line& line) -> std::optional<Outcome> {
            any = true;
            if (add.element.size() > limits::max_filter_add_bytes)
                return fail(std::to_string(add.element.size()) + " bytes");
            if (!line.filter) return fail("no filter is loaded that it could be added to");
            return std::nullopt;
        });
    if (found) return *found;
    return any ? pass("all of them") : skipped("nothing was added to a filter");
}

// ---------------------------------------------------------------------------------------- coins

/// The coins that a client must still look for: its outputs that the node has shown it in filtered
/// blocks or by relay, less those that it has been shown the spend of.
class Coins {
  public:
    explicit Coins(const std::vector<Bytes>& scripts) : scripts_(scripts.begin(), scripts.end()) {}

    void shown(const chain::Transaction& tx) {
        for (const auto& input : tx.inputs)
            open_.erase(input.prevout);
        const auto txid = chain::txid(tx);
        for (std::uint32_t i = 0; i < tx.outputs.size(); ++i)
            if (scripts_.contains(tx.outputs[i].script_pubkey)) open_.insert({txid, i});
    }
    const std::set<chain::OutPoint>& open() const { return open_; }

  private:
    std::set<Bytes> scripts_;
    std::set<chain::OutPoint> open_;
};

/// A server adds what it matches to the filter it has; a new filter is the client's to complete.
Outcome keeps_coins(const Transcript& transcript) {
    if (transcript.client_scripts().empty())
        return skipped("which coins are the client's is not known: pay it with --pay");
    Coins coins(transcript.client_scripts());
    std::size_t looked_at = 0;
    for (const auto& conversation : transcript.conversations()) {
        for (const auto& line : conversation) {
            if (const auto* tx = line.node_says<p2p::Tx>()) coins.shown(tx->transaction);
            const auto* load = line.client_says<bip37::FilterLoad>();
            if (!load) continue;
            for (const auto& coin : coins.open()) {
                ++looked_at;
                if (!load->filter.contains(coin))
                    return fail("a later filter lacks the coin " + coin.to_string() +
                                ": its spend would be missed");
            }
        }
    }
    return looked_at == 0 ? skipped("no filter came after a payment: let the client connect again")
                          : pass("every later filter holds the coins that were shown");
}

/// A key and its hash in one filter name each other (Gervais and others, 2014).
Outcome not_both(const Transcript& transcript) {
    std::size_t looked_at = 0;
    for (const auto* filter : transcript.filters()) {
        if (filter->false_positive_rate() >= 1) continue; // which holds everything anyhow
        for (const auto& script : transcript.client_scripts()) {
            const auto pushes = chain::data_pushes(script);
            if (pushes.size() != 1 || !filter->contains(pushes[0])) continue;
            ++looked_at;
            if (filter->contains(script))
                return fail("a filter holds a whole output script beside what it pushes");
        }
    }
    return looked_at == 0 ? skipped("no script of the client's is known: pay it with --pay")
                          : pass("what a script pushes, and not the script itself");
}

/// Only what an output pushes is ever tested.
Outcome holds_pushes(const Transcript& transcript) {
    if (transcript.client_scripts().empty() || transcript.filters().empty())
        return skipped("no script of the client's is known: pay it with --pay");
    for (const auto* filter : transcript.filters()) {
        for (const auto& script : transcript.client_scripts()) {
            const auto pushes = chain::data_pushes(script);
            const bool held = std::any_of(pushes.begin(), pushes.end(),
                                          [&](ByteView push) { return filter->contains(push); });
            if (!pushes.empty() && !held)
                return fail("a filter holds no element of an output script that pays the client");
        }
    }
    return pass("every script that was paid has an element in every filter");
}

} // namespace

std::vector<ClientCheck> client_filter_checks() {
    return {
        {{"client.filter-limits", "at most 36,000 bytes and 50 hash functions",
          "BIP-37: filterload"},
         within_limits},
        {{"client.filter-sense", "a filter does not match everything", "BIP-37: filterload"},
         not_everything},
        {{"client.filter-service", "no filter for a node that does not offer NODE_BLOOM",
          "BIP-111"},
         asks_who_serves},
        {{"client.filter-elements", "a script is looked for by what it pushes",
          "BIP-37: filter matching"},
         holds_pushes},
        {{"client.filter-once", "no element besides, by which others could be told",
          "Gervais and others, 2014"},
         not_both},
        {{"client.filter-coins", "a new filter holds the outpoints of the coins that are known",
          "BIP-37: auto-update"},
         keeps_coins},
        {{"client.tweak", "the tweak stays over connections and restarts",
          "Gervais and others, 2014"},
         one_tweak},
        {{"client.filter-size", "a filter does not shrink: the difference would tell",
          "Gervais and others, 2014"},
         never_smaller},
        {{"client.filteradd", "at most 520 bytes, into a loaded filter", "BIP-37: filteradd"},
         add_within_limits},
    };
}

} // namespace headlight::judge
