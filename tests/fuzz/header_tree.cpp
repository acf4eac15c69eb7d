// Any bytes as a story for the header tree: forks, bad headers, stores and restarts. The obvious
// model must give the same answers.
#include "tests/fuzz/input.hpp"
#include "tests/support/header_tree_driver.hpp"

#include <array>

using namespace headlight;
using chain::DifficultyRule;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::array networks{
        tests::toy_network(DifficultyRule::none, 0x207fffff),
        tests::toy_network(DifficultyRule::twenty_minutes, 0x2007ffff),
        tests::toy_network(DifficultyRule::twenty_minutes, 0x203fffff),
        tests::toy_network(DifficultyRule::retarget, 0x207fffff),
    };
    tests::Input input(data, size);
    const auto& network = networks[input.choose(networks.size())];
    const std::size_t limit = input.choose(24);
    tests::HeaderTreeDriver driver(network, limit,
                                   [&](std::uint32_t n) { return input.choose(n); });
    for (int step = 0; step < 150 && !input.empty(); ++step) {
        tests::require(driver.step().empty());
        if (step % 32 == 0) tests::require(driver.compare().empty());
    }
    tests::require(driver.compare().empty());
    return 0;
}
