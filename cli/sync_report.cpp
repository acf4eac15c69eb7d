#include "cli/sync_report.hpp"

#include "cli/text.hpp"
#include "cli/view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cmath>
#include <cstdio>

namespace headlight::cli {

namespace {

std::string seconds_text(double seconds) {
    char buffer[32];
    const int length = std::snprintf(buffer, sizeof buffer, "%.2f s", seconds);
    return {buffer, static_cast<std::size_t>(length)};
}

} // namespace

bool one_peer_scanned(const client::SyncOutcome& outcome) {
    const auto& did = outcome.statistics;
    if (outcome.whole_blocks) return false;
    return did.peers.size() < 2 || (did.scanned_blocks > 0 && did.cross_checked == 0);
}

boost::json::object to_json(const client::SyncOutcome& outcome, const wallet::Balance& balance) {
    const auto& did = outcome.statistics;
    boost::json::object object{{"method", outcome.whole_blocks ? "full" : "bip37"},
                               {"height", did.height},
                               {"tip", did.tip},
                               {"headers", did.headers},
                               {"scanned_blocks", did.scanned_blocks},
                               {"rescanned_blocks", did.rescanned_blocks},
                               {"filterloads", did.filterloads},
                               {"transactions_new", did.transactions_new},
                               {"false_positives", did.false_positives},
                               {"cross_checked", did.cross_checked},
                               {"unchecked", did.unchecked},
                               {"omissions", did.omissions},
                               {"bytes_received", did.bytes_received},
                               {"bytes_sent", did.bytes_sent},
                               {"seconds", std::round(outcome.seconds * 1e3) / 1e3}};
    object["reorganised"] = did.reorganised ? boost::json::value(*did.reorganised) : nullptr;
    auto& peers = object["peers"].emplace_array();
    for (const auto& peer : did.peers)
        peers.emplace_back(boost::json::object{{"address", peer.address},
                                               {"agent", peer.agent},
                                               {"bytes_received", peer.bytes_received}});
    object["balance"] = to_json(balance);
    object["note"] = one_peer_scanned(outcome) ? boost::json::value(omission_note) : nullptr;
    return object;
}

std::string to_text(const client::SyncOutcome& outcome, const wallet::Balance& balance) {
    const auto& did = outcome.statistics;
    std::string text = "Scanned to block " + std::to_string(did.height) + " of " +
                       std::to_string(did.tip) + " in " + seconds_text(outcome.seconds) + ".\n";
    if (did.reorganised)
        text += "  The chain was reorganised above block " + std::to_string(*did.reorganised) +
                ": what was above it was scanned anew.\n";
    text += "  " + count(did.headers, "new header") + ", " + count(did.scanned_blocks, "block") +
            " scanned, " + std::to_string(did.rescanned_blocks) + " of them again; " +
            (outcome.whole_blocks ? std::string("whole, and no filter sent")
                                  : count(did.filterloads, "filter") + " sent") +
            "\n";
    text +=
        "  " + count(did.transactions_new, "new transaction") +
        (outcome.whole_blocks ? std::string()
                              : ", " + std::to_string(did.false_positives) + " matched by chance") +
        "\n";
    if (did.cross_checked > 0)
        text += "  " + count(did.cross_checked, "block") + " asked of a second peer: " +
                (did.omissions == 0 ? "nothing was left out"
                                    : count(did.omissions, "transaction") + " had been left out") +
                "\n";
    if (did.cross_checked > 0 && did.unchecked > 0)
        text += "  " + count(did.unchecked, "block") + " could not be asked of a second peer\n";
    text += "  " + format_bytes(did.bytes_received) + " received, " + format_bytes(did.bytes_sent) +
            " sent\n";
    for (const auto& peer : did.peers)
        text += "  from " + peer.address + " " + peer.agent + ", " +
                format_bytes(peer.bytes_received) + "\n";
    return text + "Balance " + to_text(balance) + "\n";
}

} // namespace headlight::cli
