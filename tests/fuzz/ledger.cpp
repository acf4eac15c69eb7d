// Any bytes as a story for the ledger: payments, spends, replacements, reorganisations, restarts.
// The plain wording of the rules must give the same answers.
#include "tests/fuzz/input.hpp"
#include "tests/support/ledger_driver.hpp"

using namespace headlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Input input(data, size);
    wallet::LedgerDriver driver([&](std::uint32_t n) { return input.choose(n); });
    for (int step = 0; step < 60 && !input.empty(); ++step) {
        tests::require(driver.step().empty());
        if (step % 8 == 0) tests::require(driver.compare().empty());
    }
    tests::require(driver.compare().empty());
    return 0;
}
