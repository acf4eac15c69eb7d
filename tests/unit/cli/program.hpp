// The program run inside a test: its own folder, its own streams, a fixed clock.
#pragma once

#include "cli/arguments.hpp"
#include "cli/run.hpp"
#include "client/client.hpp"
#include "tests/support/files.hpp"

#include <boost/json/value.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headlight::tests {

/// 2024-05-01 12:00:00 UTC.
inline constexpr std::int64_t test_now = 1'714'564'800;

/// The mnemonic of BIP-39's first vector, which everybody knows.
inline constexpr const char* known_mnemonic =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

struct Ran {
    int code = -1;
    std::string out;
    std::string err;

    boost::json::value json() const;  ///< stdout as one JSON value; fails the test when it is none
    boost::json::value error() const; ///< the last line of stderr as {"error": ...}'s inside
};

/// The command line, with a data folder that is not there.
result<cli::Arguments> parse(std::vector<std::string> arguments);

class Program : public ::testing::Test {
  protected:
    /// With --datadir and --network before `arguments`.
    Ran run(std::vector<std::string> arguments, const std::string& input = {});
    /// Exactly these.
    Ran run_raw(std::vector<std::string> arguments, const std::string& input = {});
    std::string file(const std::string& name, const std::string& content) const;
    client::Paths paths(const std::string& wallet = "default") const;

    /// Mines a regtest block of these transactions on top of the stored headers.
    chain::ChainedHeader mine(const std::vector<chain::Transaction>& transactions);
    /// Pays `amount` to a script of the wallet in a new block, as a scan would have noted it.
    chain::Hash256 pay(const Bytes& script_pubkey, Amount amount);
    /// The wallet's script at an index of its first descriptor.
    Bytes script(std::uint32_t branch, std::uint32_t index) const;

    TemporaryFolder folder_;
    std::string network_ = "regtest";
    std::int64_t now_ = test_now;
    bool terminal_ = false;
};

} // namespace headlight::tests
