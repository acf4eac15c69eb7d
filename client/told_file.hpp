// What --on-tx and --on-block were told, in a file beside the wallet, so that the next run tells
// the rest: for each transaction where it stood, and the latest blocks.
#pragma once

#include "client/paths.hpp"
#include "wallet/ledger.hpp"
#include "wallet/store/file_system.hpp"

#include <deque>
#include <map>

namespace headlight::client {

/// Where a transaction stands, as far as people are told. None: a coinbase that was undone.
struct Standing {
    wallet::TxStatus status{};
    std::optional<chain::Hash256> block{};
    friend bool operator==(const Standing&, const Standing&) = default;
};

struct ToldBlock {
    std::int32_t height = 0;
    chain::Hash256 hash;
    friend bool operator==(const ToldBlock&, const ToldBlock&) = default;
};

/// Appended to line by line: a line that a crash cut is as if it were not there, and its event is
/// told again. Rewritten, without what was superseded, when it is opened.
class ToldFile {
  public:
    /// A missing file is an empty one. Error: io.
    static result<ToldFile> open(const std::filesystem::path& path);
    /// Whether anything was told of them ever: before that, what is known is not news.
    bool knows_transactions() const { return knows_transactions_; }
    bool knows_blocks() const { return knows_blocks_; }
    const std::map<chain::Hash256, Standing>& transactions() const { return transactions_; }
    const std::deque<ToldBlock>& blocks() const { return blocks_; } ///< oldest first

    void begin_transactions();
    void begin_blocks();
    void note(const chain::Hash256& txid, const std::optional<Standing>& standing);
    void note(const ToldBlock& block);
    /// Makes durable what was noted since. Error: io, disk_full; it is kept for the next call.
    result<void> save();

  private:
    explicit ToldFile(std::filesystem::path path) : path_(std::move(path)) {}
    void read(std::string_view line);
    std::string all() const;
    result<void> rewrite();

    std::filesystem::path path_;
    wallet::store::FileDescriptor file_;
    std::uint64_t size_ = 0;
    bool knows_transactions_ = false;
    bool knows_blocks_ = false;
    std::map<chain::Hash256, Standing> transactions_;
    std::deque<ToldBlock> blocks_;
    std::string unsaved_;
};

} // namespace headlight::client
