// A long run of `sync --follow` beside a bitcoind whose chain, mempool and life change at random.
// Half a minute as one test of many; tests/soak makes it as long as it is told to.
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <thread>

namespace headlight::stories {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// What a process uses, as the system counts it.
struct Use {
    double at_second = 0;
    long kib = 0;
    int descriptors = 0;
};

Use use_of(pid_t pid, double at_second) {
    const fs::path folder = "/proc/" + std::to_string(pid);
    Use use{.at_second = at_second};
    std::ifstream status(folder / "status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") status >> use.kib;
    std::error_code gone;
    for (fs::directory_iterator at(folder / "fd", gone), end; at != end; at.increment(gone))
        ++use.descriptors;
    return use;
}

double number_from(const char* name, double otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtod(text, nullptr) : otherwise;
}

/// Lines of words, as the commands write them.
std::vector<std::string> lines_of(const fs::path& path) {
    std::ifstream file(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);)
        all.push_back(line);
    return all;
}

class Soak : public Story {
  protected:
    double minutes = number_from("HEADLIGHT_SOAK_MINUTES", 0.5);
    unsigned seed = static_cast<unsigned>(number_from("HEADLIGHT_SOAK_SEED", 1));
    std::mt19937 random{seed};
    StoryWallet wallet{folder()};
    std::optional<regtest::Process> program;
    std::map<std::string, int> done;
    steady_clock::time_point begun = steady_clock::now();
    std::vector<Use> uses; ///< of the process that lives through the second half
    std::string method;
    int paid = 0;
    int paid_before = 0; ///< in the first half
    std::int32_t first_told = 0;

    int pick(int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }
    double seconds() const {
        return std::chrono::duration<double>(steady_clock::now() - begun).count();
    }
    bool second_half() const { return seconds() >= minutes * 30; }
    fs::path told(const char* what) const { return wallet.paths().datadir / what; }

    void launch() {
        const auto to = [&](const char* what) { return " >> '" + told(what).string() + "'"; };
        method = pick(3) == 0 ? "full" : "bip37";
        program.emplace(start_program(
            wallet,
            {"sync", "--follow", "--method", method, "--peer", p2p::to_string(node().endpoint()),
             "--on-tx", "echo %s %b" + to("on-tx"), "--on-block", "echo %s %h" + to("on-block"),
             "--events", told("events").string()},
            wallet.paths().datadir / "soak.log"));
        uses.clear();
    }

    /// A receive address within the gap, which moves on slowly.
    std::string some_address() {
        const auto reach = static_cast<std::uint32_t>(paid++ / 20 + 15);
        return wallet.address(static_cast<std::uint32_t>(random()) % reach);
    }
    Amount some_amount() { return 10'000 + pick(100'000); }

    void pay() { pay_at_any_height(some_address(), some_amount()); }

    /// Another transaction that spends the same coins, pays more in fees, and pays us as well.
    void replace() {
        const auto first = fund(node(), {{some_amount(), script_of(some_address())}});
        node().send_raw(first);
        std::this_thread::sleep_for(milliseconds(pick(500)));
        auto second = first;
        second.outputs[0].script_pubkey = script_of(some_address());
        second.outputs[1].amount -= 20'000; // the change
        for (auto& input : second.inputs)
            input = {.prevout = input.prevout, .script_sig = {}, .witness = {}};
        const auto is_signed =
            node().rpc("signrawtransactionwithwallet", {to_hex(serialize(second))}).value();
        const auto bytes = from_hex(std::string_view(is_signed.at("hex").as_string())).value();
        node().send_raw(chain::parse_transaction(bytes).value());
    }

    /// One to three blocks give way to one more; what was in them is mined again, or pends.
    void reorganise() {
        const auto depth = 1 + pick(3);
        node().invalidate(node().block_hash(node().height() - depth + 1));
        for (int i = 0; i <= depth; ++i) {
            if (pick(2) == 0)
                mine(1);
            else
                node().mine_block({}, strangers_address());
        }
    }

    void restart_node() { node().restart(); }

    void stop_program(int signal) {
        program->signal(signal);
        EXPECT_TRUE(program->wait(std::chrono::seconds(20))) << "it did not end";
        std::this_thread::sleep_for(milliseconds(pick(2'000)));
        launch();
    }

    /// As a machine's sleep: what came meanwhile is found together.
    void suspend_program() {
        struct Sleep {
            explicit Sleep(regtest::Process& one) : process(one) { process.signal(SIGSTOP); }
            ~Sleep() { process.signal(SIGCONT); } // also where mining is refused
            regtest::Process& process;
        } const sleep(*program);
        mine(1);
        std::this_thread::sleep_for(milliseconds(pick(3'000)));
    }

    void act() {
        const auto dice = pick(100);
        const auto did = [&](const char* what) { ++done[what]; };
        if (dice < 40) return pay(), did("paid");
        if (dice < 70) return mine(1 + pick(2)), did("mined");
        if (dice < 80) return replace(), did("replaced");
        if (dice < 92) return reorganise(), did("reorganised");
        if (dice < 94) return restart_node(), did("restarted the node");
        // The second half is one life, so that what grows has time to.
        const bool may_stop = !second_half() && pick(2) == 0;
        if (dice < 96 && may_stop) return stop_program(SIGTERM), did("stopped");
        if (dice < 98 && may_stop) return stop_program(SIGKILL), did("killed");
        if (dice < 98) return suspend_program(), did("suspended");
        std::this_thread::sleep_for(milliseconds(pick(2'000)));
        did("rested");
    }

    /// It may be on its way still, and a moment comes when all is.
    void wait_for_the_program() {
        const auto is_there = [&] {
            const auto opened =
                client::open_wallet(wallet.paths(), wallet::store::WalletDb::Mode::read_only);
            return opened && opened->wallet->scan().hash == node().best_hash();
        };
        for (int tries = 0; tries < 600 && !is_there(); ++tries)
            std::this_thread::sleep_for(milliseconds(200));
        EXPECT_TRUE(is_there()) << "it did not come to the tip within two minutes";
        std::this_thread::sleep_for(std::chrono::seconds(3)); // for the commands
    }

    void watch_its_life() {
        ASSERT_TRUE(program->running()) << "it ended by itself";
        if (!second_half()) paid_before = paid;
        if (second_half() && (uses.empty() || seconds() - uses.back().at_second > 2))
            uses.push_back(use_of(program->pid(), seconds()));
    }

    void report_use() {
        ASSERT_GE(uses.size(), 2U) << "too short a life to compare anything";
        const auto& first = uses.front();
        const auto& last = uses.back();
        const auto kib = std::ranges::max(uses, {}, &Use::kib).kib;
        const auto descriptors = std::ranges::max(uses, {}, &Use::descriptors).descriptors;
        std::cout << "  second half, one process (--method " << method << ") for "
                  << last.at_second - first.at_second << " s, " << paid - paid_before
                  << " payments, measured " << uses.size() << " times:\n"
                  << "  memory first " << first.kib << " KiB, last " << last.kib << ", most " << kib
                  << "\n  descriptors first " << first.descriptors << ", last " << last.descriptors
                  << ", most " << descriptors << std::endl;
        const auto kept = 8'192 + 8 * (paid - paid_before); // each payment is kept
        EXPECT_LT(last.kib, first.kib + kept);
        EXPECT_LT(kib, first.kib + kept);
        // A command each of four with its pipe, and a reconnection.
        EXPECT_LE(descriptors, first.descriptors + 8);
        EXPECT_LE(last.descriptors, first.descriptors + 2);
    }

    /// Each block once, none left out; each transaction of the end's ledger in its block.
    void expect_all_told() {
        std::map<std::string, int> blocks;
        for (const auto& line : lines_of(told("on-block")))
            ++blocks[line];
        for (auto height = first_told + 1; height <= node().height(); ++height)
            EXPECT_GE(blocks[node().block_hash(height).to_string() + " " + std::to_string(height)],
                      1)
                << "block " << height << " was not told";
        std::map<std::string, int> confirmations;
        std::size_t transactions = 0;
        for (const auto& line : lines_of(told("on-tx"))) {
            ++transactions;
            if (!line.ends_with("unconfirmed")) ++confirmations[line];
        }
        for (const auto& entry : wallet.books().history)
            if (entry.block) {
                EXPECT_GE(confirmations[entry.txid.to_string() + " " + entry.block->to_string()],
                          1);
            }
        const auto repeated = [](const std::map<std::string, int>& all) {
            return std::ranges::count_if(all, [](const auto& one) { return one.second > 1; });
        };
        std::cout << "  told " << blocks.size() << " blocks and " << transactions
                  << " changes of transactions; twice: " << repeated(blocks) << " blocks, "
                  << repeated(confirmations) << " confirmations\n";
        if (done["killed"] == 0) {
            EXPECT_EQ(repeated(blocks), 0);
            EXPECT_EQ(repeated(confirmations), 0);
        }
    }
};

TEST_F(Soak, TheBooksAreBitcoindsAndNothingGrows) {
    std::cout << "seed " << seed << ", " << minutes << " min" << std::endl;
    wallet.create();
    launch();
    wait_for_the_program();
    first_told = node().height();
    int refused = 0;
    while (seconds() < minutes * 60 && !HasFatalFailure()) {
        try {
            act();
        } catch (const std::logic_error& error) { // too long a chain in the mempool, for one
            ++refused;
            if (refused < 5) std::cout << "  refused: " << error.what() << "\n";
        }
        watch_its_life();
        std::this_thread::sleep_for(milliseconds(50 + pick(300)));
    }
    for (int tries = 0; tries < 20 && !node().mempool().empty(); ++tries)
        mine(1);
    wait_for_the_program();
    watch_its_life();
    program->signal(SIGTERM);
    EXPECT_TRUE(program->wait(std::chrono::seconds(20)));

    std::cout << "  to height " << node().height() << ", " << wallet.books().history.size()
              << " transactions;";
    for (const auto& [what, times] : done)
        std::cout << " " << what << " " << times << ",";
    std::cout << " refused " << refused << "\n";
    expect_equal_to_bitcoind(node(), wallet, paid / 20 + 300);
    expect_all_told();
    report_use();
}

} // namespace

} // namespace headlight::stories
