// headlight-simnode: a simulated node behind a real port, honest or with faults, to try a client by
// hand. Prints the port it listens on, then serves until it is ended.
#include "regtest/sim_server.hpp"
#include "wallet/address.hpp"

#include <boost/asio/io_context.hpp>

#include <charconv>
#include <chrono>
#include <iostream>

namespace {

using namespace headlight;
using namespace headlight::regtest;

constexpr std::string_view usage =
    "usage: headlight-simnode [--port N] [--blocks N] [--pay ADDRESS:SATOSHIS@HEIGHT]...\n"
    "                         [--pending ADDRESS:SATOSHIS]... [--fault NAME[:N]]... [--noban]\n"
    "       headlight-simnode --list-faults\n"
    "A regtest node of a simulated chain on 127.0.0.1; prints its port.\n";

struct Payment {
    Bytes script_pubkey;
    Amount amount = 0;
    std::int32_t height = 0; ///< 0: pending
};

struct Options {
    std::uint16_t port = 0;
    std::int32_t blocks = 101;
    std::vector<Payment> payments;
    SimNodeConfig node;
    bool list_faults = false;
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
    const auto colon = text.substr(0, at).rfind(':');
    if (at == std::string_view::npos || colon == std::string_view::npos)
        return Error{errc::bad_argument, "\"" + std::string(text) + "\" is no payment"};
    const auto script =
        wallet::decode_address(text.substr(0, colon), chain::network(chain::NetworkId::regtest));
    if (!script) return script.error();
    const auto amount = number<Amount>(text.substr(colon + 1, at - colon - 1));
    if (!amount) return amount.error();
    Payment paid{*script, *amount, 0};
    if (pending) return paid;
    const auto height = number<std::int32_t>(text.substr(at + 1));
    if (!height) return height.error();
    paid.height = *height;
    return paid;
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
        } else if (name == "--noban") {
            options.node.noban = true;
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
            if (paid.height == height)
                plan.transactions.push_back(chain.pay(paid.script_pubkey, paid.amount));
        chain.mine(plan);
    }
    node.set_tip(chain.newest().hash, 0);
    for (const auto& paid : options.payments)
        if (paid.height == 0) node.add_to_mempool(chain.pay(paid.script_pubkey, paid.amount), 0);
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
    const auto server = SimServer::open(context, node, options.port);
    if (!server) {
        std::cerr << "headlight-simnode: " << to_string(server.error()) << "\n";
        return 1;
    }
    std::cout << (*server)->port() << std::endl;
    context.run();
    return 0;
}

} // namespace

int main(int count, char** words) {
    const auto options = parse(count, words);
    if (!options) {
        std::cerr << "headlight-simnode: " << to_string(options.error()) << "\n" << usage;
        return 2;
    }
    if (!options->list_faults) return serve(*options);
    for (const auto& fault : all_faults()) {
        std::cout << fault.name << (fault.n ? ":" + std::to_string(fault.n) : "") << "  "
                  << fault.does << "\n";
    }
    return 0;
}
