#include "conform/mill.hpp"

#include "bip37/partial_merkle_tree.hpp"
#include "chain/difficulty.hpp"
#include "chain/uint256.hpp"
#include "conform/opcodes.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

constexpr std::int32_t halving = 150; // regtest's
constexpr Amount first_subsidy = 5'000'000'000;
constexpr std::int32_t plain_version = 0x20000000;
constexpr std::int32_t signalling_version = 0x20000003; // BIP-9: bits 0 and 1, BIP-68 and BIP-141
constexpr std::size_t median_span = 11;
constexpr std::string_view commitment_header = "\x6a\x24\xaa\x21\xa9\xed"; // BIP-141

/// A block has to be later than the median of the 11 before it.
std::uint32_t next_time(const Maker::Tip& tip) {
    auto times = tip.times;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    const auto least = times.empty() ? 0 : *middle + 1;
    return std::max(static_cast<std::uint32_t>(tip.now), least);
}

/// BIP-34: a coinbase starts with its block's height, as the script language writes numbers.
Bytes height_push(std::int32_t height) {
    if (height >= 1 && height <= 16) return {static_cast<std::uint8_t>(0x50 + height)};
    Bytes number;
    for (auto left = height; left > 0; left >>= 8)
        number.push_back(static_cast<std::uint8_t>(left));
    if (number.back() & 0x80) number.push_back(0);
    Bytes script;
    chain::append_push(script, number);
    return script;
}

/// BIP-141: the root over all wtxids, the coinbase's standing as zeros, hashed with its nonce.
Bytes commitment(const std::vector<chain::Transaction>& others, const Bytes& nonce) {
    std::vector<chain::Hash256> ids{chain::Hash256{}};
    for (const auto& tx : others)
        ids.push_back(chain::wtxid(tx));
    chain::Writer writer;
    writer.hash(bip37::merkle_root(ids)).bytes(nonce);
    const auto hash = chain::hash256(writer.data());
    const auto header = as_bytes(commitment_header);
    Bytes script(header.begin(), header.end());
    script.insert(script.end(), hash.bytes.begin(), hash.bytes.end());
    return script;
}

} // namespace

Bytes anyone_script() { return chain::witness_script(0, chain::sha256(std::array{op_true})); }

std::vector<Bytes> anyone_witness() { return {{op_true}}; }

result<Mill> Mill::open(Maker& maker, const chain::Network& network) {
    if (network.id != chain::NetworkId::regtest)
        return Error{errc::wrong_network, "blocks can only be made on regtest",
                     "elsewhere they cost work", "Leave --rpc out"};
    const auto tip = maker.tip();
    if (!tip) return tip.error();
    return Mill(maker, *tip, network.pow_limit_bits);
}

Amount Mill::subsidy() const {
    const auto halvings = (tip_.height + 1) / halving;
    return halvings < 63 ? first_subsidy >> halvings : 0;
}

chain::Transaction Mill::coinbase(const std::vector<chain::Transaction>& others) {
    chain::Transaction tx;
    chain::TxIn input;
    input.prevout.index = 0xffffffff;
    input.script_sig = height_push(tip_.height + 1);
    chain::Writer extra; // makes two blocks at one place different
    extra.i64(tip_.now).u64(++serial_);
    chain::append_push(input.script_sig, extra.data());
    tx.outputs.push_back({subsidy(), anyone_script()});
    if (std::any_of(others.begin(), others.end(), [](const auto& o) { return o.has_witness(); })) {
        const Bytes nonce(32);
        input.witness = {nonce};
        tx.outputs.push_back({0, commitment(others, nonce)});
    }
    tx.inputs.push_back(std::move(input));
    return tx;
}

result<SceneBlock> Mill::mine(std::vector<chain::Transaction> transactions) {
    const auto first = coinbase(transactions);
    transactions.insert(transactions.begin(), first);
    auto block = scene_block({}, std::move(transactions));
    auto& header = block.header;
    header.version = tip_.signal_segwit ? signalling_version : plain_version;
    header.previous = tip_.hash;
    header.merkle_root = bip37::merkle_root(block.txids);
    header.time = next_time(tip_);
    header.bits = bits_; // which never change on regtest
    const auto target = chain::decode_compact(header.bits).magnitude;
    while (chain::to_number(hash_of(header)) > target)
        ++header.nonce;
    block.hash = hash_of(header);
    const auto taken = maker_->submit(p2p::Block{header, block.transactions});
    if (!taken) return taken.error();
    tip_.hash = block.hash;
    ++tip_.height;
    tip_.times.push_back(header.time);
    if (tip_.times.size() > median_span) tip_.times.erase(tip_.times.begin());
    return block;
}

} // namespace headlight::conform
