// The blocks that the checks ask for, made one after the other:
//   - coins for everything, and a chain over 2,000 blocks long;
//   - a block with an output of every form and some odd ones;
//   - outputs and what spends them, in one block and across two;
//   - blocks of 2, 3, 7, 8, 9 and 300 transactions;
//   - a block that a longer branch replaces.
#include "conform/keys.hpp"
#include "conform/locks.hpp"
#include "conform/opcodes.hpp"
#include "conform/stage.hpp"

namespace headlight::conform {

namespace {

constexpr std::int32_t maturity = 100;
constexpr std::int32_t least_height = 2'001; // headers come in thousands of two
constexpr std::size_t mempool_coins = 40;
constexpr Amount mempool_coin = 4'000; // satoshis
constexpr std::size_t block_coins = 420;
constexpr std::size_t most_coinbases = 100;
constexpr std::size_t block_sizes[] = {2, 3, 7, 8, 9, 300};

Bytes script_of(std::initializer_list<std::uint8_t> before, ByteView data,
                std::initializer_list<std::uint8_t> after) {
    Bytes script(before);
    script.insert(script.end(), data.begin(), data.end());
    script.insert(script.end(), after);
    return script;
}

class SceneMaker {
  public:
    explicit SceneMaker(Mill mill) : mill_(std::move(mill)) {
        scene_.filler_script = anyone_script();
    }

    result<Scene> make() {
        for (const auto step : {&SceneMaker::fund, &SceneMaker::fan_out, &SceneMaker::forms,
                                &SceneMaker::spends, &SceneMaker::sizes, &SceneMaker::branch})
            if (auto done = (this->*step)(); !done) return done.error();
        return std::move(scene_);
    }

  private:
    /// A block of the scene.
    result<void> mine(std::vector<chain::Transaction> transactions) {
        auto block = mill_.mine(std::move(transactions));
        if (!block) return block.error();
        scene_.blocks.push_back(std::move(*block));
        return {};
    }

    result<void> fund() {
        const Amount wanted = mempool_coins * mempool_coin;
        const auto first = mill_.tip().height + 1;
        Amount sum = 0;
        while (sum < wanted || mill_.tip().height < first + maturity ||
               mill_.tip().height < least_height) {
            const auto block = mill_.mine();
            if (!block) return block.error();
            if (sum >= wanted) continue;
            const auto& coinbase = block->transactions.front();
            coinbases_.push_back({{block->txids.front(), 0}, coinbase.outputs.front().amount});
            sum += coinbases_.back().amount;
            if (coinbases_.size() > most_coinbases)
                return Error{errc::bad_argument, "the checks cannot be paid for on this chain",
                             "at height " + std::to_string(mill_.tip().height) +
                                 " a block pays next to nothing on regtest",
                             "Start the node on an empty folder"};
        }
        // The last coinbase that is spent has to be as old as the first.
        for (auto more = coinbases_.size(); more > 1; --more)
            if (auto block = mill_.mine(); !block) return block.error();
        return mine({});
    }

    result<void> fan_out() {
        chain::Transaction tx;
        for (const auto& coin : coinbases_) {
            chain::TxIn input;
            input.prevout = coin.outpoint;
            input.witness = anyone_witness();
            tx.inputs.push_back(std::move(input));
        }
        for (std::size_t i = 0; i < mempool_coins; ++i)
            tx.outputs.push_back({mempool_coin, anyone_script()});
        for (std::size_t i = 0; i < block_coins; ++i)
            tx.outputs.push_back({0, anyone_script()});
        const auto id = chain::txid(tx);
        for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
            auto& coins = i < mempool_coins ? scene_.coins : block_coins_;
            coins.push_back({{id, i}, tx.outputs[i].amount});
        }
        return mine({tx});
    }

    chain::Transaction pay(std::vector<Bytes> scripts) {
        const auto coin = block_coins_.back();
        block_coins_.pop_back();
        return spend(coin.outpoint, std::move(scripts));
    }

    static chain::Transaction spend(const chain::OutPoint& coin, std::vector<Bytes> scripts) {
        chain::Transaction tx;
        chain::TxIn input;
        input.prevout = coin;
        input.witness = anyone_witness();
        tx.inputs.push_back(std::move(input));
        for (auto& script : scripts)
            tx.outputs.push_back({0, std::move(script)});
        return tx;
    }

    result<void> forms() {
        std::vector<Bytes> scripts;
        for (const auto form : spendable_forms)
            scripts.push_back(lock(form, ++number_));
        scripts.push_back(chain::pk_script(public_key(++number_, false)));
        const auto data = [&](std::size_t size) { return unique_bytes(++number_, size); };
        scripts.push_back(script_of({op_return, 32}, data(32), {}));
        auto several = script_of({20}, data(20), {op_drop});
        for (const auto& more : {script_of({33}, data(33), {op_drop}), script_of({8}, data(8), {})})
            several.insert(several.end(), more.begin(), more.end());
        scripts.push_back(std::move(several));
        scripts.push_back({op_0, op_drop, op_true});
        scripts.push_back({op_true});
        scripts.push_back(script_of({1}, data(1), {op_drop, op_true}));
        scripts.push_back(script_of({op_pushdata1, 100}, data(100), {op_drop, op_true}));
        scripts.push_back(script_of({op_pushdata2, 300 - 256, 1}, data(300), {op_drop, op_true}));
        scripts.push_back(script_of({op_pushdata2, 520 - 512, 2}, data(520), {op_drop, op_true}));
        scripts.push_back(script_of({op_pushdata2, 521 - 512, 2}, data(521), {op_drop, op_true}));
        scripts.push_back(script_of({40}, data(40), {op_drop, op_true}));
        auto malformed =
            script_of({20}, data(20), {op_pushdata1, 200}); // a push over the script's end
        const auto rest = data(20);
        malformed.insert(malformed.end(), rest.begin(), rest.end());
        scripts.push_back(std::move(malformed));
        std::vector<chain::Transaction> transactions;
        for (auto& script : scripts)
            transactions.push_back(pay({std::move(script)}));
        return mine(std::move(transactions));
    }

    /// Spends output 0 of `tx`, which is the n-th lock of this form.
    static chain::Transaction unlocking(const chain::Transaction& tx, chain::ScriptForm form,
                                        std::uint32_t n) {
        auto spending = spend({chain::txid(tx), 0}, {anyone_script()});
        spending.inputs[0].witness.clear();
        unlock(spending, 0, form, n, tx.outputs[0].amount);
        return spending;
    }

    result<void> spends() {
        std::vector<chain::Transaction> first, second;
        for (const auto form : spendable_forms) {
            const auto n = ++number_;
            const auto made = pay({lock(form, n), anyone_script()});
            const auto spending = unlocking(made, form, n);
            first.push_back(made);
            second.push_back(spending);
            second.push_back(spend({chain::txid(made), 1}, {anyone_script()}));
            second.push_back(spend({chain::txid(spending), 0}, {anyone_script()}));
            const auto again = ++number_;
            first.push_back(pay({lock(form, again), anyone_script()}));
            first.push_back(unlocking(first.back(), form, again));
        }
        if (auto mined = mine(std::move(first)); !mined) return mined;
        return mine(std::move(second));
    }

    result<void> sizes() {
        for (const auto size : block_sizes) {
            std::vector<chain::Transaction> transactions;
            for (std::size_t i = 1; i < size; ++i)
                transactions.push_back(
                    pay({chain::witness_script(0, unique_bytes(++number_, 20))}));
            if (auto mined = mine(std::move(transactions)); !mined) return mined;
        }
        return {};
    }

    result<void> branch() {
        const auto fork = mill_.tip();
        auto stale = mill_.mine();
        if (!stale) return stale.error();
        scene_.stale = std::move(*stale);
        mill_.go_back(fork);
        if (auto mined = mine({}); !mined) return mined;
        return mine({});
    }

    Mill mill_;
    Scene scene_;
    std::vector<Coin> coinbases_;
    std::vector<Coin> block_coins_;
    std::uint32_t number_ = 0;
};

} // namespace

result<Scene> make_scene(Maker& maker, const chain::Network& network) {
    auto mill = Mill::open(maker, network);
    if (!mill) return mill.error();
    return SceneMaker(std::move(*mill)).make();
}

} // namespace headlight::conform
