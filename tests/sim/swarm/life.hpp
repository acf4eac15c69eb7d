// The life of a wallet in a random world, all of it from one seed: runs in storms, each ended by
// itself, by a crash, by a full disk or by a person, and at last a calm one that must end right.
#pragma once

#include "tests/sim/swarm/payer.hpp"
#include "tests/sim/swarm/watch.hpp"

namespace headlight::tests {

/// What worlds had to offer: a swarm in which something never happens does not try it.
struct Tally {
    std::uint64_t actions = 0;
    std::uint64_t runs = 0;
    std::uint64_t crashes = 0;
    std::uint64_t full_disks = 0;
    std::uint64_t failed_runs = 0; ///< that ended by themselves, with an error
    std::uint64_t reorganised_runs = 0;
    std::uint64_t rescanned_blocks = 0;
    std::uint64_t more_filters = 0; ///< runs that sent more than one
    std::uint64_t spread_runs = 0;  ///< with several parts
    std::uint64_t whole_runs = 0;   ///< that scanned whole blocks
    std::uint64_t hidden = 0;       ///< transactions that a second peer found
    std::uint64_t bans = 0;
    std::int64_t longest_calm_ms = 0;

    void add(const Tally& other);
    std::string to_string() const;
};

class Life {
  public:
    Life(std::uint64_t seed, const Knobs& knobs, bool tracing = false);
    ~Life();

    void run();

    /// Empty when all is well.
    const std::vector<std::string>& complaints() const { return complaints_; }
    /// What the world is made of, in a line.
    std::string cast() const;
    const std::vector<std::string>& trace() const { return world_->trace(); }
    const Tally& tally() const { return tally_; }

  private:
    enum class Role { honest, behind, faulty };
    struct Neighbour {
        regtest::SimNode* node = nullptr;
        Role role{};
    };

    void complain(const std::string& what) { complaints_.push_back(what); }

    // Making it
    void choose_wallet();
    void make_chain();
    void add_neighbours();
    void add_neighbour(Role role, regtest::Dice& dice, bool liar);
    void save_wallet(const std::vector<wallet::Descriptor>& descriptors);
    wallet::Birthday birthday_of(std::size_t item) const;

    // What happens while a client runs
    void storm(std::uint64_t number);
    void plan_chain(std::uint64_t number);
    void plan_mempool(std::uint64_t number);
    void plan_weather(std::uint64_t number);
    void plan_crash(std::uint64_t number);
    void plan_disk(std::uint64_t number);
    void later(std::int64_t ms, std::function<void()> what);
    void grow(std::uint64_t blocks);
    void reorganise(std::int32_t depth, std::uint64_t longer);
    void go_to_tip(regtest::Dice& dice);
    void trouble(regtest::SimNode& node, regtest::Dice& dice);
    void on_action(const sync::Action& action);
    void crash();
    void count_run();
    sync::Config config(regtest::Dice& dice);

    // Between runs
    void change_wallet(std::uint64_t number);
    void clear_up();

    // The end
    void calm_run();
    void last_look();
    void calm_run(const sync::Config& settings, std::int64_t limit_ms);
    void check_end();
    void check_pending(const wallet::Wallet& wallet);
    std::vector<chain::Transaction> pending_of(const wallet::Wallet& wallet) const;
    std::unique_ptr<wallet::Wallet> stored() const;

    std::uint64_t seed_;
    Knobs knobs_;
    regtest::ChainBuilder chain_;
    std::vector<std::string> complaints_;
    std::unique_ptr<regtest::SimWorld> world_;
    std::unique_ptr<Watch> watch_;
    std::unique_ptr<Keyring> keyring_;
    std::unique_ptr<Payer> payer_;

    std::string wallet_name_;
    std::size_t watched_items_ = 0; ///< of the keyring's; the others are added later
    bool birthday_by_time_ = false;
    chain::Hash256 base_; ///< where peers that are behind stand
    chain::Hash256 tip_;
    std::vector<Neighbour> neighbours_;
    regtest::SimNode* honest_ = nullptr;
    std::string faults_;
    bool lies_ = false; ///< one peer leaves out what matches: the last run checks every block

    std::int64_t busy_until_ms_ = 0;        ///< by then all that was planned has happened
    std::optional<std::uint64_t> crash_in_; ///< actions
    Tally tally_;
};

} // namespace headlight::tests
