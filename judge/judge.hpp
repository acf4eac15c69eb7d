// The other way round: whether a client keeps to BIP-37, from what it said to a node.
#pragma once

#include "conform/run.hpp"
#include "judge/recording.hpp"

namespace headlight::judge {

/// Holds everything a client said against each of client_checks(): a report for each user agent
/// that came, in the order of their coming. What the recording holds no occasion for is skipped,
/// and the text says how to bring that occasion about.
std::vector<conform::Report> judge(const Recording& recording);

/// The checks of clients, by group; `Check::run` is null.
std::vector<const conform::Check*> client_checks();

} // namespace headlight::judge
