#include "sync/parts.hpp"

#include "bip37/sizing.hpp"
#include "chain/limits.hpp"
#include "sync/filter_policy.hpp"

#include <algorithm>

namespace headlight::sync {
namespace {

using wallet::FilterParameters;

/// Four bytes that follow from the secret and the rest, and do not tell the secret.
std::uint32_t keyed(const FilterParameters& parameters, ByteView rest) {
    Bytes data(parameters.secret.begin(), parameters.secret.end());
    data.insert(data.end(), rest.begin(), rest.end());
    const auto digest = chain::sha256(data);
    return std::uint32_t{digest[0]} | std::uint32_t{digest[1]} << 8 |
           std::uint32_t{digest[2]} << 16 | std::uint32_t{digest[3]} << 24;
}

/// A new peer joins the smallest group. Who belongs to one stays there, and so never sees another
/// part.
void choose_groups(FilterParameters& parameters, const std::vector<std::string>& peers) {
    std::vector<std::size_t> members(parameters.split);
    for (const auto& peer : peers) {
        const auto known = parameters.groups.find(peer);
        if (known != parameters.groups.end()) ++members[known->second % parameters.split];
    }
    for (const auto& peer : peers) {
        if (parameters.groups.contains(peer)) continue;
        if (parameters.groups.size() >= limits::max_grouped_peers) break;
        const auto least = std::ranges::min_element(members);
        parameters.groups[peer] = static_cast<std::uint32_t>(least - members.begin());
        ++*least;
    }
}

} // namespace

Parts::Parts(const wallet::Wallet& wallet, FilterParameters parameters)
    : wallet_(wallet), parameters_(std::move(parameters)), count_(parameters_.parts()) {}

std::uint32_t Parts::of(ByteView script_pubkey) const {
    return count_ == 1 ? 0 : keyed(parameters_, script_pubkey) % count_;
}

std::uint32_t Parts::at(std::size_t position) const {
    if (count_ == 1) return 0;
    while (at_.size() <= position)
        at_.push_back(
            static_cast<std::uint8_t>(of(wallet_.scripts().at(at_.size()).script_pubkey)));
    return at_[position];
}

std::uint32_t Parts::of(const chain::OutPoint& coin) const {
    if (count_ == 1) return 0;
    const auto* parent = wallet_.ledger().find(coin.txid);
    return parent ? of(parent->tx.outputs.at(coin.index).script_pubkey) : 0;
}

std::vector<std::uint32_t> parts_of_group(const FilterParameters& parameters, std::uint32_t group) {
    std::vector<std::uint32_t> parts;
    for (auto part = group % parameters.split; part < parameters.parts(); part += parameters.split)
        parts.push_back(part);
    return parts;
}

std::uint32_t tweak_of(const FilterParameters& parameters, std::uint32_t part,
                       std::string_view identity) {
    if (parameters.parts() == 1 && identity.empty()) return parameters.tweak;
    const auto text = "tweak " + std::to_string(part) + " " + std::string(identity);
    return keyed(parameters, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

FilterParameters with_split(FilterParameters parameters, std::uint32_t split) {
    if (parameters.split == split) return parameters;
    parameters.split = split;
    parameters.shards = 1;
    return parameters;
}

void choose_parts(wallet::Wallet& wallet, double fp_rate, std::uint32_t split,
                  const std::vector<std::string>& peers) {
    auto parameters = with_split(wallet.filter(), split);
    if (split > 1) choose_groups(parameters, peers);
    const auto most = bip37::capacity(limits::max_filter_bytes, fp_rate);
    if (elements_of(wallet, Parts(wallet, parameters)) > most) {
        // Room for a quarter more, so that they are rarely spread anew.
        const auto elements = elements_of(wallet);
        const auto wanted = elements + elements / 4;
        do {
            parameters.shards *= 2;
        } while (wanted / parameters.parts() > most && parameters.shards < limits::max_shards);
        parameters.shards = std::min(parameters.shards, limits::max_shards);
    }
    wallet.set_filter(parameters);
}

} // namespace headlight::sync
