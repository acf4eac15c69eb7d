// A real bitcoind on regtest under control: for live tests, the demo and the benches.
#pragma once

#include "chain/network.hpp"
#include "chain/transaction.hpp"
#include "p2p/address.hpp"
#include "rpc/json_rpc.hpp"

#include <filesystem>

namespace headlight::regtest {

/// One coin as bitcoind's wallet lists it.
struct NodeCoin {
    chain::OutPoint outpoint;
    Amount amount = 0;
    std::int32_t confirmations = 0;

    friend auto operator<=>(const NodeCoin&, const NodeCoin&) = default;
};

/// getbalances of one wallet, in satoshis.
struct NodeBalances {
    Amount trusted = 0;
    Amount untrusted_pending = 0;
    Amount immature = 0;

    friend bool operator==(const NodeBalances&, const NodeBalances&) = default;
};

struct PaidTo {
    std::string address;
    Amount amount = 0;
};

/// Satoshis as the decimal text that RPCs take, without a float in between.
std::string amount_text(Amount satoshis);
/// An RPC's amount in satoshis; exact up to ten million coins.
Amount satoshis(const boost::json::value& amount);

/// Every helper but rpc() and start() throws std::logic_error with bitcoind's words when it fails:
/// in a test nothing can go on then.
class Bitcoind {
  public:
    struct Options {
        std::vector<std::string> arguments{}; ///< after ours, so that they win
        bool bloom = true;                    ///< -peerbloomfilters
        std::string whitelist{};         ///< such as "noban,bloomfilter@127.0.0.1"; empty: none
        std::filesystem::path datadir{}; ///< kept at the end when given; else a temporary one
    };

    /// The program: $BITCOIND, `bitcoind` on PATH, or what regtest/get-bitcoind fetched.
    static std::optional<std::string> find_bitcoind();

    /// A node on free ports, on loopback only, answering RPCs, with a loaded wallet. Errors:
    /// not_found without a bitcoind; io and timeout with the end of its log as cause.
    static result<std::unique_ptr<Bitcoind>> start(Options options);
    static result<std::unique_ptr<Bitcoind>> start();
    /// Stops the node and deletes a temporary folder.
    ~Bitcoind();
    Bitcoind(const Bitcoind&) = delete;
    Bitcoind& operator=(const Bitcoind&) = delete;

    std::uint16_t p2p_port() const { return p2p_port_; }
    std::uint16_t rpc_port() const { return rpc_port_; }
    p2p::Endpoint endpoint() const { return {"127.0.0.1", p2p_port_}; }
    const std::filesystem::path& datadir() const { return datadir_; }
    pid_t pid() const;

    /// Any RPC, by name; wallet calls go to the node's own wallet. Errors: as rpc::JsonRpc::call.
    result<boost::json::value> rpc(std::string_view method, const boost::json::array& params = {});
    result<boost::json::value> wallet_rpc(std::string_view wallet, std::string_view method,
                                          const boost::json::array& params = {});

    // Blocks
    /// Mines to `address`, or to the node's own wallet; the hashes in height order.
    std::vector<chain::Hash256> mine(int count, const std::string& address = {});
    /// Mines one block that holds exactly these transactions, in this order (generateblock).
    chain::Hash256 mine_block(const std::vector<chain::Transaction>& transactions,
                              const std::string& address = {});
    void invalidate(const chain::Hash256& block);
    void reconsider(const chain::Hash256& block);
    std::int32_t height();
    chain::Hash256 best_hash();
    chain::Hash256 block_hash(std::int32_t at_height);
    /// The whole block's bytes, as on the wire.
    Bytes block_bytes(const chain::Hash256& block);
    /// Stands the node's clock still at `time` (seconds since 1970); 0 lets it run again.
    void set_mock_time(std::int64_t time);

    // Transactions
    /// type: legacy, p2sh-segwit, bech32, bech32m.
    std::string new_address(std::string_view type = "bech32");
    chain::Hash256 pay(const std::string& address, Amount amount);
    chain::Hash256 pay(const std::vector<PaidTo>& outputs);
    chain::Hash256 send_raw(const chain::Transaction& tx);
    chain::Transaction transaction(const chain::Hash256& txid);
    std::vector<chain::Hash256> mempool();

    // Other nodes
    void connect(const Bitcoind& other);
    void disconnect(const Bitcoind& other);

    // Wallets to compare with
    /// Creates wallet `name` (watch-only unless `with_keys`) and imports the descriptors, scanning
    /// the whole chain; ranged ones up to index `range`. A missing checksum is added.
    void import_descriptors(std::string_view name, const std::vector<std::string>& descriptors,
                            int range = 999, bool with_keys = false);
    /// listunspent with unconfirmed coins and immature coinbases, sorted by outpoint.
    std::vector<NodeCoin> list_unspent(std::string_view wallet);
    NodeBalances balances(std::string_view wallet);

    // Life and death
    /// Asks it to stop and waits; by signal when it does not listen.
    void stop();
    /// SIGKILL.
    void kill_hard();
    /// Starts it again on the same folder and ports after stop() or kill_hard().
    result<void> start_again();
    void restart();

  private:
    template <class Pay>
    chain::Hash256 in_mempool(Pay pay);
    struct Running;
    Bitcoind(std::string program, Options options);

    result<void> launch();
    result<void> wait_until_ready();
    result<void> open_wallet();
    std::vector<std::string> command() const;
    std::string log_tail() const;
    boost::json::value must(std::string_view method, const boost::json::array& params = {});

    std::string program_;
    Options options_;
    std::filesystem::path datadir_;
    bool temporary_ = false;
    std::uint16_t p2p_port_ = 0;
    std::uint16_t rpc_port_ = 0;
    std::string own_address_;
    std::unique_ptr<Running> running_;
};

} // namespace headlight::regtest
