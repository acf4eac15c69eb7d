#include "client/method.hpp"

#include "chain/limits.hpp"
#include "sync/engine.hpp"
#include "sync/filter_policy.hpp"

namespace headlight::client {

void remember(wallet::Wallet& wallet, const FilterChoice& choice) {
    auto parameters = wallet.filter();
    if (choice.whole_blocks) parameters.whole_blocks = *choice.whole_blocks;
    if (choice.fp_rate)
        parameters.fp_rate = *choice.fp_rate;
    else if (parameters.fp_rate == 0 && !parameters.whole_blocks)
        parameters.fp_rate = sync::Config{}.fp_rate;
    if (choice.split) parameters = sync::with_split(std::move(parameters), *choice.split);
    if (parameters != wallet.filter()) wallet.set_filter(std::move(parameters));
}

void prepare(wallet::Wallet& wallet, FilterChoice choice) {
    choice.whole_blocks = false;
    remember(wallet, choice);
    sync::choose_parts(wallet, wallet.filter().fp_rate, wallet.filter().split, {});
}

std::optional<Error> too_many_for_filters(const wallet::Wallet& wallet) {
    const auto& parameters = wallet.filter();
    const auto each = bip37::capacity(limits::max_filter_bytes, parameters.fp_rate);
    const auto filters = limits::max_shards * parameters.split;
    const auto most = each * filters;
    const auto elements = sync::elements_of(wallet);
    if (elements <= most) return std::nullopt;
    return Error{errc::too_large, "the wallet watches more than filters hold",
                 std::to_string(elements) + " elements, where " + std::to_string(filters) +
                     " filters hold " + std::to_string(most) + " at the chosen rate",
                 "Use --method full (or auto), which matches whole blocks here; or a higher "
                 "--fp-rate"};
}

} // namespace headlight::client
