// Bans that outlive a run: <datadir>/<network>/bans, one a line, each with its checksum. Readable
// by people, and by its owner only.
#pragma once

#include "sync/events.hpp"
#include "wallet/store/file_system.hpp"

namespace headlight::client {

class BanFile {
  public:
    /// `system` outlives it: tests make its calls fail.
    explicit BanFile(std::filesystem::path path,
                     wallet::store::FileSystem& system = wallet::store::real_file_system());

    struct Read {
        std::vector<sync::Ban> bans;
        std::string notice; ///< one line for people when something could not be read; else empty
    };
    /// Those that last beyond `now` (seconds since 1970). Damaged lines are left out; a missing
    /// file is an empty one. Error: io.
    result<Read> read(std::int64_t now) const;
    /// Adds one in place of an earlier one of the same peer. Ended ones go. Errors: io, disk_full;
    /// the file is then as it was.
    result<void> keep(const sync::Ban& ban, std::int64_t now) const;
    /// Lifts that of one peer, or all; gives what was lifted. Errors: as keep().
    result<std::vector<sync::Ban>> lift(const std::optional<p2p::Endpoint>& peer,
                                        std::int64_t now) const;

  private:
    result<void> write(const std::vector<sync::Ban>& bans) const;

    std::filesystem::path path_;
    wallet::store::FileSystem* system_;
};

} // namespace headlight::client
