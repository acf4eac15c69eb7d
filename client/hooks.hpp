// --on-tx and --on-block: a command for each event, once, over restarts too.
//
// What there is to tell is the difference between the wallet as it is stored and what a file beside
// it says was told (told_file.hpp). An event is noted there once its command has ended, however it
// ended. So nothing is lost; and after a crash, what had started and was not noted yet is told
// again (at least once). After an orderly end each is told exactly once.
#pragma once

#include "client/commands.hpp"
#include "client/told_file.hpp"
#include "sync/events.hpp"
#include "wallet/wallet.hpp"

namespace headlight::client {

struct HookCommands {
    std::string on_tx;    ///< empty: none
    std::string on_block; ///< empty: none
};

/// The values of %s, %b, %h and %w, which bitcoind's -walletnotify and -blocknotify have.
struct HookValues {
    std::string subject; ///< %s: a transaction id, or a block's hash
    std::string block;   ///< %b: a block's hash, or "unconfirmed"
    std::int32_t height = -1;
    std::string wallet; ///< quoted for the shell
};
/// Every other % stays; a value is not looked into again.
std::string fill_in(std::string_view command, const HookValues& values);

class Hooks {
  public:
    Hooks(const Paths& paths, HookCommands commands);

    /// Before the first notice, the wallet being this process's alone: tells what earlier runs
    /// left. Both live until Finished is told. When the file beside the wallet cannot be read and
    /// written, no command is run, and the next tick() says so.
    void attach(const wallet::Wallet& wallet, const chain::HeaderArchive& headers);
    void on(const sync::Notice& notice);
    /// Once a second: notes what was told. Gives what went wrong, summed up.
    std::optional<Error> tick();
    /// After Finished: gives running commands a little time, and notes what was told.
    std::optional<Error> finish();
    /// Commands that run, wait for their turn, or are not noted yet.
    std::size_t open_commands() const { return open_commands_; }

  private:
    /// The latest that is on its way to be told, and how many commands of its transaction are.
    struct Telling {
        std::optional<Standing> standing;
        std::uint64_t command = 0;
        std::size_t commands = 0;
    };
    struct TellingBlock {
        ToldBlock block;
        std::uint64_t command = 0;
        bool ended = false;
    };

    void on_notice(const sync::notice::Progress& progress);
    void on_notice(const sync::notice::Transaction& transaction);
    void on_notice(const sync::notice::Block& block);
    void on_notice(const sync::notice::Finished& finished);
    void on_notice(const sync::notice::Warning&) {}
    void on_notice(const sync::notice::PeerLog&) {}

    std::optional<Standing> standing(const chain::Hash256& txid) const;
    std::vector<chain::Hash256> known() const;
    void tell_all();
    void tell(const chain::Hash256& txid);
    void tell_blocks();
    void tell(const ToldBlock& block);
    std::int32_t first_untold(std::int32_t tip);
    bool is_on_chain(const ToldBlock& block) const;
    std::uint64_t run(std::string_view command, const HookValues& values, std::string_view status);
    void note_ended();
    void note_transaction(std::uint64_t command);
    void note_blocks(std::uint64_t command);
    std::optional<Error> save_and_judge();

    std::filesystem::path told_path_;
    HookCommands commands_;
    std::string wallet_name_; ///< quoted
    std::optional<ToldFile> told_;
    CommandRunner runner_;
    const wallet::Wallet* wallet_ = nullptr;
    const chain::HeaderArchive* headers_ = nullptr;
    bool at_tip_ = false;
    bool left_out_ = false; ///< too much at once: the rest follows from told_ later
    std::uint64_t last_command_ = 0;
    std::size_t open_commands_ = 0;
    std::map<chain::Hash256, Telling> telling_;
    std::map<std::uint64_t, chain::Hash256> transaction_of_; ///< by command
    std::deque<TellingBlock> telling_blocks_;                ///< in order
    std::size_t failures_ = 0;
    std::optional<Error> last_failure_;
};

} // namespace headlight::client
