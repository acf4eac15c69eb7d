// MurmurHash3 and the filter: published vectors, and the rates that filters really reach.
#include "bip37/bloom_filter.hpp"

#include "bip37/messages.hpp"
#include "bip37/relevance.hpp"
#include "bip37/sizing.hpp"
#include "chain/script.hpp"
#include "tests/unit/bip37/blocks.hpp"

#include <random>

namespace headlight::bip37 {
namespace {

using tests::hex;
using tests::number;
using tests::strings;
using tests::text;

/// Different elements for different numbers, 20 bytes long.
Bytes element(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Bytes bytes(20);
    for (auto& byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    return bytes;
}

constexpr std::uint64_t never_inserted = 1'000'000;

double measured_rate(const BloomFilter& filter, std::uint64_t queries) {
    std::uint64_t matched = 0;
    for (std::uint64_t i = 0; i < queries; ++i)
        matched += filter.contains(element(never_inserted + i));
    return static_cast<double>(matched) / static_cast<double>(queries);
}

TEST(Murmur3, GivesThePublishedValues) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "murmur3.json");
    for (const auto& item : file.at("cases").as_array()) {
        EXPECT_EQ(murmur3(number<std::uint32_t>(item, "seed"), hex(item, "data_hex")),
                  number<std::uint32_t>(item, "expected_u32"))
            << text(item, "data_hex");
    }
}

void expect_core_size(const boost::json::value& item) {
    if (item.at("n_elements").is_null()) return; // built from an explicit size
    const auto rate = number<double>(item, "fp_rate");
    const auto size = core_size(number<std::size_t>(item, "n_elements"), rate);
    if (rate >= 1.0) {
        EXPECT_FALSE(size); // pitfalls A5: it would be the filter that matches everything
        return;
    }
    ASSERT_TRUE(size);
    EXPECT_EQ(size->bytes, number<std::size_t>(item, "size_bytes"));
    // pitfalls A5: where Core's rounding gives 0 functions, ours gives 1
    EXPECT_EQ(size->hash_functions,
              std::max(number<std::uint32_t>(item, "n_hash_funcs"), std::uint32_t{1}));
}

void expect_steps(const boost::json::value& item, BloomFilter filter) {
    const auto* steps = item.as_object().if_contains("steps");
    if (!steps) return;
    std::size_t inserted = 0;
    for (const auto& insert : strings(item.at("insert"))) {
        EXPECT_EQ(to_hex(encode(FilterLoad{filter})), text(*steps, std::to_string(inserted)));
        filter.insert(hex(insert));
        if (++inserted; !steps->as_object().contains(std::to_string(inserted))) return;
    }
    EXPECT_EQ(to_hex(encode(FilterLoad{filter})), text(*steps, std::to_string(inserted)));
}

void expect_payload(const boost::json::value& item, const BloomFilter& filter) {
    const auto payload = encode(FilterLoad{filter});
    if (const auto wanted = text(item, "filterload_hex"); !wanted.empty()) {
        EXPECT_EQ(to_hex(payload), wanted);
    } else {
        EXPECT_TRUE(to_hex(payload).starts_with(text(item, "filterload_prefix_hex")));
        EXPECT_EQ(to_hex(chain::sha256(payload)), text(item, "filterload_sha256"));
    }
    const auto decoded = decode_filterload(payload);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->filter, filter);
}

TEST(BloomFilter, IsBuiltByteForByteAsPublished) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bloom.json");
    for (const auto& item : file.at("cases").as_array()) {
        SCOPED_TRACE(text(item, "name"));
        expect_core_size(item);
        BloomFilter filter(number<std::size_t>(item, "size_bytes"),
                           number<std::uint32_t>(item, "n_hash_funcs"),
                           number<std::uint32_t>(item, "tweak"),
                           static_cast<UpdateFlags>(number<int>(item, "flags")));
        expect_steps(item, filter);
        for (const auto& inserted : strings(item.at("insert")))
            filter.insert(hex(inserted));
        expect_payload(item, filter);
        for (const auto& wanted : strings(item.at("contains")))
            EXPECT_TRUE(filter.contains(hex(wanted))) << wanted;
        for (const auto& other : strings(item.at("not_contains")))
            EXPECT_FALSE(filter.contains(hex(other))) << other;
    }
}

TEST(BloomFilter, NeverMissesWhatWasInserted) {
    for (const std::uint32_t functions : {1u, 7u, 50u}) {
        BloomFilter filter(600, functions, 0xdeadbeef, UpdateFlags::all);
        for (std::uint64_t i = 0; i < 400; ++i)
            filter.insert(element(i));
        for (std::uint64_t i = 0; i < 400; ++i)
            EXPECT_TRUE(filter.contains(element(i))) << i;
    }
}

TEST(BloomFilter, TakesAnOutPointAsItsThirtySixBytes) { // pitfalls A8
    const chain::OutPoint outpoint{chain::hash256(element(1)), 0x01020304};
    BloomFilter by_name(100, 10, 1, UpdateFlags::all);
    auto by_bytes = by_name;
    by_name.insert(outpoint);
    Bytes raw(outpoint.txid.bytes.begin(), outpoint.txid.bytes.end()); // wire order
    raw.insert(raw.end(), {4, 3, 2, 1});                               // the index, little-endian
    by_bytes.insert(raw);
    EXPECT_EQ(by_name, by_bytes);
    EXPECT_TRUE(by_name.contains(outpoint));
}

TEST(BloomFilter, WithoutBytesOrFunctionsContainsEverything) {
    BloomFilter no_bytes(0, 5, 0, UpdateFlags::all);
    BloomFilter no_functions(10, 0, 0, UpdateFlags::all);
    for (auto* filter : {&no_bytes, &no_functions}) {
        const auto before = *filter;
        EXPECT_TRUE(filter->contains(element(1)));
        EXPECT_TRUE(filter->contains(ByteView{}));
        filter->insert(element(1));
        EXPECT_EQ(*filter, before);
        EXPECT_DOUBLE_EQ(filter->false_positive_rate(), 1.0);
    }
}

TEST(BloomFilter, CountsItsBits) {
    EXPECT_EQ(BloomFilter(10, 3, 0, UpdateFlags::none).bits_set(), 0u);
    const BloomFilter filter(Bytes{0xff, 0x01, 0x00, 0x80}, 2, 0, UpdateFlags::none);
    EXPECT_EQ(filter.bits_set(), 10u);
    EXPECT_DOUBLE_EQ(filter.fill_ratio(), 10.0 / 32);
    EXPECT_DOUBLE_EQ(filter.false_positive_rate(), 10.0 / 32 * 10.0 / 32);
}

TEST(BloomFilter, ReachesTheRateItWasSizedFor) {
    for (const auto& [elements, rate] : {std::pair<std::uint64_t, double>{1'000, 0.01},
                                         std::pair<std::uint64_t, double>{300, 0.05}}) {
        const auto size = plan_size(elements, rate).value();
        BloomFilter filter(size.bytes, size.hash_functions, 77, UpdateFlags::all);
        for (std::uint64_t i = 0; i < elements; ++i)
            filter.insert(element(i));
        const auto expected = expected_fp_rate(size, elements);
        const auto measured = measured_rate(filter, 50'000);
        EXPECT_NEAR(measured, expected, expected * 0.25) << elements;
        EXPECT_NEAR(measured, filter.false_positive_rate(), expected * 0.15) << elements;
        EXPECT_LT(measured, rate * 1.3) << elements;
    }
}

TEST(BloomFilter, OverfilledReachesTheRatesOfTheFormula) { // pitfalls A6
    const auto size = plan_size(100, 0.0001).value();
    BloomFilter filter(size.bytes, size.hash_functions, 5, UpdateFlags::all);
    std::uint64_t inserted = 0;
    for (const auto& [elements, rate] : {std::pair<std::uint64_t, double>{200, 0.021},
                                         std::pair<std::uint64_t, double>{300, 0.163},
                                         std::pair<std::uint64_t, double>{500, 0.643}}) {
        for (; inserted < elements; ++inserted)
            filter.insert(element(inserted));
        EXPECT_NEAR(expected_fp_rate(size, elements), rate, 0.0007);
        EXPECT_NEAR(measured_rate(filter, 10'000), filter.false_positive_rate(), 0.02);
        EXPECT_NEAR(filter.false_positive_rate(), rate, 0.05);
    }
}

TEST(BloomFilter, IsSaturatedByTheServersOwnInsertions) { // pitfalls A6
    const auto size = plan_size(100, 0.0001).value();
    BloomFilter filter(size.bytes, size.hash_functions, 5, UpdateFlags::all);
    for (std::uint64_t i = 0; i < 100; ++i)
        filter.insert(element(i));
    const auto before = filter.false_positive_rate();
    for (std::uint32_t i = 0; i < 400; ++i) {
        chain::Transaction payment;
        payment.inputs.push_back({{chain::hash256(element(i)), i}, {}, 0xffffffff, {}});
        payment.outputs.push_back({1'000, chain::pkh_script(element(i % 100))});
        EXPECT_TRUE(match_and_update(filter, payment));
    }
    EXPECT_LT(before, 0.0005);
    EXPECT_NEAR(filter.false_positive_rate(), 0.643, 0.05);
}

} // namespace
} // namespace headlight::bip37
