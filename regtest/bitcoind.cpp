#include "regtest/bitcoind.hpp"

#include "chain/block_header.hpp"
#include "regtest/free_port.hpp"
#include "regtest/process.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <unistd.h>

namespace headlight::regtest {

namespace {

constexpr std::string_view own_wallet = "node";
constexpr std::chrono::seconds start_limit{60};
constexpr std::chrono::seconds stop_limit{20};
constexpr std::chrono::minutes rpc_limit{5};

bool executable(const std::filesystem::path& path) {
    return std::filesystem::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> on_path(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (executable(std::filesystem::path(folder) / name)) return folder + "/" + name;
    return std::nullopt;
}

std::filesystem::path cache_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return cache;
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home ? home : "/") / ".cache";
}

result<std::filesystem::path> make_temporary_folder() {
    auto name = (std::filesystem::temp_directory_path() / "headlight-bitcoind-XXXXXX").string();
    if (!mkdtemp(name.data())) return Error{errc::io, "cannot make a temporary folder " + name};
    return std::filesystem::path(name);
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

struct Bitcoind::Running {
    Process process;
    std::optional<rpc::JsonRpc> rpc;
};

std::optional<std::string> Bitcoind::find_bitcoind() {
    if (const char* named = std::getenv("BITCOIND"); named && *named && executable(named))
        return named;
    if (auto found = on_path("bitcoind")) return found;
    const auto fetched = cache_folder() / "headlight" / "bitcoind" / "bitcoind";
    if (executable(fetched)) return fetched.string();
    return std::nullopt;
}

Bitcoind::Bitcoind(std::string program, Options options)
    : program_(std::move(program)),
      options_(std::move(options)),
      running_(std::make_unique<Running>()) {}

result<std::unique_ptr<Bitcoind>> Bitcoind::start() { return start(Options{}); }

result<std::unique_ptr<Bitcoind>> Bitcoind::start(Options options) {
    const auto program = find_bitcoind();
    if (!program)
        return Error{errc::not_found, "no bitcoind to start", "none is set, on PATH or fetched",
                     "run regtest/get-bitcoind"};
    std::unique_ptr<Bitcoind> node(new Bitcoind(*program, std::move(options)));
    node->datadir_ = node->options_.datadir;
    if (node->datadir_.empty()) {
        const auto folder = make_temporary_folder();
        if (!folder) return folder.error();
        node->datadir_ = *folder;
        node->temporary_ = true;
    }
    std::filesystem::create_directories(node->datadir_);
    // A port that was free may be taken by the time bitcoind binds it.
    for (int attempt = 1;; ++attempt) {
        node->p2p_port_ = free_port();
        node->rpc_port_ = free_port();
        auto launched = node->launch();
        if (launched) return node;
        if (attempt == 3) return launched.error();
    }
}

Bitcoind::~Bitcoind() {
    stop();
    std::error_code ignored;
    if (temporary_) std::filesystem::remove_all(datadir_, ignored);
}

pid_t Bitcoind::pid() const { return running_->process.pid(); }

std::vector<std::string> Bitcoind::command() const {
    const auto p2p = std::to_string(p2p_port_), rpc = std::to_string(rpc_port_);
    std::vector<std::string> words{program_, "-regtest", "-datadir=" + datadir_.string(), "-server",
                                   "-listen=1", "-port=" + p2p, "-bind=127.0.0.1:" + p2p,
                                   "-rpcport=" + rpc, "-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1",
                                   "-rpcservertimeout=3600", "-dnsseed=0", "-fixedseeds=0",
                                   "-listenonion=0", "-discover=0", "-natpmp=0", "-upnp=0",
                                   "-fallbackfee=0.0001", "-dbcache=16",
                                   // Regtest's self-checks cost more than the blocks themselves.
                                   "-checkblockindex=0", "-checkmempool=0",
                                   // A killed node loses nothing by this, a crashed machine may.
                                   "-unsafesqlitesync", "-printtoconsole=0",
                                   options_.bloom ? "-peerbloomfilters=1" : "-peerbloomfilters=0"};
    if (!options_.whitelist.empty()) words.push_back("-whitelist=" + options_.whitelist);
    words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
    return words;
}

std::string Bitcoind::log_tail() const {
    const auto log = read_file(datadir_ / "output.log");
    return log.size() > 500 ? log.substr(log.size() - 500) : log;
}

result<void> Bitcoind::launch() {
    std::error_code ignored; // a cookie of an earlier life would be refused
    std::filesystem::remove(datadir_ / "regtest" / ".cookie", ignored);
    auto process = Process::start(command(), datadir_ / "output.log");
    if (!process) return process.error();
    running_->process = std::move(*process);
    if (auto ready = wait_until_ready(); !ready) {
        running_->process = Process();
        return ready.error();
    }
    return open_wallet();
}

result<void> Bitcoind::wait_until_ready() {
    running_->rpc.reset();
    const auto end = std::chrono::steady_clock::now() + start_limit;
    while (std::chrono::steady_clock::now() < end) {
        if (!running_->process.running())
            return Error{errc::io, "bitcoind ended while it started", log_tail()};
        if (!running_->rpc) {
            const auto cookie = read_file(datadir_ / "regtest" / ".cookie");
            if (!cookie.empty()) running_->rpc.emplace("127.0.0.1", rpc_port_, cookie);
        } else if (rpc("getblockchaininfo")) {
            return {};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return Error{errc::timeout, "bitcoind did not get ready in time", log_tail()};
}

result<void> Bitcoind::open_wallet() {
    if (rpc("getwalletinfo")) return {};
    const std::string name(own_wallet);
    const bool exists = std::filesystem::exists(datadir_ / "regtest" / "wallets" / name);
    // load_on_startup, so that a restart finds it loaded
    auto opened = exists ? rpc("loadwallet", {name, true})
                         : rpc("createwallet", {name, false, false, "", false, true, true});
    if (!opened) return opened.error();
    return {};
}

result<boost::json::value> Bitcoind::rpc(std::string_view method,
                                         const boost::json::array& params) {
    return wallet_rpc(own_wallet, method, params);
}

result<boost::json::value> Bitcoind::wallet_rpc(std::string_view wallet, std::string_view method,
                                                const boost::json::array& params) {
    if (!running_->rpc) return Error{errc::no_peer, "bitcoind is not running"};
    return running_->rpc->call("/wallet/" + std::string(wallet), method, params, rpc_limit);
}

boost::json::value Bitcoind::must(std::string_view method, const boost::json::array& params) {
    return rpc(method, params).value();
}

void Bitcoind::stop() {
    if (running_->process.running()) {
        if (!rpc("stop")) running_->process.signal(SIGTERM);
        if (!running_->process.wait(stop_limit)) kill_hard();
    }
    running_->rpc.reset();
}

void Bitcoind::kill_hard() {
    running_->process.signal(SIGKILL);
    running_->process.wait(stop_limit);
    running_->rpc.reset();
}

result<void> Bitcoind::start_again() { return launch(); }

void Bitcoind::restart() {
    stop();
    start_again().value();
}

} // namespace headlight::regtest
