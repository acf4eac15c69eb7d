#include "sync/block_order.hpp"

namespace headlight::sync {

std::vector<const BlockAnswer*> BlockOrder::answers_for(std::int32_t height) const {
    std::vector<const BlockAnswer*> answers;
    for (const auto* part : parts_) {
        const auto* answer = part->answer_for(height);
        if (!answer) return {};
        answers.push_back(answer);
    }
    return answers;
}

void BlockOrder::apply_ready() {
    while (true) {
        const auto height = context_.wallet.scan().height + 1;
        const auto answers = answers_for(height);
        if (answers.empty()) return;
        const auto hash = answers.front()->hash;
        apply(answers);
        bool covered = true;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (parts_[i]->covers(*answers[i])) continue;
            // What it showed is proven and kept; what it may have hidden is asked for again.
            parts_[i]->ask_again_above(height - 1);
            covered = false;
        }
        if (!covered) return;
        context_.wallet.set_scan({height, hash});
        ++context_.statistics.scanned_blocks;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            count_strangers(*answers[i]);
            parts_[i]->accept(height);
        }
    }
}

/// All parts' matches, in the order of the block: a spend may stand in one part's answer, and what
/// it spends in another's.
void BlockOrder::apply(const std::vector<const BlockAnswer*>& answers) {
    if (answers.front()->whole) return apply_whole(*answers.front());
    struct Match {
        const BlockAnswer* answer;
        std::size_t i;
        std::uint32_t position() const { return answer->matches[i].position; }
    };
    std::vector<Match> matches;
    for (const auto* answer : answers) {
        for (std::size_t i = 0; i < answer->matches.size(); ++i)
            matches.push_back({answer, i});
    }
    std::stable_sort(matches.begin(), matches.end(),
                     [](const Match& a, const Match& b) { return a.position() < b.position(); });
    for (const auto& [answer, i] : matches)
        confirm(*answer->transactions[i], answer->matches[i].txid,
                confirmation_of(context_.tree, *answer, i));
}

/// A script that one transaction makes known may be paid by an earlier one, so all are looked at
/// until nothing new is known.
void BlockOrder::apply_whole(const BlockAnswer& answer) {
    const auto& ledger = context_.wallet.ledger();
    const auto& transactions = answer.whole->transactions;
    auto known = context_.wallet.scripts().size();
    while (true) {
        for (std::size_t i = 0; i < transactions.size(); ++i) {
            if (ledger.relevant(transactions[i]))
                confirm(transactions[i], answer.whole->tree.txids()[i],
                        confirmation_in_whole(context_.tree, answer, i));
        }
        if (known == context_.wallet.scripts().size()) return;
        known = context_.wallet.scripts().size();
    }
}

void BlockOrder::confirm(const chain::Transaction& tx, const chain::Hash256& txid,
                         wallet::Confirmation place) {
    const auto* known = context_.wallet.ledger().find(txid);
    const bool is_new = !known;
    const bool shown = known && known->confirmation && known->confirmation->block == place.block;
    const auto height = place.height;
    auto delta =
        context_.wallet.ledger().confirm(tx, txid, std::move(place), context_.now.unix_seconds);
    if (delta.ours) {
        if (is_new) ++context_.statistics.transactions_new;
        if (!shown && height <= known_to_) {
            surprise_ = Surprise{txid, height};
            known_to_ = -1;
        }
    }
    context_.note(std::move(delta));
}

void BlockOrder::count_strangers(const BlockAnswer& answer) {
    for (const auto& match : answer.matches) {
        if (!context_.wallet.ledger().find(match.txid)) ++context_.statistics.false_positives;
    }
}

void BlockOrder::go_back(std::int32_t height) {
    context_.wallet.set_scan({height, context_.tree.at(height).hash});
    for (auto* part : parts_)
        part->ask_again_above(height);
}

void BlockOrder::on_reorganised(std::int32_t fork) {
    for (auto* part : parts_)
        part->on_reorganised(fork);
    known_to_ = std::min(known_to_, fork);
}

bool BlockOrder::idle_at(std::int32_t top) const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [&](const BlockScan* part) { return part->idle_at(top); });
}

std::int64_t BlockOrder::progress() const {
    std::int64_t sum = 0;
    for (const auto* part : parts_)
        sum += part->progress();
    return sum;
}

} // namespace headlight::sync
