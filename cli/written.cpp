// The commands about wallets and peers, from what was written.
#include "cli/written.hpp"

#include "chain/limits.hpp"
#include "cli/birthday.hpp"

namespace headlight::cli {

namespace {

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

result<void> read_until(const Written& written, command::Sync& sync) {
    if (!written.until) return {};
    if (written.until->size() == 64) {
        const auto hash = txid(*written.until);
        if (!hash) return hash.error();
        sync.until_txid = *hash;
        return {};
    }
    const auto height = whole("--until (a height, or a transaction id of 64 hex digits)",
                              *written.until, 0, limits::max_height);
    if (!height) return height.error();
    sync.until_height = static_cast<std::int32_t>(*height);
    return {};
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

} // namespace

namespace bind {

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
    auto through = proxy_to(sync.peers, written);
    if (!through) return through.error();
    sync.proxy = std::move(*through);
    if (const auto good = read_until(written, sync); !good) return good.error();
    const auto timeout = milliseconds("--timeout", written.timeout);
    if (!timeout) return timeout.error();
    sync.timeout_ms = *timeout;
    const auto wait = milliseconds("--mempool-wait", written.mempool_wait);
    if (!wait) return wait.error();
    sync.mempool_wait_ms = *wait;
    const auto share = probability("--cross-check", written.cross_check);
    if (!share) return share.error();
    sync.cross_check = *share;
    const auto method = method_of(written);
    if (!method) return method.error();
    sync.method = *method;
    if (sync.method == client::Method::full) return Command(std::move(sync));
    const auto choice = filter_choice(written);
    if (!choice) return choice.error();
    sync.filter = *choice;
    return Command(std::move(sync));
}

result<Command> broadcast(const Written& written, const chain::Network& network) {
    auto endpoints = peers(written, network);
    if (!endpoints) return endpoints.error();
    auto through = proxy_to(*endpoints, written);
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

} // namespace bind

} // namespace headlight::cli
