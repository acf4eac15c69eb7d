// The header tree as one would write it without any thought for speed: every header in one map, the
// best chain as a list, each rule spelt out over a copy of the whole branch. The real tree must
// agree.
#pragma once

#include "chain/header_tree.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace headlight::tests {

class NaiveHeaderTree {
  public:
    using Branch = std::vector<chain::ChainedHeader>; ///< from genesis up

    NaiveHeaderTree(const chain::Network& network, std::size_t limit, const Branch& stored)
        : network_(&network), limit_(limit), best_(stored) {
        if (best_.empty()) best_.push_back({network.genesis, network.genesis_hash, 0, {}});
        if (stored.empty()) best_[0].work = work_of(network.genesis.bits);
        for (const auto& header : best_)
            all_[header.hash] = header;
    }

    const Branch& best() const { return best_; }
    const std::map<chain::Hash256, chain::ChainedHeader>& all() const { return all_; }
    std::size_t side_headers() const { return all_.size() - best_.size(); }
    bool on_best(const chain::Hash256& hash) const {
        return std::any_of(best_.begin(), best_.end(),
                           [&](const auto& header) { return header.hash == hash; });
    }

    Branch branch(const chain::Hash256& tip) const {
        Branch out;
        for (auto at = all_.find(tip); at != all_.end();
             at = all_.find(at->second.header.previous)) {
            out.push_back(at->second);
        }
        std::reverse(out.begin(), out.end());
        return out;
    }
    std::int32_t fork_height(const chain::Hash256& hash) const {
        const auto path = branch(hash);
        std::size_t shared = 0;
        while (shared < path.size() && shared < best_.size() &&
               path[shared].hash == best_[shared].hash) {
            ++shared;
        }
        return static_cast<std::int32_t>(shared) - 1;
    }
    static std::int64_t median_time(const Branch& path) {
        std::vector<std::uint32_t> times;
        for (std::size_t i = path.size(); i-- > 0 && times.size() < 11;) {
            times.push_back(path[i].header.time);
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

    /// The bits of the next block on a branch.
    std::uint32_t bits_after(const Branch& path, std::uint32_t time) const {
        using chain::DifficultyRule;
        const auto& last = path.back().header;
        if (network_->difficulty == DifficultyRule::none) return last.bits;
        if (path.size() % 2016 == 0) return retarget(path);
        if (network_->difficulty == DifficultyRule::retarget) return last.bits;
        if (std::int64_t{time} - last.time > 1200) return network_->pow_limit_bits;
        std::size_t at = path.size() - 1;
        while (at % 2016 != 0 && path[at].header.bits == network_->pow_limit_bits)
            --at;
        return path[at].header.bits;
    }

    chain::HeaderReport accept(const chain::BlockHeader& header, std::int64_t now) {
        using chain::HeaderVerdict;
        const auto hash = chain::hash_of(header);
        if (all_.contains(hash)) return {HeaderVerdict::duplicate};
        if (number(chain::to_number(hash)) > target(header.bits)) return {HeaderVerdict::invalid};
        const auto path = branch(header.previous);
        if (path.empty()) return {HeaderVerdict::unlinked};
        if (breaks_a_rule(header, path)) return {HeaderVerdict::invalid};
        if (header.time > now + 7200) return {HeaderVerdict::too_early};
        const chain::ChainedHeader placed{header, hash, static_cast<std::int32_t>(path.size()),
                                          path.back().work + work_of(header.bits)};
        if (placed.work > best_.back().work) return adopt(placed, path);
        if (side_headers() >= limit_ && !evict_for(placed)) return {HeaderVerdict::no_room};
        all_[hash] = placed;
        return {HeaderVerdict::side};
    }

  private:
    using Number = boost::multiprecision::cpp_int;

    static Number number(const chain::Uint256& value) { return Number("0x" + value.to_string()); }
    /// Only for the sane targets that tests mine with, in which three bytes follow a length over 3.
    static Number target(std::uint32_t bits) {
        return Number(bits & 0xffffff) << (8 * ((bits >> 24) - 3));
    }
    static chain::Uint256 work_of(std::uint32_t bits) {
        const Number work = (Number(1) << 256) / (target(bits) + 1);
        const auto digits = work.str(0, std::ios_base::hex);
        return *chain::Uint256::from_string(std::string(64 - digits.size(), '0') + digits);
    }

    std::uint32_t retarget(const Branch& path) const {
        const auto& first = path[path.size() - 2016].header;
        const auto& last = path.back().header;
        const bool bip94 = network_->difficulty == chain::DifficultyRule::twenty_minutes_bip94;
        const auto took =
            std::clamp<std::int64_t>(std::int64_t{last.time} - first.time, 302'400, 4'838'400);
        const Number exact = target(bip94 ? first.bits : last.bits) * took / 1'209'600;
        const Number wanted = std::min(exact, target(network_->pow_limit_bits));
        // The compact form keeps the upper bytes only; find them by trying lengths.
        for (std::uint32_t size = 4;; ++size) {
            const Number word = wanted >> (8 * (size - 3));
            if (word < 0x800000) return (size << 24) | word.convert_to<std::uint32_t>();
        }
    }

    bool breaks_a_rule(const chain::BlockHeader& header, const Branch& path) const {
        if (header.bits != bits_after(path, header.time)) return true;
        if (header.time <= median_time(path)) return true;
        return network_->difficulty == chain::DifficultyRule::twenty_minutes_bip94 &&
               path.size() % 2016 == 0 && header.time + 600 < path.back().header.time;
    }

    chain::HeaderReport adopt(const chain::ChainedHeader& tip, Branch path) {
        if (tip.header.previous == best_.back().hash) {
            best_.push_back(tip);
            all_[tip.hash] = tip;
            return {chain::HeaderVerdict::extended};
        }
        chain::Reorganisation moved;
        moved.fork = fork_height(tip.header.previous);
        const auto shared = moved.fork + 1;
        moved.disconnected.assign(best_.begin() + shared, best_.end());
        path.push_back(tip);
        moved.connected.assign(path.begin() + shared, path.end());
        all_[tip.hash] = tip;
        best_ = std::move(path);
        keep_within_limit(moved.disconnected);
        return {chain::HeaderVerdict::reorganised, {}, moved};
    }

    /// The lightest header of a lighter branch that has no child, `spared` not counted.
    std::optional<chain::Hash256> lightest_leaf(const std::set<chain::Hash256>& spared) const {
        std::set<chain::Hash256> parents;
        for (const auto& [hash, header] : all_)
            parents.insert(header.header.previous);
        const chain::ChainedHeader* found = nullptr;
        for (const auto& [hash, header] : all_) {
            if (on_best(hash) || parents.contains(hash) || spared.contains(hash)) continue;
            if (!found || header.work < found->work) found = &header;
        }
        if (!found) return std::nullopt;
        return found->hash;
    }

    bool evict_for(const chain::ChainedHeader& newcomer) {
        const auto leaf = lightest_leaf({newcomer.header.previous});
        if (!leaf || all_.at(*leaf).work >= newcomer.work) return false;
        all_.erase(*leaf);
        return true;
    }

    /// After a reorganisation: other leaves go first, then the old chain from its top.
    void keep_within_limit(const Branch& old_best) {
        std::set<chain::Hash256> spared;
        for (const auto& header : old_best)
            spared.insert(header.hash);
        while (side_headers() > limit_) {
            auto leaf = lightest_leaf(spared);
            if (!leaf) leaf = lightest_leaf({});
            all_.erase(*leaf);
        }
    }

    const chain::Network* network_;
    std::size_t limit_;
    Branch best_;
    std::map<chain::Hash256, chain::ChainedHeader> all_;
};

} // namespace headlight::tests
