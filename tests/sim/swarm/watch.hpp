// What must hold at every step of a run, whatever peers, lines and disks do; seen from outside.
#pragma once

#include "regtest/sim_world.hpp"

#include <set>

namespace headlight::tests {

class Watch {
  public:
    /// Looks at everything the world's client does from now on. `complaints` outlives it.
    Watch(const regtest::ChainBuilder& chain, regtest::SimWorld& world,
          std::vector<std::string>& complaints);

    /// A client starts or is gone: nothing of an earlier one counts.
    void new_run();
    /// The client has ended by itself.
    void ended();

    /// Ids of transactions that were ever stored, coinbases left out: none may be lost.
    const std::set<chain::Hash256>& ever_stored() const { return ever_stored_; }

    void action(const sync::Action& action);
    void event(const sync::Event& event);
    void durable(const sync::action::Persist& persist);

  private:
    struct Asked {              ///< of one connection
        std::size_t blocks = 0; ///< asked for and not answered, at most
        std::deque<std::pair<std::uint64_t, std::size_t>> fences; ///< nonce, blocks before it
    };

    void complain(const std::string& what);
    void sent(sync::PeerId peer, const p2p::Message& message);
    void told(const sync::Notice& notice);
    void told(const sync::notice::Progress& progress);
    void check_stored(const wallet::StoredTx& stored);
    void check_confirmations();
    void check_told();

    const regtest::ChainBuilder* chain_;
    regtest::SimWorld* world_;
    std::vector<std::string>* complaints_;

    std::set<chain::Hash256> ever_stored_;
    std::map<chain::Hash256, wallet::LedgerDelta::Event::Kind> told_; ///< since the last persist
    bool storing_ = false; ///< a persist is not answered yet
    bool finished_ = false;
    std::optional<sync::notice::Progress> progress_;
    std::set<sync::PeerId> connections_;
    std::map<sync::PeerId, Asked> asked_;
};

} // namespace headlight::tests
