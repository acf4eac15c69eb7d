// The file of bans, from any text and after any changes: what is read is what was kept, one line
// each, and nothing that people or peers put into it ends a line or lasts beyond its time.
#include "client/ban_file.hpp"
#include "tests/fuzz/input.hpp"

#include <algorithm>
#include <fcntl.h>
#include <map>

using namespace headlight;
using tests::Input;
using tests::require;

namespace {

constexpr std::int64_t now = 1'700'000'000;

using Bans = std::map<std::string, sync::Ban>; ///< by endpoint

/// Nobody cuts the power here.
class QuickFileSystem : public wallet::store::FileSystem {
  public:
    int sync(int) override { return 0; }
    int sync_folder(const std::filesystem::path&) override { return 0; }
};

class Folder {
  public:
    Folder() {
        auto pattern = (std::filesystem::temp_directory_path() / "headlight-fuzz-XXXXXX").string();
        require(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path bans() const { return path_ / "bans"; }

  private:
    std::filesystem::path path_;
};

void write(const std::filesystem::path& path, ByteView content) {
    const auto file = wallet::store::open_file(path, O_RDWR | O_CREAT | O_TRUNC);
    require(wallet::store::real_file_system().write(file.get(), content, 0) == 0);
}

Bans read(const client::BanFile& file) {
    const auto read = file.read(now);
    require(read.has_value());
    Bans bans;
    for (const auto& ban : read->bans) {
        require(ban.until > now && ban.endpoint.port != 0);
        bans[p2p::to_string(ban.endpoint)] = ban;
    }
    return bans;
}

std::optional<p2p::Endpoint> any_endpoint(Input& input) {
    if (input.choose(2) == 0)
        return p2p::Endpoint{"10.0.0." + std::to_string(input.choose(8)), 18444};
    const auto text = tests::as_text(input.bytes(input.choose(40)));
    const auto endpoint = p2p::parse_endpoint(text, 8333);
    return endpoint ? std::optional(*endpoint) : std::nullopt;
}

void keep(Input& input, const client::BanFile& file) {
    const auto endpoint = any_endpoint(input);
    if (!endpoint) return;
    sync::Ban ban{*endpoint, now + static_cast<std::int64_t>(input.choose(100)) - 20, {}};
    ban.reason = tests::as_text(input.bytes(input.choose(400)));
    auto expected = read(file);
    expected.erase(p2p::to_string(*endpoint));
    require(file.keep(ban, now).has_value());
    auto found = read(file);
    if (ban.until > now) {
        const auto& kept = found.at(p2p::to_string(*endpoint));
        require(kept.until == ban.until && kept.endpoint == ban.endpoint);
        require(kept.reason.size() <= ban.reason.size());
        require(std::ranges::none_of(kept.reason, [](char c) { return c >= 0 && c < ' '; }));
        found.erase(p2p::to_string(*endpoint));
    }
    require(found == expected && file.read(now)->notice.empty()); // damaged lines are gone
}

void lift(Input& input, const client::BanFile& file) {
    const auto endpoint = any_endpoint(input);
    auto expected = read(file);
    const auto lifted = file.lift(endpoint, now);
    require(lifted.has_value());
    for (const auto& ban : *lifted)
        require(!endpoint || ban.endpoint == *endpoint);
    if (endpoint) {
        expected.erase(p2p::to_string(*endpoint));
    } else {
        expected.clear();
    }
    require(read(file) == expected);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Folder folder;
    static QuickFileSystem system;
    const client::BanFile file(folder.bans(), system);
    Input input(data, size);
    write(folder.bans(), input.choose(2) == 0 ? ByteView() : input.bytes(input.choose(1'000)));
    for (int step = 0; step < 12 && !input.empty(); ++step) {
        if (input.choose(4) == 3) {
            lift(input, file);
        } else {
            keep(input, file);
        }
    }
    read(file);
    return 0;
}
