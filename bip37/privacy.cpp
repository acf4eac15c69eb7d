#include "bip37/privacy.hpp"

#include <cmath>
#include <limits>

namespace headlight::bip37 {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

double rate_with(double bits, double functions, double elements) {
    return std::pow(-std::expm1(-functions * elements / bits), functions);
}

} // namespace

double estimated_elements(const BloomFilter& filter) {
    const double fill = filter.fill_ratio();
    if (filter.hash_functions() == 0 || fill >= 1) return endless;
    const double bits = static_cast<double>(filter.data().size()) * 8;
    return -bits / filter.hash_functions() * std::log1p(-fill);
}

double expected_evaluations(double fill, std::uint32_t hash_functions) {
    double sum = 0;
    double reached = 1; // the chance that this function is evaluated
    for (std::uint32_t i = 0; i < hash_functions; ++i, reached *= fill)
        sum += reached;
    return sum;
}

double guess_chance(double ours, double by_chance, int guesses) {
    double chance = 1;
    for (int i = 0; i < guesses; ++i) {
        if (ours <= i) return 0;
        chance *= (ours - i) / (ours + by_chance - i);
    }
    return chance;
}

ExtraTraffic extra_traffic(double fp_rate, const Traffic& traffic) {
    const double share = fp_rate < 1
                             ? -std::expm1(traffic.tests_per_transaction * std::log1p(-fp_rate))
                             : 1.0; // of transactions that match by one test or another
    ExtraTraffic extra;
    extra.transactions_per_block = traffic.transactions_per_block * share;
    extra.bytes_per_block = extra.transactions_per_block *
                            (traffic.bytes_per_transaction + traffic.overhead_per_transaction);
    extra.bytes_per_day = extra.bytes_per_block * traffic.blocks_per_day;
    return extra;
}

double blocks_until_rate(const FilterSize& size, std::size_t elements, double fp_rate,
                         const Traffic& traffic) {
    if (size.bytes == 0 || size.hash_functions == 0) return 0;
    if (fp_rate >= 1) return endless;
    const double bits = static_cast<double>(size.bytes) * 8;
    const double functions = size.hash_functions;
    const double from = static_cast<double>(elements);
    const double to = -bits / functions * std::log1p(-std::pow(fp_rate, 1 / functions));
    if (to <= from) return 0;

    // The midpoint rule over the elements to come: each takes 1 / (outputs * rate) blocks.
    constexpr int steps = 2'000;
    const double outputs = traffic.transactions_per_block * traffic.outputs_per_transaction;
    const double step = (to - from) / steps;
    double blocks = 0;
    for (int i = 0; i < steps; ++i)
        blocks += step / (outputs * rate_with(bits, functions, from + (i + 0.5) * step));
    return blocks;
}

} // namespace headlight::bip37
