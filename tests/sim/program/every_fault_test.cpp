// The program as people run it, alone with each fault of the simulated node: it ends by itself
// within a minute and 100 MiB, with the exit code and the cause that docs/outcomes.md promises.
#include "regtest/faults.hpp"
#include "tests/sim/programs.hpp"
#include "tests/support/vectors.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <sstream>

namespace headlight::tests {
namespace {

using regtest::Process;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t most_kilobytes = 100 * 1024;
constexpr auto most_time = seconds(60);
constexpr std::size_t at_once = 16; // they mostly wait

/// What the document's table says of this fault alone: "right", "fails" or "**may show less...".
std::string promised(std::string_view fault) {
    std::istringstream lines(read_text_file(source_folder() / "docs/outcomes.md"));
    for (std::string line; std::getline(lines, line);) {
        if (line.find("`" + std::string(fault) + "`") == std::string::npos) continue;
        std::istringstream columns(line);
        std::string column;
        for (int i = 0; i < 5; ++i)
            std::getline(columns, column, '|');
        if (column.size() > 1) return column.substr(1);
    }
    return {};
}

/// VmHWM: the most memory that a process has held, in kilobytes; nothing once it is gone.
std::optional<std::int64_t> most_memory(pid_t pid) {
    const auto status = read_text_file("/proc/" + std::to_string(pid) + "/status");
    const std::regex form(R"(VmHWM:\s+(\d+) kB)");
    std::smatch found;
    if (!std::regex_search(status, found, form)) return std::nullopt;
    return std::stoll(found[1]);
}

/// One fault: a node that has it, and the program against that node.
class Trial {
  public:
    explicit Trial(std::string_view fault) : fault_(fault) {
        programs_.headlight({"create"});
        const auto address = programs_.first_address();
        const auto peer = programs_.start_node({"--blocks", "420", "--fault", fault_, "--pay",
                                                address + ":5000@3", "--pay", address + ":7000@3"});
        begun_ = Clock::now();
        // The shell tells the exit code, which is gone once a process is reaped.
        std::vector<std::string> command{"/bin/sh", "-c", "\"$0\" \"$@\"; echo \"exit $?\""};
        std::vector<std::string> arguments{"sync", "--peer", peer};
        if (regtest::find_fault(fault)->whole_blocks)
            arguments.insert(arguments.end(), {"--method", "full"});
        for (auto& word : programs_.command(arguments))
            command.push_back(std::move(word));
        sync_ = Process::start(command, programs_.file("out")).value();
    }

    /// Whether it is over; looks at its memory.
    bool poll() {
        if (ended_) return true;
        for (const auto& child : children(sync_.pid()))
            kilobytes_ = std::max(kilobytes_, most_memory(child).value_or(0));
        if (sync_.running() && Clock::now() - begun_ < most_time + seconds(30)) return false;
        took_ = Clock::now() - begun_;
        ended_ = true;
        return true;
    }

    void judge() {
        SCOPED_TRACE(fault_);
        const auto out = read_text_file(programs_.file("out"));
        const std::regex form(R"(exit (\d+)\n)");
        std::smatch found;
        ASSERT_TRUE(std::regex_search(out, found, form)) << "it did not end\n" << out;
        const auto code = std::stoi(found[1]);
        if (promised(fault_).starts_with("fails")) {
            EXPECT_TRUE(code == 1 || code == 3) << out;
            EXPECT_NE(out.find("headlight: "), std::string::npos) << out;
        } else {
            EXPECT_EQ(code, 0) << out;
        }
        EXPECT_LT(took_, most_time);
        EXPECT_LT(kilobytes_, most_kilobytes);
        const auto balance = programs_.headlight({"--json", "balance"});
        const std::regex total(R"("total":(\d+))");
        ASSERT_TRUE(std::regex_search(balance, found, total)) << balance;
        EXPECT_LE(std::stoll(found[1]), 12'000) << "false credit: " << balance;
        if (promised(fault_) == "right ") {
            EXPECT_EQ(std::stoll(found[1]), 12'000) << balance;
        }
    }

  private:
    static std::vector<pid_t> children(pid_t pid) {
        std::istringstream ids(read_text_file("/proc/" + std::to_string(pid) + "/task/" +
                                              std::to_string(pid) + "/children"));
        return {std::istream_iterator<pid_t>(ids), {}};
    }

    std::string fault_;
    Programs programs_;
    Process sync_;
    Clock::time_point begun_;
    Clock::duration took_{};
    std::int64_t kilobytes_ = 0;
    bool ended_ = false;
};

TEST(EveryFault, AloneTheProgramEndsByItselfWithTheCause) {
    std::deque<std::string_view> left;
    for (const auto& fault : regtest::all_faults())
        left.push_back(fault.name);
    std::vector<std::unique_ptr<Trial>> under_way;
    while (!left.empty() || !under_way.empty()) {
        while (!left.empty() && under_way.size() < at_once) {
            under_way.push_back(std::make_unique<Trial>(left.front()));
            left.pop_front();
        }
        std::this_thread::sleep_for(milliseconds(20));
        std::erase_if(under_way, [](const auto& trial) {
            if (!trial->poll()) return false;
            trial->judge();
            return true;
        });
    }
}

} // namespace
} // namespace headlight::tests
