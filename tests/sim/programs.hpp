// headlight and headlight-simnode as people run them, in a folder that goes away.
#pragma once

#include "regtest/process.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <thread>
#include <vector>

namespace headlight::tests {

class Programs {
  public:
    std::filesystem::path file(std::string_view name) const { return folder_ / name; }

    /// The command line of headlight with this folder's data.
    std::vector<std::string> command(const std::vector<std::string>& arguments) const {
        std::vector<std::string> words{HEADLIGHT_PROGRAM, "--datadir", file("data").string(),
                                       "--network", "regtest"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return words;
    }
    /// Runs headlight to its end; what it wrote.
    std::string headlight(const std::vector<std::string>& arguments) {
        const auto log = file("run-" + std::to_string(++runs_));
        auto process = regtest::Process::start(command(arguments), log).value();
        EXPECT_TRUE(process.wait(std::chrono::seconds(60))) << arguments.front() << " does not end";
        return read_text_file(log);
    }
    std::string first_address() {
        const std::regex form("bcrt1[a-z0-9]+");
        const auto text = headlight({"address"});
        std::smatch found;
        EXPECT_TRUE(std::regex_search(text, found, form)) << text;
        return found[0];
    }

    /// A node in place of the one before; where it listens, as HOST:PORT. It writes to "node".
    std::string start_node(const std::vector<std::string>& options) {
        std::filesystem::remove(file("node"));
        std::vector<std::string> words{HEADLIGHT_SIMNODE};
        words.insert(words.end(), options.begin(), options.end());
        node = regtest::Process::start(words, file("node")).value();
        for (int tries = 0; tries < 500 && !read_text_file(file("node")).ends_with('\n'); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return "127.0.0.1:" + std::to_string(std::stoi(read_text_file(file("node"))));
    }

    regtest::Process node;

  private:
    TemporaryFolder folder_;
    int runs_ = 0;
};

} // namespace headlight::tests
