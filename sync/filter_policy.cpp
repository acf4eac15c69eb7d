#include "sync/filter_policy.hpp"

#include <algorithm>

namespace headlight::sync {
namespace {

/// Steps in which a wallet's filter grows: few, so that its size tells little and rarely changes.
constexpr std::uint32_t size_classes[] = {500,    1'000,  2'000,  5'000,
                                          10'000, 20'000, 50'000, 100'000};

} // namespace

std::uint32_t size_class_for(std::size_t elements, std::uint32_t size_class) {
    if (size_class >= elements) return size_class;
    const auto wanted = elements + elements / 4; // room for coins to come
    for (const auto step : size_classes) {
        if (step >= wanted) return step;
    }
    return static_cast<std::uint32_t>(std::min<std::size_t>(wanted, UINT32_MAX));
}

bip37::FilterSize filter_size_for(std::size_t elements, std::uint32_t size_class, double fp_rate) {
    const auto planned = bip37::plan_size(size_class_for(elements, size_class), fp_rate);
    if (planned) return *planned;
    const auto functions = bip37::core_size(elements, fp_rate);
    return {limits::max_filter_bytes, functions ? functions->hash_functions : 1};
}

std::size_t elements_of(const wallet::Wallet& wallet) {
    std::size_t count = wallet.ledger().watched_coins().size();
    const auto& book = wallet.scripts();
    for (std::size_t i = 0; i < book.size(); ++i)
        count += book.at(i).elements().size();
    return std::max<std::size_t>(count, 1);
}

bip37::BloomFilter filter_of(const wallet::Wallet& wallet, double fp_rate) {
    const auto parameters = wallet.filter();
    const auto size = filter_size_for(elements_of(wallet), parameters.size_class, fp_rate);
    bip37::BloomFilter filter(size.bytes, size.hash_functions, parameters.tweak,
                              bip37::UpdateFlags::all);
    const auto& book = wallet.scripts();
    for (std::size_t i = 0; i < book.size(); ++i) {
        for (const auto& element : book.at(i).elements())
            filter.insert(element);
    }
    for (const auto& coin : wallet.ledger().watched_coins())
        filter.insert(coin);
    return filter;
}

} // namespace headlight::sync
