// A small wallet's life, told in steps on the real store: made, synced, followed through payments
// and reorganisations, changed by hand. Each step is a run of the program's: files opened, synced,
// closed.
#pragma once

#include "regtest/sim_world.hpp"
#include "tests/sim/disk/fault_disk.hpp"
#include "wallet/store/header_file.hpp"
#include "wallet/store/wallet_db.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {

struct StoryStep {
    std::string name;
    /// What the nodes see, by milliseconds since the start; a run that starts late sees all at
    /// once.
    std::vector<std::pair<std::int64_t, std::function<void(regtest::SimNode&, std::int64_t)>>>
        network{};
    std::int64_t follow_ms = 0; ///< 0: ends at the tip by itself
    /// What a person changes beforehand, by a command of its own.
    std::function<void(wallet::Wallet&)> by_hand{};
};

/// The chain and the steps of the story; the same in every test.
class DiskStory {
  public:
    DiskStory();
    const std::vector<StoryStep>& steps() const { return steps_; }
    regtest::ChainBuilder& chain() { return chain_; }
    /// The wallet before the first step, which only memory knows.
    wallet::WalletState new_wallet() const;
    wallet::Descriptor descriptor() const;
    wallet::Descriptor watched_later() const;

  private:
    Bytes script(std::uint32_t index) const;
    void tell();

    regtest::ChainBuilder chain_;
    std::vector<StoryStep> steps_;
};

/// What one run had told as stored when it ended, and what it was about to store.
struct StepRun {
    std::optional<Error> error{};
    std::optional<regtest::SimDisk> stored{}; ///< nothing: no wallet was made
    std::optional<regtest::SimDisk> under_way{};
};

/// A data folder on a disk that may fail.
class DiskClient {
  public:
    DiskClient(DiskStory& story, const std::filesystem::path& folder);

    FaultDisk& disk() { return disk_; }
    std::filesystem::path wallet_file() const { return folder_ / "regtest/wallets/default.sqlite"; }
    std::filesystem::path header_file() const { return folder_ / "regtest/headers"; }

    /// `before`: what is in the files. `late`: all of the step's network has happened already.
    StepRun run(const StoryStep& step, std::optional<regtest::SimDisk> before, bool late = false);
    /// What the files hold; nothing: no wallet. Errors: the store's.
    result<std::optional<regtest::SimDisk>> read();

  private:
    result<std::unique_ptr<wallet::store::WalletDb>> open_wallet();
    void persist_to(wallet::store::HeaderFile& headers, wallet::store::WalletDb& db,
                    regtest::SimWorld& world, StepRun& run);

    DiskStory* story_;
    std::filesystem::path folder_;
    FaultDisk disk_;
};

/// What decides everything that people see of a wallet, as text: equal texts, equal wallets. Left
/// out are times of seeing, the trail, and what can never confirm: they tell of the way, not of the
/// end.
std::string books(const regtest::SimDisk& disk);

} // namespace headlight::tests
