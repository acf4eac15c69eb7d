// The command line as plain values. How they are spelt is for arguments.cpp and written*.cpp.
#pragma once

#include "bip37/bloom_filter.hpp"
#include "chain/hash.hpp"
#include "client/method.hpp"
#include "client/paths.hpp"
#include "conform/rpc_access.hpp"
#include "p2p/address.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/state.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace headlight::cli {

namespace command {

struct Create {
    std::vector<wallet::AccountKind> scripts;
    std::size_t words = 12;
    std::string mnemonic_file;   ///< empty: a new mnemonic; "-": stdin
    std::string passphrase_file; ///< empty: none
    std::uint32_t account = 0;
    std::optional<wallet::Birthday> birthday;
    std::uint32_t gap = 20;
};
struct Watch {
    std::vector<std::string> items;
    std::string file; ///< empty: none; "-": stdin
    std::optional<wallet::Birthday> birthday;
    std::uint32_t gap = 20;
    std::string label; ///< empty: none
};
struct Unwatch {
    std::vector<std::string> items;
    std::string file; ///< empty: none; "-": stdin
};
struct Label {
    std::string item;
    std::optional<std::string> text; ///< none: shows it
    bool remove = false;
};
struct Sync {
    std::vector<p2p::Endpoint> peers;
    std::optional<p2p::Endpoint> proxy; ///< SOCKS5, an IPv4 or IPv6 address
    std::optional<std::int32_t> until_height;
    std::optional<chain::Hash256> until_txid;
    std::int64_t timeout_ms = 0;
    std::int64_t mempool_wait_ms = 0;
    std::optional<double> cross_check = 0.0; ///< none: never
    std::optional<client::Method> method;    ///< none: as it was chosen last
    client::FilterChoice filter;
    bool follow = false;
    std::string on_tx;    ///< a command line of the shell; empty: none
    std::string on_block; ///< the same
    std::string events;   ///< a file, or "-" for stdout; empty: none
};
struct Rescan {
    std::int32_t from = 0;
};
struct Status {};
struct Balance {};
struct History {
    bool csv = false;
};
struct Export {};
struct Utxos {};
struct Descriptors {};
struct Wallets {};
struct Address {
    bool list = false;
    bool qr = false;
};
struct Broadcast {
    std::string transaction; ///< hex, a file's name, or "-"
    std::vector<p2p::Endpoint> peers;
    std::optional<p2p::Endpoint> proxy;
    std::int64_t timeout_ms = 0;
};
struct Abandon {
    chain::Hash256 txid;
};
struct ResetChain {};
struct Bans {
    bool clear = false;                ///< else they are listed
    std::optional<p2p::Endpoint> peer; ///< whose to clear; none: all
};
struct Proof {
    chain::Hash256 txid;
};
struct Verify {
    std::string file; ///< or "-"
};
struct Probe {
    p2p::Endpoint node;
    std::optional<p2p::Endpoint> proxy;
};
struct Conform {
    std::optional<p2p::Endpoint> node;  ///< none: only lists the checks
    std::optional<p2p::Endpoint> proxy; ///< not for `rpc`
    std::optional<conform::RpcAccess> rpc;
    std::string rpc_cookie; ///< a file with the credentials; empty: they are in `rpc`
    std::vector<std::string> only;
    std::string junit; ///< empty: no such file
    bool tap = false;
};
/// How large a filter is to be: by one of the two.
struct FilterGoal {
    std::optional<double> fp_rate;
    std::optional<std::size_t> bytes;
};
struct FilterPlan {
    std::size_t items = 0;
    FilterGoal goal;
};
struct FilterMake {
    FilterGoal goal;
    std::optional<std::uint32_t> tweak; ///< none: a random one
    bip37::UpdateFlags flags = bip37::UpdateFlags::all;
    bool hex = false; ///< the items are hex
};
struct FilterTest {
    std::string payload; ///< a filterload's, in hex, or "@" and a file with it
    bool hex = false;
};
struct FilterShow {
    std::string payload;
};
struct Privacy {
    double scripts = 1e9; ///< on the whole chain
    client::FilterChoice filter;
};

} // namespace command

using Command =
    std::variant<command::Create, command::Watch, command::Sync, command::Rescan, command::Status,
                 command::Balance, command::History, command::Utxos, command::Descriptors,
                 command::Wallets, command::Address, command::Broadcast, command::Abandon,
                 command::ResetChain, command::Bans, command::Proof, command::Verify,
                 command::Conform, command::Probe, command::FilterPlan, command::FilterMake,
                 command::FilterTest, command::FilterShow, command::Privacy, command::Unwatch,
                 command::Label, command::Export>;

struct Arguments {
    client::Paths paths;
    bool json = false;
    bool verbose = false;
    Command command;
};

/// --help or --version: text for stdout.
struct Information {
    std::string text;
};

/// Everything that can be checked without a file is checked here. `now` is in seconds since 1970.
/// Errors: bad_argument, and those of parse_endpoint.
result<std::variant<Arguments, Information>> parse_arguments(int argc, const char* const* argv,
                                                             std::int64_t now);

/// Whether --json is among the arguments, also when the rest does not parse.
bool wants_json(int argc, const char* const* argv);

} // namespace headlight::cli
