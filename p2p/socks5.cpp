#include "p2p/socks5.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace headlight::p2p {
namespace {

constexpr std::uint8_t socks_version = 5;
constexpr std::uint8_t password_version = 1; // of RFC 1929
constexpr std::uint8_t no_authentication = 0;
constexpr std::uint8_t user_and_password = 2;
constexpr std::uint8_t no_method = 0xff;
constexpr std::uint8_t connect_command = 1;
constexpr std::uint8_t form_ipv4 = 1;
constexpr std::uint8_t form_name = 3;
constexpr std::uint8_t form_ipv6 = 4;
constexpr std::size_t longest_string = 255; // its length is one byte

bool fits(std::string_view text) { return !text.empty() && text.size() <= longest_string; }

void put_string(Bytes& out, std::string_view text) {
    out.push_back(static_cast<std::uint8_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
}

template <std::size_t Size>
bool put_literal(Bytes& out, int family, std::uint8_t form, const std::string& host) {
    std::array<std::uint8_t, Size> address{};
    if (inet_pton(family, host.c_str(), address.data()) != 1) return false;
    out.push_back(form);
    out.insert(out.end(), address.begin(), address.end());
    return true;
}

std::string_view words_of(std::uint8_t code) {
    switch (code) {
    case 0:
        return "succeeded";
    case 1:
        return "general failure of the proxy";
    case 2:
        return "not allowed by the proxy's rules";
    case 3:
        return "network unreachable";
    case 4:
        return "host unreachable";
    case 5:
        return "connection refused";
    case 6:
        return "no answer in time (TTL expired)";
    case 7:
        return "the proxy does not know the command CONNECT";
    case 8:
        return "the proxy does not take this kind of address";
    case 0xf0:
        return "the onion service's descriptor is not found";
    case 0xf1:
        return "the onion service's descriptor is invalid";
    case 0xf2:
        return "the introduction to the onion service failed";
    case 0xf3:
        return "the rendezvous with the onion service failed";
    case 0xf4:
        return "the onion service asks for client authorization";
    case 0xf5:
        return "the onion service refuses the client authorization";
    case 0xf6:
        return "the onion address is invalid";
    case 0xf7:
        return "the introduction to the onion service timed out";
    default:
        return "a reply that no standard names";
    }
}

} // namespace

std::string socks5_reply(std::uint8_t code) {
    return std::string(words_of(code)) + " (reply " + std::to_string(code) + ")";
}

Socks5::Socks5(Endpoint target, Socks5Credentials credentials)
    : target_(std::move(target)), credentials_(std::move(credentials)) {}

Socks5::Step Socks5::start() {
    // The zone of an IPv6 address means a link of this machine.
    const bool zoned = target_.host.find('%') != std::string::npos;
    if (zoned || !fits(target_.host))
        return fail(Socks5Failure::Of::peer,
                    "SOCKS5 cannot carry the address '" + target_.host + "'");
    if (!fits(credentials_.user) || !fits(credentials_.password))
        return fail(Socks5Failure::Of::proxy,
                    "a user name and a password have 1 to 255 bytes in SOCKS5");
    return expect(Stage::method, 2, {socks_version, 2, user_and_password, no_authentication});
}

Socks5::Step Socks5::on(ByteView bytes) {
    const auto taken = bytes.first(std::min(bytes.size(), wanted()));
    have_.insert(have_.end(), taken.begin(), taken.end());
    if (stage_ == Stage::ended || wanted() > 0) return {};
    return take();
}

Socks5::Step Socks5::lost(std::string why) {
    const bool asked = stage_ == Stage::verdict || stage_ == Stage::bound_form ||
                       stage_ == Stage::bound_length || stage_ == Stage::bound;
    return fail(asked ? Socks5Failure::Of::peer : Socks5Failure::Of::proxy, std::move(why));
}

Socks5::Step Socks5::take() {
    switch (stage_) {
    case Stage::method:
        return on_method();
    case Stage::authentication:
        return on_authentication();
    case Stage::verdict:
        return on_verdict();
    case Stage::bound_form:
        return on_bound_form();
    case Stage::bound_length:
        return expect(Stage::bound, have_[0] + std::size_t{2});
    case Stage::bound:
        return done();
    case Stage::ended:
        break;
    }
    return {};
}

Socks5::Step Socks5::on_method() {
    if (have_[0] != socks_version)
        return fail(Socks5Failure::Of::proxy, "what it answers is not SOCKS5");
    if (have_[1] == no_authentication) {
        anonymous_ = true;
        return request();
    }
    if (have_[1] == no_method)
        return fail(Socks5Failure::Of::proxy,
                    "it takes neither a user name and password nor a client without");
    if (have_[1] != user_and_password)
        return fail(Socks5Failure::Of::proxy,
                    "it chose a way to authenticate that was not offered (method " +
                        std::to_string(have_[1]) + ")");
    Bytes login{password_version};
    put_string(login, credentials_.user);
    put_string(login, credentials_.password);
    return expect(Stage::authentication, 2, std::move(login));
}

/// Of the answer's version nothing depends, and some proxies send 5 in its place.
Socks5::Step Socks5::on_authentication() {
    if (have_[1] == 0) return request();
    return fail(Socks5Failure::Of::proxy,
                "it refuses the user name and password (status " + std::to_string(have_[1]) + ")");
}

Socks5::Step Socks5::request() {
    Bytes out{socks_version, connect_command, 0};
    if (!put_literal<4>(out, AF_INET, form_ipv4, target_.host) &&
        !put_literal<16>(out, AF_INET6, form_ipv6, target_.host)) {
        out.push_back(form_name);
        put_string(out, target_.host);
    }
    out.push_back(static_cast<std::uint8_t>(target_.port >> 8));
    out.push_back(static_cast<std::uint8_t>(target_.port & 0xff));
    return expect(Stage::verdict, 2, std::move(out));
}

/// Looked at before the rest is there: a proxy may close right behind a refusal.
Socks5::Step Socks5::on_verdict() {
    if (have_[0] != socks_version)
        return fail(Socks5Failure::Of::proxy, "what it answers is not SOCKS5");
    if (have_[1] != 0) return fail(Socks5Failure::Of::peer, socks5_reply(have_[1]));
    return expect(Stage::bound_form, 2);
}

/// The address that the proxy calls from: read over, since the peer's bytes start behind it.
Socks5::Step Socks5::on_bound_form() {
    constexpr std::size_t port_bytes = 2;
    switch (have_[1]) {
    case form_ipv4:
        return expect(Stage::bound, 4 + port_bytes);
    case form_ipv6:
        return expect(Stage::bound, 16 + port_bytes);
    case form_name:
        return expect(Stage::bound_length, 1);
    default:
        return fail(Socks5Failure::Of::proxy, "what it answers is not SOCKS5 (address type " +
                                                  std::to_string(have_[1]) + ")");
    }
}

Socks5::Step Socks5::fail(Socks5Failure::Of of, std::string cause) {
    auto step = expect(Stage::ended, 0);
    step.failure = Socks5Failure{of, std::move(cause)};
    return step;
}

Socks5::Step Socks5::done() {
    auto step = expect(Stage::ended, 0);
    step.done = true;
    return step;
}

Socks5::Step Socks5::expect(Stage stage, std::size_t bytes, Bytes send) {
    stage_ = stage;
    wanted_ = bytes;
    have_.clear();
    return {.send = std::move(send)};
}

} // namespace headlight::p2p
