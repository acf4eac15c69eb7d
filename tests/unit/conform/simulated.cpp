#include "tests/unit/conform/simulated.hpp"

#include "conform/stage.hpp"

#include <boost/asio/post.hpp>

namespace headlight::tests {

using std::chrono::milliseconds;

namespace {

regtest::SimNodeConfig config_with(const std::string& fault) {
    regtest::SimNodeConfig config;
    config.trickle_ms = 20;
    if (!fault.empty()) config.faults.push_back(regtest::parse_fault(fault).value());
    return config;
}

} // namespace

SimulatedNode::SimulatedNode(regtest::ChainBuilder& chain,
                             const std::vector<chain::Hash256>& branches, const std::string& fault)
    : node_(chain, config_with(fault)) {
    for (const auto& branch : branches)
        node_.set_tip(branch, 0);
    server_ = regtest::SimServer::open(context_, node_).value();
    port_ = server_->port();
    thread_ = std::thread([this] { context_.run(); });
}

SimulatedNode::~SimulatedNode() {
    context_.stop();
    thread_.join();
}

conform::NodeAddress SimulatedNode::address() const {
    return conform::resolve(node_.chain().network(), endpoint()).value();
}

template <class Do>
auto SimulatedNode::on_thread(Do what) {
    std::promise<decltype(what())> promise;
    auto future = promise.get_future();
    boost::asio::post(context_, [&] {
        promise.set_value(what());
        server_->flush();
    });
    return future.get();
}

result<conform::Maker::Tip> SimulatedNode::tip() {
    return on_thread([&]() -> result<Tip> {
        const auto& tip = node_.tip();
        return Tip{tip.hash, tip.height, {tip.header.time}, false, 0};
    });
}

result<void> SimulatedNode::submit(const p2p::Block& block) {
    return on_thread([&]() -> result<void> {
        const auto& added = node_.chain().add(block);
        if (added.work > node_.tip().work) node_.set_tip(added.hash, server_->now_ms());
        return {};
    });
}

result<void> SimulatedNode::submit(const chain::Transaction& tx) {
    return on_thread([&]() -> result<void> {
        node_.add_to_mempool(tx, server_->now_ms());
        return {};
    });
}

result<void> SimulatedNode::invalidate(const chain::Hash256& block) {
    return on_thread([&]() -> result<void> {
        node_.invalidate(block, server_->now_ms());
        return {};
    });
}

result<void> SimulatedNode::reconsider(const chain::Hash256& block) {
    return on_thread([&]() -> result<void> {
        node_.set_tip(block, server_->now_ms());
        return {};
    });
}

conform::Deadlines patient() {
    return {milliseconds(5'000), milliseconds(10'000), milliseconds(60), milliseconds(10'000)};
}
conform::Deadlines hasty() {
    return {milliseconds(5'000), milliseconds(500), milliseconds(60), milliseconds(500)};
}

Stage& stage() {
    static Stage made;
    if (!made.scene.blocks.empty()) return made;
    SimulatedNode node(made.chain, {});
    made.scene = conform::make_scene(node, made.chain.network()).value();
    made.scene.chain.clear();
    for (const auto* block : made.chain.branch(made.scene.blocks.back().hash))
        made.scene.chain.push_back(block->hash);
    made.scene.whole_chain = true;
    made.branches = {made.scene.stale.value().hash, made.scene.blocks.back().hash};
    return made;
}

conform::Report check_node(const std::string& fault, const std::vector<std::string>& only,
                           const conform::Deadlines& deadlines) {
    SimulatedNode node(stage().chain, stage().branches, fault);
    auto scene = stage().scene; // its coins are used up
    conform::RunOptions options;
    options.only = only;
    options.deadlines = deadlines;
    options.maker = &node;
    options.scene = &scene;
    return conform::run(node.address(), options).value();
}

} // namespace headlight::tests
