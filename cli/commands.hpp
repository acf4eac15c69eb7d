// The commands: each prints its result, or returns why there is none.
#pragma once

#include "cli/context.hpp"

namespace headlight::cli {

result<void> perform(Context& context, const command::Create& create);
result<void> perform(Context& context, const command::Watch& watch);
result<void> perform(Context& context, const command::Sync& sync);
result<void> perform(Context& context, const command::Rescan& rescan);
result<void> perform(Context& context, const command::Status& status);
result<void> perform(Context& context, const command::Balance& balance);
result<void> perform(Context& context, const command::History& history);
result<void> perform(Context& context, const command::Utxos& utxos);
result<void> perform(Context& context, const command::Descriptors& descriptors);
result<void> perform(Context& context, const command::Wallets& wallets);
result<void> perform(Context& context, const command::Address& address);
result<void> perform(Context& context, const command::Broadcast& broadcast);
result<void> perform(Context& context, const command::Abandon& abandon);
result<void> perform(Context& context, const command::ResetChain& reset);
result<void> perform(Context& context, const command::Bans& bans);
result<void> perform(Context& context, const command::Proof& proof);
result<void> perform(Context& context, const command::Verify& verify);
result<void> perform(Context& context, const command::Conform& conform);
result<void> perform(Context& context, const command::Probe& probe);
result<void> perform(Context& context, const command::FilterPlan& plan);
result<void> perform(Context& context, const command::FilterMake& make);
result<void> perform(Context& context, const command::FilterTest& test);
result<void> perform(Context& context, const command::FilterShow& show);
result<void> perform(Context& context, const command::Privacy& privacy);
result<void> perform(Context& context, const command::Unwatch& unwatch);
result<void> perform(Context& context, const command::Label& label);
result<void> perform(Context& context, const command::Export& wanted);

} // namespace headlight::cli
