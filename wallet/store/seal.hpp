// What all rows of a wallet come to, kept in a row of its own and written with every change. The
// checksum of a row says that the row is one that was stored; the seal says that all rows are
// there, and each in its last form: a page that was lost, or is an old one, shows.
#pragma once

#include "chain/bytes.hpp"

#include <optional>

namespace headlight::wallet::store {

enum class Table : std::uint8_t { meta = 1, descriptors, transactions, labels };

/// The number of rows and a sum over their checksums, whatever their order.
class Seal {
  public:
    void add(Table table, std::uint32_t row_sum);
    void remove(Table table, std::uint32_t row_sum);

    Bytes encode() const;
    static std::optional<Seal> decode(ByteView bytes);
    friend bool operator==(const Seal&, const Seal&) = default;

  private:
    std::uint64_t rows_ = 0;
    std::uint64_t sum_ = 0;
};

} // namespace headlight::wallet::store
