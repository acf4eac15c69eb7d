// SOCKS5 byte by byte: what we say, how every answer is taken, and where the peer's bytes begin.
#include "p2p/socks5.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headlight::tests {
namespace {

using namespace p2p;
using Of = Socks5Failure::Of;

const Bytes offer{5, 2, 2, 0};
const Bytes take_password{5, 2};
const Bytes take_nobody{5, 0};
const Bytes welcome{1, 0};

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes out;
    for (const auto& part : parts)
        out.insert(out.end(), part.begin(), part.end());
    return out;
}

Bytes ascii(std::string_view characters) { return {characters.begin(), characters.end()}; }

struct SocksTalk {
    Bytes sent;
    std::optional<Socks5Failure> failure;
    bool done = false;
    std::size_t read = 0; ///< of what the proxy said
    bool anonymous = false;
};

/// Feeds `answers` in pieces of `most` bytes, and never more than is wanted.
SocksTalk talk(const Endpoint& target, const Bytes& answers, std::size_t most = 1000,
               Socks5Credentials credentials = {"me", "secret"}) {
    Socks5 socks(target, std::move(credentials));
    SocksTalk out;
    auto step = socks.start();
    while (true) {
        out.sent.insert(out.sent.end(), step.send.begin(), step.send.end());
        out.failure = step.failure;
        out.done = step.done;
        const auto size = std::min({most, socks.wanted(), answers.size() - out.read});
        if (size == 0) break;
        step = socks.on(ByteView(answers).subspan(out.read, size));
        out.read += size;
    }
    out.anonymous = socks.anonymous();
    return out;
}

const Bytes login = joined({{1, 2}, ascii("me"), {6}, ascii("secret")});
const Bytes success{5, 0, 0, 1, 0, 0, 0, 0, 0, 0};

TEST(Socks5, HandsANameToTheProxyAsAName) {
    const auto out = talk({"node.onion", 8333}, joined({take_password, welcome, success}));
    EXPECT_TRUE(out.done);
    EXPECT_FALSE(out.anonymous);
    EXPECT_EQ(out.sent,
              joined({offer, login, {5, 1, 0, 3, 10}, ascii("node.onion"), {0x20, 0x8d}}));
}

TEST(Socks5, SendsAddressesAsSuch) {
    const auto four = talk({"192.0.2.7", 258}, joined({take_password, welcome, success}));
    EXPECT_EQ(four.sent, joined({offer, login, {5, 1, 0, 1, 192, 0, 2, 7, 1, 2}}));
    const auto six = talk({"2001:db8::9", 258}, joined({take_password, welcome, success}));
    EXPECT_EQ(six.sent, joined({offer, login, {5, 1, 0, 4, 0x20, 1, 0x0d, 0xb8, 0, 0, 0,
                                               0, 0, 0, 0, 0,    0, 0,    0,    9, 1, 2}}));
}

TEST(Socks5, GoesOnWithoutAUserNameWhereTheProxyWantsNone) {
    const auto out = talk({"a.example", 1}, joined({take_nobody, success}));
    EXPECT_TRUE(out.done);
    EXPECT_TRUE(out.anonymous);
    EXPECT_EQ(out.sent, joined({offer, {5, 1, 0, 3, 9}, ascii("a.example"), {0, 1}}));
}

TEST(Socks5, ReadsUpToThePeersFirstByteWhateverTheBoundAddressAndThePieces) {
    const std::vector<Bytes> bounds{{1, 10, 0, 0, 1, 0, 80},
                                    {4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80},
                                    {3, 0, 0, 80},
                                    joined({{3, 3}, ascii("abc"), {0, 80}})};
    for (const auto& bound : bounds) {
        const auto ours = joined({take_password, welcome, {5, 0, 0}, bound});
        const auto all = joined({ours, ascii("the peer's")});
        for (const std::size_t most : {1U, 2U, 3U, 1000U}) {
            const auto out = talk({"a.example", 1}, all, most);
            EXPECT_TRUE(out.done);
            EXPECT_EQ(out.read, ours.size());
        }
    }
}

TEST(Socks5, PutsEveryReplyIntoWords) {
    std::set<std::string> seen;
    for (const int number :
         {1, 2, 3, 4, 5, 6, 7, 8, 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7}) {
        const auto code = static_cast<std::uint8_t>(number);
        // The refusal counts as soon as it is there, and whatever follows it.
        const auto out = talk({"a.example", 1}, joined({take_nobody, {5, code}}));
        ASSERT_TRUE(out.failure);
        EXPECT_EQ(out.failure->of, Of::peer);
        EXPECT_EQ(out.failure->cause, socks5_reply(code));
        EXPECT_TRUE(out.failure->cause.ends_with("(reply " + std::to_string(code) + ")"));
        EXPECT_EQ(out.failure->cause.find("no standard"), std::string::npos);
        seen.insert(out.failure->cause.substr(0, out.failure->cause.find(" (reply")));
    }
    EXPECT_EQ(seen.size(), 16U);
    EXPECT_NE(socks5_reply(4).find("host unreachable"), std::string::npos);
    EXPECT_NE(socks5_reply(99).find("no standard"), std::string::npos);
}

TEST(Socks5, SaysWhyAProxyDoesNotServeUs) {
    const std::vector<std::pair<Bytes, std::string>> refusals{
        {ascii("HTTP/1.1 400 Bad Request"), "not SOCKS5"},
        {{4, 0}, "not SOCKS5"},
        {{5, 0xff}, "neither a user name"},
        {{5, 1}, "method 1"},
        {joined({take_password, {1, 7}}), "refuses the user name and password (status 7)"},
        {joined({take_nobody, {4, 0}}), "not SOCKS5"},
        {joined({take_nobody, {5, 0, 0, 2}}), "address type 2"},
    };
    for (const auto& [answers, words] : refusals) {
        const auto out = talk({"a.example", 1}, answers);
        ASSERT_TRUE(out.failure) << words;
        EXPECT_EQ(out.failure->of, Of::proxy);
        EXPECT_NE(out.failure->cause.find(words), std::string::npos) << out.failure->cause;
        EXPECT_FALSE(out.done);
    }
}

TEST(Socks5, SendsNothingForWhatItCannotCarry) {
    for (const auto& host : {std::string(), std::string(256, 'x'), std::string("fe80::1%eth0")}) {
        const auto out = talk({host, 1}, take_nobody);
        ASSERT_TRUE(out.failure);
        EXPECT_EQ(out.failure->of, Of::peer);
        EXPECT_TRUE(out.sent.empty());
    }
    for (const auto& credentials : {Socks5Credentials{"", "x"}, Socks5Credentials{"x", ""},
                                    Socks5Credentials{std::string(256, 'x'), "x"}}) {
        const auto out = talk({"a.example", 1}, take_nobody, 1000, credentials);
        ASSERT_TRUE(out.failure);
        EXPECT_EQ(out.failure->of, Of::proxy);
        EXPECT_TRUE(out.sent.empty());
    }
    EXPECT_TRUE(talk({std::string(255, 'x'), 1}, joined({take_nobody, success})).done);
}

TEST(Socks5, TakesNothingOnceItHasEnded) {
    Socks5 socks({"a.example", 1}, {"me", "secret"});
    EXPECT_EQ(socks.wanted(), 0U);
    EXPECT_TRUE(socks.on(success).send.empty()); // before start()
    socks.start();
    EXPECT_TRUE(socks.on(Bytes{5, 0xff}).failure);
    EXPECT_EQ(socks.wanted(), 0U);
    const auto late = socks.on(success);
    EXPECT_FALSE(late.done || late.failure);
}

} // namespace
} // namespace headlight::tests
