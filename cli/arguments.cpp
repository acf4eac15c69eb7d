// The spelling of the command line: every option's name and help. What they come to is in
// written*.cpp. CLI11 stays in here.
#include "cli/arguments.hpp"

#include "cli/written.hpp"
#include "client/version.hpp"
#include "wallet/nearest_word.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace headlight::cli {

namespace {

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
        auto& create = add("create", "Make a new HD wallet, or restore one", bind::create);
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
            add("watch", "Watch addresses, descriptors or extended public keys", bind::watch);
        watch.add_option("ITEM", written_.items, "an address, descriptor or extended public key")
            ->type_name("");
        watch.add_option("--file", written_.file, "more items, one a line (-: stdin)")
            ->type_name("FILE");
        watch.add_option("--label", written_.label, "what these are called")->type_name("LABEL");
        add_birthday_and_gap(watch);

        auto& unwatch = add("unwatch", "Remove what was given to watch", bind::unwatch);
        unwatch.add_option("ITEM", written_.items, "as it was given to watch")->type_name("");
        unwatch.add_option("--file", written_.file, "more items, one a line (-: stdin)")
            ->type_name("FILE");

        auto& label = add("label", "Name an address or a transaction", bind::label);
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
        add_proxy(command);
        command.add_option("--timeout", written_.timeout, "give up after so many seconds")
            ->type_name("SECONDS");
    }

    void add_proxy(CLI::App& command) {
        command
            .add_option("--proxy", written_.proxy,
                        "a SOCKS5 proxy, such as Tor's: nothing goes beside it")
            ->type_name("HOST:PORT");
    }

    void add_network_commands() {
        auto& sync = add("sync", "Bring the wallet to the tip of the chain", bind::sync);
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
        sync.add_option("--method", written_.method,
                        "bip37: blocks filtered by the peers; full: whole blocks, nothing is told; "
                        "auto: full where no peer filters (default: as before, bip37 at first)")
            ->type_name("METHOD");
        add_filter_choice(sync, "; full: whole blocks");
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

        auto& broadcast = add("broadcast", "Announce a signed transaction", bind::broadcast);
        broadcast
            .add_option("TRANSACTION", written_.transaction,
                        "its hex, a file with it, or - (stdin)")
            ->type_name("")
            ->required();
        add_peers_and_timeout(broadcast);

        auto& rescan = add("rescan", "Scan again from a height, at the next sync", bind::rescan);
        rescan.add_option("--from", written_.from, "the first block to scan again")
            ->type_name("HEIGHT")
            ->required();
        add("reset-chain", "Delete the stored headers; wallets stay",
            bind::plain<command::ResetChain>);

        auto& bans = add("bans", "Peers that proved false and are not dialled", bind::bans);
        bans.add_option("ACTION", written_.action, "list (default), or clear")->type_name("");
        bans.add_option("PEER", written_.banned_peer, "whose ban to clear (default: all)")
            ->type_name("HOST[:PORT]");
    }

    /// `further`: what else --privacy may say there.
    void add_filter_choice(CLI::App& command, const std::string& further = {}) {
        command
            .add_option("--fp-rate", written_.fp_rate,
                        "the rate of false positives that the filter is made for")
            ->type_name("P");
        command
            .add_option(
                "--privacy", written_.privacy,
                "low, medium or high: such a rate by name (default: as before, medium at first)" +
                    further)
            ->type_name("LEVEL");
        command
            .add_option("--split", written_.split,
                        "show each of so many groups of peers its part of the scripts only "
                        "(default: as before, 1 at first)")
            ->type_name("N");
    }

    void add_views() {
        add("status", "Where the wallet stands", bind::plain<command::Status>);
        add("balance", "What the wallet holds", bind::plain<command::Balance>);
        auto& history = add("history", "The wallet's transactions", bind::history);
        history.add_flag("--csv", written_.csv, "as comma-separated values");
        add("utxos", "The wallet's unspent coins", bind::plain<command::Utxos>);
        add("descriptors", "What the wallet watches", bind::plain<command::Descriptors>)
            .alias("list");
        add("export", "Everything the wallet knows, as JSON", bind::plain<command::Export>);
        add("wallets", "The wallets there are", bind::plain<command::Wallets>);
        auto& address = add("address", "The next unused receive address", bind::address);
        address.add_flag("--list", written_.list, "all addresses, with their use");
        address.add_flag("--qr", written_.qr, "also as a QR code");
    }

    void add_filters() {
        auto& privacy = add("privacy", "What the wallet's filter tells, in figures", bind::privacy);
        add_filter_choice(privacy);
        privacy
            .add_option("--scripts", written_.chain_scripts,
                        "scripts on the whole chain (default: 1000000000)")
            ->type_name("U");

        auto& filter = *app_.add_subcommand("filter", "Plan, make, test and read Bloom filters");
        filter.group("Commands");
        filter.fallthrough();
        filter.require_subcommand(1);
        filter.get_formatter()->label("SUBCOMMAND", "COMMAND");
        auto& plan = add_to(filter, "plan", "How large a filter has to be", bind::filter_plan);
        plan.add_option("--items", written_.filter_items, "how many it is to hold")
            ->type_name("N")
            ->required();
        auto& make =
            add_to(filter, "make", "A filterload of the items on stdin", bind::filter_make);
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
        auto& test = add_to(filter, "test", "Which of the items on stdin match", bind::filter_test);
        auto& show = add_to(filter, "show", "What a filterload holds", bind::filter_show);
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
        auto& abandon =
            add("abandon", "Give up a pending transaction", bind::of_txid<command::Abandon>);
        abandon.add_option("TXID", written_.txid, "which one")->type_name("")->required();
        auto& proof =
            add("proof", "Prove that a payment is in a block", bind::of_txid<command::Proof>);
        proof.add_option("TXID", written_.txid, "which one")->type_name("")->required();
        auto& verify = add("verify", "Check such a proof offline", bind::verify);
        verify.add_option("FILE", written_.file, "the proof (-: stdin)")->type_name("")->required();
    }

    void add_tools() {
        auto& probe = add("probe", "One look at a node: can it serve us?", bind::probe);
        probe.add_option("NODE", written_.node, "HOST[:PORT]")->type_name("")->required();
        add_proxy(probe);
        auto& conform = add("conform", "Check whether a node keeps to BIP-37", bind::conform);
        conform.add_option("NODE", written_.node, "HOST[:PORT] of the node under test")
            ->type_name("");
        add_proxy(conform);
        conform
            .add_option("--rpc", written_.rpc,
                        "the node's RPCs, to make blocks and transactions (regtest); not through "
                        "the proxy")
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
