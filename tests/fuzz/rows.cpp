// The wallet file's rows, of any values: what is read back is what holds together, writes the same
// row again, and makes a wallet whose state is what was loaded, or none with a word why.
#include "wallet/store/rows.hpp"
#include "tests/fuzz/input.hpp"
#include "wallet/wallet.hpp"

#include <array>

using namespace headlight;
using namespace headlight::wallet;
using namespace headlight::wallet::store;
using tests::Input;
using tests::require;

namespace {

const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

/// A statement whose one row is what was bound to it: values pass through SQLite without a table.
class Row {
  public:
    explicit Row(std::string_view sql) {
        require(database_.open(":memory:", Database::Access::read_write) == 0);
        require(statement_.prepare(database_, sql) == 0);
    }
    Statement& write() {
        statement_.reset();
        return statement_;
    }
    Statement& read() {
        require(statement_.next_row() == 1);
        return statement_;
    }

  private:
    Database database_;
    Statement statement_;
};

/// Small numbers more often than any.
std::int64_t number(Input& input) {
    const auto kind = input.choose(4);
    if (kind == 0) return static_cast<std::int64_t>(input.number(8));
    return kind == 1 ? -1 : input.choose(1'000);
}

Bytes blob(Input& input, std::uint32_t most) {
    const auto bytes = input.bytes(input.choose(most + 1));
    return {bytes.begin(), bytes.end()};
}

Bytes branches(Input& input) {
    chain::Writer writer;
    for (auto count = input.choose(4); count > 0; --count)
        writer.i64(input.choose(40) - 1).u32(input.choose(300));
    if (input.choose(8) == 0) writer.bytes(blob(input, 24));
    return writer.take();
}

std::string descriptor(Input& input) {
    static const std::array<std::string, 4> known{
        "wpkh([00c0e74a/84h/1h/0h]tpubDCmd9vU1Yu9591SVpgG5v33h2pYatWLKpEL4uhQd8aEycYVihkEmGEPojbkJ1"
        "cWwG85R3mqzLCDGmH41YHbvQFg6pBDEEZ9gnTzT4G1yhp8/<0;1>/*)#jtswa6ul",
        "raw(0014000102030405060708090a0b0c0d0e0f10111213)",
        "raw(51)",
        "addr(bcrt1q5030jmzglm9d78kel6ngt7v3cu227t0gmcxfte)",
    };
    const auto which = input.choose(32);
    if (which == 0) return known[0]; // deriving hundreds of scripts is slow
    if (which < 24) return known[1 + which % 3];
    return std::string(tests::as_text(blob(input, 120)));
}

std::optional<DescriptorState> descriptor_row(Input& input) {
    static Row row("SELECT ?,?,?,?,?,?,?,?");
    auto& written = row.write();
    written.bind(input.choose(4) == 0 ? number(input) : input.choose(3))
        .bind_text(descriptor(input))
        .bind(number(input))
        .bind(input.choose(3))
        .bind(number(input))
        .bind(input.choose(2))
        .bind_blob(branches(input));
    const bool false_sum = input.choose(16) == 1;
    if (false_sum) {
        written.bind(0);
    } else {
        written.bind_sum();
    }
    auto state = read_descriptor(row.read());
    if (!state) return state;
    require(!false_sum);
    bind_row(row.write(), *state);
    require(read_descriptor(row.read()) == *state);
    return state;
}

chain::Transaction transaction(Input& input) {
    chain::Transaction tx;
    for (auto count = 1 + input.choose(3); count > 0; --count) {
        chain::OutPoint from{{}, input.choose(3)};
        from.txid.bytes[0] = input.byte();
        tx.inputs.push_back({from, blob(input, 8), input.byte(), {}});
    }
    for (auto count = input.choose(4); count > 0; --count) {
        const auto amount = input.choose(8) == 0 ? static_cast<Amount>(input.number(8))
                                                 : static_cast<Amount>(input.number(3));
        tx.outputs.push_back({amount, input.choose(2) == 0 ? Bytes{0x51} : blob(input, 30)});
    }
    return tx;
}

std::optional<StoredTx> transaction_row(Input& input, const std::vector<StoredTx>& before) {
    static Row row("SELECT ?,?,?,?,?,?,?,?,?,?,?,?,?");
    auto tx = transaction(input);
    if (!before.empty() && input.choose(2) == 0) // spends an earlier one
        tx.inputs[0].prevout = {
            before[input.choose(static_cast<std::uint32_t>(before.size()))].txid, 0};
    const auto raw = input.choose(8) == 1 ? blob(input, 200) : chain::serialize(tx);
    auto& written = row.write();
    written.bind_blob(input.choose(16) == 1 ? blob(input, 40) : [&] {
        const auto txid = chain::txid(tx);
        return Bytes(txid.bytes.begin(), txid.bytes.end());
    }());
    written.bind_blob(raw).bind(number(input)).bind(number(input)).bind(input.choose(2));
    written.bind_blob(input.choose(8) == 0 ? blob(input, 70) : Bytes());
    const auto confirmed = input.choose(4);
    for (int column = 0; column < 6; ++column) {
        const bool is_blob = column == 1 || column == 5;
        if (confirmed == 0 || (confirmed == 1 && input.choose(4) == 0)) {
            written.bind_null();
        } else if (is_blob) {
            written.bind_blob(input.choose(8) == 0 ? blob(input, 40)
                                                   : Bytes(column == 1 ? 32 : 0, 7));
        } else {
            written.bind(number(input));
        }
    }
    written.bind_sum();
    auto stored = read_transaction_row(row.read());
    if (!stored) return stored;
    require(chain::txid(stored->tx) == stored->txid);
    bind_row(row.write(), *stored);
    require(read_transaction_row(row.read()) == *stored);
    return stored;
}

void seal_row(Input& input) {
    static Row row("SELECT ?,?,?");
    const auto value = blob(input, 20);
    row.write().bind_text("seal").bind_blob(value).bind_sum();
    const auto seal = read_seal_row(row.read());
    if (seal) require(seal->encode() == value);
}

void meta_row(Input& input, WalletState& state) {
    static const std::array<std::string, 10> names{
        "network", "fingerprint",  "created", "scan",  "scan_trail",
        "rescan",  "rescan_other", "filter",  "parts", "other"};
    const auto& name = names[input.choose(names.size())];
    const auto value = blob(input, 120);
    WalletState read;
    if (!decode_meta(name, value, read)) return;
    require(name != "other");
    WalletState again;
    require(decode_meta("scan", encode(read.scan), again));
    require(decode_meta("scan_trail", encode(read.scan_trail), again));
    require(decode_meta("rescan", encode(read.rescan), again));
    require(decode_meta("rescan_other", encode(read.rescan_other), again));
    require(decode_meta("filter", encode(read.filter), again));
    require(decode_meta("parts", encode_parts(read.filter), again));
    require(decode_meta("created", encode(read.created), again));
    require(decode_meta("network", encode(read.network), again));
    require(decode_meta("fingerprint", encode(read.fingerprint), again));
    require(again == read);
    read.network = state.network;
    read.descriptors = std::move(state.descriptors);
    read.transactions = std::move(state.transactions);
    state = std::move(read);
}

void check_wallet(const WalletState& state) {
    const auto loaded = Wallet::load(state, regtest());
    if (!loaded) return require(!loaded.error().cause.empty());
    const auto& wallet = **loaded;
    const auto again = Wallet::load(wallet.state(), regtest());
    require(again.has_value() && (*again)->state() == wallet.state());
    for (const auto tip : {0, 500, 2'000'000}) {
        const auto balance = wallet.ledger().balance(tip);
        require(balance.confirmed >= 0 && balance.unconfirmed >= 0 && balance.immature >= 0);
    }
    require(wallet.ledger().history(0).size() == wallet.ledger().size());
    for (const auto& coin : wallet.ledger().coins())
        require(wallet.ledger().watched_coins().contains(coin.outpoint));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    WalletState state;
    state.network = std::string(regtest().name);
    for (int rows = 0; rows < 40 && !input.empty(); ++rows) {
        const auto kind = input.choose(5);
        if (kind == 4) {
            seal_row(input);
        } else if (kind == 0) {
            meta_row(input, state);
        } else if (kind == 1) {
            if (auto read = descriptor_row(input)) state.descriptors.push_back(std::move(*read));
        } else if (auto read = transaction_row(input, state.transactions)) {
            const bool known = std::ranges::any_of(
                state.transactions, [&](const auto& it) { return it.txid == read->txid; });
            if (!known) state.transactions.push_back(std::move(*read)); // the table's key
        }
    }
    check_wallet(state);
    return 0;
}
