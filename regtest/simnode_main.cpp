// headlight-simnode: a simulated node behind a real port, honest or with faults, to try a client by
// hand. Prints the port it listens on, then serves, and does what lines on its standard input say.
#include "conform/report.hpp"
#include "judge/judge.hpp"
#include "regtest/recorder.hpp"
#include "regtest/sim_control.hpp"
#include "regtest/sim_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>

#include <charconv>
#include <chrono>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace {

using namespace headlight;
using namespace headlight::regtest;

constexpr std::string_view usage =
    "usage: headlight-simnode [--port N] [--blocks N] [--pay ADDRESS:SATOSHIS@HEIGHT]...\n"
    "                         [--pending ADDRESS:SATOSHIS]... [--fault NAME[:N]]... [--noban]\n"
    "                         [--record FILE] [--judge]\n"
    "       headlight-simnode --list-faults\n"
    "A regtest node of a simulated chain on 127.0.0.1; prints its port and serves until it is\n"
    "ended. --noban shows pending payments at once, as whitelist=noban does. --record writes what\n"
    "clients said into a file when it ends, a line of JSON for each message; --judge prints then\n"
    "whether they kept to BIP-37, and exits 1 when not.\n";

struct Payment {
    chain::TxOut output;
    std::int32_t height = 0; ///< 0: pending
};

struct Options {
    std::uint16_t port = 0;
    std::int32_t blocks = 101;
    std::vector<Payment> payments;
    SimNodeConfig node;
    std::string record; ///< a file; empty: none
    bool judge = false;
    bool list_faults = false;
    bool help = false;
};

template <class Number>
result<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0)
        return Error{errc::bad_argument, "\"" + std::string(text) + "\" is no number"};
    return value;
}

/// ADDRESS:SATOSHIS@HEIGHT, or ADDRESS:SATOSHIS.
result<Payment> payment(std::string_view text, bool pending) {
    const auto at = pending ? text.size() : text.rfind('@');
    if (at == std::string_view::npos)
        return Error{errc::bad_argument, "\"" + std::string(text) + "\" names no height"};
    const auto output = parse_output(text.substr(0, at));
    if (!output) return output.error();
    if (pending) return Payment{*output};
    const auto height = number<std::int32_t>(text.substr(at + 1));
    if (!height) return height.error();
    return Payment{*output, *height};
}

/// Takes one option with its value.
result<void> take(Options& options, std::string_view name, std::string_view value) {
    const auto into = [](auto& target, const auto& read) -> result<void> {
        if (!read) return read.error();
        target = *read;
        return {};
    };
    if (name == "--port") return into(options.port, number<std::uint16_t>(value));
    if (name == "--blocks") return into(options.blocks, number<std::int32_t>(value));
    if (name == "--record") {
        options.record = value;
        return {};
    }
    if (name == "--fault") return into(options.node.faults.emplace_back(), parse_fault(value));
    if (name == "--pay") return into(options.payments.emplace_back(), payment(value, false));
    if (name == "--pending") return into(options.payments.emplace_back(), payment(value, true));
    return Error{errc::bad_argument, "no option is named " + std::string(name)};
}

result<Options> parse(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = words[i];
        if (name == "--list-faults") {
            options.list_faults = true;
        } else if (name == "--help" || name == "-h") {
            options.help = true;
        } else if (name == "--noban") {
            options.node.noban = true;
        } else if (name == "--judge") {
            options.judge = true;
        } else if (i + 1 == count) {
            return Error{errc::bad_argument, std::string(name) + " needs a value"};
        } else if (const auto taken = take(options, name, words[++i]); !taken) {
            return taken.error();
        }
    }
    return options;
}

void build(ChainBuilder& chain, SimNode& node, const Options& options) {
    for (std::int32_t height = 1; height <= options.blocks; ++height) {
        BlockPlan plan;
        for (const auto& paid : options.payments)
            if (paid.height == height) plan.transactions.push_back(chain.pay({paid.output}));
        chain.mine(plan);
    }
    node.set_tip(chain.newest().hash, 0);
    for (const auto& paid : options.payments)
        if (paid.height == 0) node.add_to_mempool(chain.pay({paid.output}), 0);
}

/// Lines of the standard input, one after the other; its end only means that no more come.
class Console {
  public:
    Console(boost::asio::io_context& context, SimNode& node, SimServer& server)
        : context_(context), input_(context, ::dup(STDIN_FILENO)), control_(node), server_(server) {
        read();
    }

  private:
    static constexpr std::size_t longest_line = 65'536;

    void read() {
        boost::asio::async_read_until(input_, boost::asio::dynamic_buffer(text_, longest_line),
                                      '\n',
                                      [this](boost::system::error_code error, std::size_t size) {
                                          if (!error) take(size);
                                      });
    }

    void take(std::size_t size) {
        const auto line = text_.substr(0, size - 1);
        text_.erase(0, size);
        if (line == "quit") return context_.stop();
        const auto answer = control_.obey(line, server_.now_ms());
        std::cout << (answer ? "ok " + *answer : "error: " + to_string(answer.error()))
                  << std::endl;
        server_.flush();
        read();
    }

    boost::asio::io_context& context_;
    boost::asio::posix::stream_descriptor input_;
    std::string text_;
    SimControl control_;
    SimServer& server_;
};

bool write_record(const std::string& name, const judge::Recording& recording) {
    std::ofstream file(name, std::ios::binary);
    file << judge::to_json_lines(recording);
    file.close();
    if (!file) std::cerr << "headlight-simnode: cannot write " << name << "\n";
    return static_cast<bool>(file);
}

/// Whether somebody came and nothing failed.
bool print_judgement(const judge::Recording& recording) {
    const auto reports = judge::judge(recording);
    bool good = !reports.empty();
    for (const auto& report : reports) {
        for (const auto& result : report.results)
            std::cout << conform::to_text(result);
        std::cout << "\n"
                  << report.agent << ", " << report.node << ": " << conform::totals(report) << "\n";
        good = good && report.count(conform::Verdict::fail) == 0;
    }
    if (reports.empty()) std::cout << "No client came.\n";
    std::cout.flush();
    return good;
}

int conclude(const Options& options, const judge::Recording& recording) {
    const bool written = options.record.empty() || write_record(options.record, recording);
    const bool good = !options.judge || print_judgement(recording);
    return written && good ? 0 : 1;
}

int serve(const Options& options) {
    ChainBuilder chain;
    auto config = options.node;
    config.unix_at_zero = std::chrono::duration_cast<std::chrono::seconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
    SimNode node(chain, config);
    build(chain, node, options);
    boost::asio::io_context context;
    Recorder recorder;
    for (const auto& paid : options.payments)
        recorder.recording.client_scripts.push_back(paid.output.script_pubkey);
    const bool listens = options.judge || !options.record.empty();
    const auto server = SimServer::open(context, node, options.port, listens ? &recorder : nullptr);
    if (!server) {
        std::cerr << "headlight-simnode: " << to_string(server.error()) << "\n";
        return 1;
    }
    std::cout << (*server)->port() << std::endl;
    const Console console(context, node, **server);
    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&context](boost::system::error_code error, int) {
        if (!error) context.stop();
    });
    context.run();
    return conclude(options, recorder.recording);
}

int list_faults() {
    for (const auto& fault : all_faults()) {
        std::cout << fault.name << (fault.n ? ":" + std::to_string(fault.n) : "") << "  "
                  << fault.does << "\n";
    }
    return 0;
}

} // namespace

int main(int count, char** words) {
    const auto options = parse(count, words);
    if (!options) {
        std::cerr << "headlight-simnode: " << to_string(options.error()) << "\n" << usage;
        return 2;
    }
    if (options->help) {
        std::cout
            << usage
            << "Lines on its standard input tell it what to do; each is answered by one line\n"
               "on standard output, \"ok ...\" or \"error: ...\":\n"
            << SimControl::help() << "  quit                      ends it\n";
        return 0;
    }
    return options->list_faults ? list_faults() : serve(*options);
}
