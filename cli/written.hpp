// What stands on a command line, and the command that it comes to.
#pragma once

#include "cli/arguments.hpp"
#include "cli/written_values.hpp"

namespace headlight::cli {

/// The options as they are written; they become typed values once all of them are known, since
/// endpoints depend on the network.
struct Written {
    std::string network = "main";
    std::string datadir;
    std::string wallet = "default";
    bool json = false;
    bool verbose = false;

    std::string script = "wpkh";
    std::optional<std::string> words;
    std::string mnemonic_file;
    std::string passphrase_file;
    std::string account = "0";
    std::optional<std::string> birthday;
    std::string gap = "20";
    std::vector<std::string> items;
    std::string file;
    std::vector<std::string> peers;
    std::optional<std::string> proxy;
    std::optional<std::string> until;
    std::string timeout = "0";
    std::string mempool_wait = "0";
    std::string cross_check = "0";
    bool follow = false;
    std::string on_tx;
    std::string on_block;
    std::string events;
    std::string label;
    std::string item;
    std::optional<std::string> label_text;
    bool remove = false;
    bool csv = false;
    std::string from;
    std::string action = "list";
    std::string banned_peer;
    bool list = false;
    bool qr = false;
    std::string txid;
    std::string transaction;
    std::string node;
    std::string rpc;
    std::string rpc_cookie;
    std::vector<std::string> only;
    std::string junit;
    bool tap = false;
    std::optional<std::string> fp_rate;
    std::optional<std::string> privacy;
    std::optional<std::string> split;
    std::optional<std::string> method;
    std::string chain_scripts = "1000000000";
    std::string filter_items;
    std::optional<std::string> filter_fp;
    std::optional<std::string> filter_bytes;
    std::optional<std::string> tweak;
    std::string flags = "all";
    bool hex = false;
    std::string payload;

    std::int64_t now = 0;
};

/// One function for each command. Errors: bad_argument, bad_address.
namespace bind {

result<Command> create(const Written& written, const chain::Network& network);
result<Command> watch(const Written& written, const chain::Network& network);
result<Command> unwatch(const Written& written, const chain::Network& network);
result<Command> label(const Written& written, const chain::Network& network);
result<Command> history(const Written& written, const chain::Network& network);
result<Command> sync(const Written& written, const chain::Network& network);
result<Command> broadcast(const Written& written, const chain::Network& network);
result<Command> rescan(const Written& written, const chain::Network& network);
result<Command> bans(const Written& written, const chain::Network& network);
result<Command> address(const Written& written, const chain::Network& network);
result<Command> verify(const Written& written, const chain::Network& network);
result<Command> probe(const Written& written, const chain::Network& network);
result<Command> conform(const Written& written, const chain::Network& network);
result<Command> filter_plan(const Written& written, const chain::Network& network);
result<Command> filter_make(const Written& written, const chain::Network& network);
result<Command> filter_test(const Written& written, const chain::Network& network);
result<Command> filter_show(const Written& written, const chain::Network& network);
result<Command> privacy(const Written& written, const chain::Network& network);

template <class Of>
result<Command> plain(const Written&, const chain::Network&) {
    return Command(Of{});
}

template <class Of>
result<Command> of_txid(const Written& written, const chain::Network&) {
    const auto hash = txid(written.txid);
    if (!hash) return hash.error();
    return Command(Of{*hash});
}

} // namespace bind

/// What --proxy leads to these peers. Whatever would have to go beside it is refused: the lookup of
/// its own name, and peers that only this machine can mean.
result<std::optional<p2p::Endpoint>> proxy_to(const std::vector<p2p::Endpoint>& peers,
                                              const Written& written);

/// --method, or what --privacy full means; refuses a choice for a filter that is not made.
result<std::optional<client::Method>> method_of(const Written& written);

/// What is chosen for a wallet's filter: --fp-rate or the rate of a --privacy, and --split.
result<client::FilterChoice> filter_choice(const Written& written);

} // namespace headlight::cli
