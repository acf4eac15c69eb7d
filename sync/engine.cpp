#include "sync/engine.hpp"

#include "sync/core.hpp"

namespace headlight::sync {

Engine::Engine(const chain::Network& network, const chain::HeaderArchive& archive,
               wallet::Wallet& wallet, Config config)
    : core_(std::make_unique<Core>(network, archive, wallet, std::move(config))) {}

Engine::~Engine() = default;

std::vector<Action> Engine::on(const Event& event, Now now) { return core_->on(event, now); }
Statistics Engine::statistics() const { return core_->statistics(); }
const chain::HeaderTree& Engine::headers() const { return core_->headers(); }
bool Engine::finished() const { return core_->finished(); }

} // namespace headlight::sync
