#include "regtest/dice.hpp"

namespace headlight::regtest {
namespace {

/// SplitMix64's output function: every bit of the state reaches every bit of the answer.
std::uint64_t mixed(std::uint64_t state) {
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
    return state ^ (state >> 31);
}

} // namespace

Dice::Dice(std::uint64_t seed, std::string_view stream, std::uint64_t number)
    : state_(mixed(seed) + number) {
    for (const char c : stream)
        state_ = mixed(state_ + static_cast<unsigned char>(c) + 1);
}

std::uint64_t Dice::next() {
    state_ += 0x9e3779b97f4a7c15;
    return mixed(state_);
}

std::int64_t Dice::between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least) + 1));
}

} // namespace headlight::regtest
