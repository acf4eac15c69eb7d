// A transaction from any bytes: what decodes encodes to the very same bytes.
#include "chain/transaction.hpp"

#include <algorithm>
#include <cstdlib>

using namespace headlight;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView bytes(data, size);
    const auto whole = chain::parse_transaction(bytes);
    chain::Reader reader(bytes);
    auto tx = chain::read_transaction(reader);
    require(whole.has_value() == (reader.ok() && reader.remaining() == 0));
    if (!reader.ok()) return 0;
    const auto encoded = chain::serialize(tx);
    require(encoded.size() == reader.position());
    require(std::equal(encoded.begin(), encoded.end(), bytes.begin()));

    const auto stripped = chain::serialize(tx, chain::Witness::strip);
    require((stripped == encoded) != tx.has_witness());
    require((chain::txid(tx) == chain::wtxid(tx)) != tx.has_witness());
    if (tx.inputs.empty()) return 0; // without a witness such bytes read as the BIP-144 marker
    const auto plain = chain::parse_transaction(stripped);
    require(plain.has_value());
    for (auto& input : tx.inputs)
        input.witness.clear();
    require(*plain == tx);
    return 0;
}
