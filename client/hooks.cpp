#include "client/hooks.hpp"

#include <algorithm>

namespace headlight::client {

namespace {

constexpr std::string_view gone = "dropped"; // a coinbase that was undone, or by `unwatch`

} // namespace

std::string fill_in(std::string_view command, const HookValues& values) {
    std::string line;
    for (std::size_t at = 0; at < command.size(); ++at) {
        const char next = at + 1 < command.size() ? command[at + 1] : '\0';
        if (command[at] != '%' || std::string_view("sbhw").find(next) == std::string_view::npos) {
            line += command[at];
            continue;
        }
        ++at;
        if (next == 's') line += values.subject;
        if (next == 'b') line += values.block;
        if (next == 'h') line += std::to_string(values.height);
        if (next == 'w') line += values.wallet;
    }
    return line;
}

Hooks::Hooks(const Paths& paths, HookCommands commands)
    : told_path_(paths.wallets() / (paths.wallet + ".told")),
      commands_(std::move(commands)),
      wallet_name_(shell_quoted(paths.wallet)) {}

void Hooks::attach(const wallet::Wallet& wallet, const chain::HeaderArchive& headers) {
    auto opened = ToldFile::open(told_path_);
    if (!opened) {
        ++failures_;
        last_failure_ = opened.error();
        return;
    }
    told_.emplace(std::move(*opened));
    wallet_ = &wallet;
    headers_ = &headers;
    if (commands_.on_tx.empty()) return;
    if (told_->knows_transactions()) return tell_all();
    told_->begin_transactions(); // what is there already is not news
    for (const auto& txid : known())
        told_->note(txid, standing(txid));
}

void Hooks::on(const sync::Notice& notice) {
    std::visit([this](const auto& one) { on_notice(one); }, notice);
}

void Hooks::on_notice(const sync::notice::Progress& progress) {
    at_tip_ = progress.phase == sync::notice::Phase::at_tip;
}

void Hooks::on_notice(const sync::notice::Transaction& transaction) {
    tell(transaction.event.txid);
}

void Hooks::on_notice(const sync::notice::Block&) {
    if (at_tip_) tell_blocks(); // else at the next tick there
}

void Hooks::on_notice(const sync::notice::Finished&) {
    wallet_ = nullptr;
    headers_ = nullptr;
}

std::optional<Standing> Hooks::standing(const chain::Hash256& txid) const {
    const auto* stored = wallet_->ledger().find(txid);
    if (!stored) return std::nullopt;
    Standing standing{.status = wallet_->ledger().status(txid)};
    if (stored->confirmation) standing.block = stored->confirmation->block;
    return standing;
}

std::vector<chain::Hash256> Hooks::known() const {
    std::vector<chain::Hash256> all;
    for (const auto& entry : wallet_->ledger().history(0)) // oldest first
        all.push_back(entry.txid);
    return all;
}

void Hooks::tell_all() {
    for (const auto& txid : known())
        tell(txid);
    std::vector<chain::Hash256> lost;
    for (const auto& [txid, standing] : told_->transactions())
        if (!wallet_->ledger().find(txid)) lost.push_back(txid);
    for (const auto& txid : lost)
        tell(txid);
}

void Hooks::tell(const chain::Hash256& txid) {
    if (commands_.on_tx.empty() || !wallet_) return;
    const auto now = standing(txid);
    const auto on_its_way = telling_.find(txid);
    const auto before = told_->transactions().find(txid);
    const auto last = on_its_way != telling_.end()            ? on_its_way->second.standing
                      : before != told_->transactions().end() ? std::optional(before->second)
                                                              : std::nullopt;
    if (now == last) return;
    if (open_commands_ >= limits::max_commands_waiting) {
        left_out_ = true;
        return;
    }
    HookValues values{.subject = txid.to_string(), .block = "unconfirmed", .wallet = wallet_name_};
    if (now && now->block) {
        values.block = now->block->to_string();
        values.height = wallet_->ledger().find(txid)->confirmation->height;
    }
    auto& telling = telling_[txid];
    telling.standing = now;
    telling.command = run(commands_.on_tx, values, now ? to_string(now->status) : gone);
    ++telling.commands;
    transaction_of_[telling.command] = txid;
}

bool Hooks::is_on_chain(const ToldBlock& block) const {
    return block.height <= headers_->tip_height() && headers_->at(block.height).hash == block.hash;
}

/// Above the last block told that is on the chain still.
std::int32_t Hooks::first_untold(std::int32_t tip) {
    std::optional<std::int32_t> last;
    for (const auto& block : told_->blocks())
        if (is_on_chain(block)) last = block.height;
    for (const auto& one : telling_blocks_)
        if (is_on_chain(one.block)) last = std::max(last.value_or(0), one.block.height);
    const auto first = last ? *last + 1 : tip; // without a shared one, the tip stands for all
    return std::max(first, tip - limits::told_blocks_kept + 1);
}

void Hooks::tell_blocks() {
    if (commands_.on_block.empty() || !wallet_ || !headers_) return;
    const auto tip = wallet_->scan().height;
    if (tip < 0 || tip > headers_->tip_height()) return;
    if (!told_->knows_blocks()) {
        told_->begin_blocks();
        // What is there is not news; as many as are kept, so that a fork below the tip is found.
        for (auto height = std::max(0, tip - limits::told_blocks_kept + 1); height <= tip; ++height)
            told_->note(ToldBlock{height, headers_->at(height).hash});
        return;
    }
    for (auto height = first_untold(tip); height <= tip; ++height)
        if (open_commands_ < limits::max_commands_waiting)
            tell(ToldBlock{height, headers_->at(height).hash});
}

void Hooks::tell(const ToldBlock& block) {
    const auto hash = block.hash.to_string();
    const HookValues values{
        .subject = hash, .block = hash, .height = block.height, .wallet = wallet_name_};
    telling_blocks_.push_back({block, run(commands_.on_block, values, "block")});
}

std::uint64_t Hooks::run(std::string_view command, const HookValues& values,
                         std::string_view status) {
    const auto id = ++last_command_;
    ++open_commands_;
    runner_.run({id, fill_in(command, values), {"HEADLIGHT_STATUS=" + std::string(status)}});
    return id;
}

void Hooks::note_ended() {
    for (auto& ended : runner_.take_ended()) {
        --open_commands_;
        if (ended.error) {
            ++failures_;
            last_failure_ = std::move(ended.error);
        }
        if (ended.ended_by_us) continue; // told again by the next run
        note_transaction(ended.id);
        note_blocks(ended.id);
    }
}

/// Only the latest of a transaction says where it stands: an older command may end after it.
void Hooks::note_transaction(std::uint64_t command) {
    const auto found = transaction_of_.find(command);
    if (found == transaction_of_.end()) return;
    const auto telling = telling_.find(found->second);
    if (telling->second.command == command) told_->note(telling->first, telling->second.standing);
    if (--telling->second.commands == 0) telling_.erase(telling);
    transaction_of_.erase(found);
}

/// In order, so that no block before the last one noted is untold.
void Hooks::note_blocks(std::uint64_t command) {
    for (auto& one : telling_blocks_)
        one.ended |= one.command == command;
    while (!telling_blocks_.empty() && telling_blocks_.front().ended) {
        told_->note(telling_blocks_.front().block);
        telling_blocks_.pop_front();
    }
}

/// What went wrong since the last call, as one.
std::optional<Error> Hooks::save_and_judge() {
    if (told_) {
        if (const auto saved = told_->save(); !saved) return saved.error();
    }
    if (!last_failure_) return std::nullopt;
    auto error = std::exchange(last_failure_, std::nullopt);
    const auto count = std::exchange(failures_, 0);
    if (count > 1)
        error->message =
            std::to_string(count) + " commands failed; the last one: " + error->message;
    return error;
}

std::optional<Error> Hooks::tick() {
    note_ended();
    if (left_out_ && open_commands_ == 0 && wallet_) {
        left_out_ = false;
        tell_all();
    }
    if (at_tip_) tell_blocks();
    return save_and_judge();
}

std::optional<Error> Hooks::finish() {
    runner_.finish(std::chrono::milliseconds(limits::command_end_milliseconds));
    note_ended();
    return save_and_judge();
}

} // namespace headlight::client
