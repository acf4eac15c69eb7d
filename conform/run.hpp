// Runs checks against a node, one after the other.
#pragma once

#include "conform/check.hpp"
#include "conform/maker.hpp"
#include "conform/peer.hpp"
#include "conform/scene.hpp"

#include <functional>

namespace headlight::conform {

struct Result {
    const Check* check = nullptr;
    Outcome outcome;
    std::string sent;
    double seconds = 0;
};

struct Report {
    std::string node;  ///< as it was named
    std::string agent; ///< what it calls itself
    std::vector<Result> results;

    std::size_t count(Verdict verdict) const;
};

struct RunOptions {
    /// IDs or groups; empty: all. Errors of a name that is neither are choose()'s.
    std::vector<std::string> only{};
    Deadlines deadlines{};
    Maker* maker = nullptr; ///< null: nothing can be made
    /// Set already, or made or found when the first check needs it.
    Scene* scene = nullptr;
    std::function<void(const Result&)> done{};       ///< after each check
    std::function<void(std::string_view)> remarks{}; ///< what is under way
};

/// The checks that these names stand for, in the order of the list. Errors: bad_argument.
result<std::vector<const Check*>> choose(const std::vector<std::string>& only);

/// Errors: those of choose(); no_peer when the node cannot be reached at the start; what keeps the
/// scene from being made.
result<Report> run(const NodeAddress& node, const RunOptions& options);

} // namespace headlight::conform
