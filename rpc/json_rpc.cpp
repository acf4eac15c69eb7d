#include "rpc/json_rpc.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <openssl/evp.h>

namespace headlight::rpc {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace net = boost::asio;

namespace {

constexpr std::uint64_t max_answer_bytes = 256'000'000; // a whole block as hex, many times over

std::string base64(const std::string& text) {
    std::string out((text.size() + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                       reinterpret_cast<const unsigned char*>(text.data()),
                                       static_cast<int>(text.size()));
    out.resize(static_cast<std::size_t>(length));
    return out;
}

Error unreachable(std::string_view method, const beast::error_code& why) {
    const bool late = why == beast::error::timeout;
    return Error{late ? errc::timeout : errc::no_peer,
                 "the node did not answer the RPC " + std::string(method), why.message()};
}

/// How it shows that the other side ended a connection that was kept.
bool was_let_go(const beast::error_code& error) {
    return error == http::error::end_of_stream || error == net::error::connection_reset ||
           error == net::error::broken_pipe;
}

result<boost::json::value> read_answer(std::string_view method, unsigned status,
                                       const std::string& body) {
    boost::system::error_code failed;
    auto answer = boost::json::parse(body, failed);
    if (failed || !answer.is_object())
        return Error{errc::malformed,
                     "the node's answer to the RPC " + std::string(method) + " is not JSON",
                     "HTTP status " + std::to_string(status)};
    auto& members = answer.as_object();
    if (const auto* error = members.if_contains("error"); error && !error->is_null())
        return Error{errc::not_accepted, "the node refused the RPC " + std::string(method),
                     boost::json::serialize(*error)};
    return std::move(members["result"]);
}

} // namespace

struct JsonRpc::Http {
    std::string host;
    std::uint16_t port = 0;
    std::string authorization;
    net::io_context context;
    std::optional<beast::tcp_stream> stream;

    // Beast times out asynchronous operations only, so each one is run to its end here.
    template <class Start>
    beast::error_code run(Start start) {
        beast::error_code result;
        start([&](beast::error_code error, auto&&...) { result = error; });
        context.restart();
        context.run();
        return result;
    }

    beast::error_code connect() {
        if (stream) return {};
        net::ip::tcp::resolver resolver(context);
        beast::error_code error;
        const auto found = resolver.resolve(host, std::to_string(port), error);
        if (error) return error;
        stream.emplace(context);
        stream->expires_after(std::chrono::seconds(5));
        error = run([&](auto done) { stream->async_connect(found, std::move(done)); });
        if (!error) stream->socket().set_option(net::ip::tcp::no_delay(true), error);
        return error;
    }

    beast::error_code exchange(const std::string& path, std::string body,
                               std::chrono::milliseconds timeout,
                               http::response<http::string_body>& out) {
        if (auto error = connect()) return error;
        http::request<http::string_body> request(http::verb::post, path, 11);
        request.set(http::field::host, host);
        request.set(http::field::authorization, authorization);
        request.set(http::field::content_type, "application/json");
        request.body() = std::move(body);
        request.prepare_payload();
        stream->expires_after(timeout);
        auto error = run([&](auto done) { http::async_write(*stream, request, std::move(done)); });
        if (error) return error;
        beast::flat_buffer buffer;
        http::response_parser<http::string_body> parser;
        parser.body_limit(max_answer_bytes);
        error = run([&](auto done) { http::async_read(*stream, buffer, parser, std::move(done)); });
        if (error) return error;
        out = parser.release();
        if (!out.keep_alive()) stream.reset();
        return {};
    }
};

JsonRpc::JsonRpc(std::string host, std::uint16_t port, const std::string& credentials)
    : http_(std::make_unique<Http>()) {
    http_->host = std::move(host);
    http_->port = port;
    http_->authorization = "Basic " + base64(credentials);
}

JsonRpc::~JsonRpc() = default;

result<boost::json::value> JsonRpc::call(const std::string& path, std::string_view method,
                                         const boost::json::array& params,
                                         std::chrono::milliseconds timeout) {
    const boost::json::object request{{"id", 1}, {"method", method}, {"params", params}};
    http::response<http::string_body> response;
    const auto body = boost::json::serialize(request);
    const bool kept = http_->stream.has_value();
    auto error = http_->exchange(path, body, timeout, response);
    if (kept && was_let_go(error)) { // while nothing was asked; so nothing was done either
        http_->stream.reset();
        error = http_->exchange(path, body, timeout, response);
    }
    if (error) {
        http_->stream.reset();
        return unreachable(method, error);
    }
    if (response.result() == http::status::unauthorized)
        return Error{errc::not_accepted, "the node refused the RPC " + std::string(method),
                     "user, password or cookie are wrong",
                     "Look into its configuration, or name its .cookie file"};
    return read_answer(method, response.result_int(), response.body());
}

} // namespace headlight::rpc
