#include "client/told_file.hpp"

#include <algorithm>
#include <charconv>

namespace headlight::client {

namespace {

namespace store = wallet::store;
using wallet::TxStatus;

constexpr std::string_view transactions_begin = "begin transactions";
constexpr std::string_view blocks_begin = "begin blocks";

std::string line_of(const chain::Hash256& txid, const std::optional<Standing>& standing) {
    std::string line = "tx " + txid.to_string() + " ";
    if (!standing) return line + "gone\n";
    line += to_string(standing->status);
    if (standing->block) line += " " + standing->block->to_string();
    return line + "\n";
}

std::string line_of(const ToldBlock& block) {
    return "block " + block.hash.to_string() + " " + std::to_string(block.height) + "\n";
}

std::string_view next_part(std::string_view& line) {
    const auto end = std::min(line.find(' '), line.size());
    const auto part = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return part;
}

std::optional<TxStatus> parse_status(std::string_view word) {
    for (const auto status :
         {TxStatus::confirmed, TxStatus::pending, TxStatus::conflicted, TxStatus::abandoned})
        if (word == to_string(status)) return status;
    return std::nullopt;
}

} // namespace

result<ToldFile> ToldFile::open(const std::filesystem::path& path) {
    const auto text = store::read_text(path, limits::max_told_file_bytes);
    if (!text) return text.error();
    ToldFile told(path);
    std::string_view rest = *text;
    // What a crash cut has no line end.
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        told.read(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    if (const auto written = told.rewrite(); !written) return written.error();
    return told;
}

/// What is no line of ours is left out: its event is told again.
void ToldFile::read(std::string_view line) {
    knows_transactions_ |= line == transactions_begin;
    knows_blocks_ |= line == blocks_begin;
    const auto kind = next_part(line);
    const auto hash = chain::Hash256::from_string(next_part(line));
    if (!hash) return;
    const auto word = next_part(line);
    if (kind == "block") {
        ToldBlock block{.hash = *hash};
        const auto parsed = std::from_chars(word.data(), word.data() + word.size(), block.height);
        if (parsed.ec == std::errc{} && block.height >= 0) note(block);
    } else if (kind == "tx" && word == "gone") {
        transactions_.erase(*hash);
    } else if (const auto status = parse_status(word); kind == "tx" && status) {
        transactions_[*hash] = {*status, chain::Hash256::from_string(line)};
    }
}

void ToldFile::begin_transactions() {
    if (knows_transactions_) return;
    knows_transactions_ = true;
    unsaved_.append(transactions_begin).append("\n");
}

void ToldFile::begin_blocks() {
    if (knows_blocks_) return;
    knows_blocks_ = true;
    unsaved_.append(blocks_begin).append("\n");
}

void ToldFile::note(const chain::Hash256& txid, const std::optional<Standing>& standing) {
    if (standing)
        transactions_[txid] = *standing;
    else
        transactions_.erase(txid);
    unsaved_ += line_of(txid, standing);
}

void ToldFile::note(const ToldBlock& block) {
    while (!blocks_.empty() && blocks_.back().height >= block.height)
        blocks_.pop_back(); // reorganised away
    blocks_.push_back(block);
    if (blocks_.size() > static_cast<std::size_t>(limits::told_blocks_kept)) blocks_.pop_front();
    unsaved_ += line_of(block);
}

std::string ToldFile::all() const {
    std::string text;
    if (knows_transactions_) text.append(transactions_begin).append("\n");
    for (const auto& [txid, standing] : transactions_)
        text += line_of(txid, standing);
    if (knows_blocks_) text.append(blocks_begin).append("\n");
    for (const auto& block : blocks_)
        text += line_of(block);
    return text;
}

result<void> ToldFile::rewrite() {
    const auto text = all();
    auto file = store::replace_text(store::real_file_system(), path_, text);
    if (!file) return file.error();
    file_ = std::move(*file);
    size_ = text.size();
    unsaved_.clear();
    return {};
}

result<void> ToldFile::save() {
    if (unsaved_.empty()) return {};
    auto& system = store::real_file_system();
    // A write that failed half way is written over by the next one.
    int error = system.write(file_.get(), as_bytes(unsaved_), size_);
    if (!error) error = system.sync(file_.get());
    if (error) return store::file_error("cannot write", path_, error);
    size_ += unsaved_.size();
    unsaved_.clear();
    return {};
}

} // namespace headlight::client
