#include "chain/side_headers.hpp"

namespace headlight::chain {

const ChainedHeader* SideHeaders::find(const Hash256& hash) const {
    const auto found = headers_.find(hash);
    return found == headers_.end() ? nullptr : &found->second;
}

bool SideHeaders::insert(const ChainedHeader& header) {
    if (headers_.size() >= limit_) {
        auto lightest = leaves_.begin();
        if (lightest != leaves_.end() && lightest->second == header.header.previous) ++lightest;
        if (lightest == leaves_.end() || lightest->first >= header.work) return false;
        take(lightest->second);
    }
    add(header);
    return true;
}

void SideHeaders::insert_branch(const std::vector<ChainedHeader>& branch) {
    while (!leaves_.empty() && headers_.size() + branch.size() > limit_) {
        take(leaves_.begin()->second);
    }
    for (const auto& header : branch) {
        if (headers_.size() >= limit_) return;
        add(header);
    }
}

ChainedHeader SideHeaders::take(const Hash256& hash) {
    auto node = headers_.extract(hash);
    auto header = node.mapped();
    leaves_.erase({header.work, header.hash});
    const auto siblings = children_.find(header.header.previous);
    if (--siblings->second == 0) {
        children_.erase(siblings);
        if (const auto* parent = find(header.header.previous)) {
            leaves_.emplace(parent->work, parent->hash);
        }
    }
    return header;
}

void SideHeaders::add(const ChainedHeader& header) {
    headers_.emplace(header.hash, header);
    if (is_leaf(header.hash)) leaves_.emplace(header.work, header.hash);
    ++children_[header.header.previous];
    if (const auto* parent = find(header.header.previous)) {
        leaves_.erase({parent->work, parent->hash});
    }
}

} // namespace headlight::chain
