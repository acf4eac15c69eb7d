// Random choices that are the same everywhere: each kind of choice draws from a stream of its own,
// so that one more or one less of a kind leaves all the others as they were.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace headlight::regtest {

class Dice {
  public:
    Dice(std::uint64_t seed, std::string_view stream, std::uint64_t number = 0);

    std::uint64_t next();
    std::uint64_t below(std::uint64_t count) { return next() % count; }
    bool one_in(std::uint64_t count) { return below(count) == 0; }
    /// Both ends included.
    std::int64_t between(std::int64_t least, std::int64_t most);
    template <class T>
    const T& pick(const std::vector<T>& all) {
        return all[below(all.size())];
    }

  private:
    std::uint64_t state_;
};

} // namespace headlight::regtest
