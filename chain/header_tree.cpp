#include "chain/header_tree.hpp"

#include "chain/header_rules.hpp"

#include <algorithm>
#include <iterator>

namespace headlight::chain {

/// Reads one branch downwards from a header: kept side headers first, then the best chain.
/// Difficulty and median time must never look at the best chain above the fork.
class HeaderTree::Branch {
  public:
    Branch(const HeaderTree& tree, const Hash256& from)
        : tree_(tree), side_(tree.side_.find(from)) {}

    TimeAndBits at(std::int32_t height) {
        descend(height);
        return side_ ? TimeAndBits{side_->header.time, side_->header.bits} : tree_.facts_at(height);
    }
    Hash256 hash_at(std::int32_t height) {
        descend(height);
        return side_ ? side_->hash : tree_.at(height).hash;
    }
    /// The height where the branch leaves the best chain.
    std::int32_t fork() {
        std::int32_t height = tree_.tip_height();
        for (; side_; side_ = tree_.side_.find(side_->header.previous))
            height = side_->height - 1;
        return height;
    }

  private:
    void descend(std::int32_t height) {
        while (side_ && side_->height > height)
            side_ = tree_.side_.find(side_->header.previous);
    }

    const HeaderTree& tree_;
    const ChainedHeader* side_; ///< null once on the best chain
};

HeaderTree::HeaderTree(const Network& network, const HeaderArchive& archive,
                       std::size_t max_side_headers)
    : network_(network), archive_(archive), base_(archive.tip_height()), side_(max_side_headers) {
    if (base_ >= 0) {
        tip_ = archive_.at(base_);
    } else {
        extend({network.genesis, network.genesis_hash, 0, work_for(network.genesis.bits)});
    }
}

HeaderReport HeaderTree::accept(const BlockHeader& header, std::int64_t now) {
    const auto hash = hash_of(header);
    const bool on_tip = header.previous == tip_.hash;
    // A child of the tip would have been the tip, so only other headers can be known already.
    if (!on_tip && (height_of(hash) || side_.find(hash))) return {HeaderVerdict::duplicate};
    if (!check_proof_of_work(hash, header.bits, network_)) {
        return {HeaderVerdict::invalid, "its proof of work does not hold"};
    }
    const auto parent = on_tip ? tip_ : find(header.previous);
    if (!parent) return {HeaderVerdict::unlinked, "its parent is not known"};
    if (const auto against = objection(header, *parent, now)) {
        return {against->verdict, against->reason};
    }
    const ChainedHeader placed{header, hash, parent->height + 1,
                               parent->work + work_for(header.bits)};
    if (on_tip) {
        extend(placed);
        return {HeaderVerdict::extended};
    }
    if (placed.work > tip_.work) return {HeaderVerdict::reorganised, {}, reorganise(placed)};
    if (side_.insert(placed)) return {HeaderVerdict::side};
    return {HeaderVerdict::no_room, "the memory for lighter branches is full"};
}

std::optional<HeaderTree::Verdict> HeaderTree::objection(const BlockHeader& header,
                                                         const ChainedHeader& parent,
                                                         std::int64_t now) const {
    Branch bits_branch(*this, parent.hash);
    Branch time_branch = bits_branch;
    const auto height = parent.height + 1;
    if (height > limits::max_height) {
        return Verdict{HeaderVerdict::no_room, "its height is over the limit"};
    }
    const auto bits = required_bits(network_, height, header.time,
                                    [&](std::int32_t at) { return bits_branch.at(at); });
    if (header.bits != bits) {
        return Verdict{HeaderVerdict::invalid, "its bits are not what its branch demands"};
    }
    const auto median =
        median_time_past(parent.height, [&](std::int32_t at) { return time_branch.at(at); });
    if (header.time <= median) {
        return Verdict{HeaderVerdict::invalid, "its time is not after the median of its ancestors"};
    }
    if (!period_starts_in_time(network_, height, header.time, parent.header.time)) {
        return Verdict{HeaderVerdict::invalid, "it starts a period more than ten minutes back"};
    }
    if (header.version < least_version(network_, height)) {
        return Verdict{HeaderVerdict::invalid, "its version is too low for its height"};
    }
    if (header.time > now + limits::max_future_seconds) {
        return Verdict{HeaderVerdict::too_early, "it is dated more than two hours ahead"};
    }
    return std::nullopt;
}

ChainedHeader HeaderTree::at(std::int32_t height) const {
    return height > base_ ? overlay_at(height) : archive_.at(height);
}

TimeAndBits HeaderTree::facts_at(std::int32_t height) const {
    if (height > base_) return {overlay_at(height).header.time, overlay_at(height).header.bits};
    const auto stored = archive_.at(height);
    return {stored.header.time, stored.header.bits};
}

std::optional<std::int32_t> HeaderTree::height_of(const Hash256& hash) const {
    const auto found = overlay_heights_.find(hash);
    if (found != overlay_heights_.end()) return found->second;
    const auto stored = archive_.find(hash);
    return stored && *stored <= base_ ? stored : std::nullopt;
}

std::optional<ChainedHeader> HeaderTree::find(const Hash256& hash) const {
    if (const auto height = height_of(hash)) return at(*height);
    if (const auto* side = side_.find(hash)) return *side;
    return std::nullopt;
}

std::optional<std::int32_t> HeaderTree::fork_height(const Hash256& hash) const {
    if (const auto height = height_of(hash)) return height;
    if (!side_.find(hash)) return std::nullopt;
    return Branch(*this, hash).fork();
}

std::int64_t HeaderTree::median_time(std::int32_t height) const {
    return median_time_past(height, [this](std::int32_t at) { return facts_at(at); });
}

std::vector<Hash256> HeaderTree::locator() const { return locator(tip_.hash); }

std::vector<Hash256> HeaderTree::locator(const Hash256& from) const {
    constexpr std::size_t dense = 10;
    const auto start = find(from);
    Branch branch(*this, start ? from : tip_.hash);
    std::vector<Hash256> hashes;
    std::int32_t step = 1;
    for (auto height = start ? start->height : tip_.height; height > 0; height -= step) {
        hashes.push_back(branch.hash_at(height));
        if (hashes.size() >= dense) step *= 2;
    }
    hashes.push_back(network_.genesis_hash);
    return hashes;
}

HeaderChange HeaderTree::unsaved() const { return {base_, overlay_}; }

void HeaderTree::saved(const Hash256& tip) {
    const auto stored_tip = archive_.tip_height();
    if (stored_tip < 0 || archive_.at(stored_tip).hash != tip) return; // not what the archive holds
    // The best chain may have moved on, or away, since unsaved() was asked: drop what both have.
    std::ptrdiff_t count = 0;
    for (const auto& header : overlay_) {
        if (header.height > stored_tip || archive_.at(header.height).hash != header.hash) break;
        overlay_heights_.erase(header.hash);
        ++count;
    }
    overlay_.erase(overlay_.begin(), overlay_.begin() + count);
    base_ += static_cast<std::int32_t>(count);
}

Uint256 HeaderTree::work_for(std::uint32_t bits) {
    if (bits != last_bits_) {
        last_work_ = work_of(bits);
        last_bits_ = bits;
    }
    return last_work_;
}

void HeaderTree::extend(const ChainedHeader& header) {
    overlay_.push_back(header);
    overlay_heights_.emplace(header.hash, header.height);
    tip_ = header;
}

/// Forgets the best chain above a height. The archive keeps its headers until it is told.
void HeaderTree::cut(std::int32_t height) {
    const auto keep = std::max(height - base_, 0);
    for (auto at = overlay_.begin() + keep; at < overlay_.end(); ++at) {
        overlay_heights_.erase(at->hash);
    }
    overlay_.erase(overlay_.begin() + keep, overlay_.end());
    base_ = std::min(base_, height);
}

Reorganisation HeaderTree::reorganise(const ChainedHeader& new_tip) {
    Reorganisation out;
    out.connected.push_back(new_tip);
    while (side_.find(out.connected.back().header.previous)) {
        out.connected.push_back(side_.take(out.connected.back().header.previous));
    }
    std::reverse(out.connected.begin(), out.connected.end());
    out.fork = out.connected.front().height - 1;
    for (auto height = out.fork + 1; height <= tip_.height; ++height) {
        out.disconnected.push_back(at(height));
    }
    cut(out.fork);
    side_.insert_branch(out.disconnected);
    for (const auto& header : out.connected)
        extend(header);
    return out;
}

} // namespace headlight::chain
