#include "tests/unit/cli/program.hpp"

#include "bip37/partial_merkle_tree.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace headlight::tests {

namespace fs = std::filesystem;
using wallet::store::HeaderFile;
using wallet::store::WalletDb;

namespace {

boost::json::value parse_json(const std::string& text) {
    boost::json::error_code error;
    auto value = boost::json::parse(text, error);
    EXPECT_FALSE(error) << text;
    return value;
}

} // namespace

boost::json::value Ran::json() const {
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << out;
    return parse_json(out);
}

boost::json::value Ran::error() const {
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    const auto value = parse_json(err);
    if (!value.is_object() || !value.get_object().contains("error")) return nullptr;
    return value.at("error");
}

result<cli::Arguments> parse(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"headlight", "--datadir", "/nowhere"});
    std::vector<const char*> argv;
    for (const auto& one : arguments)
        argv.push_back(one.c_str());
    auto parsed = cli::parse_arguments(static_cast<int>(argv.size()), argv.data(), test_now);
    if (!parsed) return parsed.error();
    return std::get<cli::Arguments>(*parsed);
}

Ran Program::run(std::vector<std::string> arguments, const std::string& input) {
    arguments.insert(arguments.begin(),
                     {"--datadir", (folder_ / "data").string(), "--network", network_});
    return run_raw(std::move(arguments), input);
}

Ran Program::run_raw(std::vector<std::string> arguments, const std::string& input) {
    arguments.insert(arguments.begin(), "headlight");
    std::vector<const char*> argv;
    for (const auto& argument : arguments)
        argv.push_back(argument.c_str());
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    const cli::Host host{.in = in,
                         .out = out,
                         .err = err,
                         .out_is_terminal = terminal_,
                         .err_is_terminal = terminal_,
                         .now = [this] { return now_; }};
    const int code = cli::run(static_cast<int>(argv.size()), argv.data(), host);
    return {code, out.str(), err.str()};
}

std::string Program::file(const std::string& name, const std::string& content) const {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
}

client::Paths Program::paths(const std::string& wallet) const {
    return {folder_ / "data", chain::find_network(network_), wallet};
}

chain::ChainedHeader Program::mine(const std::vector<chain::Transaction>& transactions) {
    std::vector<chain::Hash256> txids;
    for (const auto& tx : transactions)
        txids.push_back(chain::txid(tx));
    fs::create_directories(paths().headers().parent_path());
    auto opened =
        HeaderFile::open(paths().headers(), *paths().network, HeaderFile::Mode::read_write);
    chain::HeaderTree tree(*paths().network, *opened.value().file);
    chain::BlockHeader header{.version = 4,
                              .previous = tree.tip().hash,
                              .merkle_root = bip37::merkle_root(txids),
                              .time = static_cast<std::uint32_t>(test_now) +
                                      static_cast<std::uint32_t>(tree.tip_height()) * 600,
                              .bits = paths().network->pow_limit_bits};
    while (tree.accept(header, now_ + 1'000'000).verdict != chain::HeaderVerdict::extended)
        ++header.nonce;
    EXPECT_TRUE(opened.value().file->apply(tree.unsaved()));
    return tree.tip();
}

chain::Hash256 Program::pay(const Bytes& script_pubkey, Amount amount) {
    chain::Transaction other;
    other.inputs.push_back({.prevout = {.txid = chain::hash256(as_bytes("other")), .index = 1},
                            .script_sig = {},
                            .witness = {}});
    other.outputs.push_back({1'000, Bytes{0x51}});
    chain::Transaction tx;
    tx.inputs.push_back({.prevout = {.txid = chain::hash256(script_pubkey), .index = 7},
                         .script_sig = {},
                         .witness = {}});
    tx.outputs.push_back({amount, script_pubkey});
    const auto block = mine({other, tx});

    auto opened = client::open_wallet(paths(), WalletDb::Mode::read_write);
    auto& wallet = *opened.value().wallet;
    const wallet::Confirmation confirmation{.height = block.height,
                                            .block = block.hash,
                                            .time = block.header.time,
                                            .position = 1,
                                            .total_transactions = 2,
                                            .branch = {chain::txid(other)}};
    const auto txid = chain::txid(tx);
    EXPECT_TRUE(wallet.ledger().confirm(tx, txid, confirmation, now_).ours);
    wallet.set_scan({block.height, block.hash});
    wallet.clear_rescan();
    EXPECT_TRUE(opened.value().save());
    return txid;
}

Bytes Program::script(std::uint32_t branch, std::uint32_t index) const {
    const auto opened = client::open_wallet(paths(), WalletDb::Mode::read_only);
    const auto script = opened.value().wallet->scripts().script({0, branch, index})->script_pubkey;
    return {script.begin(), script.end()};
}

} // namespace headlight::tests
