// Drives the header tree and the naive one with the same random story and compares all they say.
#pragma once

#include "chain/memory_archive.hpp"
#include "tests/support/mining.hpp"
#include "tests/support/naive_header_tree.hpp"

#include <functional>
#include <memory>
#include <sstream>

namespace headlight::tests {

class HeaderTreeDriver {
  public:
    /// Gives a number in 0..n-1.
    using Choose = std::function<std::uint32_t(std::uint32_t n)>;

    HeaderTreeDriver(const chain::Network& network, std::size_t limit, Choose choose,
                     const NaiveHeaderTree::Branch& stored = {})
        : network_(network),
          limit_(limit),
          choose_(std::move(choose)),
          now_(network.genesis.time + 100'000),
          model_(network, limit, stored) {
        archive_.apply({-1, stored});
        tree_ = std::make_unique<chain::HeaderTree>(network_, archive_, limit_);
        if (stored.empty()) return;
        now_ = stored.back().header.time + 10'000;
        compare_from_ = stored.back().height - 12;
    }

    /// One event; "" or what the two disagree about.
    std::string step() {
        const auto event = choose_(32);
        if (event == 0) return restart();
        if (event == 1) pending_ = tree_->unsaved();
        if (event == 2) return save_pending();
        if (event == 3) {
            pending_ = tree_->unsaved();
            return save_pending();
        }
        now_ += choose_(1000);
        return offer(event < 7 ? old_header() : event < 9 ? bad_header() : new_header());
    }

    /// Compares everything but what was stored from the start; costs the square of that.
    std::string compare() const {
        const auto& best = model_.best();
        if (tree_->tip() != best.back()) return "tip";
        if (tree_->side_headers() != model_.side_headers()) return "side_headers";
        if (tree_->side_headers() > limit_) return "the limit";
        for (const auto& header : best) {
            if (header.height < compare_from_) continue;
            if (tree_->at(header.height) != header) return "at";
            if (tree_->height_of(header.hash) != header.height) return "height_of";
        }
        const NaiveHeaderTree::Branch upper(best.begin(), best.begin() + best.size() / 2 + 1);
        if (tree_->median_time(upper.back().height) != NaiveHeaderTree::median_time(upper)) {
            return "median_time";
        }
        for (const auto& [hash, header] : model_.all()) {
            if (header.height < compare_from_) continue;
            if (tree_->find(hash) != header) return "find";
            if (tree_->fork_height(hash) != model_.fork_height(hash)) return "fork_height";
        }
        for (const auto& header : offered_) {
            const auto hash = chain::hash_of(header);
            if (model_.all().contains(hash)) continue;
            if (tree_->find(hash) || tree_->fork_height(hash)) return "a dropped header is found";
        }
        return compare_unsaved();
    }

    /// How often each verdict came, so that a test can tell a rich story from a dull one.
    const std::map<chain::HeaderVerdict, int>& verdicts() const { return verdicts_; }

    std::int32_t best_height() const { return model_.best().back().height; }

  private:
    std::string compare_unsaved() const {
        const auto change = tree_->unsaved();
        chain::MemoryArchive durable = archive_;
        durable.apply(change);
        const auto& best = model_.best();
        if (durable.tip_height() != best.back().height) return "unsaved: height";
        for (const auto& header : best) {
            if (durable.at(header.height) != header) return "unsaved: headers";
        }
        return {};
    }

    /// Stores what unsaved() said some events ago.
    std::string save_pending() {
        if (pending_.empty()) return {};
        archive_.apply(pending_);
        if (choose_(4) == 0) { // the store is done, but the news has not reached the tree yet
            if (auto differs = compare_reads(); !differs.empty()) return differs;
        }
        tree_->saved(pending_.headers.back().hash);
        pending_ = {};
        const auto left = tree_->unsaved();
        if (left.fork >= 0 && archive_.at(left.fork).hash != tree_->at(left.fork).hash) {
            return "saved: the archive differs below";
        }
        if (archive_.tip_height() > left.fork && !left.empty() &&
            archive_.at(left.fork + 1).hash == left.headers[0].hash) {
            return "saved: not dropped";
        }
        return compare();
    }

    std::string compare_reads() const {
        for (const auto& header : model_.best()) {
            if (tree_->at(header.height) != header) return "at, while saving";
            if (tree_->height_of(header.hash) != header.height) return "height_of, while saving";
        }
        return {};
    }

    /// A new process: only what is durable is known.
    std::string restart() {
        if (choose_(4) != 0) return {};
        NaiveHeaderTree::Branch stored;
        for (std::int32_t i = 0; i <= archive_.tip_height(); ++i)
            stored.push_back(archive_.at(i));
        model_ = NaiveHeaderTree(network_, limit_, stored);
        tree_ = std::make_unique<chain::HeaderTree>(network_, archive_, limit_);
        pending_ = {};
        return compare();
    }

    std::string offer(const chain::BlockHeader& header) {
        offered_.push_back(header);
        const auto expected = model_.accept(header, now_);
        const auto report = tree_->accept(header, now_);
        ++verdicts_[report.verdict];
        std::ostringstream why;
        if (report.verdict != expected.verdict) {
            why << "verdict " << static_cast<int>(report.verdict) << " (" << report.reason
                << "), expected " << static_cast<int>(expected.verdict);
        } else if (report.reorganisation != expected.reorganisation) {
            why << "reorganisation";
        }
        return why.str();
    }

    chain::Hash256 some_parent() {
        const auto& best = model_.best();
        const auto kind = choose_(8);
        if (kind < 2) return best.back().hash;
        if (kind < 4) {
            const auto depth = std::min<std::size_t>(choose_(6), best.size() - 1);
            return best[best.size() - 1 - depth].hash;
        }
        if (kind == 4 && !offered_.empty()) {
            return chain::hash_of(offered_[choose_(static_cast<std::uint32_t>(offered_.size()))]);
        }
        // Any, but mostly off the best chain.
        auto any = model_.all().begin();
        std::advance(any, choose_(static_cast<std::uint32_t>(model_.all().size())));
        for (std::size_t i = 0; i < 20 && model_.on_best(any->first); ++i) {
            if (++any == model_.all().end()) any = model_.all().begin();
        }
        return any->first;
    }

    std::uint32_t some_time(const NaiveHeaderTree::Branch& path) {
        const auto last = path.back().header.time;
        const auto median = static_cast<std::uint32_t>(NaiveHeaderTree::median_time(path));
        switch (choose_(12)) {
        case 0:
            return median;
        case 1:
            return median + 1;
        case 2:
            return static_cast<std::uint32_t>(now_) + 7200;
        case 3:
            return static_cast<std::uint32_t>(now_) + 7201;
        case 4:
            return last + 1200;
        case 5:
            return last + 1201;
        case 6:
            return last - 600;
        case 7:
            return last - 601;
        default:
            return last + choose_(600);
        }
    }

    chain::BlockHeader new_header() {
        const auto parent = some_parent();
        const auto path = model_.branch(parent);
        if (path.empty()) return mine(network_, parent, 1'296'700'000, 0x207fffff, ++salt_);
        const auto time = some_time(path);
        return mine(network_, parent, time, model_.bits_after(path, time), ++salt_);
    }

    chain::BlockHeader old_header() {
        if (offered_.empty()) return network_.genesis;
        return offered_[choose_(static_cast<std::uint32_t>(offered_.size()))];
    }

    /// Wrong bits, or a hash above its target.
    chain::BlockHeader bad_header() {
        auto header = new_header();
        if (choose_(2) == 0) {
            return mine(network_, header.previous, header.time, 0x201fffff, ++salt_);
        }
        while (chain::check_proof_of_work(chain::hash_of(header), header.bits, network_)) {
            ++header.nonce;
        }
        return header;
    }

    const chain::Network& network_;
    std::size_t limit_;
    Choose choose_;
    std::int64_t now_;
    std::int32_t compare_from_ = 0;
    NaiveHeaderTree model_;
    chain::MemoryArchive archive_;
    std::unique_ptr<chain::HeaderTree> tree_;
    chain::HeaderChange pending_;
    std::vector<chain::BlockHeader> offered_;
    std::uint32_t salt_ = 0;
    std::map<chain::HeaderVerdict, int> verdicts_;
};

} // namespace headlight::tests
