// The headlight program as people run it, against a simulated node on a real port.
#pragma once

#include "regtest/process.hpp"
#include "regtest/sim_node.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace headlight::tests {

/// In a thread of its own. What it is to serve is mined before.
class NodeOnAPort {
  public:
    explicit NodeOnAPort(regtest::ChainBuilder& chain, std::vector<std::string> faults = {});
    ~NodeOnAPort();
    NodeOnAPort(const NodeOnAPort&) = delete;
    NodeOnAPort& operator=(const NodeOnAPort&) = delete;

    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  private:
    struct Inside; // keeps Asio out of here
    std::unique_ptr<Inside> inside_;
    std::uint16_t port_ = 0;
};

struct ProgramRun {
    int exit_code = -1;
    std::string out;
    std::string err;
};

class DiskProgram : public testing::Test {
  protected:
    /// `headlight --network regtest --datadir ...` to its end, within a minute. Each file may grow
    /// to `most_bytes` (0: as it likes).
    ProgramRun run(const std::vector<std::string>& arguments, std::size_t most_bytes = 0);
    /// The same in the background, with its output in `log`.
    regtest::Process start(const std::vector<std::string>& arguments,
                           const std::filesystem::path& log);
    static std::string text_of(const std::filesystem::path& file);
    /// Whether the file holds the text within half a minute.
    static bool wait_for(const std::filesystem::path& file, const std::string& text);

    std::filesystem::path datadir() const { return folder_ / "data"; }
    std::filesystem::path header_file() const { return datadir() / "regtest/headers"; }
    std::filesystem::path wallet_file(const std::string& name = "default") const {
        return datadir() / ("regtest/wallets/" + name + ".sqlite");
    }

    TemporaryFolder folder_;
    regtest::ChainBuilder chain_;

  private:
    std::vector<std::string> command(const std::vector<std::string>& arguments) const;
};

} // namespace headlight::tests
