// Encoding and decoding of the wallet's values.
#include "wallet/store/rows.hpp"

#include "chain/limits.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace headlight::wallet::store {

namespace {

Bytes encode_hashes(const std::vector<chain::Hash256>& hashes) {
    chain::Writer writer(32 * hashes.size());
    for (const auto& hash : hashes)
        writer.hash(hash);
    return writer.take();
}

std::optional<std::vector<chain::Hash256>> decode_hashes(ByteView bytes) {
    if (bytes.size() % 32 != 0) return std::nullopt;
    chain::Reader reader(bytes);
    std::vector<chain::Hash256> hashes(bytes.size() / 32);
    for (auto& hash : hashes)
        hash = reader.hash();
    return hashes;
}

template <class T>
bool fits(std::int64_t value, T& to) {
    if (value < std::int64_t{std::numeric_limits<T>::min()} ||
        value > std::int64_t{std::numeric_limits<T>::max()}) {
        return false;
    }
    to = static_cast<T>(value);
    return true;
}

/// A time or a height: others add to it and subtract from it, and a file from elsewhere may hold
/// any number.
bool in_range(std::int64_t value) { return value >= 0 && value < std::int64_t{1} << 48; }

Bytes encode_branches(const std::vector<BranchState>& branches) {
    chain::Writer writer;
    for (const auto& branch : branches)
        writer.i64(branch.highest_used).u32(branch.derived);
    return writer.take();
}

std::vector<BranchState> decode_branches(ByteView bytes) {
    chain::Reader reader(bytes);
    std::vector<BranchState> branches(bytes.size() / 12);
    for (auto& branch : branches) {
        branch.highest_used = reader.i64();
        branch.derived = reader.u32();
    }
    return branches;
}

/// The six columns of a confirmation, null together.
std::optional<Confirmation> read_confirmation(Statement& row, bool& ok) {
    if (row.is_null()) {
        for (int column = 0; column < 6; ++column) {
            ok = ok && row.is_null();
            row.skip_null();
        }
        return std::nullopt;
    }
    Confirmation confirmation;
    ok = ok && fits(row.number(), confirmation.height);
    const auto block = chain::Hash256::from_bytes(row.blob());
    confirmation.time = row.number();
    ok = ok && in_range(confirmation.time);
    ok = ok && fits(row.number(), confirmation.position);
    ok = ok && fits(row.number(), confirmation.total_transactions);
    const auto branch = decode_hashes(row.blob());
    ok = ok && block && branch && confirmation.height >= 0;
    if (!ok) return std::nullopt;
    confirmation.block = *block;
    confirmation.branch = *branch;
    return confirmation;
}

} // namespace

void bind_row(Statement& statement, const DescriptorState& descriptor) {
    statement.bind(descriptor.id)
        .bind_text(descriptor.descriptor)
        .bind(descriptor.gap)
        .bind(descriptor.birthday.kind == Birthday::Kind::time ? 1 : 0)
        .bind(descriptor.birthday.value)
        .bind(descriptor.generated ? 1 : 0)
        .bind_blob(encode_branches(descriptor.branches))
        .bind_sum();
}

std::optional<DescriptorState> read_descriptor(Statement& row) {
    DescriptorState descriptor;
    bool ok = fits(row.number(), descriptor.id);
    descriptor.descriptor = row.text();
    ok = fits(row.number(), descriptor.gap) && ok;
    const auto kind = row.number();
    descriptor.birthday = {kind == 1 ? Birthday::Kind::time : Birthday::Kind::height, row.number()};
    ok = in_range(descriptor.birthday.value) && ok;
    descriptor.generated = row.number() != 0;
    const auto branches = row.blob();
    descriptor.branches = decode_branches(branches);
    if (!row.sum_holds() || !ok || branches.size() % 12 != 0) return std::nullopt;
    return descriptor;
}

void bind_row(Statement& statement, const StoredTx& stored) {
    statement.bind_blob(stored.txid.bytes)
        .bind_blob(chain::serialize(stored.tx))
        .bind(stored.first_seen)
        .bind(stored.last_seen)
        .bind(stored.abandoned ? 1 : 0)
        .bind_blob(encode_hashes(stored.lost_parents));
    if (const auto& confirmation = stored.confirmation) {
        statement.bind(confirmation->height)
            .bind_blob(confirmation->block.bytes)
            .bind(confirmation->time)
            .bind(confirmation->position)
            .bind(confirmation->total_transactions)
            .bind_blob(encode_hashes(confirmation->branch));
    } else {
        for (int column = 0; column < 6; ++column)
            statement.bind_null();
    }
    statement.bind_sum();
}

std::optional<StoredTx> read_transaction_row(Statement& row) {
    const auto txid = chain::Hash256::from_bytes(row.blob());
    auto tx = chain::parse_transaction(row.blob());
    StoredTx stored;
    stored.first_seen = row.number();
    stored.last_seen = row.number();
    stored.abandoned = row.number() != 0;
    const auto lost_parents = decode_hashes(row.blob());
    bool ok =
        txid && tx && lost_parents && in_range(stored.first_seen) && in_range(stored.last_seen);
    stored.confirmation = read_confirmation(row, ok);
    if (!ok || !row.sum_holds() || chain::txid(*tx) != *txid) return std::nullopt;
    // The ledger adds amounts up; it never keeps one that no block can hold, but a file from
    // elsewhere may.
    if (!chain::amounts_in_range(*tx)) return std::nullopt;
    stored.txid = *txid;
    stored.tx = std::move(*tx);
    stored.lost_parents = *lost_parents;
    return stored;
}

// meta

std::optional<Seal> read_seal_row(Statement& row) {
    row.text();
    const auto value = row.blob();
    return row.sum_holds() ? Seal::decode(value) : std::nullopt;
}

Bytes encode(const ScanPosition& position) {
    return chain::Writer().i32(position.height).hash(position.hash).data();
}

Bytes encode(const std::vector<ScanPosition>& trail) {
    chain::Writer writer;
    for (const auto& position : trail)
        writer.i32(position.height).hash(position.hash);
    return writer.take();
}

Bytes encode(const std::optional<Birthday>& birthday) {
    chain::Writer writer;
    if (birthday) {
        writer.u8(birthday->kind == Birthday::Kind::time ? 1 : 0).i64(birthday->value);
    }
    return writer.take();
}

Bytes encode(const FilterParameters& filter) {
    return chain::Writer().u32(filter.tweak).u32(filter.size_class).data();
}

Bytes encode_parts(const FilterParameters& filter) {
    chain::Writer writer;
    writer.u32(filter.shards)
        .u64(std::bit_cast<std::uint64_t>(filter.fp_rate))
        .u32(filter.split)
        .u8(filter.whole_blocks)
        .bytes(filter.secret)
        .compact_size(filter.groups.size());
    for (const auto& [peer, group] : filter.groups)
        writer.var_string(peer).u32(group);
    return writer.take();
}

Bytes encode(std::int64_t number) { return chain::Writer().i64(number).data(); }

Bytes encode(const std::string& text) {
    const auto bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

namespace {

ScanPosition read_position(chain::Reader& reader) {
    ScanPosition position;
    position.height = reader.i32();
    position.hash = reader.hash();
    return position;
}

std::optional<Birthday> read_birthday(chain::Reader& reader) {
    if (reader.remaining() == 0) return std::nullopt;
    Birthday birthday;
    birthday.kind = reader.u8() == 1 ? Birthday::Kind::time : Birthday::Kind::height;
    birthday.value = reader.i64();
    if (!in_range(birthday.value)) reader.fail("a birthday is out of range");
    return birthday;
}

void read_groups(chain::Reader& reader, std::map<std::string, std::uint32_t>& groups) {
    const auto count = reader.count(limits::max_grouped_peers, 5);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        auto peer = reader.var_string(limits::max_endpoint_bytes);
        const auto group = reader.u32();
        if (peer.empty() || group >= limits::max_split) reader.fail("a peer's group is none");
        if (!groups.emplace(std::move(peer), group).second) reader.fail("a peer has two groups");
    }
}

void read_parts(chain::Reader& reader, FilterParameters& filter) {
    filter.shards = reader.u32();
    filter.fp_rate = std::bit_cast<double>(reader.u64());
    filter.split = reader.u32();
    const auto whole_blocks = reader.u8();
    filter.whole_blocks = whole_blocks == 1;
    const auto secret = reader.bytes(filter.secret.size());
    if (!reader.ok()) return;
    std::ranges::copy(secret, filter.secret.begin());
    const auto within = [](std::uint32_t value, std::uint32_t most) {
        return value >= 1 && value <= most;
    };
    const bool rate_holds = filter.fp_rate >= 0 && filter.fp_rate < 1; // a NaN does not
    if (!within(filter.shards, limits::max_shards) || !within(filter.split, limits::max_split) ||
        !rate_holds || whole_blocks > 1) {
        reader.fail("the filter's parts are out of range");
    }
    read_groups(reader, filter.groups);
}

} // namespace

bool decode_meta(const std::string& name, ByteView value, WalletState& state) {
    chain::Reader reader(value);
    if (name == "network" || name == "fingerprint") {
        const auto text = reader.bytes(value.size());
        (name == "network" ? state.network : state.fingerprint).assign(text.begin(), text.end());
    } else if (name == "created") {
        state.created = reader.i64();
    } else if (name == "scan") {
        state.scan = read_position(reader);
    } else if (name == "scan_trail") {
        while (reader.remaining() != 0)
            state.scan_trail.push_back(read_position(reader));
    } else if (name == "rescan") {
        state.rescan = read_birthday(reader);
    } else if (name == "rescan_other") {
        state.rescan_other = read_birthday(reader);
    } else if (name == "filter") {
        state.filter.tweak = reader.u32();
        state.filter.size_class = reader.u32();
    } else if (name == "parts") {
        read_parts(reader, state.filter);
    } else if (name == "checked_to") {
        state.checked_to = static_cast<std::int32_t>(reader.i64());
    } else {
        return false;
    }
    return reader.finish(name).has_value();
}

} // namespace headlight::wallet::store
