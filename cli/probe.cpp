// `probe`: one look at a node, and whether it can serve us.
#include "conform/probe.hpp"
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "sync/reasons.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cmath>
#include <cstdio>

namespace headlight::cli {

namespace {

/// With what it serves instead.
Error serves_no_filters(const std::string& node, const conform::ProbeFindings& found) {
    auto error = sync::reasons::no_bloom(node);
    constexpr auto blocks = p2p::services::network | p2p::services::network_limited;
    if (found.version.services & blocks) error.message += "; it serves whole blocks";
    return error;
}

/// Why this node cannot serve us, with the cure.
std::optional<Error> unfit(const std::string& node, const conform::ProbeFindings& found) {
    const auto has = [&](std::uint64_t service) { return (found.version.services & service) != 0; };
    if (found.version.version < p2p::least_protocol_version)
        return sync::reasons::handshake_refused(node, p2p::HandshakeRefusal::old_version);
    if (!has(p2p::services::bloom)) return serves_no_filters(node, found);
    if (!has(p2p::services::network) && !has(p2p::services::network_limited))
        return sync::reasons::not_full(node);
    if (found.serves == conform::Serves::closes) return sync::reasons::closed_while_scanning(node);
    // A pruned node is silent on a block that it no longer has, too.
    if (found.serves == conform::Serves::silent && has(p2p::services::network))
        return Error{errc::no_bloom, node + " does not answer requests for filtered blocks",
                     "it offers NODE_BLOOM all the same", "Name another node"};
    return std::nullopt;
}

std::string milliseconds_text(double ms) {
    char buffer[32];
    const int length = std::snprintf(buffer, sizeof buffer, "%.2f ms", ms);
    return {buffer, static_cast<std::size_t>(length)};
}

double rounded(double ms) { return std::round(ms * 1e3) / 1e3; }

void print_findings(Context& context, const std::string& node, const conform::ProbeFindings& found,
                    bool fit) {
    const auto& version = found.version;
    const auto names = conform::service_names(version.services);
    if (context.out.json()) {
        boost::json::array services;
        for (const auto& name : names)
            services.emplace_back(name);
        return context.out.value(
            boost::json::object{{"node", node},
                                {"version", version.version},
                                {"agent", version.user_agent},
                                {"services", std::move(services)},
                                {"height", version.start_height},
                                {"feefilter", found.feefilter ? boost::json::value(*found.feefilter)
                                                              : boost::json::value()},
                                {"filtered_blocks", to_string(found.serves)},
                                {"handshake_ms", rounded(found.handshake_ms)},
                                {"latency_ms", rounded(found.latency_ms)},
                                {"serves_us", fit}});
    }
    std::string services;
    for (const auto& name : names)
        services += (services.empty() ? "" : ", ") + name;
    Table table({{""}, {""}});
    table.add({"node", node});
    table.add({"agent", version.user_agent + ", protocol " + std::to_string(version.version)});
    table.add({"services", services.empty() ? "none" : services});
    table.add({"height", std::to_string(version.start_height) + " (by its own word)"});
    table.add({"fee filter", found.feefilter
                                 ? std::to_string(*found.feefilter) + " satoshis per 1,000 bytes"
                                 : "none came"});
    table.add({"filtered blocks", std::string(to_string(found.serves))});
    table.add({"latency", milliseconds_text(found.latency_ms) + ", handshake " +
                              milliseconds_text(found.handshake_ms)});
    context.out.text(table.to_string().substr(1) + (fit ? "This node can serve headlight.\n" : ""));
}

} // namespace

result<void> perform(Context& context, const command::Probe& probe) {
    const auto node = conform::resolve(context.network(), probe.node, probe.proxy);
    if (!node) return node.error();
    const auto found = conform::probe(*node, node->deadlines());
    if (!found) return found.error();
    const auto name = p2p::to_string(probe.node);
    const auto why = unfit(name, *found);
    print_findings(context, name, *found, !why);
    if (why) return *why;
    return {};
}

} // namespace headlight::cli
