// One check: what a clause demands of a node, and how to see whether the node keeps to it.
#pragma once

#include "conform/outcome.hpp"

#include <vector>

namespace headlight::conform {

class Bench;

struct Check {
    std::string_view id; ///< "group.name"; once released, it keeps its meaning
    std::string_view clause;
    std::string_view source;
    Outcome (*run)(Bench&) = nullptr;

    std::string_view group() const { return id.substr(0, id.find('.')); }
};

/// All of them, by group.
const std::vector<Check>& all_checks();

// The parts of the list, one file each.
std::vector<Check> handshake_checks();
std::vector<Check> filterload_checks();
std::vector<Check> filteradd_checks();
std::vector<Check> matching_checks();
std::vector<Check> update_checks();
std::vector<Check> merkleblock_checks();
std::vector<Check> relay_checks();
std::vector<Check> headers_checks();
std::vector<Check> limits_checks();

} // namespace headlight::conform
