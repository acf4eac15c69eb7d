// The tools for nodes and filters, from what was written.
#include "chain/limits.hpp"
#include "cli/written.hpp"
#include "conform/run.hpp"

namespace headlight::cli {

namespace {

/// http://[USER:PASSWORD@]HOST:PORT.
result<conform::RpcAccess> rpc_access(std::string_view url, bool has_cookie) {
    constexpr std::string_view scheme = "http://";
    const auto bad = [&](std::string cause) {
        return usage("--rpc cannot be '" + std::string(url) + "'", std::move(cause),
                     "Give http://USER:PASSWORD@HOST:PORT");
    };
    conform::RpcAccess access;
    if (!url.starts_with(scheme)) return bad("it starts with http://");
    auto rest = url.substr(scheme.size());
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const auto at = rest.rfind('@');
    if (at != std::string_view::npos) access.credentials = rest.substr(0, at);
    if (!has_cookie && access.credentials.find(':') == std::string::npos)
        return bad("it holds no USER:PASSWORD, and there is no --rpc-cookie");
    if (has_cookie && at != std::string_view::npos)
        return bad("the user and password are in the --rpc-cookie already");
    const auto place =
        p2p::parse_endpoint(at == std::string_view::npos ? rest : rest.substr(at + 1), access.port);
    if (!place) return place.error();
    access.host = place->host;
    access.port = place->port;
    return access;
}

result<command::FilterGoal> filter_goal(const Written& written, std::int64_t most_bytes) {
    command::FilterGoal goal;
    if (written.filter_fp && written.filter_bytes)
        return usage("--fp and --bytes exclude each other", "one follows from the other",
                     "Leave one out");
    if (written.filter_bytes) {
        const auto bytes = whole("--bytes", *written.filter_bytes, 1, most_bytes);
        if (!bytes) return bytes.error();
        goal.bytes = static_cast<std::size_t>(*bytes);
    }
    if (written.filter_fp) {
        goal.fp_rate = real_number(*written.filter_fp);
        if (!goal.fp_rate || *goal.fp_rate <= 0 || *goal.fp_rate >= 1)
            return usage("--fp cannot be '" + *written.filter_fp + "'",
                         "it is a rate of false positives between 0 and 1",
                         "Give such a number, as 0.001 or 1e-3");
    }
    return goal;
}

} // namespace

namespace bind {

result<Command> probe(const Written& written, const chain::Network& network) {
    const auto node = p2p::parse_endpoint(written.node, network.port);
    if (!node) return node.error();
    const auto proxy = proxy_to({*node}, written);
    if (!proxy) return proxy.error();
    return Command(command::Probe{*node, *proxy});
}

result<Command> conform(const Written& written, const chain::Network& network) {
    command::Conform asked;
    asked.only = written.only;
    asked.junit = written.junit;
    asked.tap = written.tap;
    if (const auto chosen = headlight::conform::choose(written.only); !chosen)
        return chosen.error();
    if (written.tap && written.json)
        return usage("--tap and --json exclude each other", "stdout takes one of them",
                     "Leave one out");
    if (written.list) return Command(std::move(asked));
    if (written.node.empty())
        return usage("conform needs a node", "no HOST:PORT is given",
                     "Name the node, or --list the checks");
    const auto node = p2p::parse_endpoint(written.node, network.port);
    if (!node) return node.error();
    asked.node = *node;
    const auto proxy = proxy_to({*node}, written);
    if (!proxy) return proxy.error();
    asked.proxy = *proxy;
    if (asked.proxy && written.rpc.empty() && !written.rpc_cookie.empty())
        return usage("--proxy and --rpc-cookie need --rpc",
                     "RPCs go straight to their address, which the node's name would not be for",
                     "Say with --rpc http://HOST:PORT where they are taken");
    if (!written.rpc.empty() || !written.rpc_cookie.empty()) {
        if (network.id != chain::NetworkId::regtest)
            return usage("--rpc is for regtest", "elsewhere no blocks can be made at will",
                         "Leave it out, or add --network regtest");
        asked.rpc_cookie = written.rpc_cookie;
        asked.rpc = headlight::conform::RpcAccess{.host = node->host, .credentials = {}};
    }
    if (!written.rpc.empty()) {
        const auto access = rpc_access(written.rpc, !written.rpc_cookie.empty());
        if (!access) return access.error();
        asked.rpc = *access;
    }
    return Command(std::move(asked));
}

result<Command> filter_plan(const Written& written, const chain::Network&) {
    constexpr std::int64_t most = 1'000'000'000'000;
    const auto items = whole("--items", written.filter_items, 1, most);
    if (!items) return items.error();
    const auto goal = filter_goal(written, most);
    if (!goal) return goal.error();
    if (!goal->fp_rate && !goal->bytes)
        return usage("filter plan needs a rate or a size", "neither --fp nor --bytes is given",
                     "Give one of them");
    return Command(command::FilterPlan{static_cast<std::size_t>(*items), *goal});
}

result<Command> filter_make(const Written& written, const chain::Network&) {
    const auto goal = filter_goal(written, limits::max_filter_bytes);
    if (!goal) return goal.error();
    command::FilterMake make{.goal = *goal, .tweak = {}, .hex = written.hex};
    if (written.tweak) {
        const auto tweak = whole("--tweak", *written.tweak, 0, UINT32_MAX);
        if (!tweak) return tweak.error();
        make.tweak = static_cast<std::uint32_t>(*tweak);
    }
    if (written.flags == "none")
        make.flags = bip37::UpdateFlags::none;
    else if (written.flags == "pubkey")
        make.flags = bip37::UpdateFlags::p2pubkey_only;
    else if (written.flags != "all")
        return usage("--flags cannot be '" + written.flags + "'", "it is none, all or pubkey",
                     "Choose one of these");
    return Command(make);
}

result<Command> filter_test(const Written& written, const chain::Network&) {
    if (written.payload == "@-")
        return usage("the filter cannot come from standard input", "the items do",
                     "Put it into a file and give @FILE");
    return Command(command::FilterTest{written.payload, written.hex});
}

result<Command> filter_show(const Written& written, const chain::Network&) {
    return Command(command::FilterShow{written.payload});
}

result<Command> privacy(const Written& written, const chain::Network&) {
    const auto scripts = whole("--scripts", written.chain_scripts, 1, 1'000'000'000'000'000);
    if (!scripts) return scripts.error();
    const auto choice = filter_choice(written);
    if (!choice) return choice.error();
    return Command(command::Privacy{static_cast<double>(*scripts), *choice});
}

} // namespace bind

} // namespace headlight::cli
