// A simulated node told what to do by lines of text: blocks, payments, spends, reorganisations.
#pragma once

#include "regtest/sim_node.hpp"

namespace headlight::regtest {

/// ADDRESS:SATOSHIS, the address being of regtest. Errors: bad_argument and the address's.
result<chain::TxOut> parse_output(std::string_view text);

class SimControl {
  public:
    /// `node` outlives this.
    explicit SimControl(SimNode& node) : node_(node) {}

    /// What each command does, for --help.
    static std::string_view help();

    /// Does one command and gives the words that answer it. Errors: bad_argument, not_found; then
    /// nothing was done.
    result<std::string> obey(std::string_view line, std::int64_t now_ms);

  private:
    using Words = std::vector<std::string_view>;

    result<std::string> tip() const;
    result<std::string> mine(const Words& words, std::int64_t now_ms);
    result<std::string> pay(const Words& words, std::int64_t now_ms);
    result<std::string> spend(const Words& words, std::int64_t now_ms);
    result<std::string> reorganise(const Words& words, std::int64_t now_ms);
    const chain::Transaction* find(const chain::Hash256& txid) const;

    SimNode& node_;
};

} // namespace headlight::regtest
