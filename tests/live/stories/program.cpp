#include "tests/live/stories/program.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include <sys/wait.h>

namespace headlight::stories {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::vector<std::string> command(const StoryWallet& wallet,
                                 const std::vector<std::string>& arguments) {
    const auto& paths = wallet.paths();
    std::vector<std::string> words{HEADLIGHT_PROGRAM, "--json",
                                   "--network",       std::string(paths.network->name),
                                   "--datadir",       paths.datadir.string(),
                                   "--wallet",        paths.wallet};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> follow_arguments(const std::vector<const Bitcoind*>& nodes) {
    std::vector<std::string> arguments{"sync", "--follow"};
    for (const auto* one : nodes) {
        arguments.push_back("--peer");
        arguments.push_back(p2p::to_string(one->endpoint()));
    }
    return arguments;
}

} // namespace

json::value Ran::json() const { return json::parse(out); }

Ran run_program(const StoryWallet& wallet, const std::vector<std::string>& arguments) {
    fs::create_directories(wallet.paths().datadir);
    const auto errors = wallet.paths().datadir / "stderr.txt";
    std::string line;
    for (const auto& word : command(wallet, arguments))
        line += quoted(word) + " ";
    line += "2>" + quoted(errors.string());
    Ran ran;
    auto* pipe = popen(line.c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot run " + line);
    char buffer[4096];
    while (const auto count = std::fread(buffer, 1, sizeof buffer, pipe))
        ran.out.append(buffer, count);
    const int status = pclose(pipe);
    ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ran.err = read_file(errors);
    return ran;
}

regtest::Process start_program(const StoryWallet& wallet, const std::vector<std::string>& arguments,
                               const fs::path& log) {
    return regtest::Process::start(command(wallet, arguments), log).value();
}

Follower::Follower(const StoryWallet& wallet, const std::vector<const Bitcoind*>& nodes)
    : log_(wallet.paths().datadir / (wallet.paths().wallet + "-follow.log")),
      process_(start_program(wallet, follow_arguments(nodes), log_)) {}

std::vector<json::object> Follower::lines() const {
    std::vector<json::object> all;
    const auto text = read_file(log_);
    std::size_t at = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
        boost::system::error_code error;
        const auto value = json::parse(text.substr(at, end - at), error);
        const bool is_event = !error && value.is_object() && value.as_object().contains("event");
        if (is_event) all.push_back(value.as_object());
        at = end + 1;
    }
    return all;
}

json::object Follower::wait_for(const std::string& what, const Wanted& wanted) {
    for (int tries = 0; tries < 1'500; ++tries) {
        const auto all = lines();
        for (; read_ < all.size(); ++read_)
            if (wanted(all[read_])) return all[read_++];
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << what << " did not come in 30 s:\n" << read_file(log_);
    return {};
}

json::object Follower::wait_for_block(std::int32_t height) {
    return wait_for("block " + std::to_string(height), [&](const json::object& line) {
        return line.at("event") == "block" && line.at("height") == height &&
               line.at("fork").is_null();
    });
}

json::object Follower::wait_for_transaction(const chain::Hash256& txid, std::string_view kind) {
    const json::value id(txid.to_string()), wanted(kind);
    return wait_for(std::string(kind) + " " + txid.to_string(), [&](const json::object& line) {
        return line.at("event") == "transaction" && line.at("txid") == id &&
               line.at("kind") == wanted;
    });
}

void Follower::wait_for_tip_phase() {
    wait_for("the tip", [](const json::object& line) {
        return line.at("event") == "phase" && line.at("phase") == "at tip";
    });
}

bool Follower::stop() {
    process_.signal(SIGINT);
    return process_.wait(std::chrono::seconds(10));
}

} // namespace headlight::stories
