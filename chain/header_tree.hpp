// The header tree: every branch whose headers are valid, in bounded memory; the one with the most
// work is the chain we follow. Pure: durable headers are read through a HeaderArchive, new ones are
// kept here until someone has stored them.
#pragma once

#include "chain/chained_header.hpp"
#include "chain/difficulty.hpp"
#include "chain/limits.hpp"
#include "chain/network.hpp"
#include "chain/side_headers.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace headlight::chain {

/// The best chain's durable part, heights 0..tip, as the store holds it. Reads only; calls return
/// from memory (a mapped file, or a vector in tests). The archive changes only between calls of the
/// tree, and only to what the tree's own unsaved() said, one change on its way at a time.
class HeaderArchive {
  public:
    virtual ~HeaderArchive() = default;
    virtual std::int32_t tip_height() const = 0; ///< -1 when empty; otherwise genesis is at 0
    virtual ChainedHeader at(std::int32_t height) const = 0; ///< 0 <= height <= tip_height()
    virtual std::optional<std::int32_t> find(const Hash256& hash) const = 0;
};

struct Reorganisation {
    std::int32_t fork = 0;                   ///< height of the last block that both branches share
    std::vector<ChainedHeader> disconnected; ///< lowest first
    std::vector<ChainedHeader> connected;    ///< lowest first

    friend bool operator==(const Reorganisation&, const Reorganisation&) = default;
};

enum class HeaderVerdict {
    extended,    ///< the best chain grew by this header
    reorganised, ///< a branch became the best chain; see `reorganisation`
    side,        ///< kept on a branch without more work than the best chain
    duplicate,   ///< known already
    unlinked,    ///< its parent is not known
    too_early,   ///< over two hours ahead of `now`: not kept, may be offered again later
    no_room,     ///< its branch is lighter and the memory for lighter branches is full, or its
                 ///< height is over limits::max_height
    invalid,     ///< breaks a rule for ever: proof of work, bits, median time, version, BIP-94
};

struct HeaderReport {
    HeaderVerdict verdict{};
    std::string_view reason{}; ///< a literal, set for invalid, too_early, no_room and unlinked
    std::optional<Reorganisation> reorganisation{};
};

/// What the store has to do to hold the best chain: forget everything above `fork`, append
/// `headers`.
struct HeaderChange {
    std::int32_t fork = -1; ///< -1: from genesis on
    std::vector<ChainedHeader> headers;

    bool empty() const { return headers.empty(); }
    friend bool operator==(const HeaderChange&, const HeaderChange&) = default;
};

class HeaderTree {
  public:
    /// `archive` outlives the tree; when it is empty, genesis is the first unsaved header.
    HeaderTree(const Network& network, const HeaderArchive& archive,
               std::size_t max_side_headers = limits::max_side_headers);

    /// Checks one header against every rule a header alone can break, and puts it in its place.
    /// `now` is in seconds since 1970.
    HeaderReport accept(const BlockHeader& header, std::int64_t now);

    const ChainedHeader& tip() const { return tip_; }
    std::int32_t tip_height() const { return tip_.height; }
    /// The best chain's header at a height in 0..tip_height().
    ChainedHeader at(std::int32_t height) const;
    /// The height of a hash on the best chain.
    std::optional<std::int32_t> height_of(const Hash256& hash) const;
    /// A header on any branch.
    std::optional<ChainedHeader> find(const Hash256& hash) const;
    /// The height of the last block of the best chain that the branch ending in `hash` shares.
    std::optional<std::int32_t> fork_height(const Hash256& hash) const;
    /// Median of the times of the block at `height` and its ten ancestors on the best chain.
    std::int64_t median_time(std::int32_t height) const;
    /// Ten dense hashes from the tip down, then doubling steps, ending in genesis.
    std::vector<Hash256> locator() const;
    /// The same, from any known header (for asking on along a branch that is not yet the best);
    /// from the tip when `from` is unknown.
    std::vector<Hash256> locator(const Hash256& from) const;

    std::size_t side_headers() const { return side_.size(); }

    /// What is not durable yet. Empty when all is.
    HeaderChange unsaved() const;
    /// The archive now holds what unsaved() said when its last header was `tip`; drop it from
    /// memory.
    void saved(const Hash256& tip);

  private:
    class Branch;

    struct Verdict {
        HeaderVerdict verdict;
        std::string_view reason;
    };

    /// What speaks against the header, if anything, given its parent.
    std::optional<Verdict> objection(const BlockHeader& header, const ChainedHeader& parent,
                                     std::int64_t now) const;
    TimeAndBits facts_at(std::int32_t height) const;
    Uint256 work_for(std::uint32_t bits);
    void extend(const ChainedHeader& header);
    void cut(std::int32_t height);
    Reorganisation reorganise(const ChainedHeader& new_tip);
    const ChainedHeader& overlay_at(std::int32_t height) const {
        return overlay_[static_cast<std::size_t>(height - base_ - 1)];
    }

    const Network& network_;
    const HeaderArchive& archive_;
    /// The archive holds the best chain up to here; whatever it has above is shadowed by overlay_.
    std::int32_t base_ = -1;
    std::vector<ChainedHeader> overlay_; ///< the best chain above base_
    std::unordered_map<Hash256, std::int32_t, Hash256Hasher> overlay_heights_;
    ChainedHeader tip_;
    SideHeaders side_;
    std::uint32_t last_bits_ = 0; ///< whose work is last_work_: bits rarely change
    Uint256 last_work_;
};

} // namespace headlight::chain
