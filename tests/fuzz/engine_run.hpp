// One client under the rules that every run must keep: whatever comes in, what goes out is held
// against the engine's contract, and what is stored against the chain it claims to be true of.
#pragma once

#include "bip37/partial_merkle_tree.hpp"
#include "regtest/sim_disk.hpp"
#include "sync/engine.hpp"
#include "tests/fuzz/engine_chain.hpp"
#include "tests/fuzz/input.hpp"

#include <deque>

namespace headlight::tests {

class EngineRun {
  public:
    /// How the one who plays the network hears of what the engine does.
    class Network {
      public:
        virtual ~Network() = default;
        virtual void connect(const sync::action::Connect& action) = 0;
        virtual void send(const sync::action::Send& action) = 0;
        virtual void disconnect(const sync::action::Disconnect& action) = 0;
    };

    EngineRun(EngineChain& world, Network& network) : world_(&world), network_(&network) {
        disk_.wallet = world.fresh();
    }

    /// Later runs have as many filters at least.
    void spread(std::uint32_t shards) { disk_.wallet.filter.shards = shards; }

    /// Starts a client on what the disk holds; one that runs is gone at once.
    void start(sync::Config config) {
        live_.clear();
        used_.clear();
        persist_id_ = 0;
        wake_ms_.reset();
        finished_.reset();
        endpoints_ = config.peers;
        broadcast_ = config.broadcast.has_value();
        follows_ = config.follow;
        whole_ = !broadcast_ && !config.until_height && !config.until_txid;
        engine_.reset();
        wallet_ = world_->load(disk_.wallet);
        engine_ = std::make_unique<sync::Engine>(regtest_network(), disk_.headers, *wallet_,
                                                 std::move(config));
        feed(sync::event::Started{});
    }

    void feed(const sync::Event& event) {
        trace(" > ", event);
        if (finished()) return require(engine_->on(event, now()).empty());
        std::deque<sync::Action> actions;
        take(event, actions);
        while (!actions.empty()) {
            require(!finished_);
            const auto action = std::move(actions.front());
            trace("   < ", action);
            actions.pop_front();
            if (const auto* persist = std::get_if<sync::action::Persist>(&action)) {
                store(*persist, actions);
            } else {
                std::visit([this](const auto& it) { execute(it); }, action);
            }
        }
        require(engine_->headers().side_headers() <= limits::max_side_headers);
        if (finished_) check_end();
    }

    void pass(std::int64_t milliseconds) { now_ms_ += milliseconds; }
    std::int64_t now_ms() const { return now_ms_; }
    sync::Now now() const { return {now_ms_, unix_at_zero + now_ms_ / 1'000}; }
    std::optional<std::int64_t> wake_ms() const { return wake_ms_; }
    void forget_wake() { wake_ms_.reset(); }
    bool finished() const { return engine_->finished(); }
    bool fails_next = false; ///< the next persist
    bool omitted = false;    ///< a peer left something out in a way that no proof shows

    /// A connection that ended without the engine's doing.
    void lost(sync::PeerId peer) { live_.erase(peer); }
    void connected(sync::PeerId peer) { live_.at(peer) = true; }

    static constexpr std::int64_t unix_at_zero = 1'700'000'000;

  private:
    /// HEADLIGHT_TRACE=1 tells the story of an input that broke a rule.
    template <class Step>
    void trace(std::string_view direction, const Step& step) const {
        static const bool wanted = std::getenv("HEADLIGHT_TRACE") != nullptr;
        if (wanted) std::cerr << now_ms_ << direction << sync::to_string(step) << '\n';
    }

    void take(const sync::Event& event, std::deque<sync::Action>& actions) {
        const auto* stored = std::get_if<sync::event::Stored>(&event);
        std::optional<std::uint64_t> persist;
        for (auto& action : engine_->on(event, now())) {
            require(!persist || !std::holds_alternative<sync::action::Persist>(action));
            if (const auto* it = std::get_if<sync::action::Persist>(&action)) persist = it->id;
            const auto* notify = std::get_if<sync::action::Notify>(&action);
            if (notify && std::holds_alternative<sync::notice::Transaction>(notify->notice))
                require(stored && !stored->error); // told only when it is stored
            actions.push_back(std::move(action));
        }
        if (stored && stored->error) require(engine_->finished() && !persist);
    }

    void store(const sync::action::Persist& persist, std::deque<sync::Action>& actions) {
        require(persist.id > persist_id_);
        persist_id_ = persist.id;
        require(persist.headers.empty() || persist.headers.fork <= disk_.headers.tip_height());
        sync::event::Stored answer{persist.id, {}};
        if (std::exchange(fails_next, false)) {
            answer.error = Error{errc::disk_full, "no room", "the disk is full"};
        } else {
            disk_.apply(persist);
            check_disk();
        }
        take(answer, actions);
    }

    void execute(const sync::action::Connect& action) {
        require(used_.insert(action.peer).second);
        require(std::ranges::find(endpoints_, action.endpoint) != endpoints_.end());
        live_[action.peer] = false;
        const auto parts = engine_->statistics().parts;
        require(live_.size() <= std::min(endpoints_.size(), limits::max_peers) * parts);
        network_->connect(action);
    }
    void execute(const sync::action::Send& action) {
        require(live_.contains(action.peer) && live_.at(action.peer));
        network_->send(action);
    }
    void execute(const sync::action::Disconnect& action) {
        require(live_.erase(action.peer) == 1);
        network_->disconnect(action);
    }
    void execute(const sync::action::WakeAt& action) {
        require(action.steady_ms >= now_ms_);
        wake_ms_ = action.steady_ms;
    }
    void execute(const sync::action::Notify& action) {
        if (const auto* end = std::get_if<sync::notice::Finished>(&action.notice)) finished_ = *end;
    }
    template <class Other>
    void execute(const Other&) {}

    // What is stored

    bool on_chain(std::int32_t height, const chain::Hash256& hash) const {
        return height <= disk_.headers.tip_height() && disk_.headers.at(height).hash == hash;
    }

    void check_proof(const wallet::StoredTx& stored) const {
        const auto& at = *stored.confirmation;
        require(chain::txid(stored.tx) == stored.txid && world_->holds(stored.txid));
        const auto root =
            bip37::root_of_branch(stored.txid, at.position, at.total_transactions, at.branch);
        require(root == disk_.headers.at(at.height).header.merkle_root);
    }

    void check_disk() {
        const auto& tip = disk_.headers.at(disk_.headers.tip_height());
        require(tip.work >= work_); // the best chain never has less work than before
        work_ = tip.work;
        const auto& scan = disk_.wallet.scan;
        if (scan.height < 0 || !on_chain(scan.height, scan.hash)) return; // not reconciled yet
        std::set<std::pair<chain::Hash256, std::int32_t>> confirmed;
        for (const auto& stored : disk_.wallet.transactions) {
            if (!stored.confirmation) continue;
            require(on_chain(stored.confirmation->height, stored.confirmation->block));
            check_proof(stored);
            if (stored.confirmation->height <= scan.height)
                confirmed.emplace(stored.txid, stored.confirmation->height);
        }
        const auto* expected = world_->expected(scan.hash);
        if (!expected || broadcast_) return;
        // Nothing that is not there, and nothing left out unless somebody hid it.
        require(std::ranges::includes(expected->confirmed, confirmed));
        require(omitted || confirmed == expected->confirmed);
    }

    void check_end() {
        require(engine_->finished());
        const auto statistics = engine_->statistics();
        require(statistics.height <= statistics.tip);
        if (finished_->error || !whole_) return;
        require(disk_.headers.at(disk_.headers.tip_height()) == engine_->headers().tip());
        const auto& scan = disk_.wallet.scan;
        // A service that is ended while nobody has the newest blocks ends well.
        if (follows_ && scan.hash != engine_->headers().tip().hash) return;
        require(scan.hash == engine_->headers().tip().hash);
        const auto* expected = world_->expected(scan.hash);
        if (!expected || omitted) return;
        const auto wallet = world_->load(disk_.wallet);
        if (wallet->ledger().pending().empty())
            require(wallet->ledger().balance(scan.height) == expected->balance);
    }

    EngineChain* world_;
    Network* network_;
    regtest::SimDisk disk_;
    std::unique_ptr<wallet::Wallet> wallet_;
    std::unique_ptr<sync::Engine> engine_;
    std::int64_t now_ms_ = 0;
    std::optional<std::int64_t> wake_ms_;
    std::optional<sync::notice::Finished> finished_;
    std::vector<p2p::Endpoint> endpoints_;
    bool follows_ = false;
    bool broadcast_ = false;
    bool whole_ = true;                 ///< it is to end at the tip
    std::map<sync::PeerId, bool> live_; ///< and whether it is connected
    std::set<sync::PeerId> used_;
    std::uint64_t persist_id_ = 0;
    chain::Uint256 work_;
};

} // namespace headlight::tests
