#include "regtest/faults.hpp"

#include "bip37/relevance.hpp"
#include "regtest/fault_parts.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace headlight::regtest {

const std::vector<Fault>& all_faults() {
    static const auto faults = [] {
        std::vector<Fault> all;
        for (auto* part : {header_faults, merkleblock_faults, transaction_faults, handshake_faults,
                           wire_faults, conduct_faults, whole_block_faults})
            for (const auto& fault : part())
                all.push_back(fault);
        return all;
    }();
    return faults;
}

const Fault* find_fault(std::string_view name) {
    for (const auto* table : {&all_faults(), &broken_nodes()})
        for (const auto& fault : *table)
            if (fault.name == name) return &fault;
    return nullptr;
}

result<FaultChoice> parse_fault(std::string_view text) {
    const auto colon = text.find(':');
    FaultChoice choice{std::string(text.substr(0, colon)), {}};
    if (!find_fault(choice.name))
        return Error{errc::bad_argument,
                     "no fault is named \"" + choice.name + "\"",
                     {},
                     "--list-faults shows all names"};
    if (colon == std::string_view::npos) return choice;
    const auto figure = text.substr(colon + 1);
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(figure.data(), figure.data() + figure.size(), n);
    if (error != std::errc{} || end != figure.data() + figure.size())
        return Error{errc::bad_argument,
                     "\"" + std::string(figure) + "\" is no figure for " + choice.name};
    choice.n = n;
    return choice;
}

FaultRun::FaultRun(const std::vector<FaultChoice>& choices) {
    for (const auto& choice : choices) {
        const auto* fault = find_fault(choice.name);
        if (!fault) throw std::logic_error("no fault is named " + choice.name);
        active_.push_back({fault, {choice.n.value_or(fault->n)}});
    }
}

void FaultRun::opened(SimSession& session) {
    for (auto& [fault, state, last] : active_)
        if (fault->opened) fault->opened(session);
}

bool FaultRun::frame(SimSession& session, const NodeFrame& frame) {
    bool taken = false;
    for (auto& [fault, state, last] : active_)
        if (fault->frame) taken |= fault->frame(session, state, frame);
    return taken;
}

bool FaultRun::swallow(SimSession& session, const p2p::Message& message) {
    bool swallowed = false;
    for (auto& [fault, state, last] : active_)
        if (fault->swallow) swallowed |= fault->swallow(session, state, message);
    return swallowed;
}

bool FaultRun::match(bip37::BloomFilter& filter, const chain::Transaction& tx,
                     const chain::Hash256& txid) {
    for (auto& [fault, state, last] : active_)
        if (fault->match) return fault->match(filter, tx, txid);
    return bip37::match_and_update(filter, tx, txid);
}

void FaultRun::answer(SimSession& session, const SimBlock& block, Answer& answer) {
    for (auto& [fault, state, last] : active_)
        if (fault->answer && !answer.empty()) fault->answer(session, state, block, answer);
}

void FaultRun::whole(SimSession& session, const SimBlock& block, Answer& answer) {
    for (auto& [fault, state, last] : active_)
        if (fault->whole && !answer.empty()) fault->whole(session, state, block, answer);
}

std::vector<Outgoing> FaultRun::outgoing(SimSession& session, p2p::Message message) {
    std::vector<Outgoing> messages;
    messages.emplace_back(std::move(message));
    for (auto& [fault, state, last] : active_)
        if (fault->outgoing && !messages.empty()) fault->outgoing(session, state, messages);
    return messages;
}

void FaultRun::tick(SimSession& session) {
    if (!session.established()) return;
    for (auto& [fault, state, last] : active_) {
        if (!fault->tick || session.now_ms() < last + fault->every_ms) continue;
        last = session.now_ms();
        fault->tick(session, state);
    }
}

std::optional<std::int64_t> FaultRun::next_wake_ms(std::int64_t now_ms) const {
    std::optional<std::int64_t> earliest;
    for (const auto& [fault, state, last] : active_) {
        if (!fault->tick) continue;
        const auto due = std::max(last + fault->every_ms, now_ms);
        earliest = std::min(earliest.value_or(due), due);
    }
    return earliest;
}

std::int64_t FaultRun::bytes_per_second() const {
    for (const auto& [fault, state, last] : active_)
        if (fault->bytes_per_second) return fault->bytes_per_second;
    return 0;
}

} // namespace headlight::regtest
