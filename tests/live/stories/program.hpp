// The headlight program as people run it.
#pragma once

#include "regtest/process.hpp"
#include "tests/live/stories/story_wallet.hpp"

#include <boost/json/object.hpp>

namespace headlight::stories {

struct Ran {
    int exit_code = -1;
    std::string out;
    std::string err;

    boost::json::value json() const; ///< of stdout
};

/// `headlight --json` with the wallet's folder, network and name, to its end.
Ran run_program(const StoryWallet& wallet, const std::vector<std::string>& arguments);

/// The same in the background; what it writes goes to `log`.
regtest::Process start_program(const StoryWallet& wallet, const std::vector<std::string>& arguments,
                               const std::filesystem::path& log);

/// `headlight sync --follow`, whose lines of JSON are read as they come.
class Follower {
  public:
    Follower(const StoryWallet& wallet, const std::vector<const Bitcoind*>& nodes);

    using Wanted = std::function<bool(const boost::json::object&)>;
    /// The first line from the last wait on that is wanted; fails the test when none comes in 30 s.
    boost::json::object wait_for(const std::string& what, const Wanted& wanted);
    /// A block scanned at the tip (not the announcement of a reorganisation).
    boost::json::object wait_for_block(std::int32_t height);
    boost::json::object wait_for_transaction(const chain::Hash256& txid, std::string_view kind);
    void wait_for_tip_phase();
    /// All lines so far.
    std::vector<boost::json::object> lines() const;
    /// SIGINT, and whether it ended within a few seconds.
    bool stop();

  private:
    std::filesystem::path log_;
    regtest::Process process_;
    std::size_t read_ = 0;
};

} // namespace headlight::stories
