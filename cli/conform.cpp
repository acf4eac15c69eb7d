// Checks a node, and tells what came of it.
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "conform/report.hpp"
#include "conform/rpc_maker.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>
#include <ostream>

namespace headlight::cli {

namespace {

constexpr std::size_t most_cookie_bytes = 1'000;

result<std::unique_ptr<conform::RpcMaker>> open_maker(Context& context,
                                                      const command::Conform& options) {
    auto access = *options.rpc;
    if (!options.rpc_cookie.empty()) {
        const auto cookie = read_input(context.out.host(), options.rpc_cookie, most_cookie_bytes);
        if (!cookie) return cookie.error();
        access.credentials = trim(*cookie);
    }
    return conform::RpcMaker::open(access, context.out.host().now);
}

boost::json::object as_json(const conform::Result& result) {
    const auto& check = *result.check;
    return {{"id", check.id},           {"group", check.group()},
            {"clause", check.clause},   {"source", check.source},
            {"sent", result.sent},      {"result", to_string(result.outcome.verdict)},
            {"got", result.outcome.got}};
}

boost::json::object as_json(const conform::Report& report) {
    boost::json::array checks;
    for (const auto& result : report.results)
        checks.push_back(as_json(result));
    return {{"node", report.node}, {"agent", report.agent}, {"checks", std::move(checks)}};
}

boost::json::array list_json(const std::vector<const conform::Check*>& checks) {
    boost::json::array list;
    for (const auto* check : checks)
        list.push_back(boost::json::object{{"id", check->id},
                                           {"group", check->group()},
                                           {"clause", check->clause},
                                           {"source", check->source}});
    return list;
}

result<void> write_junit(const std::string& name, const conform::Report& report) {
    if (name.empty()) return {};
    std::ofstream file(name, std::ios::binary);
    file << to_junit(report);
    file.close();
    if (file) return {};
    return Error{errc::io, "cannot write " + name, "the system refused it",
                 "Check the folder and the room on its disk"};
}

void show(Context& context, const conform::Report& report, bool tap) {
    if (context.out.json()) return context.out.value(as_json(report));
    if (tap) return context.out.text(to_tap(report));
    context.out.text("\n" + report.agent + " at " + report.node + ": " + totals(report) + "\n");
}

result<void> judge(const conform::Report& report) {
    std::string failed;
    for (const auto& result : report.results)
        if (result.outcome.verdict == conform::Verdict::fail)
            failed += (failed.empty() ? "" : ", ") + std::string(result.check->id);
    if (failed.empty()) return {};
    return Error{errc::bad_peer,
                 std::to_string(report.count(conform::Verdict::fail)) + " of " +
                     std::to_string(report.results.size()) + " checks failed",
                 failed, "Read what came, above, or with --json"};
}

} // namespace

result<void> perform(Context& context, const command::Conform& options) {
    const auto checks = conform::choose(options.only);
    if (!checks) return checks.error();
    if (!options.node) {
        if (context.out.json())
            context.out.value(list_json(*checks));
        else
            context.out.text(list_text(*checks));
        return {};
    }
    const auto node = conform::resolve(context.network(), *options.node, options.proxy);
    if (!node) return node.error();
    conform::RunOptions run;
    run.only = options.only;
    run.deadlines = node->deadlines();
    std::unique_ptr<conform::RpcMaker> maker;
    if (options.rpc) {
        auto opened = open_maker(context, options);
        if (!opened) return opened.error();
        maker = std::move(*opened);
        run.maker = maker.get();
    }
    run.remarks = [&](std::string_view remark) { context.out.note(remark); };
    if (!context.out.json() && !options.tap)
        run.done = [&](const conform::Result& result) {
            context.out.text(to_text(result));
            context.out.host().out.flush();
        };
    const auto report = conform::run(*node, run);
    if (!report) return report.error();
    show(context, *report, options.tap);
    if (auto written = write_junit(options.junit, *report); !written) return written;
    return judge(*report);
}

} // namespace headlight::cli
