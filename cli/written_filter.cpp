// How blocks are to be fetched, and what is chosen for the filter, from what was written.
#include "cli/written.hpp"

#include "chain/limits.hpp"
#include "sync/filter_policy.hpp"

namespace headlight::cli {

namespace {

result<double> rate_of(const std::string& text) {
    const auto rate = real_number(text);
    if (rate && *rate >= sync::least_fp_rate && *rate <= sync::most_fp_rate) return *rate;
    return usage("--fp-rate cannot be '" + text + "'",
                 "it is a rate of false positives from 0.000001 to 0.1", "Give such a number");
}

result<double> rate_of_level(const std::string& level) {
    using sync::PrivacyLevel;
    if (level == "low") return fp_rate_of(PrivacyLevel::low);
    if (level == "medium") return fp_rate_of(PrivacyLevel::medium);
    if (level == "high") return fp_rate_of(PrivacyLevel::high);
    if (level == "full")
        return usage("--privacy full leaves no filter to look at", "whole blocks are fetched then",
                     "Leave it out: the last line says what whole blocks cost");
    return usage("--privacy cannot be '" + level + "'", "it is low, medium, high or full",
                 "Choose one of these");
}

} // namespace

result<std::optional<client::Method>> method_of(const Written& written) {
    using client::Method;
    const bool full_privacy = written.privacy == "full";
    const bool of_filter = written.privacy || written.fp_rate || written.split;
    if (!written.method && !of_filter) return std::optional<Method>{};
    const auto name = written.method.value_or(full_privacy ? "full" : "bip37");
    if (name != "bip37" && name != "full" && name != "auto")
        return usage("--method cannot be '" + name + "'", "it is bip37, full or auto",
                     "Choose one of these");
    if (full_privacy && name != "full")
        return usage("--privacy full and --method " + name + " exclude each other",
                     "full privacy is whole blocks and no filter", "Leave one out");
    if (name != "full") return std::optional(name == "auto" ? Method::either : Method::bip37);
    const char* vain = written.fp_rate                    ? "--fp-rate"
                       : written.split                    ? "--split"
                       : written.privacy && !full_privacy ? "--privacy"
                                                          : nullptr;
    if (vain)
        return usage(std::string(vain) + " says nothing to " +
                         (full_privacy ? "--privacy full" : "--method full"),
                     "it is about a filter, and none is loaded then", "Leave one out");
    return std::optional(Method::full);
}

result<client::FilterChoice> filter_choice(const Written& written) {
    client::FilterChoice choice;
    if (written.fp_rate && written.privacy)
        return usage("--fp-rate and --privacy exclude each other", "a level is a rate",
                     "Leave one out");
    if (written.fp_rate || written.privacy) {
        const auto rate =
            written.fp_rate ? rate_of(*written.fp_rate) : rate_of_level(*written.privacy);
        if (!rate) return rate.error();
        choice.fp_rate = *rate;
    }
    if (written.split) {
        const auto parts = whole("--split", *written.split, 1, limits::max_split);
        if (!parts) return parts.error();
        choice.split = static_cast<std::uint32_t>(*parts);
    }
    return choice;
}

} // namespace headlight::cli
