// An archive of which only a window of heights is known: lets a header run that does not start at
// genesis go through the tree. Asking below the window fails the test.
#pragma once

#include "chain/header_tree.hpp"

#include <gtest/gtest.h>

#include <map>

namespace headlight::tests {

class WindowArchive : public chain::HeaderArchive {
  public:
    /// A header below or in the window; work counts from the first one put.
    void put(std::int32_t height, const chain::BlockHeader& header) {
        const auto below = known_.find(height - 1);
        const auto work = below == known_.end() ? chain::Uint256{} : below->second.work;
        known_[height] = {header, chain::hash_of(header), height,
                          work + chain::work_of(header.bits)};
    }

    std::int32_t tip_height() const override { return known_.rbegin()->first; }
    chain::ChainedHeader at(std::int32_t height) const override {
        const auto found = known_.find(height);
        if (found != known_.end()) return found->second;
        ADD_FAILURE() << "height " << height << " is not to be read";
        return {};
    }
    std::optional<std::int32_t> find(const chain::Hash256& hash) const override {
        for (const auto& [height, header] : known_) {
            if (header.hash == hash) return height;
        }
        return std::nullopt;
    }

  private:
    std::map<std::int32_t, chain::ChainedHeader> known_;
};

} // namespace headlight::tests
