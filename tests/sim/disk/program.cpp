#include "tests/sim/disk/program.hpp"

#include "regtest/sim_server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

namespace headlight::tests {

namespace fs = std::filesystem;

struct NodeOnAPort::Inside {
    boost::asio::io_context io;
    std::unique_ptr<regtest::SimNode> node;
    std::unique_ptr<regtest::SimServer> server;
    std::thread thread;
};

NodeOnAPort::NodeOnAPort(regtest::ChainBuilder& chain, std::vector<std::string> faults)
    : inside_(std::make_unique<Inside>()) {
    regtest::SimNodeConfig config{.noban = true};
    for (const auto& fault : faults)
        config.faults.push_back(regtest::parse_fault(fault).value());
    inside_->node = std::make_unique<regtest::SimNode>(chain, config);
    inside_->node->set_tip(chain.newest().hash, 0);
    inside_->server = regtest::SimServer::open(inside_->io, *inside_->node).value();
    port_ = inside_->server->port();
    inside_->thread = std::thread([this] {
        const auto work = boost::asio::make_work_guard(inside_->io);
        inside_->io.run();
    });
}

NodeOnAPort::~NodeOnAPort() {
    inside_->io.stop();
    inside_->thread.join();
    inside_->server.reset();
}

namespace {

/// A limit on file sizes is the full disk that needs no mount of its own.
std::vector<std::string> under_limit(std::size_t most_bytes,
                                     const std::vector<std::string>& command) {
    if (most_bytes == 0) return command;
    const auto blocks = std::to_string(most_bytes / 512); // as POSIX counts them
    std::vector<std::string> words{"sh", "-c", "ulimit -f " + blocks + "; exec \"$@\"", "sh"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

} // namespace

std::vector<std::string> DiskProgram::command(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{HEADLIGHT_PROGRAM, "--network", "regtest", "--datadir",
                                   datadir().string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

ProgramRun DiskProgram::run(const std::vector<std::string>& arguments, std::size_t most_bytes) {
    const auto out = folder_ / "out", err = folder_ / "err";
    fs::remove(out);
    fs::remove(err);
    std::vector<std::string> words{
        "sh", "-c", "out=$1; shift; \"$@\" >\"$out\"; echo \"exit $?\" >&2", "sh", out.string()};
    const auto limited = under_limit(most_bytes, command(arguments));
    words.insert(words.end(), limited.begin(), limited.end());
    auto process = regtest::Process::start(words, err).value();
    EXPECT_TRUE(process.wait(std::chrono::seconds(60))) << "it does not end";
    ProgramRun ran{.out = text_of(out), .err = text_of(err)};
    const auto at = ran.err.rfind("exit ");
    if (at == std::string::npos) return ran;
    ran.exit_code = std::atoi(ran.err.c_str() + at + 5);
    ran.err.resize(at);
    return ran;
}

regtest::Process DiskProgram::start(const std::vector<std::string>& arguments,
                                    const fs::path& log) {
    return regtest::Process::start(command(arguments), log).value();
}

std::string DiskProgram::text_of(const fs::path& file) {
    const auto bytes = read_file(file);
    return {bytes.begin(), bytes.end()};
}

bool DiskProgram::wait_for(const fs::path& file, const std::string& text) {
    for (int tries = 0; tries < 600; ++tries) {
        if (text_of(file).find(text) != std::string::npos) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

} // namespace headlight::tests
