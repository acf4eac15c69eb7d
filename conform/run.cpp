#include "conform/run.hpp"

#include "conform/bench.hpp"
#include "conform/stage.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

using Clock = std::chrono::steady_clock;

bool is_version(const p2p::Message& message) {
    return std::holds_alternative<p2p::Version>(message);
}

/// The node's version; an error when there is no talking to it.
result<p2p::Version> introduce(const NodeAddress& node, const Deadlines& deadlines) {
    try {
        Peer peer(node, deadlines);
        peer.send_raw("version", version_payload({}));
        const auto heard =
            peer.until([](const auto& m) { return std::holds_alternative<p2p::Version>(m); },
                       deadlines.answer);
        if (const auto* version = heard.first<p2p::Version>()) return *version;
        return Error{errc::no_peer, "the node at " + node.name + " does not shake hands",
                     "it said " + heard.text(),
                     "Check --network, and that the node takes connections from here"};
    } catch (const Ended& ended) {
        return no_talk(node, ended.outcome.got);
    }
}

/// The blocks for the checks: made where that is possible, else what the chain holds.
result<Scene> set_scene(const NodeAddress& node, const RunOptions& options) {
    Scene scene;
    if (options.maker) {
        auto made = make_scene(*options.maker, *node.network);
        if (!made) return made.error();
        scene = std::move(*made);
    }
    try {
        Bench bench(node, options.deadlines, nullptr, nullptr);
        auto& peer = bench.greet();
        if (options.maker)
            learn_chain(peer, scene, most_headers);
        else
            scene = find_scene(peer);
    } catch (const Ended&) {
        // No handshake: the checks will say so, each for itself.
    }
    if (options.maker && scene.whole_chain && scene.chain.back() != scene.blocks.back().hash)
        return Error{errc::bad_argument, "--rpc does not belong to the node at " + node.name,
                     "a block that was made there is not the end of its chain",
                     "Name the node's own RPC address"};
    return scene;
}

Result carry_out(const Check& check, Bench& bench) {
    const auto start = Clock::now();
    Result result{&check, {}, {}, 0};
    try {
        result.outcome = check.run(bench);
    } catch (const Ended& ended) {
        result.outcome = ended.outcome;
    }
    result.sent = bench.sent();
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

/// A node that a check ended has failed it. One that bans us has not: that is said, and undone
/// where it can be, so that the other checks find a node.
void look_after(const NodeAddress& node, const RunOptions& options, bool was_closed,
                Result& result) {
    if (result.outcome.verdict == Verdict::skipped) return;
    try {
        Peer peer(node, options.deadlines);
        if (!was_closed) return;
        peer.send_raw("version", version_payload({}));
        if (!peer.until(is_version, options.deadlines.answer).closed()) return;
        const bool lifted = options.maker && options.maker->lift_bans();
        result.outcome.got += lifted ? "; then a ban, lifted by RPC" : "; then a ban";
    } catch (const Ended&) {
        result.outcome = fail(result.outcome.got + "; then the node was gone");
    }
}

/// What the checks left in the mempool goes into a block.
void tidy_up(Maker& maker, const chain::Network& network,
             const std::vector<chain::Transaction>& left) {
    if (left.empty()) return;
    if (auto mill = Mill::open(maker, network)) (void)mill->mine(left);
}

} // namespace

const std::vector<Check>& all_checks() {
    static const auto checks = [] {
        std::vector<Check> all;
        for (auto* part :
             {handshake_checks, filterload_checks, filteradd_checks, matching_checks, update_checks,
              merkleblock_checks, relay_checks, headers_checks, limits_checks})
            for (const auto& check : part())
                all.push_back(check);
        return all;
    }();
    return checks;
}

std::size_t Report::count(Verdict verdict) const {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(),
                      [&](const auto& result) { return result.outcome.verdict == verdict; }));
}

result<std::vector<const Check*>> choose(const std::vector<std::string>& only) {
    const auto stands_for = [](const std::string& name, const Check& check) {
        return name == check.id || name == check.group();
    };
    std::vector<const Check*> chosen;
    for (const auto& check : all_checks())
        if (only.empty() || std::any_of(only.begin(), only.end(),
                                        [&](const auto& name) { return stands_for(name, check); }))
            chosen.push_back(&check);
    for (const auto& name : only)
        if (std::none_of(chosen.begin(), chosen.end(),
                         [&](const auto* check) { return stands_for(name, *check); }))
            return Error{errc::bad_argument, "there is no check '" + name + "'",
                         "--only takes the id of a check or the name of a group",
                         "See `headlight conform --list`"};
    return chosen;
}

result<Report> run(const NodeAddress& node, const RunOptions& options) {
    const auto chosen = choose(options.only);
    if (!chosen) return chosen.error();
    const auto version = introduce(node, options.deadlines);
    if (!version) return version.error();
    std::optional<Scene> own;
    if (!options.scene) {
        if (options.remarks)
            options.remarks(options.maker ? "Making blocks" : "Looking for blocks");
        auto set = set_scene(node, options);
        if (!set) return set.error();
        own = std::move(*set);
    }
    auto* scene = options.scene ? options.scene : &*own;
    Report report{node.name, version->user_agent, {}};
    std::vector<chain::Transaction> left;
    for (const auto* check : *chosen) {
        Bench bench(node, options.deadlines, scene, options.maker);
        auto result = carry_out(*check, bench);
        look_after(node, options, bench.any_closed(), result);
        left.insert(left.end(), bench.submitted().begin(), bench.submitted().end());
        if (options.done) options.done(result);
        report.results.push_back(std::move(result));
    }
    if (options.maker) tidy_up(*options.maker, *node.network, left);
    return report;
}

} // namespace headlight::conform
