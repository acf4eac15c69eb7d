// Any bytes as a story for the header tree: forks, bad headers, stores and restarts. The obvious
// model must give the same answers.
#include "tests/support/header_tree_driver.hpp"

#include <array>
#include <cstdlib>

using namespace headlight;
using chain::DifficultyRule;

namespace {

/// Reads choices from the input; zeros once it is used up.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    bool empty() const { return at_ >= size_; }
    std::uint32_t choose(std::uint32_t n) {
        std::uint32_t value = byte();
        if (n > 256) value = value * 256 + byte();
        return value % n;
    }

  private:
    std::uint32_t byte() { return empty() ? 0 : data_[at_++]; }

    const std::uint8_t* data_;
    std::size_t size_;
    std::size_t at_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::array networks{
        tests::toy_network(DifficultyRule::none, 0x207fffff),
        tests::toy_network(DifficultyRule::twenty_minutes, 0x2007ffff),
        tests::toy_network(DifficultyRule::twenty_minutes, 0x203fffff),
        tests::toy_network(DifficultyRule::retarget, 0x207fffff),
    };
    Input input(data, size);
    const auto& network = networks[input.choose(networks.size())];
    const std::size_t limit = input.choose(24);
    tests::HeaderTreeDriver driver(network, limit,
                                   [&](std::uint32_t n) { return input.choose(n); });
    for (int step = 0; step < 150 && !input.empty(); ++step) {
        if (!driver.step().empty()) std::abort();
        if (step % 32 == 0 && !driver.compare().empty()) std::abort();
    }
    if (!driver.compare().empty()) std::abort();
    return 0;
}
