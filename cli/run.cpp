#include "cli/run.hpp"

#include "cli/commands.hpp"

#include <exception>
#include <new>
#include <ostream>

namespace headlight::cli {

namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int misused = 2;
constexpr int stopped = 3;

int exit_code(const Context& context, const Error& error) {
    const bool before_the_tip =
        context.kept_part || error.code == errc::stopped || error.code == errc::timeout;
    return before_the_tip ? stopped : failed;
}

int perform(const Arguments& arguments, const Host& host) {
    Output out(host, arguments.json, arguments.verbose);
    Context context{arguments.paths, out};
    const auto performed = std::visit(
        [&](const auto& command) { return perform(context, command); }, arguments.command);
    const auto flushed = out.flush();
    if (performed && flushed) return done;
    const auto& error = performed ? flushed.error() : performed.error();
    print_error(host, error, arguments.json);
    return exit_code(context, error);
}

int show(const Information& information, const Host& host) {
    host.out << information.text;
    host.out.flush();
    return done;
}

} // namespace

int run(int argc, const char* const* argv, const Host& host) {
    const bool json = wants_json(argc, argv);
    try {
        const auto parsed = parse_arguments(argc, argv, host.now());
        if (!parsed) {
            print_error(host, parsed.error(), json);
            return misused;
        }
        if (const auto* information = std::get_if<Information>(&*parsed))
            return show(*information, host);
        return perform(std::get<Arguments>(*parsed), host);
    } catch (const std::bad_alloc&) {
        print_error(host,
                    {errc::io, "memory is exhausted", "the system gave no more",
                     "Close other programs and try again"},
                    json);
    } catch (const std::exception& error) {
        print_error(host,
                    {errc::io, "headlight met a fault of its own", error.what(),
                     "Please report it; what was stored is whole"},
                    json);
    }
    return failed;
}

} // namespace headlight::cli
