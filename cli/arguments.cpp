#include "cli/arguments.hpp"

#include "chain/limits.hpp"
#include "cli/birthday.hpp"
#include "cli/input.hpp"
#include "client/version.hpp"
#include "conform/run.hpp"
#include "wallet/nearest_word.hpp"

#include <CLI/CLI.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace headlight::cli {

namespace {

// The options as they are written; they become typed values once all of them are known, since
// endpoints depend on the network.
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

Error usage(std::string message, std::string cause, std::string cure) {
    return {errc::bad_argument, std::move(message), std::move(cause), std::move(cure)};
}

result<std::int64_t> whole(std::string_view name, std::string_view text, std::int64_t least,
                           std::int64_t most) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc{} && parsed.ptr == end && value >= least && value <= most)
        return value;
    return usage(std::string(name) + " cannot be '" + std::string(text) + "'",
                 "it is a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 "Give such a number");
}

result<std::int64_t> milliseconds(std::string_view name, std::string_view text) {
    constexpr double most_seconds = 1e9;
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (parsed.ec == std::errc{} && parsed.ptr == end && value >= 0 && value <= most_seconds)
        return static_cast<std::int64_t>(std::ceil(value * 1'000));
    return usage(std::string(name) + " cannot be '" + std::string(text) + "'",
                 "it is a number of seconds, such as 30 or 1.5", "Give such a number");
}

result<chain::Hash256> txid(std::string_view text) {
    if (const auto hash = chain::Hash256::from_string(text)) return *hash;
    return usage("'" + std::string(text) + "' is no transaction id", "an id is 64 hex digits",
                 "Copy it from `headlight history`");
}

result<std::optional<wallet::Birthday>> birthday(const Written& written) {
    if (!written.birthday) return std::optional<wallet::Birthday>{};
    const auto parsed = parse_birthday(*written.birthday, written.now);
    if (!parsed) return parsed.error();
    return std::optional(*parsed);
}

result<std::uint32_t> gap(const Written& written) {
    const auto value = whole("--gap", written.gap, 1, limits::max_gap);
    if (!value) return value.error();
    return static_cast<std::uint32_t>(*value);
}

result<std::vector<p2p::Endpoint>> peers(const Written& written, const chain::Network& network) {
    if (written.peers.empty())
        return std::vector{p2p::Endpoint{.host = "127.0.0.1", .port = network.port}};
    std::vector<p2p::Endpoint> endpoints;
    for (const auto& text : written.peers) {
        auto endpoint = p2p::parse_endpoint(text, network.port);
        if (!endpoint) return endpoint.error();
        endpoints.push_back(std::move(*endpoint));
    }
    if (endpoints.size() <= limits::max_peers) return endpoints;
    return usage("--peer is given " + std::to_string(endpoints.size()) + " times",
                 "at most " + std::to_string(limits::max_peers) + " peers are used",
                 "Leave some out");
}

bool is_address(const std::string& host) {
    std::array<std::uint8_t, sizeof(in6_addr)> bytes{};
    return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
           inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

/// Whatever would have to go beside it is refused: the lookup of its own name, and peers that only
/// this machine can mean.
result<std::optional<p2p::Endpoint>> proxy(const Written& written,
                                           const std::vector<p2p::Endpoint>& peers) {
    if (!written.proxy) return std::optional<p2p::Endpoint>{};
    const auto bad = [&](std::string cause) {
        return usage("--proxy cannot be '" + *written.proxy + "'", std::move(cause),
                     "Give HOST:PORT of a SOCKS5 proxy, as 127.0.0.1:9050");
    };
    auto endpoint = p2p::parse_endpoint(*written.proxy, 0);
    if (!endpoint) return bad(endpoint.error().cause);
    if (endpoint->port == 0) return bad("it has no port");
    if (endpoint->host == "localhost") endpoint->host = "127.0.0.1"; // RFC 6761
    if (!is_address(endpoint->host))
        return bad("the name '" + endpoint->host +
                   "' would have to be looked up, and nothing goes beside the proxy");
    if (written.peers.empty())
        return usage("--proxy needs a --peer",
                     "the default peer is this machine, and the proxy's 127.0.0.1 is another one",
                     "Name the node with --peer, or leave --proxy out");
    for (const auto& peer : peers) {
        if (peer.host.find('%') == std::string::npos) continue;
        return usage("--proxy cannot lead to " + p2p::to_string(peer),
                     "that address is on a link of this machine", "Name another peer");
    }
    return std::optional(std::move(*endpoint));
}

// The first kind hands out addresses; none: there is no such script.
std::vector<wallet::AccountKind> kinds(std::string_view script) {
    using enum wallet::AccountKind;
    if (script == "wpkh") return {wpkh};
    if (script == "pkh") return {pkh};
    if (script == "sh-wpkh") return {sh_wpkh};
    if (script == "tr") return {tr};
    if (script == "all") return {wpkh, tr, sh_wpkh, pkh};
    return {};
}

// ------------------------------------------------------------- each command from what was written

result<Command> create(const Written& written, const chain::Network&) {
    command::Create create;
    create.scripts = kinds(written.script);
    if (create.scripts.empty())
        return usage("--script cannot be '" + written.script + "'",
                     "it is wpkh, pkh, sh-wpkh, tr or all", "Choose one of these");
    const auto words = whole("--words", written.words.value_or("12"), 12, 24);
    if (!words) return words.error();
    create.words = static_cast<std::size_t>(*words);
    if (create.words % 3 != 0)
        return usage("--words cannot be " + std::to_string(create.words),
                     "a mnemonic has 12, 15, 18, 21 or 24 words", "Choose one of these");
    if (written.words && !written.mnemonic_file.empty())
        return usage("--words and --mnemonic-file exclude each other",
                     "the number of words of a mnemonic that exists is its own",
                     "Leave --words out");
    if (written.mnemonic_file == "-" && written.passphrase_file == "-")
        return usage("the mnemonic and the passphrase cannot both come from standard input",
                     "it is read once", "Put one of them into a file");
    create.mnemonic_file = written.mnemonic_file;
    create.passphrase_file = written.passphrase_file;
    const auto account = whole("--account", written.account, 0, wallet::hardened - 1);
    if (!account) return account.error();
    create.account = static_cast<std::uint32_t>(*account);
    const auto from = birthday(written);
    if (!from) return from.error();
    create.birthday = *from;
    const auto limit = gap(written);
    if (!limit) return limit.error();
    create.gap = *limit;
    return Command(create);
}

result<Command> watch(const Written& written, const chain::Network&) {
    if (written.items.empty() && written.file.empty())
        return usage("watch needs something to watch", "no ITEM and no --file is given",
                     "Name addresses, descriptors or extended public keys, or a --file of them");
    command::Watch watch{
        .items = written.items, .file = written.file, .birthday = {}, .label = written.label};
    const auto from = birthday(written);
    if (!from) return from.error();
    watch.birthday = *from;
    const auto limit = gap(written);
    if (!limit) return limit.error();
    watch.gap = *limit;
    return Command(watch);
}

result<Command> unwatch(const Written& written, const chain::Network&) {
    if (written.items.empty() && written.file.empty())
        return usage("unwatch needs something to remove", "no ITEM and no --file is given",
                     "Name what was given to watch; `headlight list` shows what is watched");
    return Command(command::Unwatch{written.items, written.file});
}

result<Command> label(const Written& written, const chain::Network&) {
    if (written.label_text && written.remove)
        return usage("a TEXT and --remove exclude each other", "a label is set or removed",
                     "Leave one out");
    return Command(command::Label{written.item, written.label_text, written.remove});
}

result<Command> history(const Written& written, const chain::Network&) {
    if (written.csv && written.json)
        return usage("--csv and --json exclude each other", "stdout takes one of them",
                     "Leave one out");
    return Command(command::History{written.csv});
}

/// From 0 to 1, or none for "never".
result<std::optional<double>> probability(std::string_view name, std::string_view text) {
    if (text == "never") return std::optional<double>();
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc{} && parsed.ptr == end && value >= 0 && value <= 1)
        return std::optional<double>(value);
    return usage(std::string(name) + " cannot be '" + std::string(text) + "'",
                 "it is a probability from 0 to 1, or never", "Give such a number");
}

/// A number, also as 1e-3.
std::optional<double> real_number(std::string_view text) {
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc{} && parsed.ptr == end && std::isfinite(value)) return value;
    return {};
}

/// The rate of a wallet's filter: --fp-rate, or that of a --privacy.
result<double> wallet_rate(const Written& written) {
    using headlight::sync::PrivacyLevel;
    constexpr double least = headlight::sync::least_fp_rate;
    constexpr double most = headlight::sync::most_fp_rate;
    if (written.fp_rate && written.privacy)
        return usage("--fp-rate and --privacy exclude each other", "a level is a rate",
                     "Leave one out");
    if (written.fp_rate) {
        const auto rate = real_number(*written.fp_rate);
        if (rate && *rate >= least && *rate <= most) return *rate;
        return usage("--fp-rate cannot be '" + *written.fp_rate + "'",
                     "it is a rate of false positives from 0.000001 to 0.1", "Give such a number");
    }
    const auto level = written.privacy.value_or("medium");
    if (level == "low") return fp_rate_of(PrivacyLevel::low);
    if (level == "medium") return fp_rate_of(PrivacyLevel::medium);
    if (level == "high") return fp_rate_of(PrivacyLevel::high);
    return usage("--privacy cannot be '" + level + "'", "it is low, medium or high",
                 "Choose one of these");
}

result<Command> sync(const Written& written, const chain::Network& network) {
    command::Sync sync;
    sync.follow = written.follow;
    if (!written.follow && (!written.on_tx.empty() || !written.on_block.empty()))
        return usage("--on-tx and --on-block need --follow", "without it nothing is waited for",
                     "Add --follow");
    sync.on_tx = written.on_tx;
    sync.on_block = written.on_block;
    sync.events = written.events;
    auto endpoints = peers(written, network);
    if (!endpoints) return endpoints.error();
    sync.peers = std::move(*endpoints);
    auto through = proxy(written, sync.peers);
    if (!through) return through.error();
    sync.proxy = std::move(*through);
    if (written.until && written.until->size() == 64) {
        const auto hash = txid(*written.until);
        if (!hash) return hash.error();
        sync.until_txid = *hash;
    } else if (written.until) {
        const auto height = whole("--until (a height, or a transaction id of 64 hex digits)",
                                  *written.until, 0, limits::max_height);
        if (!height) return height.error();
        sync.until_height = static_cast<std::int32_t>(*height);
    }
    const auto timeout = milliseconds("--timeout", written.timeout);
    if (!timeout) return timeout.error();
    sync.timeout_ms = *timeout;
    const auto wait = milliseconds("--mempool-wait", written.mempool_wait);
    if (!wait) return wait.error();
    sync.mempool_wait_ms = *wait;
    const auto share = probability("--cross-check", written.cross_check);
    if (!share) return share.error();
    sync.cross_check = *share;
    const auto rate = wallet_rate(written);
    if (!rate) return rate.error();
    sync.fp_rate = *rate;
    return Command(std::move(sync));
}

result<Command> broadcast(const Written& written, const chain::Network& network) {
    auto endpoints = peers(written, network);
    if (!endpoints) return endpoints.error();
    auto through = proxy(written, *endpoints);
    if (!through) return through.error();
    const auto timeout = milliseconds("--timeout", written.timeout);
    if (!timeout) return timeout.error();
    return Command(command::Broadcast{written.transaction, std::move(*endpoints),
                                      std::move(*through), *timeout});
}

result<Command> rescan(const Written& written, const chain::Network&) {
    const auto from = whole("--from", written.from, 0, limits::max_height);
    if (!from) return from.error();
    return Command(command::Rescan{static_cast<std::int32_t>(*from)});
}

result<Command> bans(const Written& written, const chain::Network& network) {
    command::Bans bans{.clear = written.action == "clear", .peer = {}};
    if (!bans.clear && written.action != "list")
        return usage("bans cannot '" + written.action + "'", "it is list or clear",
                     "Choose one of these");
    if (written.banned_peer.empty()) return Command(bans);
    if (!bans.clear)
        return usage("'" + written.banned_peer + "' is too much", "all bans are listed",
                     "Leave it out");
    auto peer = p2p::parse_endpoint(written.banned_peer, network.port);
    if (!peer) return peer.error();
    bans.peer = std::move(*peer);
    return Command(std::move(bans));
}

result<Command> address(const Written& written, const chain::Network&) {
    return Command(command::Address{written.list, written.qr});
}

result<Command> verify(const Written& written, const chain::Network&) {
    return Command(command::Verify{written.file});
}

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

result<Command> probe_command(const Written& written, const chain::Network& network) {
    const auto node = p2p::parse_endpoint(written.node, network.port);
    if (!node) return node.error();
    return Command(command::Probe{*node});
}

result<Command> conform_command(const Written& written, const chain::Network& network) {
    command::Conform conform;
    conform.only = written.only;
    conform.junit = written.junit;
    conform.tap = written.tap;
    if (const auto chosen = conform::choose(written.only); !chosen) return chosen.error();
    if (written.tap && written.json)
        return usage("--tap and --json exclude each other", "stdout takes one of them",
                     "Leave one out");
    if (written.list) return Command(std::move(conform));
    if (written.node.empty())
        return usage("conform needs a node", "no HOST:PORT is given",
                     "Name the node, or --list the checks");
    const auto node = p2p::parse_endpoint(written.node, network.port);
    if (!node) return node.error();
    conform.node = *node;
    if (!written.rpc.empty() || !written.rpc_cookie.empty()) {
        if (network.id != chain::NetworkId::regtest)
            return usage("--rpc is for regtest", "elsewhere no blocks can be made at will",
                         "Leave it out, or add --network regtest");
        conform.rpc_cookie = written.rpc_cookie;
        conform.rpc = conform::RpcAccess{.host = node->host, .credentials = {}};
    }
    if (!written.rpc.empty()) {
        const auto access = rpc_access(written.rpc, !written.rpc_cookie.empty());
        if (!access) return access.error();
        conform.rpc = *access;
    }
    return Command(std::move(conform));
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
    const auto scripts = whole("--scripts", written.chain_scripts, 0, 1'000'000'000'000'000);
    if (!scripts) return scripts.error();
    const auto rate = wallet_rate(written);
    if (!rate) return rate.error();
    return Command(command::Privacy{static_cast<double>(*scripts), *rate});
}

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

// --------------------------------------------------------------------------------- the spelling

using Bind = result<Command> (*)(const Written&, const chain::Network&);

class Parser {
  public:
    explicit Parser(std::int64_t now) {
        written_.now = now;
        app_.name("headlight");
        app_.require_subcommand(1);
        app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
        app_.set_version_flag("--version", "headlight " + std::string(client::version));
        app_.add_option("--network", written_.network,
                        "main (default), testnet3, testnet4, signet or regtest")
            ->type_name("NETWORK");
        app_.add_option("--datadir", written_.datadir,
                        "where everything is kept (default: the XDG data folder)")
            ->type_name("FOLDER");
        app_.add_option("--wallet", written_.wallet, "the wallet's name (default: default)")
            ->type_name("NAME");
        app_.add_flag("--json", written_.json, "results and failures as JSON");
        app_.add_flag("-v,--verbose", written_.verbose, "tell more, on stderr");
        add_makers();
        add_network_commands();
        add_views();
        add_proofs();
        add_filters();
        add_tools();
    }

    result<std::variant<Arguments, Information>> parse(int argc, const char* const* argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::CallForVersion& version) {
            return std::variant<Arguments, Information>(
                Information{std::string(version.what()) + "\n"});
        } catch (const CLI::Success&) { // help; CLI11 finds the command it is asked for
            return std::variant<Arguments, Information>(Information{app_.help()});
        } catch (const CLI::ParseError& error) {
            return misunderstood(error.what());
        }
        return bind();
    }

  private:
    // CLI11 says that a command is missing where one is misspelt, so that is looked for first.
    Error misunderstood(const std::string& what) const {
        const CLI::App* chosen = &app_;
        std::string name; // of the command as far as it is understood
        while (!chosen->get_subcommands().empty()) {
            chosen = chosen->get_subcommands().front();
            name += chosen->get_name() + " ";
        }
        const auto help = "`headlight " + name + "--help`";
        const auto strange = app_.remaining(true);
        if (strange.empty() && name.empty())
            return usage("no command is given", "headlight does one thing at a time",
                         "See " + help);
        if (strange.empty())
            return usage("the command line is not understood", what, "See " + help);
        const auto& first = strange.front();
        if (first.starts_with('-'))
            return usage("there is no option '" + first + "'",
                         name.empty() ? "headlight does not know it" : name + "does not take it",
                         "See " + help);
        return chosen->get_subcommands({}).empty()
                   ? usage("'" + first + "' is too much", name + "takes no more arguments",
                           "See " + help)
                   : no_command(*chosen, first, help);
    }

    static Error no_command(const CLI::App& parent, const std::string& name,
                            const std::string& help) {
        std::vector<std::string_view> known;
        std::string list;
        for (const auto* command : parent.get_subcommands({})) {
            known.push_back(command->get_name());
            list += (list.empty() ? "" : ", ") + command->get_name();
        }
        const std::string near(wallet::nearest_word(name, known));
        return usage("there is no command '" + name + "'", parent.get_name() + " knows " + list,
                     near.empty() ? "See " + help : "Did you mean '" + near + "'?");
    }

    CLI::App& add(const char* name, const char* does, Bind to) {
        auto& command = add_to(app_, name, does, to);
        command.group("Commands");
        return command;
    }

    CLI::App& add_to(CLI::App& parent, const char* name, const char* does, Bind to) {
        auto* command = parent.add_subcommand(name, does);
        command->fallthrough(); // global options may stand behind the command, too
        command->callback([this, to] { bind_ = to; });
        return *command;
    }

    void add_makers() {
        auto& create = add("create", "Make a new HD wallet, or restore one", cli::create);
        create.add_option("--script", written_.script, "wpkh (default), pkh, sh-wpkh, tr or all")
            ->type_name("SCRIPT");
        create.add_option("--words", written_.words, "12 (default), 15, 18, 21 or 24")
            ->type_name("NUMBER");
        create
            .add_option("--mnemonic-file", written_.mnemonic_file,
                        "restore from the mnemonic in this file (-: stdin)")
            ->type_name("FILE");
        create
            .add_option("--passphrase-file", written_.passphrase_file,
                        "the mnemonic's passphrase: this file's first line (-: stdin)")
            ->type_name("FILE");
        create.add_option("--account", written_.account, "BIP-44 account (default: 0)")
            ->type_name("NUMBER");
        add_birthday_and_gap(create);

        auto& watch =
            add("watch", "Watch addresses, descriptors or extended public keys", cli::watch);
        watch.add_option("ITEM", written_.items, "an address, descriptor or extended public key")
            ->type_name("");
        watch.add_option("--file", written_.file, "more items, one a line (-: stdin)")
            ->type_name("FILE");
        watch.add_option("--label", written_.label, "what these are called")->type_name("LABEL");
        add_birthday_and_gap(watch);

        auto& unwatch = add("unwatch", "Remove what was given to watch", cli::unwatch);
        unwatch.add_option("ITEM", written_.items, "as it was given to watch")->type_name("");
        unwatch.add_option("--file", written_.file, "more items, one a line (-: stdin)")
            ->type_name("FILE");

        auto& label = add("label", "Name an address or a transaction", cli::label);
        label.add_option("ITEM", written_.item, "an address, a transaction id, a descriptor")
            ->type_name("")
            ->required();
        label.add_option("TEXT", written_.label_text, "its label (default: shows it)")
            ->type_name("");
        label.add_flag("--remove", written_.remove, "remove the label");
    }

    void add_birthday_and_gap(CLI::App& command) {
        command
            .add_option("--birthday", written_.birthday,
                        "height or day of the first use: nothing before is scanned")
            ->type_name("HEIGHT|YYYY-MM-DD");
        command.add_option("--gap", written_.gap, "unused addresses in a row (default: 20)")
            ->type_name("NUMBER");
    }

    void add_peers_and_timeout(CLI::App& command) {
        command
            .add_option("--peer", written_.peers,
                        "a full node; may be repeated (default: 127.0.0.1)")
            ->type_name("HOST[:PORT]")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        command
            .add_option("--proxy", written_.proxy,
                        "a SOCKS5 proxy, such as Tor's: nothing goes beside it")
            ->type_name("HOST:PORT");
        command.add_option("--timeout", written_.timeout, "give up after so many seconds")
            ->type_name("SECONDS");
    }

    void add_network_commands() {
        auto& sync = add("sync", "Bring the wallet to the tip of the chain", cli::sync);
        add_peers_and_timeout(sync);
        sync.add_option("--until", written_.until,
                        "stop at this height, or once this transaction is seen")
            ->type_name("HEIGHT|TXID");
        sync.add_option("--mempool-wait", written_.mempool_wait,
                        "wait so long at the tip for pending payments (default: 0)")
            ->type_name("SECONDS");
        sync.add_option("--cross-check", written_.cross_check,
                        "ask a second peer for each block with this probability (default: 0), and "
                        "always for the latest 144; or: never")
            ->type_name("P");
        add_rate(sync);
        sync.add_flag("--follow", written_.follow,
                      "stay at the tip; one JSON object a line for each event");
        sync.add_option("--on-tx", written_.on_tx,
                        "run this for each change of a transaction: %s txid, %b block or "
                        "unconfirmed, %h height or -1, %w wallet")
            ->type_name("COMMAND");
        sync.add_option("--on-block", written_.on_block,
                        "run this for each new block: %s its hash, %h height, %w wallet")
            ->type_name("COMMAND");
        sync.add_option("--events", written_.events, "append the events to this file (-: stdout)")
            ->type_name("FILE");

        auto& broadcast = add("broadcast", "Announce a signed transaction", cli::broadcast);
        broadcast
            .add_option("TRANSACTION", written_.transaction,
                        "its hex, a file with it, or - (stdin)")
            ->type_name("")
            ->required();
        add_peers_and_timeout(broadcast);

        auto& rescan = add("rescan", "Scan again from a height, at the next sync", cli::rescan);
        rescan.add_option("--from", written_.from, "the first block to scan again")
            ->type_name("HEIGHT")
            ->required();
        add("reset-chain", "Delete the stored headers; wallets stay", plain<command::ResetChain>);

        auto& bans = add("bans", "Peers that proved false and are not dialled", cli::bans);
        bans.add_option("ACTION", written_.action, "list (default), or clear")->type_name("");
        bans.add_option("PEER", written_.banned_peer, "whose ban to clear (default: all)")
            ->type_name("HOST[:PORT]");
    }

    void add_rate(CLI::App& command) {
        command
            .add_option("--fp-rate", written_.fp_rate,
                        "the rate of false positives that the filter is made for")
            ->type_name("P");
        command
            .add_option("--privacy", written_.privacy,
                        "low, medium (default) or high: such a rate by name")
            ->type_name("LEVEL");
    }

    void add_views() {
        add("status", "Where the wallet stands", plain<command::Status>);
        add("balance", "What the wallet holds", plain<command::Balance>);
        auto& history = add("history", "The wallet's transactions", cli::history);
        history.add_flag("--csv", written_.csv, "as comma-separated values");
        add("utxos", "The wallet's unspent coins", plain<command::Utxos>);
        add("descriptors", "What the wallet watches", plain<command::Descriptors>).alias("list");
        add("export", "Everything the wallet knows, as JSON", plain<command::Export>);
        add("wallets", "The wallets there are", plain<command::Wallets>);
        auto& address = add("address", "The next unused receive address", cli::address);
        address.add_flag("--list", written_.list, "all addresses, with their use");
        address.add_flag("--qr", written_.qr, "also as a QR code");
    }

    void add_filters() {
        auto& privacy = add("privacy", "What the wallet's filter tells, in figures", cli::privacy);
        add_rate(privacy);
        privacy
            .add_option("--scripts", written_.chain_scripts,
                        "scripts on the whole chain (default: 1000000000)")
            ->type_name("U");

        auto& filter = *app_.add_subcommand("filter", "Plan, make, test and read Bloom filters");
        filter.group("Commands");
        filter.fallthrough();
        filter.require_subcommand(1);
        filter.get_formatter()->label("SUBCOMMAND", "COMMAND");
        auto& plan = add_to(filter, "plan", "How large a filter has to be", filter_plan);
        plan.add_option("--items", written_.filter_items, "how many it is to hold")
            ->type_name("N")
            ->required();
        auto& make = add_to(filter, "make", "A filterload of the items on stdin", filter_make);
        make.add_option("--tweak", written_.tweak, "its tweak (default: random)")->type_name("T");
        make.add_option("--flags", written_.flags,
                        "what a server adds: none, all (default) or pubkey")
            ->type_name("FLAGS");
        for (auto* command : {&plan, &make}) {
            command->add_option("--fp", written_.filter_fp, "the wanted rate of false positives")
                ->type_name("P");
            command->add_option("--bytes", written_.filter_bytes, "its size instead")
                ->type_name("B");
        }
        auto& test = add_to(filter, "test", "Which of the items on stdin match", filter_test);
        auto& show = add_to(filter, "show", "What a filterload holds", filter_show);
        for (auto* command : {&test, &show})
            command
                ->add_option("PAYLOAD", written_.payload,
                             "a filterload's payload in hex, or @FILE with it")
                ->type_name("")
                ->required();
        for (auto* command : {&make, &test})
            command->add_flag("--hex", written_.hex, "the items are hex (default: text)");
    }

    void add_proofs() {
        auto& abandon = add("abandon", "Give up a pending transaction", of_txid<command::Abandon>);
        abandon.add_option("TXID", written_.txid, "which one")->type_name("")->required();
        auto& proof = add("proof", "Prove that a payment is in a block", of_txid<command::Proof>);
        proof.add_option("TXID", written_.txid, "which one")->type_name("")->required();
        auto& verify = add("verify", "Check such a proof offline", cli::verify);
        verify.add_option("FILE", written_.file, "the proof (-: stdin)")->type_name("")->required();
    }

    void add_tools() {
        auto& probe = add("probe", "One look at a node: can it serve us?", probe_command);
        probe.add_option("NODE", written_.node, "HOST[:PORT]")->type_name("")->required();
        auto& conform = add("conform", "Check whether a node keeps to BIP-37", conform_command);
        conform.add_option("NODE", written_.node, "HOST[:PORT] of the node under test")
            ->type_name("");
        conform
            .add_option("--rpc", written_.rpc,
                        "the node's RPCs, to make blocks and transactions (regtest)")
            ->type_name("http://USER:PASSWORD@HOST:PORT");
        conform
            .add_option("--rpc-cookie", written_.rpc_cookie,
                        "user and password from the node's .cookie file instead")
            ->type_name("FILE");
        conform.add_option("--only", written_.only, "a check or a group; may be repeated")
            ->type_name("ID")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        conform.add_flag("--list", written_.list, "the checks, without running them");
        conform.add_option("--junit", written_.junit, "also JUnit's XML into this file")
            ->type_name("FILE");
        conform.add_flag("--tap", written_.tap, "TAP 13 instead of the table");
    }

    result<std::variant<Arguments, Information>> bind() const {
        Arguments arguments{
            .paths = {}, .json = written_.json, .verbose = written_.verbose, .command = {}};
        const auto* network = chain::find_network(written_.network);
        if (!network)
            return usage("there is no network '" + written_.network + "'",
                         "headlight knows main, testnet3, testnet4, signet and regtest",
                         "Choose one of these");
        if (const auto name = client::check_wallet_name(written_.wallet); !name)
            return name.error();
        auto datadir = written_.datadir.empty()
                           ? client::default_datadir()
                           : result<std::filesystem::path>(std::filesystem::path(written_.datadir));
        if (!datadir) return datadir.error();
        arguments.paths = {std::move(*datadir), network, written_.wallet};
        auto command = bind_(written_, *network);
        if (!command) return command.error();
        arguments.command = std::move(*command);
        return std::variant<Arguments, Information>(std::move(arguments));
    }

    Written written_;
    CLI::App app_{"A Bitcoin light client: syncs a wallet from full nodes over BIP-37 and believes "
                  "nothing it cannot check."};
    Bind bind_ = nullptr;
};

} // namespace

result<std::variant<Arguments, Information>> parse_arguments(int argc, const char* const* argv,
                                                             std::int64_t now) {
    return Parser(now).parse(argc, argv);
}

bool wants_json(int argc, const char* const* argv) {
    return std::any_of(argv, argv + argc,
                       [](const char* one) { return std::string_view(one) == "--json"; });
}

} // namespace headlight::cli
