// Threads that start a process each and wait for its end on a descriptor (pidfd), so that a process
// that hangs, or our own end, can be waited for together with it.
#include "client/commands.hpp"

#include "chain/limits.hpp"
#include "wallet/store/file_system.hpp"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace headlight::client {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kill_after{1'000}; // of a command that SIGTERM does not end

Error command_error(const std::string& line, std::string cause) {
    return {errc::io, "the command '" + line + "' failed", std::move(cause),
            "Try it by hand; what it prints is on stderr"};
}

/// What systemd told us is not for our children (sd_notify(3)).
bool is_of_service(std::string_view variable) {
    for (const std::string_view name : {"NOTIFY_SOCKET=", "WATCHDOG_USEC=", "WATCHDOG_PID="})
        if (variable.starts_with(name)) return true;
    return false;
}

/// posix_spawn()'s settings, which have to be freed.
class SpawnSettings {
  public:
    SpawnSettings() {
        posix_spawn_file_actions_init(&files_);
        posix_spawnattr_init(&attributes_);
        posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        // stdout is for our results.
        posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO);
        // Whoever opened it: sockets, the wallet's lock.
        posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
        sigset_t all;
        sigfillset(&all);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    /// An errno.
    int start(const ShellCommand& command, pid_t& pid) const {
        std::string shell = "sh", option = "-c", line = command.line;
        const std::array<char*, 4> argv{shell.data(), option.data(), line.data(), nullptr};
        auto own = command.environment;
        std::vector<char*> variables;
        for (char** at = environ; *at; ++at)
            if (!is_of_service(*at)) variables.push_back(*at);
        for (auto& variable : own)
            variables.push_back(variable.data());
        variables.push_back(nullptr);
        return posix_spawn(&pid, "/bin/sh", &files_, &attributes_, argv.data(), variables.data());
    }

  private:
    posix_spawn_file_actions_t files_;
    posix_spawnattr_t attributes_;
};

using wallet::store::FileDescriptor;

enum class Waited { ended, called, late };

/// For the process, for `call` (-1: not), or until the time is over.
Waited wait_for(const FileDescriptor& process, int call, milliseconds limit) {
    std::array<pollfd, 2> watched{{{process.get(), POLLIN, 0}, {call, POLLIN, 0}}};
    const auto deadline = steady_clock::now() + limit;
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
        const int ready =
            poll(watched.data(), watched.size(), static_cast<int>(std::max(left, 0L)));
        if (ready == 0) return Waited::late;
        if (ready < 0) continue; // EINTR: nothing else can be with these arguments
        return watched[0].revents != 0 ? Waited::ended : Waited::called;
    }
}

std::string end_text(int status) {
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status)) + " ended it";
    return "its exit code is " + std::to_string(WEXITSTATUS(status));
}

} // namespace

std::string shell_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

class CommandRunner::Workers {
  public:
    Workers() : call_(eventfd(0, EFD_CLOEXEC)) {}

    void add(ShellCommand command) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(command));
        if (idle_ < waiting_.size() && threads_.size() < limits::max_commands_at_once)
            threads_.emplace_back([this] { work(); });
        wake_.notify_one();
    }

    std::vector<EndedCommand> take_ended() {
        const std::lock_guard lock(mutex_);
        return std::exchange(ended_, {});
    }

    void finish(milliseconds patience) {
        {
            std::unique_lock lock(mutex_);
            ending_ = true;
            waiting_.clear();
            wake_.notify_all();
            done_.wait_for(lock, patience, [this] { return running_ == 0; });
        }
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = write(call_.get(), &one, sizeof one);
        for (auto& thread : threads_)
            thread.join();
        threads_.clear();
    }

  private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            ++idle_;
            wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            --idle_;
            if (ending_) return;
            const auto command = std::move(waiting_.front());
            waiting_.pop_front();
            ++running_;
            lock.unlock();
            auto ended = run(command);
            lock.lock();
            --running_;
            ended_.push_back(std::move(ended));
            done_.notify_all();
        }
    }

    EndedCommand run(const ShellCommand& command) const {
        pid_t pid = -1;
        if (const int error = SpawnSettings().start(command, pid))
            return {command.id, command_error(command.line, std::strerror(error))};
        const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
        const auto waited = process.is_open()
                                ? wait_for(process, call_.get(),
                                           std::chrono::seconds(limits::command_timeout_seconds))
                                : Waited::ended; // out of descriptors: waited for without a limit
        if (waited != Waited::ended) {
            kill(-pid, SIGTERM);
            if (wait_for(process, -1, kill_after) != Waited::ended) kill(-pid, SIGKILL);
        }
        int status = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        EndedCommand ended{.id = command.id, .ended_by_us = waited == Waited::called};
        if (waited == Waited::late)
            ended.error = command_error(command.line,
                                        "it had not ended after " +
                                            std::to_string(limits::command_timeout_seconds) + " s");
        else if (waited == Waited::ended && status != 0)
            ended.error = command_error(command.line, end_text(status));
        return ended;
    }

    FileDescriptor call_; ///< readable: end what runs
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::deque<ShellCommand> waiting_;
    std::vector<EndedCommand> ended_;
    std::size_t idle_ = 0;
    std::size_t running_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

CommandRunner::CommandRunner() : workers_(std::make_unique<Workers>()) {}

CommandRunner::~CommandRunner() { finish(milliseconds(0)); }

void CommandRunner::run(ShellCommand command) { workers_->add(std::move(command)); }

std::vector<EndedCommand> CommandRunner::take_ended() { return workers_->take_ended(); }

void CommandRunner::finish(milliseconds patience) { workers_->finish(patience); }

} // namespace headlight::client
