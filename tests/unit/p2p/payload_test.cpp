// Payloads: every message both ways, what is tolerated, and the limits.
#include "chain/limits.hpp"
#include "random_messages.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headlight::tests {
namespace {

using namespace p2p;

constexpr auto kinds = std::variant_size_v<Message>;

Message decoded(std::string_view command, const Bytes& payload) {
    auto message = decode_payload(command, payload);
    EXPECT_TRUE(message) << command << ": " << to_string(message.error());
    return message ? *message : Message{};
}

bool refused(std::string_view command, const Bytes& payload) {
    const auto message = decode_payload(command, payload);
    return !message && message.error().code == errc::malformed;
}

Bytes with(Bytes payload, std::initializer_list<std::uint8_t> tail) {
    payload.insert(payload.end(), tail);
    return payload;
}

TEST(Payload, EveryMessageComesBackAsItWent) {
    Random random(4);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        for (int run = 0; run < 50; ++run) {
            const auto message = random_message(random, kind);
            const auto payload = encode_payload(message);
            EXPECT_LE(payload.size(), payload_limit(command_of(message)));
            ASSERT_EQ(decoded(command_of(message), payload), message) << command_of(message);
        }
    }
}

TEST(Payload, NoPrefixOfAMessageIsReadBeyondItsEnd) {
    Random random(5);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        const auto message = random_message(random, kind);
        const auto payload = encode_payload(message);
        for (std::size_t length = 0; length < std::min<std::size_t>(payload.size(), 2'000);
             ++length) {
            // An exact copy, so that a sanitizer sees a read behind the end.
            const Bytes prefix(payload.begin(),
                               payload.begin() + static_cast<std::ptrdiff_t>(length));
            const auto read = decode_payload(command_of(message), prefix);
            if (read) {
                EXPECT_NE(*read, message) << command_of(message);
            }
        }
    }
}

TEST(Payload, VersionMayEndAfterAnyOfItsGroups) {
    Version version;
    version.version = 60'000;
    version.sender.services = 3;
    version.nonce = 5;
    version.user_agent = "/a/";
    version.start_height = 9;
    version.relay = false;
    const auto whole = encode_payload(version);
    ASSERT_EQ(whole.size(), 46 + 26 + 8 + 4 + 4 + 1u);
    const auto cut = [&](std::size_t length) {
        return Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    };
    version.relay = true; // BIP-37: the default
    EXPECT_EQ(decoded("version", cut(88)), Message{version});
    version.start_height = 0;
    EXPECT_EQ(decoded("version", cut(84)), Message{version});
    version.user_agent.clear();
    EXPECT_EQ(decoded("version", cut(80)), Message{version});
    version.nonce = 0;
    version.sender = {};
    EXPECT_EQ(decoded("version", cut(46)), Message{version});
    for (const std::size_t length : {0u, 4u, 45u, 47u, 72u, 79u, 81u, 83u, 85u, 87u}) {
        EXPECT_TRUE(refused("version", cut(length))) << length;
    }
}

TEST(Payload, VersionRefusesALongUserAgent) {
    Version version;
    version.user_agent = std::string(limits::max_user_agent_bytes, 'a');
    EXPECT_EQ(decoded("version", encode_payload(version)), Message{version});
    version.user_agent += 'a';
    EXPECT_TRUE(refused("version", encode_payload(version)));
}

TEST(Payload, ShortMessagesMayGrow) {
    for (const Message& message :
         {Message{Version{}}, Message{Ping{1}}, Message{Pong{2}}, Message{FeeFilter{3}},
          Message{Verack{}}, Message{SendHeaders{}}, Message{GetAddr{}}, Message{SendAddrV2{}},
          Message{Mempool{}}, Message{bip37::FilterClear{}}}) {
        EXPECT_EQ(decoded(command_of(message), with(encode_payload(message), {1, 2, 3})), message);
    }
}

TEST(Payload, ListsAndProofsEndWhereTheySay) {
    Random random(6);
    for (const Message& message :
         {Message{Headers{}}, Message{Inv{}}, Message{GetData{}}, Message{NotFound{}},
          Message{Addr{}}, Message{AddrV2{}}, Message{GetHeaders{}}, Message{GetBlocks{}},
          Message{Block{}}, Message{bip37::FilterLoad{{8, 1, 0, bip37::UpdateFlags::none}}},
          Message{bip37::FilterAdd{{1}}}, random_message(random, Message{Tx{}}.index()),
          random_message(random, Message{bip37::MerkleBlock{}}.index())}) {
        const auto payload = encode_payload(message);
        EXPECT_EQ(decoded(command_of(message), payload), message);
        EXPECT_TRUE(refused(command_of(message), with(payload, {0}))) << command_of(message);
    }
}

// pitfalls E7
TEST(Payload, APingWithoutANonceIsTolerated) {
    EXPECT_EQ(decoded("ping", {}), Message{Ping{}});
    EXPECT_TRUE(encode_payload(Ping{}).empty());
    EXPECT_TRUE(refused("ping", {1, 2, 3, 4, 5, 6, 7}));
}

// pitfalls E7
TEST(Payload, AFeeFilterMayHoldAnyValue) {
    using Value = std::numeric_limits<std::int64_t>;
    for (const std::int64_t value :
         {Value::min(), std::int64_t{-1}, std::int64_t{0}, Value::max()}) {
        EXPECT_EQ(decoded("feefilter", encode_payload(FeeFilter{value})),
                  Message{FeeFilter{value}});
    }
}

// pitfalls E7
TEST(Payload, AnAlertIsKeptUnread) {
    EXPECT_EQ(decoded("alert", {0xff, 0xff, 0xff}), (Message{Alert{{0xff, 0xff, 0xff}}}));
    EXPECT_EQ(decoded("alert", {}), Message{Alert{}});
}

// pitfalls E7
TEST(Payload, ANotFoundOfAnyTypeIsTolerated) {
    const NotFound message{{{InvType::tx, {}}, {static_cast<InvType>(0xdeadbeef), {}}}};
    EXPECT_EQ(decoded("notfound", encode_payload(message)), Message{message});
}

TEST(Payload, UnknownCommandsKeepTheirNameAndLength) {
    EXPECT_EQ(decoded("cmpctblock", Bytes(17)), (Message{Unknown{"cmpctblock", 17}}));
    EXPECT_EQ(decoded("", {}), (Message{Unknown{"", 0}}));
}

TEST(Payload, CountsOverTheirLimitAreRefused) {
    EXPECT_EQ(std::get<Headers>(decoded("headers", encode_payload(Headers{
                                                       std::vector<chain::BlockHeader>(2'000)})))
                  .headers.size(),
              2'000u);
    const auto too_many =
        decode_payload("headers", encode_payload(Headers{std::vector<chain::BlockHeader>(2'001)}));
    ASSERT_FALSE(too_many);
    EXPECT_EQ(too_many.error().code, errc::too_large);
    EXPECT_TRUE(decode_payload("inv", encode_payload(Inv{std::vector<InvEntry>(50'000)})));
    EXPECT_FALSE(decode_payload("inv", encode_payload(Inv{std::vector<InvEntry>(50'001)})));
    GetHeaders request;
    request.locator.resize(101);
    EXPECT_TRUE(decode_payload("getheaders", encode_payload(request)));
    request.locator.resize(102);
    EXPECT_FALSE(decode_payload("getheaders", encode_payload(request)));
    EXPECT_TRUE(decode_payload("addr", encode_payload(Addr{std::vector<NetAddress>(1'000)})));
    EXPECT_FALSE(decode_payload("addr", encode_payload(Addr{std::vector<NetAddress>(1'001)})));
    const NetAddressV2 longest{0, ~std::uint64_t{0}, 0xaa, Bytes(512), 0};
    EXPECT_TRUE(decode_payload("addrv2", encode_payload(AddrV2{{1'000, longest}})));
    EXPECT_FALSE(decode_payload("addrv2", encode_payload(AddrV2{{1'001, NetAddressV2{}}})));
}

TEST(Payload, ACountBeyondTheBytesIsRefusedBeforeAnythingIsAllocated) {
    for (const auto* command : {"headers", "inv", "getdata", "notfound", "addr", "addrv2"}) {
        EXPECT_TRUE(refused(command, {0xfd, 0xe8, 0x03})) << command; // 1,000 and then nothing
        EXPECT_TRUE(refused(command, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
    }
}

TEST(Payload, AHeadersEntryMayCountTransactions) {
    auto payload = encode_payload(Headers{{chain::BlockHeader{}}});
    payload.back() = 5; // as Bitcoin Core, read and ignored
    EXPECT_EQ(decoded("headers", payload), (Message{Headers{{chain::BlockHeader{}}}}));
    payload.pop_back();
    EXPECT_TRUE(refused("headers", payload));
}

TEST(Payload, TheLargestMerkleBlockFits) {
    bip37::MerkleBlock largest;
    largest.tree.total_transactions = limits::max_block_transactions;
    largest.tree.hashes.resize(limits::max_block_transactions);
    largest.tree.flags.resize((2 * largest.tree.hashes.size() + 17 + 7) / 8);
    EXPECT_LE(encode_payload(largest).size(), payload_limit("merkleblock"));
}

TEST(Payload, NoLimitIsAboveTheWires) {
    for (const auto* command : {"version", "block", "tx", "inv", "headers", "merkleblock", "x"}) {
        EXPECT_LE(payload_limit(command), limits::max_message_bytes);
    }
}

} // namespace
} // namespace headlight::tests
