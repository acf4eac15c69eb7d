// Any bytes as a filter and a transaction: the matching rule's forms agree, the filter only grows,
// and what a filter holds is found in the transaction wherever the rule looks.
#include "bip37/relevance.hpp"
#include "chain/script.hpp"

#include <cstdlib>

using namespace headlight;

namespace {

bip37::BloomFilter read_filter(chain::Reader& reader) {
    const auto bits = reader.bytes(reader.u8());
    const auto functions = reader.u8() % (limits::max_hash_functions + 1);
    const auto tweak = reader.u32();
    const auto flags = static_cast<bip37::UpdateFlags>(reader.u8() % 3);
    return {Bytes(bits.begin(), bits.end()), functions, tweak, flags};
}

void expect_found(ByteView element, const bip37::BloomFilter& like, const chain::Transaction& tx) {
    bip37::BloomFilter filter(like.data().size(), like.hash_functions(), like.tweak(),
                              like.flags());
    filter.insert(element);
    if (!bip37::matches(filter, tx)) std::abort();
}

void expect_complete(const bip37::BloomFilter& filter, const chain::Transaction& tx) {
    expect_found(chain::txid(tx).view(), filter, tx);
    for (const auto& input : tx.inputs) {
        expect_found(input.prevout.bytes(), filter, tx);
        for (const auto push : chain::data_pushes(input.script_sig))
            expect_found(push, filter, tx);
    }
    for (const auto& output : tx.outputs) {
        for (const auto push : chain::data_pushes(output.script_pubkey))
            expect_found(push, filter, tx);
    }
}

bool any_push_in(const bip37::BloomFilter& filter, ByteView script) {
    for (const auto push : chain::data_pushes(script)) {
        if (filter.contains(push)) return true;
    }
    return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 4'096) return 0; // the check of every push against a filter of its own is quadratic
    chain::Reader reader({data, size});
    const auto before = read_filter(reader);
    const auto tx = chain::read_transaction(reader);
    if (!reader.ok()) return 0;

    auto after = before;
    const bool found = bip37::match_and_update(after, tx);
    if (found != bip37::matches(before, tx)) std::abort();
    if (before.flags() == bip37::UpdateFlags::none && after != before) std::abort();
    if (!found && after != before) std::abort();
    for (std::size_t i = 0; i < before.data().size(); ++i) {
        if ((before.data()[i] & ~after.data()[i]) != 0) std::abort();
    }
    if (found && !bip37::matches(after, tx)) std::abort();
    for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
        if (before.flags() == bip37::UpdateFlags::all &&
            any_push_in(before, tx.outputs[i].script_pubkey) &&
            !after.contains(chain::OutPoint{chain::txid(tx), i})) {
            std::abort();
        }
    }
    expect_complete(before, tx);
    return 0;
}
