#include "sync/reasons.hpp"

#include "chain/limits.hpp"

#include <ctime>

namespace headlight::sync::reasons {
namespace {

std::string utc(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    const auto length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    return {text, length};
}

std::string seconds(std::int64_t ms) { return std::to_string(ms / 1000) + " s"; }

/// The system's words, without the peer's name that the message has already.
std::string without_name(const std::string& detail, const std::string& peer) {
    for (const auto& name : {peer, peer.substr(0, peer.rfind(':'))}) {
        if (detail.starts_with(name + ": ")) return detail.substr(name.size() + 2);
    }
    return detail;
}

constexpr std::string_view another_peer = "Try another peer with --peer";

} // namespace

Error nobody_listens(const std::string& peer, Loss loss, const std::string& detail,
                     const chain::Network& network) {
    if (loss == Loss::unresolved) {
        return {errc::no_peer, "cannot find the peer " + peer, without_name(detail, peer),
                "Check the spelling of the name, or give an IP address"};
    }
    return {errc::no_peer, "cannot connect to " + peer, without_name(detail, peer),
            "Start a node there (bitcoind -chain=" +
                std::string(network.name == "testnet3" ? "test" : network.name) +
                " -peerbloomfilters=1), or name another one with --peer HOST[:PORT]"};
}

Error proxy(const std::string& peer, Loss loss, const std::string& detail,
            const p2p::Endpoint& through) {
    const auto proxy = "the proxy " + p2p::to_string(through);
    const auto cause = detail.empty() ? std::string(to_string(loss)) : detail;
    if (loss == Loss::no_proxy)
        return {errc::no_peer, "cannot connect to " + proxy, cause,
                "Start it (Tor's listens at 127.0.0.1:9050), or name another one with --proxy"};
    if (loss == Loss::proxy_refused)
        return {errc::no_peer, proxy + " does not serve us", cause,
                "Name a SOCKS5 proxy that asks for no account: the user name and password that "
                "are sent are random ones, which keep the peers apart"};
    return {errc::no_peer, proxy + " does not reach " + peer, cause,
            "Check the peer's name and port, whether it is up, and whether the proxy may reach "
            "it; or name another peer with --peer"};
}

Error closed_in_handshake(const std::string& peer, const chain::Network& network) {
    return {
        errc::no_peer, peer + " closed the connection without a word",
        "it is no node of any Bitcoin network that headlight knows, or it has no room for another "
        "peer, or it has banned this address",
        "Check that the port is the node's p2p port (" + std::to_string(network.port) + " on " +
            std::string(network.name) + "), not its RPC port"};
}

Error other_network(const std::string& peer, const chain::Network& theirs,
                    const chain::Network& ours) {
    return {errc::wrong_network,
            peer + " is a node of " + std::string(theirs.name) + ", not of " +
                std::string(ours.name),
            "it closes on our network's magic and answers to that one's",
            "Use --network " + std::string(theirs.name) + ", or name a node of " +
                std::string(ours.name)};
}

Error handshake_slow(const std::string& peer) {
    return {
        errc::stalled,
        peer + " did not finish the handshake in " + seconds(limits::handshake_timeout_ms),
        "something listens there that does not answer as a Bitcoin node, or the node is overloaded",
        "Check the port, or try again"};
}

Error handshake_refused(const std::string& peer, p2p::HandshakeRefusal refusal) {
    switch (refusal) {
    case p2p::HandshakeRefusal::own_nonce:
        return {errc::no_peer, peer + " is this program itself", "it answers with our own nonce",
                "Name a node with --peer"};
    case p2p::HandshakeRefusal::old_version:
        return {errc::no_peer, peer + " speaks a protocol older than 70011",
                "it cannot say whether it serves Bloom filters (BIP-111)", "Use a newer node"};
    case p2p::HandshakeRefusal::out_of_order:
        break;
    }
    return {errc::bad_peer, peer + " broke the handshake", "version and verack came out of order",
            std::string(another_peer)};
}

Error bad_frame(const std::string& peer, const std::string& detail) {
    return {errc::bad_peer, peer + " sent what is no message", detail, std::string(another_peer)};
}

Error lost(const std::string& peer, Loss loss, const std::string& detail) {
    return {errc::no_peer, "the connection to " + peer + " was lost",
            detail.empty() ? std::string(to_string(loss)) : detail, "Run sync again; it goes on"};
}

Error closed_while_scanning(const std::string& peer) {
    return {
        errc::no_peer, peer + " closes the connection when asked for filtered blocks",
        "it may be over its upload limit (maxuploadtarget), or it refuses the filter",
        "Raise or remove maxuploadtarget, set whitelist=download,bloomfilter@YOUR_IP on the node, "
        "or name another peer"};
}

Error nobody_for_part(std::uint32_t part, std::uint32_t split) {
    const auto group = std::to_string(part % split + 1) + " of " + std::to_string(split);
    return {errc::no_peer, "no peer to ask for part " + group + " of the scripts",
            "every peer that was named is shown another part, now or since an earlier run",
            "Name more peers with --peer, or a smaller --split"};
}

Error no_bloom(const std::string& peer) {
    return {errc::no_bloom, peer + " does not serve Bloom filters",
            "its version message lacks NODE_BLOOM (BIP-111)",
            "Set peerbloomfilters=1 on the node, or whitelist=bloomfilter@YOUR_IP for this client "
            "alone; or ask for whole blocks (--method full)"};
}

Error not_full(const std::string& peer) {
    return {errc::pruned, peer + " does not serve blocks",
            "its version message has neither NODE_NETWORK nor NODE_NETWORK_LIMITED",
            "Name a full node with --peer"};
}

Error pruned(const std::string& peer, std::int32_t from_height) {
    return {errc::pruned,
            peer + " is pruned and lacks the blocks from height " + std::to_string(from_height),
            "it serves the last " + std::to_string(limits::pruned_depth) + " blocks only (BIP-159)",
            "Name a node with prune=0, or give the wallet a later birthday"};
}

Error stalled(const std::string& peer, const std::string& what, std::int64_t ms) {
    return {errc::stalled, peer + " stalled", what + " for " + seconds(ms),
            "Try again, or name another peer"};
}

Error bad_headers(const std::string& peer, std::string_view rule) {
    return {errc::bad_peer, peer + " sent a header that no honest node sends", std::string(rule),
            std::string(another_peer)};
}

Error headers_limit(const std::string& peer) {
    return {errc::bad_peer, peer + " sends headers without end or without connection",
            "none of them leads to a chain with more work than ours within the limits",
            std::string(another_peer)};
}

Error bad_merkleblock(const std::string& peer, const Error& proof) {
    return {errc::bad_peer, peer + " sent a merkleblock whose proof does not hold",
            proof.cause.empty() ? proof.message : proof.cause, std::string(another_peer)};
}

Error bad_block(const std::string& peer, const Error& proof) {
    return {errc::bad_peer, peer + " sent a block that is not what its header commits to",
            proof.cause.empty() ? proof.message : proof.cause, std::string(another_peer)};
}

Error bad_transaction(const std::string& peer) {
    return {errc::bad_peer, peer + " passed off a 64-byte transaction",
            "a transaction of that size can be an inner node of the merkle tree (CVE-2017-12842)",
            std::string(another_peer)};
}

Error flood(const std::string& peer) {
    return {errc::bad_peer, peer + " floods us with messages nobody asked for",
            "more than " + std::to_string(limits::flood_messages_per_second) + " a second",
            std::string(another_peer)};
}

Error blocks_refused(const std::string& peer, std::int32_t height, const chain::Hash256& hash) {
    return {
        errc::not_found,
        peer + " does not serve block " + std::to_string(height) + " (" + hash.to_string() + ")",
        "it does not have that block on any valid branch, or no longer (reorganised or "
        "invalidated)",
        "Run sync again once the node has caught up; if its chain was replaced by a lighter one, "
        "headlight reset-chain starts the headers anew and keeps the wallets"};
}

Error transactions_withheld(const std::string& peer, std::int32_t height,
                            const chain::Hash256& hash) {
    return {errc::bad_peer,
            peer + " withholds a transaction that its own proof names in block " +
                std::to_string(height) + " (" + hash.to_string() + ")",
            "the merkleblock came without all of its transactions, " +
                std::to_string(limits::max_block_retries) + " times",
            std::string(another_peer)};
}

Error omitted(const std::string& peer, const chain::Hash256& txid, std::int32_t height) {
    const auto which = "transaction " + txid.to_string() + " of block " + std::to_string(height);
    if (peer.empty()) {
        return {errc::bad_peer, which + " was not shown when its block was scanned",
                "a second peer proves it; whoever served the scan left it out, or knew less of "
                "this wallet then",
                "It is taken, and what it may concern is scanned again"};
    }
    return {errc::bad_peer, peer + " left out " + which,
            "a second peer proves it, and the filter on that connection matches it",
            "It is taken, the peer is banned and its blocks are scanned again; do not name that "
            "peer any more"};
}

Error banned(const std::string& peer, std::int64_t seconds_left, const std::string& reason) {
    const auto minutes = (seconds_left + 59) / 60;
    const auto left = minutes < 120 ? std::to_string(minutes) + " minutes"
                                    : std::to_string((minutes + 59) / 60) + " hours";
    return {errc::bad_peer, peer + " is banned for another " + left, reason,
            "Name another peer with --peer, or lift the ban with headlight bans clear"};
}

Error wiped_chain(const std::string& peer, std::int32_t our_height, const chain::Network& network) {
    return {errc::wiped_chain,
            "the chain of " + peer + " shares only the genesis block with ours (height " +
                std::to_string(our_height) + ") and has less work",
            "the node's data was wiped or it is another " + std::string(network.name) + " network",
            "If the node's chain is the one you want: headlight --network " +
                std::string(network.name) + " reset-chain, then sync; the wallets stay"};
}

Error future_block(const std::string& peer, const chain::Hash256& hash, std::int64_t block_time) {
    return {errc::future_block,
            peer + " offers block " + hash.to_string() + " dated " + utc(block_time),
            "that is more than two hours ahead of this machine's clock",
            "Check both clocks; everything before that block is kept"};
}

Error stopped(std::string_view why, std::int32_t scanned) {
    const std::string kept = scanned >= 0
                                 ? "everything up to height " + std::to_string(scanned) + " is kept"
                                 : "nothing was scanned yet";
    if (why == errc::timeout) {
        return {errc::timeout, "the time given by --timeout is over", kept,
                "Run sync again to go on"};
    }
    return {errc::stopped, "stopped by a signal", kept, "Run sync again to go on"};
}

Error stale_tip(std::int32_t height, std::int64_t tip_time, std::int64_t now) {
    return {errc::stalled,
            "the newest block (height " + std::to_string(height) + ") is " +
                std::to_string((now - tip_time) / 3600) + " hours old",
            "the peers may be behind or cut off", "Compare with another peer"};
}

Error too_little_work(const chain::Network& network, std::int32_t height) {
    return {errc::bad_peer,
            "the best chain that was offered (height " + std::to_string(height) +
                ") cannot be the one of " + std::string(network.name),
            "it has less work than that network's chain had when this program was made",
            "Ask a node that is done with its own sync, with --peer"};
}

Error lower_node(const std::string& peer, std::int32_t height) {
    return {errc::stalled, peer + " has fewer blocks than we do (" + std::to_string(height) + ")",
            "it is still syncing, or its chain was cut", "Wait for it, or name another peer"};
}

Error until_not_seen(const std::string& what) {
    return {errc::not_found, "the tip is reached and " + what + " was not seen",
            "no peer has it yet", "Mine or wait, then sync again"};
}

Error not_accepted(const chain::Hash256& txid, const std::string& cause) {
    return {
        errc::not_accepted, "transaction " + txid.to_string() + " was not accepted", cause,
        "Check it with bitcoin-cli testmempoolaccept; it may be invalid, already spent, or pay too "
        "low a fee"};
}

} // namespace headlight::sync::reasons
