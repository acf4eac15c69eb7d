#include "sync/filter_policy.hpp"

#include <algorithm>

namespace headlight::sync {
namespace {

/// Steps in which a wallet's filter grows: few, so that its size tells little and rarely changes.
constexpr std::uint32_t size_classes[] = {500,    1'000,  2'000,  5'000,
                                          10'000, 20'000, 50'000, 100'000};

std::vector<std::size_t> elements_by_part(const wallet::Wallet& wallet, const Parts& parts) {
    std::vector<std::size_t> counts(parts.count());
    const auto& book = wallet.scripts();
    for (std::size_t i = 0; i < book.size(); ++i)
        counts[parts.at(i)] += book.at(i).elements().size();
    for (const auto& coin : wallet.ledger().watched_coins())
        ++counts[parts.of(coin)];
    return counts;
}

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
    // The largest, made for as many as it may hold; for more than that only if it must.
    const auto most = bip37::capacity(limits::max_filter_bytes, fp_rate);
    const auto functions = bip37::core_size(std::max(elements, most), fp_rate);
    return {limits::max_filter_bytes, functions ? functions->hash_functions : 1};
}

std::size_t elements_of(const wallet::Wallet& wallet) {
    std::size_t count = wallet.ledger().watched_coins().size();
    const auto& book = wallet.scripts();
    for (std::size_t i = 0; i < book.size(); ++i)
        count += book.at(i).elements().size();
    return std::max<std::size_t>(count, 1);
}

std::uint32_t fullest(const wallet::Wallet& wallet, const Parts& parts) {
    const auto counts = elements_by_part(wallet, parts);
    return static_cast<std::uint32_t>(std::ranges::max_element(counts) - counts.begin());
}

std::size_t elements_of(const wallet::Wallet& wallet, const Parts& parts) {
    return std::max<std::size_t>(std::ranges::max(elements_by_part(wallet, parts)), 1);
}

bip37::BloomFilter filter_of(const wallet::Wallet& wallet, double fp_rate, const Parts& parts,
                             std::uint32_t part, std::string_view identity) {
    const auto& parameters = wallet.filter();
    const auto size = filter_size_for(elements_of(wallet, parts), parameters.size_class, fp_rate);
    bip37::BloomFilter filter(size.bytes, size.hash_functions, tweak_of(parameters, part, identity),
                              bip37::UpdateFlags::all);
    const auto& book = wallet.scripts();
    for (std::size_t i = 0; i < book.size(); ++i) {
        if (parts.at(i) != part) continue;
        for (const auto& element : book.at(i).elements())
            filter.insert(element);
    }
    for (const auto& coin : wallet.ledger().watched_coins()) {
        if (parts.of(coin) == part) filter.insert(coin);
    }
    return filter;
}

} // namespace headlight::sync
