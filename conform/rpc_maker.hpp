// A node on regtest as its RPCs show it.
#pragma once

#include "conform/maker.hpp"
#include "conform/rpc_access.hpp"
#include "rpc/json_rpc.hpp"

#include <functional>

namespace headlight::conform {

class RpcMaker : public Maker {
  public:
    /// Asks once, so that a wrong password or network shows at the start. `now` is the clock in
    /// seconds since 1970. Errors: no_peer, not_accepted, timeout; wrong_network off regtest.
    static result<std::unique_ptr<RpcMaker>> open(const RpcAccess& access,
                                                  std::function<std::int64_t()> now);

    result<Tip> tip() override;
    result<void> submit(const p2p::Block& block) override;
    result<void> submit(const chain::Transaction& tx) override;
    result<void> invalidate(const chain::Hash256& block) override;
    result<void> reconsider(const chain::Hash256& block) override;
    result<void> lift_bans() override;

  private:
    RpcMaker(const RpcAccess& access, std::function<std::int64_t()> now);
    result<void> order(std::string_view method, const boost::json::array& params = {});
    result<boost::json::value> call(std::string_view method, const boost::json::array& params = {});

    rpc::JsonRpc rpc_;
    std::function<std::int64_t()> now_;
};

} // namespace headlight::conform
