// A HeaderArchive in memory: what the header file is to the client, for simulated runs and tests.
#pragma once

#include "chain/header_tree.hpp"

#include <unordered_map>
#include <vector>

namespace headlight::chain {

class MemoryArchive : public HeaderArchive {
  public:
    std::int32_t tip_height() const override {
        return static_cast<std::int32_t>(headers_.size()) - 1;
    }
    ChainedHeader at(std::int32_t height) const override {
        return headers_.at(static_cast<std::size_t>(height));
    }
    std::optional<std::int32_t> find(const Hash256& hash) const override {
        const auto found = heights_.find(hash);
        if (found == heights_.end()) return std::nullopt;
        return found->second;
    }

    /// Forgets everything above change.fork, then appends.
    void apply(const HeaderChange& change) {
        while (tip_height() > change.fork) {
            heights_.erase(headers_.back().hash);
            headers_.pop_back();
        }
        for (const auto& header : change.headers) {
            heights_[header.hash] = header.height;
            headers_.push_back(header);
        }
    }

  private:
    std::vector<ChainedHeader> headers_;
    std::unordered_map<Hash256, std::int32_t, Hash256Hasher> heights_;
};

} // namespace headlight::chain
