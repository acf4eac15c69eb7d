// Full disks, second processes and banned peers, as people meet them.
#include "tests/sim/disk/program.hpp"

#include "chain/script.hpp"
#include "client/ban_file.hpp"

#include <csignal>
#include <thread>

namespace headlight::tests {
namespace {

/// A watched script, as people name it.
const std::string our_script = "0014" + std::string(40, '5');

class AFullDisk : public DiskProgram {};
class TwoProcesses : public DiskProgram {};
class ABan : public DiskProgram {};

std::string watch_item() { return "raw(" + our_script + ")"; }

void expect_contains(const ProgramRun& run, const std::vector<std::string>& parts) {
    for (const auto& part : parts)
        EXPECT_NE(run.err.find(part), std::string::npos) << part << " is not in:\n" << run.err;
}

void expect_done(const ProgramRun& run) { EXPECT_EQ(run.exit_code, 0) << run.err; }

Bytes our_script_bytes() { return chain::witness_script(0, Bytes(20, 0x55)); }

TEST_F(AFullDisk, IsNamedWithItsCureAndTheNextRunGoesOn) {
    chain_.mine_empty(500);
    chain_.mine({.transactions = {chain_.pay(our_script_bytes(), 70'000)}});
    chain_.mine_empty(1'500);
    const NodeOnAPort node(chain_);
    expect_done(run({"watch", watch_item()}));
    const auto full = run({"sync", "--peer", node.address()}, 100'000);
    EXPECT_EQ(full.exit_code, 1) << full.err;
    expect_contains(full,
                    {header_file().string(), "File too large", "nothing that was stored is lost"});
    EXPECT_EQ(full.out, "");
    expect_done(run({"sync", "--peer", node.address()}));
    EXPECT_NE(run({"--json", "balance"}).out.find("\"confirmed\":70000"), std::string::npos);
}

TEST_F(AFullDisk, OfTheWalletLosesNothingThatWasStored) {
    const auto first = chain_.pay(our_script_bytes(), 70'000);
    chain_.mine({.transactions = {first}});
    {
        const NodeOnAPort node(chain_);
        expect_done(run({"watch", watch_item()}));
        expect_done(run({"sync", "--peer", node.address()}));
    }
    // Blocks full of payments: the headers fit, the transactions do not.
    for (int block = 0; block < 20; ++block) {
        regtest::BlockPlan plan;
        for (int i = 0; i < 60; ++i)
            plan.transactions.push_back(chain_.pay(our_script_bytes(), 1'000));
        chain_.mine(plan);
    }
    const NodeOnAPort node(chain_);
    const auto full = run({"sync", "--peer", node.address()}, 150'000);
    EXPECT_EQ(full.exit_code, 1) << full.err;
    expect_contains(full, {wallet_file().string(), "nothing that was stored is lost"});
    EXPECT_NE(run({"--json", "balance"}).out.find("\"confirmed\":70000"), std::string::npos);
    expect_done(run({"sync", "--peer", node.address()}));
    EXPECT_NE(run({"--json", "balance"}).out.find("\"confirmed\":1270000"), std::string::npos);
}

TEST_F(AFullDisk, LeavesNoHalfOfANewWallet) {
    const auto made = run({"create"}, 4'096);
    EXPECT_EQ(made.exit_code, 1) << made.err;
    expect_contains(made, {wallet_file().string()});
    EXPECT_EQ(made.out, ""); // no mnemonic of a wallet that is not there
    EXPECT_FALSE(std::filesystem::exists(wallet_file()));
    expect_done(run({"create"}));
}

TEST_F(TwoProcesses, OnOneWalletOrOneHeaderFileAreOneTooMany) {
    chain_.mine_empty(10);
    const NodeOnAPort node(chain_);
    expect_done(run({"watch", watch_item()}));
    expect_done(run({"--wallet", "other", "watch", watch_item()}));
    const auto log = folder_ / "log";
    auto follower = start({"sync", "--follow", "--peer", node.address()}, log);
    ASSERT_TRUE(wait_for(log, "\"at tip\"")) << text_of(log);

    const auto begun = std::chrono::steady_clock::now();
    const auto same = run({"sync", "--peer", node.address()});
    EXPECT_EQ(same.exit_code, 1);
    expect_contains(same, {wallet_file().string() + " is in use", "Wait for that process to end"});
    const auto labelled = run({"rescan", "--from", "0"});
    EXPECT_EQ(labelled.exit_code, 1);
    expect_contains(labelled, {wallet_file().string() + " is in use"});
    const auto other = run({"--json", "--wallet", "other", "sync", "--peer", node.address()});
    EXPECT_EQ(other.exit_code, 1);
    expect_contains(other, {"\"in-use\"", header_file().string() + " is in use"});
    const auto reset = run({"reset-chain"});
    EXPECT_EQ(reset.exit_code, 1);
    expect_contains(reset, {header_file().string() + " is in use"});
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10)); // nobody waited
    expect_done(run({"status"})); // who only looks is not in the way

    follower.signal(SIGKILL);
    ASSERT_TRUE(follower.wait(std::chrono::seconds(10)));
    expect_done(run({"sync", "--peer", node.address()}));
    expect_done(run({"--wallet", "other", "sync", "--peer", node.address()}));
}

TEST_F(ABan, IsRememberedSaidAndLifted) {
    chain_.mine_empty(5);
    chain_.mine({.transactions = {chain_.pay(our_script_bytes(), 5'000)}});
    const NodeOnAPort liar(chain_, {"wrong-root"});
    expect_done(run({"watch", watch_item()}));
    EXPECT_NE(run({"sync", "--peer", liar.address()}).exit_code, 0);
    const auto listed = run({"bans"});
    EXPECT_NE(listed.out.find(liar.address()), std::string::npos) << listed.out;

    const auto banned = run({"sync", "--peer", liar.address()});
    EXPECT_EQ(banned.exit_code, 1);
    expect_contains(banned, {liar.address() + " is banned", "headlight bans clear"});

    // An honest node beside it is asked, and the banned one is not dialled.
    const NodeOnAPort honest(chain_);
    const auto beside = run({"-v", "sync", "--peer", liar.address(), "--peer", honest.address()});
    expect_done(beside);
    EXPECT_NE(beside.out.find("0.00005000 BTC"), std::string::npos) << beside.out;
    EXPECT_EQ(beside.out.find("from " + liar.address()), std::string::npos) << beside.out;

    const auto lifted = run({"--json", "bans", "clear", liar.address()});
    EXPECT_EQ(lifted.out, "{\"lifted\":[\"" + liar.address() + "\"]}\n");
    EXPECT_EQ(run({"bans", "list"}).out, "No peer is banned.\n");
    EXPECT_EQ(run({"--json", "bans"}).out, "[]\n");
    EXPECT_EQ(run({"bans", "clear"}).out, "No peer is banned.\n");
    EXPECT_EQ(run({"bans", "lift"}).exit_code, 2);
    EXPECT_EQ(run({"bans", "list", "x"}).exit_code, 2);
    EXPECT_NE(run({"rescan", "--from", "0"}).exit_code, 1);
    expect_contains(run({"-v", "sync", "--peer", liar.address()}), {liar.address()});
    EXPECT_NE(run({"bans"}).out.find(liar.address()), std::string::npos); // it lied again
}

TEST_F(ABan, EndsByItself) {
    chain_.mine_empty(3);
    const NodeOnAPort node(chain_);
    expect_done(run({"watch", watch_item()}));
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    const client::BanFile bans(datadir() / "regtest/bans");
    const auto endpoint = p2p::parse_endpoint(node.address(), 0).value();
    ASSERT_TRUE(bans.keep({endpoint, now + 3, "it lied"}, now));
    expect_contains(run({"sync", "--peer", node.address()}), {"is banned", "it lied"});
    std::this_thread::sleep_for(std::chrono::milliseconds(3'100));
    expect_done(run({"sync", "--peer", node.address()}));
}

} // namespace
} // namespace headlight::tests
