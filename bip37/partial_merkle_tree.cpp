// Partial merkle trees: building one, walking one that nobody vouches for, and single branches.
// Depth is bounded by the transaction limit (15 levels), so the walks may recurse.
#include "bip37/partial_merkle_tree.hpp"

#include "chain/limits.hpp"
#include "chain/merkle.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <string>

namespace headlight::bip37 {
namespace {

using chain::Hash256;

/// Nodes at `height` (leaves are at 0) of a tree over `leaves`; never overflows.
constexpr std::uint32_t width(std::uint32_t leaves, unsigned height) {
    return static_cast<std::uint32_t>((std::uint64_t{leaves} + (1ull << height) - 1) >> height);
}

constexpr unsigned root_height(std::uint32_t leaves) {
    unsigned height = 0;
    while (width(leaves, height) > 1)
        ++height;
    return height;
}

std::array<std::uint8_t, 64> joined(const Hash256& left, const Hash256& right) {
    std::array<std::uint8_t, 64> pair{};
    std::copy(left.bytes.begin(), left.bytes.end(), pair.begin());
    std::copy(right.bytes.begin(), right.bytes.end(), pair.begin() + 32);
    return pair;
}

Error refused(std::string cause) {
    return Error{errc::bad_proof, "a merkle proof does not hold", std::move(cause)};
}

constexpr auto equal_children = "a node has two equal children (CVE-2012-2459)";
constexpr auto pair_is_transaction = "a pair of nodes reads as a transaction (CVE-2017-12842)";

/// A whole tree, and which of its nodes lead to a chosen leaf.
class TreeBuilder {
  public:
    TreeBuilder(const std::vector<Hash256>& txids, const std::vector<bool>& matched)
        : whole_(txids), chosen_{matched} {
        while (chosen_.back().size() > 1)
            chosen_.push_back(above(chosen_.back()));
    }

    PartialMerkleTree build() {
        tree_.total_transactions = static_cast<std::uint32_t>(whole_.txids().size());
        visit(chosen_.size() - 1, 0);
        return std::move(tree_);
    }

  private:
    static std::vector<bool> above(const std::vector<bool>& below) {
        std::vector<bool> level;
        level.reserve((below.size() + 1) / 2);
        for (std::size_t i = 0; i < below.size(); i += 2)
            level.push_back(below[i] || below[std::min(i + 1, below.size() - 1)]);
        return level;
    }

    void visit(std::size_t height, std::size_t position) {
        const bool chosen = chosen_[height][position];
        push_flag(chosen);
        if (height == 0 || !chosen) {
            tree_.hashes.push_back(whole_.levels()[height][position]);
            return;
        }
        visit(height - 1, position * 2);
        if (position * 2 + 1 < chosen_[height - 1].size()) visit(height - 1, position * 2 + 1);
    }

    void push_flag(bool flag) {
        if (flags_ % 8 == 0) tree_.flags.push_back(0);
        if (flag) tree_.flags.back() |= static_cast<std::uint8_t>(1u << (flags_ % 8));
        ++flags_;
    }

    chain::MerkleTree whole_;
    std::vector<std::vector<bool>> chosen_; ///< as the levels of `whole_`
    PartialMerkleTree tree_;
    std::size_t flags_ = 0;
};

/// Walks a tree depth first, taking flags and hashes as it goes. The first broken rule ends the
/// walk.
class TreeWalker {
  public:
    explicit TreeWalker(const PartialMerkleTree& tree) : tree_(tree) {}

    result<ExtractedMatches> walk() {
        found_.root = visit(root_height(tree_.total_transactions), 0);
        if (failure_.empty() && next_hash_ != tree_.hashes.size()) fail("hashes are left over");
        if (failure_.empty() && (next_flag_ + 7) / 8 != tree_.flags.size()) {
            fail("flag bytes are left over"); // bits that pad the last byte may be anything
        }
        if (!failure_.empty()) return refused(std::string(failure_));
        return std::move(found_);
    }

  private:
    Hash256 visit(unsigned height, std::uint32_t position) {
        const bool flag = take_flag();
        if (height > 0 && flag) return visit_children(height, position);
        const auto hash = take_hash();
        if (flag && failure_.empty()) {
            auto& match = found_.matches.emplace_back(ProvenTx{hash, position, {}});
            match.branch.reserve(root_height(tree_.total_transactions));
        }
        return hash;
    }

    Hash256 visit_children(unsigned height, std::uint32_t position) {
        const auto first_left = found_.matches.size();
        const auto left = visit(height - 1, position * 2);
        if (!failure_.empty()) return {};
        const auto first_right = found_.matches.size();
        auto right = left; // a last node alone is its own sibling
        if (position * 2 + 1 < width(tree_.total_transactions, height - 1)) {
            right = visit(height - 1, position * 2 + 1);
            if (failure_.empty() && left == right) fail(equal_children);
        }
        return failure_.empty() ? join(left, right, first_left, first_right) : Hash256{};
    }

    // Matches found below get their sibling at this level: bottom-up, so branches grow from the
    // leaf.
    Hash256 join(const Hash256& left, const Hash256& right, std::size_t first_left,
                 std::size_t first_right) {
        for (auto i = first_left; i < first_right; ++i) {
            found_.matches[i].branch.push_back(right);
        }
        for (auto i = first_right; i < found_.matches.size(); ++i) {
            found_.matches[i].branch.push_back(left);
        }
        const auto pair = joined(left, right);
        if (reads_as_transaction(pair)) fail(pair_is_transaction);
        return chain::hash256(pair);
    }

    bool take_flag() {
        if (next_flag_ == tree_.flags.size() * 8) {
            fail("the flag bits end too early");
            return false;
        }
        const auto bit = next_flag_++;
        return (tree_.flags[bit / 8] >> (bit % 8)) & 1;
    }

    Hash256 take_hash() {
        if (failure_.empty() && next_hash_ == tree_.hashes.size()) fail("the hashes end too early");
        return failure_.empty() ? tree_.hashes[next_hash_++] : Hash256{};
    }

    void fail(std::string_view why) {
        if (failure_.empty()) failure_ = why;
    }

    const PartialMerkleTree& tree_;
    ExtractedMatches found_;
    std::size_t next_flag_ = 0;
    std::size_t next_hash_ = 0;
    std::string_view failure_{};
};

/// What can be said of a tree before it is walked; it bounds the walk.
result<> check_counts(const PartialMerkleTree& tree) {
    if (tree.total_transactions == 0) return refused("its block has no transactions");
    if (tree.total_transactions > limits::max_block_transactions) {
        return refused("its block has more transactions than a block can hold");
    }
    if (tree.hashes.size() > tree.total_transactions)
        return refused("more hashes than transactions");
    if (tree.flags.size() * 8 < tree.hashes.size()) return refused("fewer flag bits than hashes");
    return {};
}

} // namespace

PartialMerkleTree build_partial_merkle_tree(const std::vector<Hash256>& txids,
                                            const std::vector<bool>& matched) {
    assert(!txids.empty() && txids.size() == matched.size());
    return TreeBuilder(txids, matched).build();
}

result<ExtractedMatches> extract_matches(const PartialMerkleTree& tree) {
    if (auto fine = check_counts(tree); !fine) return fine.error();
    return TreeWalker(tree).walk();
}

Hash256 merkle_root(const std::vector<Hash256>& txids) { return chain::MerkleTree(txids).root(); }

result<Hash256> root_of_branch(const Hash256& txid, std::uint32_t position,
                               std::uint32_t total_transactions,
                               const std::vector<Hash256>& branch) {
    if (total_transactions > limits::max_block_transactions) {
        return refused("its block has more transactions than a block can hold");
    }
    if (position >= total_transactions) return refused("its position is not in the block");
    if (branch.size() != root_height(total_transactions)) {
        return refused("its branch has " + std::to_string(branch.size()) + " hashes instead of " +
                       std::to_string(root_height(total_transactions)));
    }
    auto hash = txid;
    for (unsigned height = 0; height < branch.size(); ++height, position /= 2) {
        const auto& sibling = branch[height];
        const bool alone = position % 2 == 0 && position + 1 == width(total_transactions, height);
        if (alone && sibling != hash) return refused("the last node of a level has a sibling");
        if (!alone && sibling == hash) return refused(equal_children);
        const auto pair = position % 2 == 0 ? joined(hash, sibling) : joined(sibling, hash);
        if (reads_as_transaction(pair)) return refused(pair_is_transaction);
        hash = chain::hash256(pair);
    }
    return hash;
}

// A transaction of 64 bytes with an output has exactly one input and one output: those take 60
// bytes and the two scripts share 4. So four bytes stand fixed, in 5 ways, and the amount must be
// in range: of two honest hashes 5 / 2^32 * 2.1e15 / 2^64 = 1.3e-13 do so by chance. A whole scan
// of mainnet walks some 10 million pairs; without the amounts one scan in 90 would end at an honest
// block. What lacks an input or an output is no transaction that a block could hold, so nobody can
// have it mined to pass for a pair.
bool reads_as_transaction(ByteView bytes) {
    constexpr std::size_t input_count_at = 4, script_sig_at = 41, free_script_bytes = 4;
    if (bytes.size() != 64 || bytes[input_count_at] != 1) return false;
    const std::size_t script_sig = bytes[script_sig_at];
    if (script_sig > free_script_bytes) return false;
    const auto output_count_at = script_sig_at + 1 + script_sig + 4;
    const auto script_pubkey_at = output_count_at + 1 + 8;
    if (bytes[output_count_at] != 1) return false;
    if (bytes[script_pubkey_at] != free_script_bytes - script_sig) return false;
    const auto amount = chain::Reader(bytes.subspan(output_count_at + 1, 8)).i64();
    return amount >= 0 && amount <= chain::max_money;
}

} // namespace headlight::bip37
