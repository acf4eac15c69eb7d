// Nodes that read locators wrongly, or answer getheaders and getblocks with something else.
#include "chain/limits.hpp"
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

using p2p::GetHeaders;
using p2p::Headers;

void first_left_out(SimSession&, Headers& message) {
    if (message.headers.size() > 1) message.headers.erase(message.headers.begin());
}
void second_left_out(SimSession&, Headers& message) {
    if (message.headers.size() > 2) message.headers.erase(message.headers.begin() + 1);
}
void one_too_few(SimSession&, Headers& message) {
    if (message.headers.size() == limits::max_headers_per_message) message.headers.pop_back();
}
void never_empty(SimSession& session, Headers& message) {
    if (message.headers.empty()) message.headers.push_back(session.node().tip().header);
}

bool no_stop(SimSession&, GetHeaders& message) {
    if (message.locator.empty()) return false;
    message.stop = {};
    return true;
}
bool unknown_stop(SimSession& session, const GetHeaders& message) {
    return !message.stop.is_null() && !session.node().block(message.stop);
}
bool unknown_locator(SimSession& session, const GetHeaders& message) {
    return std::none_of(message.locator.begin(), message.locator.end(),
                        [&](const auto& hash) { return session.node().block(hash); });
}
bool last_known(SimSession&, GetHeaders& message) {
    std::reverse(message.locator.begin(), message.locator.end());
    return true;
}
bool sorted_locator(SimSession& session, GetHeaders& message) {
    if (message.locator.size() < 2) return false;
    const auto* first = session.node().block(message.locator[0]);
    const auto* second = session.node().block(message.locator[1]);
    if (!first || !second || first->height >= second->height) return false;
    message.locator = {session.node().chain().genesis().hash};
    return true;
}
bool many_hashes(SimSession&, const GetHeaders& message) { return message.locator.size() > 100; }

bool empty_for_stale(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto* request = std::get_if<GetHeaders>(&message);
    if (!request || request->locator.empty()) return false;
    const auto* block = session.node().block(request->locator.front());
    if (!block || session.node().is_active(*block)) return false;
    session.emit(p2p::Message(Headers{}));
    return true;
}
bool tip_for_no_locator(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto* request = std::get_if<GetHeaders>(&message);
    if (!request || !request->locator.empty()) return false;
    session.emit(p2p::Message(Headers{{session.node().tip().header}}));
    return true;
}
bool false_for_long_locator(SimSession& session, FaultState&, const NodeFrame& frame) {
    if (frame.command != "getheaders" || frame.trouble != FrameTrouble::over_limit) return false;
    session.emit(p2p::Message(Headers{{session.node().tip().header}}));
    return true;
}

bool any_getblocks(SimSession&, const p2p::GetBlocks&) { return true; }
void one_too_many(SimSession& session, p2p::Inv& inv) {
    if (inv.entries.size() == 500)
        inv.entries.push_back({p2p::InvType::block, session.node().tip().hash});
}

} // namespace

std::vector<Fault> broken_headers() {
    return {
        {.name = "broken-first-header",
         .does = "leaves out the first header",
         .outgoing = sends_changed<Headers, first_left_out>},
        {.name = "broken-second-header",
         .does = "leaves out the second header",
         .outgoing = sends_changed<Headers, second_left_out>},
        {.name = "broken-1999-headers",
         .does = "sends 1,999 headers at most",
         .outgoing = sends_changed<Headers, one_too_few>},
        {.name = "broken-no-empty-headers",
         .does = "sends its tip where nothing is new",
         .outgoing = sends_changed<Headers, never_empty>},
        {.name = "broken-no-stop",
         .does = "does not stop at the stop hash",
         .swallow = takes_for<GetHeaders, no_stop>},
        {.name = "broken-unknown-stop",
         .does = "ignores requests with an unknown stop hash",
         .swallow = ignores<GetHeaders, unknown_stop>},
        {.name = "broken-unknown-locator",
         .does = "ignores locators of which it knows nothing",
         .swallow = ignores<GetHeaders, unknown_locator>},
        {.name = "broken-last-of-locator",
         .does = "reads locators from their end",
         .swallow = takes_for<GetHeaders, last_known>},
        {.name = "broken-sorted-locator",
         .does = "starts from genesis when a locator does not go down",
         .swallow = takes_for<GetHeaders, sorted_locator>},
        {.name = "broken-stale-locator",
         .does = "has nothing for a locator that starts on a replaced block",
         .swallow = empty_for_stale},
        {.name = "broken-no-locator",
         .does = "answers an empty locator with its tip",
         .swallow = tip_for_no_locator},
        {.name = "broken-locator-101",
         .does = "closes at locators over 100 hashes",
         .swallow = closes_at<GetHeaders, many_hashes>},
        {.name = "broken-locator-102",
         .does = "answers too long locators with its tip",
         .frame = false_for_long_locator},
        {.name = "broken-no-getblocks",
         .does = "ignores getblocks",
         .swallow = ignores<p2p::GetBlocks, any_getblocks>},
        {.name = "broken-501-blocks",
         .does = "names 501 blocks",
         .outgoing = sends_changed<p2p::Inv, one_too_many>},
    };
}

} // namespace headlight::regtest
