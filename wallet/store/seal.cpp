#include "wallet/store/seal.hpp"

#include "chain/serialize.hpp"

namespace headlight::wallet::store {

namespace {

/// Spread over 64 bits (the finalizer of SplitMix64), so that changes of several rows do not cancel
/// each other out.
std::uint64_t spread(Table table, std::uint32_t row_sum) {
    auto value = (std::uint64_t{static_cast<std::uint8_t>(table)} << 32) | row_sum;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

} // namespace

void Seal::add(Table table, std::uint32_t row_sum) {
    ++rows_;
    sum_ += spread(table, row_sum);
}

void Seal::remove(Table table, std::uint32_t row_sum) {
    --rows_;
    sum_ -= spread(table, row_sum);
}

Bytes Seal::encode() const { return chain::Writer().u64(rows_).u64(sum_).data(); }

std::optional<Seal> Seal::decode(ByteView bytes) {
    chain::Reader reader(bytes);
    Seal seal;
    seal.rows_ = reader.u64();
    seal.sum_ = reader.u64();
    if (!reader.finish("seal")) return std::nullopt;
    return seal;
}

} // namespace headlight::wallet::store
