#include "judge/judge.hpp"

#include "judge/transcript.hpp"

#include <map>

namespace headlight::judge {

namespace {

const std::vector<ClientCheck>& all_client_checks() {
    static const auto checks = [] {
        std::vector<ClientCheck> all;
        for (auto* part : {client_handshake_checks, client_filter_checks, client_request_checks,
                           client_proof_checks})
            for (const auto& check : part())
                all.push_back(check);
        return all;
    }();
    return checks;
}

/// Who is at the other end of each connection.
std::map<std::uint32_t, std::string> agents_of(const Recording& recording) {
    std::map<std::uint32_t, std::string> agents;
    for (const auto& spoken : recording.said) {
        auto& agent = agents[spoken.connection];
        if (spoken.what != Spoken::What::from_client) continue;
        const auto* version = std::get_if<p2p::Version>(&*spoken.message);
        if (version && agent.empty()) agent = version->user_agent;
    }
    return agents;
}

std::string count_of(std::size_t connections) {
    return std::to_string(connections) + (connections == 1 ? " connection" : " connections");
}

conform::Report judge_one(const std::string& agent, const Recording& recording) {
    const Transcript transcript(recording);
    conform::Report report;
    report.node = count_of(transcript.conversations().size());
    report.agent = agent.empty() ? "a client that does not say who it is" : agent;
    for (const auto& one : all_client_checks())
        report.results.push_back({&one.check, one.judge(transcript), {}, 0});
    return report;
}

} // namespace

std::vector<const Check*> client_checks() {
    std::vector<const Check*> checks;
    for (const auto& one : all_client_checks())
        checks.push_back(&one.check);
    return checks;
}

std::vector<conform::Report> judge(const Recording& recording) {
    const auto agents = agents_of(recording);
    std::vector<std::string> order;
    std::map<std::string, Recording> parts;
    for (const auto& spoken : recording.said) {
        const auto& agent = agents.at(spoken.connection);
        const auto [part, is_new] =
            parts.try_emplace(agent, Recording{recording.network, {}, recording.client_scripts});
        if (is_new) order.push_back(agent);
        part->second.said.push_back(spoken);
    }
    std::vector<conform::Report> reports;
    for (const auto& agent : order)
        reports.push_back(judge_one(agent, parts.at(agent)));
    return reports;
}

} // namespace headlight::judge
