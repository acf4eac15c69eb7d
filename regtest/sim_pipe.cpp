#include "regtest/sim_pipe.hpp"

#include <algorithm>

namespace headlight::regtest {

void SimPipe::put(ByteView bytes, std::int64_t now_ms, const LineQuality& line,
                  std::int64_t bytes_per_second, Dice& dice) {
    // A limited line gives a little at a time, as it comes.
    constexpr std::int64_t pieces_a_second = 50;
    const auto most =
        static_cast<std::size_t>(std::max<std::int64_t>(bytes_per_second / pieces_a_second, 1));
    while (!bytes.empty()) {
        auto size = line.least_piece + dice.below(line.most_piece - line.least_piece + 1);
        if (bytes_per_second > 0) size = std::min(size, most);
        size = std::min(size, bytes.size());
        auto when = due(now_ms, line, dice);
        if (bytes_per_second > 0) {
            unpaid_time_ += static_cast<std::int64_t>(size) * 1'000;
            when += unpaid_time_ / bytes_per_second;
            unpaid_time_ %= bytes_per_second;
        }
        free_ms_ = when;
        const auto piece = bytes.first(size);
        pieces_.push_back({when, Bytes(piece.begin(), piece.end()), false});
        bytes = bytes.subspan(size);
    }
}

void SimPipe::put_end(std::int64_t now_ms, const LineQuality& line, Dice& dice) {
    free_ms_ = due(now_ms, line, dice);
    pieces_.push_back({free_ms_, {}, true});
}

std::optional<std::int64_t> SimPipe::next_ms() const {
    if (pieces_.empty()) return std::nullopt;
    return pieces_.front().due_ms;
}

SimPipe::Piece SimPipe::take() {
    auto piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
}

std::int64_t SimPipe::due(std::int64_t now_ms, const LineQuality& line, Dice& dice) {
    return std::max(free_ms_, now_ms + dice.between(line.least_delay_ms, line.most_delay_ms));
}

} // namespace headlight::regtest
