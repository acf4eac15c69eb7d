#include "regtest/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headlight::regtest {

namespace {

// Between fork and exec only async-signal-safe calls are allowed: no allocation here.
[[noreturn]] void become(char* const* arguments, const char* log, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // it died before prctl could see it
    const int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int in = open("/dev/null", O_RDONLY);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U,
                0); // a child that keeps our sockets open keeps peers waiting
    execvp(arguments[0], arguments);
    _exit(127);
}

} // namespace

result<Process> Process::start(const std::vector<std::string>& command,
                               const std::filesystem::path& log) {
    std::vector<char*> arguments;
    for (const auto& word : command)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) become(arguments.data(), log.c_str(), parent);
    if (pid < 0) return Error{errc::io, "cannot start " + command.front(), std::strerror(errno)};
    return Process(pid);
}

Process::~Process() {
    if (!running()) return;
    signal(SIGKILL);
    wait(std::chrono::seconds(10));
}

Process::Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
}

bool Process::running() {
    if (pid_ < 0) return false;
    if (waitpid(pid_, nullptr, WNOHANG) == 0) return true;
    pid_ = -1;
    return false;
}

bool Process::wait(std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (running()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

void Process::signal(int number) const {
    if (pid_ > 0) kill(pid_, number);
}

} // namespace headlight::regtest
