// Random content for every message, inside the limits of the wire.
#include "random_messages.hpp"

#include "chain/limits.hpp"

#include <array>

namespace headlight::tests {
namespace {

using namespace p2p;

std::size_t up_to(Random& random, std::size_t most) { return random() % (most + 1); }
template <class T>
T any(Random& random) {
    return static_cast<T>(random());
}

chain::Hash256 random_hash(Random& random) {
    chain::Hash256 hash;
    for (auto& byte : hash.bytes)
        byte = any<std::uint8_t>(random);
    return hash;
}

template <class Make>
auto list(Random& random, std::size_t most, Make make) {
    std::vector<decltype(make(random))> items;
    for (auto count = up_to(random, most); count > 0; --count)
        items.push_back(make(random));
    return items;
}

std::string random_text(Random& random, std::size_t most) {
    const auto raw = random_bytes(random, most);
    return {raw.begin(), raw.end()};
}

NetAddress random_address(Random& random, bool with_time) {
    NetAddress address;
    if (with_time) address.time = any<std::uint32_t>(random);
    address.services = random();
    for (auto& byte : address.ip)
        byte = any<std::uint8_t>(random);
    address.port = any<std::uint16_t>(random);
    return address;
}

NetAddressV2 random_address_v2(Random& random) {
    constexpr std::array<std::pair<std::uint8_t, std::size_t>, 5> known{
        {{1, 4}, {2, 16}, {4, 32}, {5, 32}, {6, 16}}};
    NetAddressV2 address;
    address.time = any<std::uint32_t>(random);
    address.services = random() >> up_to(random, 63);
    address.port = any<std::uint16_t>(random);
    const auto pick = up_to(random, known.size());
    address.network = pick < known.size() ? known[pick].first : std::uint8_t{0xaa};
    const auto length =
        pick < known.size() ? known[pick].second : up_to(random, limits::max_address_bytes);
    address.address.resize(length);
    for (auto& byte : address.address)
        byte = any<std::uint8_t>(random);
    return address;
}

InvEntry random_entry(Random& random) {
    return {static_cast<InvType>(up_to(random, 1) ? random() % 6 : random()), random_hash(random)};
}

chain::BlockHeader random_header(Random& random) {
    return {any<std::int32_t>(random),  random_hash(random),        random_hash(random),
            any<std::uint32_t>(random), any<std::uint32_t>(random), any<std::uint32_t>(random)};
}

chain::Transaction random_transaction(Random& random) {
    chain::Transaction tx;
    tx.version = any<std::int32_t>(random);
    tx.lock_time = any<std::uint32_t>(random);
    const bool with_witness = up_to(random, 1) == 1;
    for (auto count = 1 + up_to(random, 3); count > 0; --count) {
        chain::TxIn input;
        input.prevout = {random_hash(random), any<std::uint32_t>(random)};
        input.script_sig = random_bytes(random, 300);
        input.sequence = any<std::uint32_t>(random);
        if (with_witness) {
            input.witness = list(random, 3, [](Random& r) { return random_bytes(r, 80); });
        }
        tx.inputs.push_back(std::move(input));
    }
    tx.outputs = list(random, 4, [](Random& r) {
        return chain::TxOut{any<Amount>(r), random_bytes(r, 40)};
    });
    return tx;
}

bip37::BloomFilter random_filter(Random& random) {
    return {random_bytes(random, 500), static_cast<std::uint32_t>(up_to(random, 50)),
            any<std::uint32_t>(random), static_cast<bip37::UpdateFlags>(up_to(random, 2))};
}

bip37::MerkleBlock random_merkleblock(Random& random) {
    const auto hashes = list(random, 20, random_hash);
    const auto total = static_cast<std::uint32_t>(hashes.size() + up_to(random, 100) + 1);
    return {random_header(random), {total, hashes, Bytes(hashes.size() / 4 + 1, 0x55)}};
}

Reject random_reject(Random& random) {
    return {random_text(random, 12), any<std::uint8_t>(random), random_text(random, 111),
            random_bytes(random, 32)};
}

/// Fills the messages that have content; the others stay as they are made.
struct Fill {
    Random& random;

    template <class T>
    void operator()(T&) const {
        static_assert(std::is_empty_v<T>, "this message needs random content");
    }
    void operator()(Version& m) const {
        m = {any<std::int32_t>(random),
             random(),
             any<std::int64_t>(random),
             random_address(random, false),
             random_address(random, false),
             random(),
             random_text(random, limits::max_user_agent_bytes),
             any<std::int32_t>(random),
             up_to(random, 1) == 1};
    }
    void operator()(Ping& m) const {
        if (up_to(random, 1)) m.nonce = random();
    }
    void operator()(Pong& m) const { m.nonce = random(); }
    void operator()(GetHeaders& m) const {
        m = {any<std::int32_t>(random), list(random, limits::max_locator_hashes, random_hash),
             random_hash(random)};
    }
    void operator()(GetBlocks& m) const {
        m = {any<std::int32_t>(random), list(random, 30, random_hash), random_hash(random)};
    }
    void operator()(Headers& m) const { m.headers = list(random, 300, random_header); }
    void operator()(Inv& m) const { m.entries = list(random, 300, random_entry); }
    void operator()(GetData& m) const { m.entries = list(random, 300, random_entry); }
    void operator()(NotFound& m) const { m.entries = list(random, 300, random_entry); }
    void operator()(Tx& m) const { m.transaction = random_transaction(random); }
    void operator()(Block& m) const {
        m = {random_header(random), list(random, 20, random_transaction)};
    }
    void operator()(bip37::MerkleBlock& m) const { m = random_merkleblock(random); }
    void operator()(bip37::FilterLoad& m) const { m.filter = random_filter(random); }
    void operator()(bip37::FilterAdd& m) const { m.element = random_bytes(random, 520); }
    void operator()(FeeFilter& m) const { m.fee_rate = any<std::int64_t>(random); }
    void operator()(Addr& m) const {
        m.addresses = list(random, 50, [](Random& r) { return random_address(r, true); });
    }
    void operator()(AddrV2& m) const { m.addresses = list(random, 50, random_address_v2); }
    void operator()(Reject& m) const { m = random_reject(random); }
    void operator()(Alert& m) const { m.content = random_bytes(random, 500); }
    void operator()(Unknown& m) const { m = {"sendcmpct", up_to(random, 100)}; }
};

template <std::size_t... Index>
Message make(std::size_t index, std::index_sequence<Index...>) {
    Message message;
    ((index == Index ? void(message.emplace<Index>()) : void()), ...);
    return message;
}

} // namespace

Bytes random_bytes(Random& random, std::size_t most) {
    Bytes bytes(up_to(random, most));
    for (auto& byte : bytes)
        byte = any<std::uint8_t>(random);
    return bytes;
}

Message random_message(Random& random, std::size_t index) {
    auto message = make(index, std::make_index_sequence<std::variant_size_v<Message>>());
    std::visit(Fill{random}, message);
    return message;
}

Message random_message(Random& random) {
    return random_message(random, up_to(random, std::variant_size_v<Message> - 1));
}

} // namespace headlight::tests
