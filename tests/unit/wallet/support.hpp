// Shared by the tests of keys, addresses and descriptors.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"
#include "tests/support/vectors.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace headlight::wallet {

/// By the names that vector files use, "testnet" and "mainnet" included.
inline const chain::Network& net(std::string_view name) {
    const auto* found = chain::find_network(name);
    if (found == nullptr) throw std::runtime_error("no network " + std::string(name));
    return *found;
}

inline const chain::Network& main_net() { return chain::network(chain::NetworkId::main); }

/// That a result failed with this code, and that its text names each of the parts.
template <class T>
void expect_refused(const result<T>& outcome, std::string_view code,
                    const std::vector<std::string>& parts) {
    ASSERT_TRUE(outcome.has_error()) << "accepted";
    EXPECT_EQ(outcome.error().code, code) << to_string(outcome.error());
    const auto text = to_string(outcome.error());
    for (const auto& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not named in: " << text;
}

/// The words of a text that look like descriptors with a checksum.
inline std::vector<std::string> descriptors_in(std::string_view text) {
    std::vector<std::string> found;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto end = std::min(text.find(' ', at), text.size());
        const auto word = text.substr(at, end - at);
        if (word.find('(') != std::string_view::npos && word.find('#') != std::string_view::npos)
            found.emplace_back(word);
        at = end + 1;
    }
    return found;
}

inline std::string as_string(const boost::json::value& value) {
    return std::string(value.as_string());
}

} // namespace headlight::wallet
