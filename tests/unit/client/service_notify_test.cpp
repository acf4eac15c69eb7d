// sd_notify's datagrams, received by a socket as systemd has it.
#include "client/service_notify.hpp"

#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace headlight::client {
namespace {

class Manager {
  public:
    explicit Manager(const std::string& name)
        : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::copy(name.begin(), name.end(), at.sun_path);
        const bool abstract = name.front() == '@';
        if (abstract) at.sun_path[0] = '\0';
        const auto size = offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1);
        EXPECT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at),
                       static_cast<socklen_t>(size)),
                  0);
    }
    std::vector<std::string> heard() const {
        std::vector<std::string> all;
        char buffer[1'000];
        for (;;) {
            const auto count = recv(socket_.get(), buffer, sizeof buffer, 0);
            if (count < 0) return all;
            all.emplace_back(buffer, static_cast<std::size_t>(count));
        }
    }

  private:
    wallet::store::FileDescriptor socket_;
};

using Heard = std::vector<std::string>;

TEST(ServiceNotifyTest, TellsWhatHappensOnce) {
    const tests::TemporaryFolder folder;
    const Manager manager((folder / "socket").string());
    ServiceNotify notify((folder / "socket").string(), 0);
    notify.status("Blocks at 7 of 9");
    notify.status("Blocks at 7 of 9");
    notify.ready();
    notify.ready();
    notify.alive(1'000);
    notify.status("two\nlines");
    notify.stopping();
    EXPECT_EQ(manager.heard(),
              (Heard{"STATUS=Blocks at 7 of 9", "READY=1", "STATUS=two lines", "STOPPING=1"}));
    notify.stopping(); // to nobody: nothing happens
}

TEST(ServiceNotifyTest, KnowsAbstractNames) {
    const auto name = "@headlight-test-" + std::to_string(getpid());
    const Manager manager(name);
    ServiceNotify(name, 0).ready();
    EXPECT_EQ(manager.heard(), Heard{"READY=1"});
}

TEST(ServiceNotifyTest, PetsTheWatchdogAtHalfItsTime) {
    const auto name = "@headlight-dog-" + std::to_string(getpid());
    const Manager manager(name);
    ServiceNotify notify(name, 10'000'000);
    for (std::int64_t second = 0; second <= 20; ++second)
        notify.alive(second * 1'000);
    EXPECT_EQ(manager.heard(), Heard(5, "WATCHDOG=1")); // 0, 5, 10, 15, 20
}

TEST(ServiceNotifyTest, ReadsTheEnvironment) {
    const auto name = "@headlight-env-" + std::to_string(getpid());
    const Manager manager(name);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    setenv("WATCHDOG_USEC", "2000000", 1);
    setenv("WATCHDOG_PID", "1", 1); // somebody else's
    ServiceNotify::from_environment().alive(0);
    EXPECT_EQ(manager.heard(), Heard{});
    setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
    ServiceNotify::from_environment().alive(0);
    EXPECT_EQ(manager.heard(), Heard{"WATCHDOG=1"});
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    EXPECT_FALSE(ServiceNotify::from_environment().active());
    EXPECT_FALSE(ServiceNotify("vsock:1:2", 0).active());
    EXPECT_FALSE(ServiceNotify("/" + std::string(200, 'x'), 0).active());
}

} // namespace
} // namespace headlight::client
