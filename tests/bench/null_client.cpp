#include "tests/bench/null_client.hpp"

#include "p2p/framing.hpp"
#include "p2p/handshake.hpp"
#include "sync/filter.hpp"
#include "tests/bench/bench_wallet.hpp"
#include "tests/bench/sockets.hpp"

#include <chrono>
#include <cstring>

#include <unistd.h>

namespace headlight::bench {

namespace {

const chain::Network& here() { return chain::network(chain::NetworkId::regtest); }

class NoHeaders : public chain::HeaderArchive {
  public:
    std::int32_t tip_height() const override { return -1; }
    chain::ChainedHeader at(std::int32_t) const override { return {}; }
    std::optional<std::int32_t> find(const chain::Hash256&) const override { return std::nullopt; }
};

class NullClient {
  public:
    NullClient(int socket, const bip37::BloomFilter& filter) : socket_(socket), filter_(filter) {}

    bool run() {
        p2p::Handshake::Config config;
        config.nonce = 1;
        config.user_agent = "/null:0/";
        send(p2p::Handshake(config).greeting());
        Bytes buffer(limits::read_buffer_bytes);
        std::size_t held = 0;
        while (!done_) {
            const auto got = read(socket_, buffer.data() + held, buffer.size() - held);
            if (got <= 0) return false;
            held += static_cast<std::size_t>(got);
            bytes_ += static_cast<std::size_t>(got);
            const auto used = take_frames({buffer.data(), held});
            held -= used;
            std::memmove(buffer.data(), buffer.data() + used, held);
            if (held == buffer.size()) buffer.resize(buffer.size() * 2);
        }
        return true;
    }

    std::int32_t blocks() const { return static_cast<std::int32_t>(hashes_.size()); }
    std::uint64_t bytes() const { return bytes_; }

  private:
    std::size_t take_frames(ByteView bytes) {
        std::size_t used = 0;
        while (bytes.size() - used >= p2p::frame_header_bytes) {
            const auto frame = bytes.subspan(used);
            std::uint32_t length = 0;
            std::memcpy(&length, frame.data() + 16, sizeof length);
            if (frame.size() < p2p::frame_header_bytes + length) break;
            const std::string_view command(reinterpret_cast<const char*>(frame.data()) + 4, 12);
            take(command.substr(0, command.find('\0')),
                 frame.subspan(p2p::frame_header_bytes, length));
            used += p2p::frame_header_bytes + length;
        }
        return used;
    }

    void take(std::string_view command, ByteView payload) {
        if (command == "merkleblock") {
            --in_flight_;
            pump();
        } else if (command == "pong") {
            done_ = --fences_ == 0 && asked_ == hashes_.size();
        } else if (command == "headers") {
            take_headers(payload);
        } else if (command == "version") {
            send(p2p::Verack{});
        } else if (command == "verack") {
            send(p2p::SendHeaders{});
            ask_headers(here().genesis_hash);
        }
    }

    void ask_headers(const chain::Hash256& from) {
        p2p::GetHeaders question;
        question.locator = {from};
        send(std::move(question));
    }

    void take_headers(ByteView payload) {
        constexpr std::size_t entry = chain::BlockHeader::size + 1;
        const auto count = payload.size() / entry; // the count before them takes fewer bytes
        const auto first = payload.size() - count * entry;
        for (std::size_t i = 0; i < count; ++i)
            hashes_.push_back(
                chain::hash256(payload.subspan(first + i * entry, chain::BlockHeader::size)));
        if (count == limits::max_headers_per_message) return ask_headers(hashes_.back());
        send(bip37::FilterLoad{filter_});
        send(p2p::Mempool{});
        pump();
    }

    void pump() {
        while (asked_ < hashes_.size()) {
            const auto count =
                std::min<std::size_t>(limits::scan_batch_blocks, hashes_.size() - asked_);
            if (in_flight_ + count > limits::scan_window_blocks) return;
            p2p::GetData question;
            for (std::size_t i = 0; i < count; ++i)
                question.entries.push_back({p2p::InvType::filtered_block, hashes_[asked_++]});
            in_flight_ += count;
            send(std::move(question));
            send(p2p::Ping{++nonce_});
            ++fences_;
        }
    }

    void send(const p2p::Message& message) {
        write_all(socket_, p2p::encode_frame(here(), message));
    }

    const int socket_;
    const bip37::BloomFilter& filter_;
    std::vector<chain::Hash256> hashes_;
    std::size_t asked_ = 0;
    std::size_t in_flight_ = 0;
    std::uint64_t nonce_ = 0;
    int fences_ = 0;
    bool done_ = false;
    std::uint64_t bytes_ = 0;
};

} // namespace

bip37::BloomFilter bench_filter() {
    const auto wallet = new_bench_wallet();
    const NoHeaders none;
    sync::Context context(here(), none, *wallet, {});
    return sync::FilterKeeper(context).make()->mirror;
}

result<NullSync> run_null_client(std::uint16_t port, const bip37::BloomFilter& filter) {
    const auto start = std::chrono::steady_clock::now();
    const Socket socket = connect_to(port);
    if (!socket.valid()) return Error{errc::io, "the null client cannot connect"};
    NullClient client(socket.handle(), filter);
    if (!client.run()) return Error{errc::stalled, "the node closed on the null client"};
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return NullSync{taken.count(), client.blocks(), client.bytes()};
}

} // namespace headlight::bench
