// What every live test starts with.
#pragma once

#include "regtest/bitcoind.hpp"

#include <gtest/gtest.h>

/// In a test: starts a bitcoind as `name` (a reference), or skips where there is none.
#define HEADLIGHT_BITCOIND_OR_SKIP(name, ...)                                                      \
    if (!::headlight::regtest::Bitcoind::find_bitcoind())                                          \
        GTEST_SKIP() << "no bitcoind: run regtest/get-bitcoind";                                   \
    const auto name##_owner = ::headlight::regtest::Bitcoind::start(__VA_ARGS__).value();          \
    auto& name = *name##_owner
