#include "tests/bench/payment_chain.hpp"

#include "bip37/partial_merkle_tree.hpp"
#include "chain/script.hpp"
#include "regtest/chain_builder.hpp"
#include "tests/bench/bench_wallet.hpp"

#include <deque>
#include <fstream>
#include <iostream>

namespace headlight::bench {

namespace {

namespace fs = std::filesystem;
using chain::OutPoint;
using chain::Transaction;

constexpr std::int32_t maturity = 100;
constexpr std::size_t lanes = 80; ///< payments in a block, each spending its forerunner's change
constexpr Amount lane_amount = 60'000'000;
constexpr Amount payment = 500;
constexpr Amount fee = 200;
constexpr Amount wallet_payment = 1'000;
constexpr std::int32_t wallet_payments = 260;  ///< over the whole chain, evenly
constexpr std::uint32_t account_indexes = 180; ///< paid in order, then some of them again
constexpr std::int64_t first_time = 1'700'000'000;
constexpr std::int64_t spacing = 60;

const Bytes anybody{0x51}; // OP_TRUE

/// Makes the blocks one after the other; what it makes depends on nothing but their number.
class Maker {
  public:
    explicit Maker(std::int32_t blocks)
        : network_(chain::network(chain::NetworkId::regtest)),
          pay_every_(std::max((blocks - maturity - 2) / wallet_payments, 1)),
          previous_(network_.genesis_hash) {}

    p2p::Block next() {
        ++height_;
        p2p::Block block;
        block.transactions.push_back(coinbase());
        if (height_ == maturity + 1) block.transactions.push_back(fan_out());
        if (height_ > maturity + 1) add_payments(block.transactions);

        std::vector<chain::Hash256> txids;
        for (const auto& tx : block.transactions)
            txids.push_back(chain::txid(tx));
        if (height_ == 1) first_coinbase_ = txids.front();
        transactions_ += static_cast<std::int64_t>(txids.size());
        block.header = {0x20000000,
                        previous_,
                        bip37::merkle_root(txids),
                        static_cast<std::uint32_t>(first_time + spacing * height_),
                        network_.pow_limit_bits,
                        0};
        regtest::grind(block.header);
        previous_ = chain::hash_of(block.header);
        return block;
    }

    std::int64_t transactions() const { return transactions_; }
    std::int64_t wallet_transactions() const { return wallet_transactions_; }
    Amount balance() const { return balance_; }

  private:
    struct Coin {
        OutPoint outpoint;
        Amount amount = 0;
    };

    Transaction coinbase() const {
        Transaction tx;
        Bytes script;
        if (height_ <= 16) {
            script.push_back(static_cast<std::uint8_t>(0x50 + height_)); // BIP-34's shortest push
        } else {
            Bytes number{static_cast<std::uint8_t>(height_ & 0xff)};
            if (height_ > 0x7f) number.push_back(static_cast<std::uint8_t>(height_ >> 8));
            chain::append_push(script, number);
        }
        script.push_back(0);
        tx.inputs.push_back({{{}, 0xffffffff}, script, 0xffffffff, {}});
        const bool funds = height_ == 1;
        tx.outputs.push_back({funds ? Amount{5'000'000'000} : 0, anybody});
        return tx;
    }

    Transaction fan_out() {
        Transaction tx;
        tx.inputs.push_back({{first_coinbase_, 0}, {}, 0xffffffff, {}});
        for (std::size_t i = 0; i < lanes; ++i)
            tx.outputs.push_back({lane_amount, anybody});
        const auto id = chain::txid(tx);
        for (std::uint32_t i = 0; i < lanes; ++i)
            lanes_.push_back({{id, i}, lane_amount});
        return tx;
    }

    void add_payments(std::vector<Transaction>& block) {
        const bool pays_wallet =
            height_ % pay_every_ == 0 && payments_ < static_cast<std::uint32_t>(wallet_payments);
        for (std::size_t i = 0; i < lanes; ++i) {
            const bool ours = pays_wallet && i == lanes / 2;
            block.push_back(pay(lanes_[i], ours));
        }
        // Of five payments to the wallet's open scripts, four leave it again.
        if (coins_.size() > 8 || (pays_wallet && payments_ % 5 == 4 && !coins_.empty()))
            block.push_back(spend_from_wallet());
    }

    Transaction pay(Coin& lane, bool to_wallet) {
        Transaction tx;
        tx.inputs.push_back({lane.outpoint, {}, 0xffffffff, {}});
        lane.amount -= payment + fee + (to_wallet ? wallet_payment : 0);
        tx.outputs.push_back({lane.amount, anybody});
        tx.outputs.push_back({payment, stranger()});
        if (to_wallet) tx.outputs.push_back({wallet_payment, wallet_script()});
        const auto id = chain::txid(tx);
        lane.outpoint = {id, 0};
        if (to_wallet) {
            balance_ += wallet_payment;
            ++wallet_transactions_;
            if (open_) coins_.push_back({{{id, 2}, wallet_payment}, *open_});
        }
        return tx;
    }

    /// Three payments of four go to the account, the others to a script that anybody can spend.
    Bytes wallet_script() {
        const auto number = payments_++;
        open_.reset();
        if (number % 4 == 3) {
            open_ = number / 4 % open_scripts;
            return open_script(*open_);
        }
        return account_script((number - number / 4) % account_indexes);
    }

    Transaction spend_from_wallet() {
        const auto [coin, number] = coins_.front();
        coins_.pop_front();
        Transaction tx;
        Bytes script;
        chain::append_push(script, open_redeem_script(number));
        tx.inputs.push_back({coin.outpoint, script, 0xffffffff, {}});
        tx.outputs.push_back({coin.amount - fee, stranger()});
        balance_ -= coin.amount;
        ++wallet_transactions_;
        return tx;
    }

    Bytes stranger() {
        chain::Writer serial;
        return chain::pkh_script(chain::hash160(serial.u64(++strangers_).data()));
    }

    const chain::Network& network_;
    const std::int32_t pay_every_;
    chain::Hash256 previous_;
    std::int32_t height_ = 0;
    chain::Hash256 first_coinbase_;
    std::vector<Coin> lanes_;
    std::uint64_t strangers_ = 0;
    std::uint32_t payments_ = 0;
    std::optional<std::uint32_t> open_; ///< the open script that the last payment went to
    std::deque<std::pair<Coin, std::uint32_t>> coins_; ///< the wallet's, with their open script
    std::int64_t transactions_ = 0;
    std::int64_t wallet_transactions_ = 0;
    Amount balance_ = 0;
};

result<std::unique_ptr<regtest::Bitcoind>> start(const fs::path& folder) {
    regtest::Bitcoind::Options options;
    options.datadir = folder;
    return regtest::Bitcoind::start(std::move(options));
}

result<void> fill(regtest::Bitcoind& node, Maker& maker, std::int32_t blocks) {
    for (std::int32_t height = 1; height <= blocks; ++height) {
        const auto bytes = p2p::encode_payload(maker.next());
        const auto answer = node.rpc("submitblock", {to_hex(bytes)});
        if (!answer) return answer.error();
        if (!answer->is_null()) {
            return Error{errc::not_accepted, "bitcoind refused block " + std::to_string(height),
                         std::string(answer->as_string())};
        }
    }
    return {};
}

} // namespace

result<PaymentChain> open_payment_chain(const fs::path& cache, std::int32_t blocks) {
    const auto folder = cache / ("payments-" + std::to_string(blocks));
    const auto facts = folder / "chain.txt"; // written last: without it the folder is not whole
    PaymentChain chain;
    chain.blocks = blocks;
    std::ifstream known(facts);
    if (known >> chain.transactions >> chain.wallet_transactions >> chain.balance) {
        auto node = start(folder / "node");
        if (!node) return node.error();
        chain.node = std::move(*node);
        if (chain.node->height() == blocks) return chain;
        chain.node.reset();
    }
    std::cerr << "making a chain of " << blocks << " blocks in " << folder.string() << '\n';
    fs::remove_all(folder);
    auto node = start(folder / "node");
    if (!node) return node.error();
    Maker maker(blocks);
    if (const auto filled = fill(**node, maker, blocks); !filled) return filled.error();
    (*node)->restart(); // what is in its caches is on disk, as in every later run
    chain.transactions = maker.transactions();
    chain.wallet_transactions = maker.wallet_transactions();
    chain.balance = maker.balance();
    chain.node = std::move(*node);
    std::ofstream(facts) << chain.transactions << ' ' << chain.wallet_transactions << ' '
                         << chain.balance << '\n';
    return chain;
}

} // namespace headlight::bench
