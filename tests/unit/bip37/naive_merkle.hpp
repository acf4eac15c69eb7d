// The slow way to read a partial merkle tree, for comparison: plain recursion that keeps every node
// by its place, looks branches up afterwards, and parses pairs with the general transaction
// decoder.
#pragma once

#include "bip37/partial_merkle_tree.hpp"
#include "chain/limits.hpp"
#include "chain/transaction.hpp"

#include <map>
#include <optional>
#include <utility>

namespace headlight::tests {

class NaiveMerkleReader {
  public:
    explicit NaiveMerkleReader(const bip37::PartialMerkleTree& tree) : tree_(tree) {}

    std::optional<bip37::ExtractedMatches> read() {
        const std::uint64_t total = tree_.total_transactions;
        if (total == 0 || total > limits::max_block_transactions) return std::nullopt;
        if (tree_.hashes.size() > total || tree_.flags.size() * 8 < tree_.hashes.size()) {
            return std::nullopt;
        }
        const int top = height_of_root();
        const auto root = node(top, 0);
        if (bad_ || hashes_ != tree_.hashes.size()) return std::nullopt;
        while (flags_ % 8 != 0)
            ++flags_;
        if (flags_ != tree_.flags.size() * 8) return std::nullopt;

        bip37::ExtractedMatches found{root, {}};
        for (const auto leaf : matches_) {
            bip37::ProvenTx proven{nodes_.at({0, leaf}), static_cast<std::uint32_t>(leaf), {}};
            for (int height = 0; height < top; ++height) {
                const auto place = leaf >> height;
                const auto sibling = nodes_.find({height, place ^ 1});
                proven.branch.push_back(sibling != nodes_.end() ? sibling->second
                                                                : nodes_.at({height, place}));
            }
            found.matches.push_back(std::move(proven));
        }
        return found;
    }

    static bool is_transaction(ByteView pair) {
        const auto tx = chain::parse_transaction(pair);
        return tx && !tx->has_witness() && !tx->inputs.empty() && !tx->outputs.empty() &&
               chain::amounts_in_range(*tx);
    }

  private:
    std::uint64_t nodes_at(int height) const {
        std::uint64_t count = tree_.total_transactions;
        for (; height > 0; --height)
            count = (count + 1) / 2;
        return count;
    }

    int height_of_root() const {
        int height = 0;
        while (nodes_at(height) > 1)
            ++height;
        return height;
    }

    chain::Hash256 node(int height, std::uint64_t place) {
        if (bad_) return {};
        const auto hash = compute(height, place);
        nodes_[{height, place}] = hash;
        return hash;
    }

    chain::Hash256 compute(int height, std::uint64_t place) {
        if (flags_ >= tree_.flags.size() * 8) return broken();
        const bool flag = (tree_.flags[flags_ / 8] & (1 << (flags_ % 8))) != 0;
        ++flags_;
        if (height == 0 || !flag) {
            if (hashes_ >= tree_.hashes.size()) return broken();
            if (flag) matches_.push_back(place);
            return tree_.hashes[hashes_++];
        }
        const auto left = node(height - 1, place * 2);
        const bool has_right = place * 2 + 1 < nodes_at(height - 1);
        const auto right = has_right ? node(height - 1, place * 2 + 1) : left;
        if (has_right && left == right) return broken();
        Bytes pair(left.bytes.begin(), left.bytes.end());
        pair.insert(pair.end(), right.bytes.begin(), right.bytes.end());
        if (is_transaction(pair)) return broken();
        return chain::hash256(pair);
    }

    chain::Hash256 broken() {
        bad_ = true;
        return {};
    }

    const bip37::PartialMerkleTree& tree_;
    std::map<std::pair<int, std::uint64_t>, chain::Hash256> nodes_;
    std::vector<std::uint64_t> matches_;
    std::size_t flags_ = 0;
    std::size_t hashes_ = 0;
    bool bad_ = false;
};

} // namespace headlight::tests
