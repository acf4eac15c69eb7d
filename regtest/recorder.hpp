// Writes down what a client says to a simulated node, and what it is told: judge::judge() reads
// that.
#pragma once

#include "judge/recording.hpp"
#include "regtest/node_frames.hpp"
#include "regtest/sim_session.hpp"

namespace headlight::regtest {

class Recorder {
  public:
    void opened(std::uint32_t connection, std::int64_t now_ms);
    void came(std::uint32_t connection, std::int64_t now_ms, const NodeFrame& frame);
    void went(std::uint32_t connection, std::int64_t now_ms, const Outgoing& outgoing);
    void closed(std::uint32_t connection, std::int64_t now_ms, bool by_client);

    judge::Recording recording;

  private:
    judge::Spoken& add(std::uint32_t connection, std::int64_t now_ms, judge::Spoken::What what);
};

} // namespace headlight::regtest
