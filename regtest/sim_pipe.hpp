// One direction of a simulated connection: bytes arrive in order, in pieces that end anywhere, each
// after a delay of its own.
#pragma once

#include "chain/bytes.hpp"
#include "regtest/dice.hpp"

#include <deque>
#include <optional>

namespace headlight::regtest {

/// How a node's line is, in both directions.
struct LineQuality {
    std::int64_t least_delay_ms = 1; ///< of a piece
    std::int64_t most_delay_ms = 5;
    std::size_t least_piece = 1; ///< bytes that arrive at once
    std::size_t most_piece = 4'096;
    std::int64_t bytes_per_second = 0; ///< towards the client; 0: no limit
};

class SimPipe {
  public:
    /// Cuts the bytes and sends them off. `bytes_per_second` 0: no limit.
    void put(ByteView bytes, std::int64_t now_ms, const LineQuality& line,
             std::int64_t bytes_per_second, Dice& dice);
    /// The sender ends the connection, behind what it has sent.
    void put_end(std::int64_t now_ms, const LineQuality& line, Dice& dice);

    /// When the next piece arrives.
    std::optional<std::int64_t> next_ms() const;
    struct Piece {
        std::int64_t due_ms = 0;
        Bytes bytes;
        bool end = false;
    };
    /// The next piece; there must be one.
    Piece take();

  private:
    std::int64_t due(std::int64_t now_ms, const LineQuality& line, Dice& dice);

    std::deque<Piece> pieces_;
    std::int64_t free_ms_ = 0;     ///< nothing overtakes what was sent before
    std::int64_t unpaid_time_ = 0; ///< of the limited line, in bytes * 1000 below a millisecond
};

} // namespace headlight::regtest
