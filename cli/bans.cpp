// `bans`: the peers that are not dialled for a while, and how to dial them again.
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "client/ban_file.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

const std::string none_is_banned = "No peer is banned.\n";

std::string bans_table(const std::vector<sync::Ban>& bans) {
    Table table({{"PEER"}, {"UNTIL"}, {"REASON"}});
    for (const auto& ban : bans)
        table.add({p2p::to_string(ban.endpoint), format_time(ban.until), ban.reason});
    return table.to_string();
}

void list(Context& context, const std::vector<sync::Ban>& bans) {
    if (!context.out.json())
        return context.out.text(bans.empty() ? none_is_banned : bans_table(bans));
    boost::json::array array;
    for (const auto& ban : bans) {
        array.push_back(boost::json::object{
            {"peer", p2p::to_string(ban.endpoint)}, {"until", ban.until}, {"reason", ban.reason}});
    }
    context.out.value(array);
}

result<void> clear(Context& context, const client::BanFile& file,
                   const std::optional<p2p::Endpoint>& peer) {
    const auto lifted = file.lift(peer, context.now());
    if (!lifted) return lifted.error();
    boost::json::array array;
    std::string text;
    for (const auto& ban : *lifted) {
        array.emplace_back(p2p::to_string(ban.endpoint));
        text += "Lifted the ban of " + p2p::to_string(ban.endpoint) + ".\n";
    }
    if (text.empty()) text = peer ? p2p::to_string(*peer) + " is not banned.\n" : none_is_banned;
    if (context.out.json())
        context.out.value(boost::json::object{{"lifted", std::move(array)}});
    else
        context.out.text(text);
    return {};
}

} // namespace

result<void> perform(Context& context, const command::Bans& bans) {
    const client::BanFile file(context.paths.bans());
    if (bans.clear) return clear(context, file, bans.peer);
    const auto read = file.read(context.now());
    if (!read) return read.error();
    if (!read->notice.empty()) context.out.warn(read->notice);
    list(context, read->bans);
    return {};
}

} // namespace headlight::cli
