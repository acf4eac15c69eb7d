// A wallet's SQLite file: WAL, one transaction for every set of changes, schema versioned, readable
// by its owner only. Holds no private key.
#pragma once

#include "chain/result.hpp"
#include "wallet/state.hpp"

#include <filesystem>
#include <memory>

namespace headlight::wallet::store {

class FileSystem;
FileSystem& real_file_system();

class WalletDb {
  public:
    enum class Mode { read_only, read_write };

    /// With the descriptors of `state` and of `more`. On error there is no such file. Errors:
    /// wallet_exists, io, disk_full, in_use. `system` is for tests, which make its calls fail.
    static result<std::unique_ptr<WalletDb>> create(const std::filesystem::path& path,
                                                    const WalletState& state,
                                                    FileSystem& system = real_file_system(),
                                                    const DescriptorSource& more = {});
    /// read_write takes the wallet for this process alone: in_use names the file when another has
    /// it. Errors: wallet_missing, in_use, damaged, io.
    static result<std::unique_ptr<WalletDb>> open(const std::filesystem::path& path, Mode mode);

    virtual ~WalletDb() = default;
    /// Errors: damaged, when a row fails its checksum; io.
    result<WalletState> load();
    /// The same without the descriptors: `take` gets them in the order of ids, with what precedes
    /// them (all but transactions and labels). Its error ends the loading.
    using TakeLoaded =
        std::function<result<void>(const WalletState& so_far, const DescriptorState& descriptor)>;
    virtual result<WalletState> load(const TakeLoaded& take) = 0;
    /// All of it or nothing, durable on return. Errors: disk_full, io; bad_argument when read_only.
    result<void> apply(const WalletChanges& changes);
    /// The same with the descriptors of `more`.
    virtual result<void> apply(const WalletChanges& changes, const DescriptorSource& more) = 0;
};

} // namespace headlight::wallet::store
