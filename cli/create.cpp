// `create`: a new HD wallet, or one restored from its mnemonic. The private keys live only in here.
#include "cli/birthday.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "client/client.hpp"
#include "wallet/mnemonic.hpp"
#include "wallet/secret.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

namespace fs = std::filesystem;
using wallet::Birthday;

// A string that is wiped at the end.
struct SecretText {
    std::string text;

    SecretText() = default;
    explicit SecretText(std::string secret) : text(std::move(secret)) {}
    SecretText(const SecretText&) = delete;
    SecretText& operator=(const SecretText&) = delete;
    ~SecretText() { OPENSSL_cleanse(text.data(), text.size()); }
};

Error exists(const client::Paths& paths) {
    return {errc::wallet_exists,
            "there is a wallet '" + paths.wallet + "' on " + std::string(paths.network->name) +
                " already",
            "the file " + paths.wallet_file().string() + " is there",
            "Choose another name with --wallet, or move that file away"};
}

result<void> get_mnemonic(Context& context, const command::Create& create, SecretText& mnemonic) {
    auto words = create.mnemonic_file.empty() ? wallet::new_mnemonic(create.words)
                                              : read_input(context.out.host(), create.mnemonic_file,
                                                           limits::max_secret_file_bytes);
    if (!words) return words.error();
    mnemonic.text.swap(*words);
    OPENSSL_cleanse(words->data(), words->size());
    auto entropy = wallet::entropy_from_mnemonic(mnemonic.text);
    if (!entropy) return entropy.error();
    OPENSSL_cleanse(entropy->data(), entropy->size());
    return {};
}

// The first line without its end: blanks are part of a passphrase.
result<void> get_passphrase(Context& context, const command::Create& create,
                            SecretText& passphrase) {
    if (create.passphrase_file.empty()) return {};
    auto text =
        read_input(context.out.host(), create.passphrase_file, limits::max_secret_file_bytes);
    if (!text) return text.error();
    passphrase.text.swap(*text);
    passphrase.text.resize(std::min(passphrase.text.find('\n'), passphrase.text.size()));
    if (passphrase.text.ends_with('\r')) passphrase.text.pop_back();
    return {};
}

Birthday birthday_of(const Context& context, const command::Create& create) {
    if (create.birthday) return *create.birthday;
    const bool is_new = create.mnemonic_file.empty();
    // Without a pace of blocks (regtest), times say nothing about heights.
    if (is_new && context.network().paced) return {Birthday::Kind::time, context.now()};
    return {Birthday::Kind::height, 0};
}

result<std::unique_ptr<wallet::Wallet>> make_wallet(const Context& context,
                                                    const command::Create& create,
                                                    const SecretText& mnemonic,
                                                    const SecretText& passphrase) {
    auto seed = wallet::seed_from_mnemonic(mnemonic.text, passphrase.text);
    const wallet::Wiped wipe(seed);
    const auto master = wallet::master_key(seed);
    if (!master) return master.error();
    auto made = client::new_wallet(context.network(), to_hex(wallet::neuter(*master).fingerprint()),
                                   context.now());
    for (const auto kind : create.scripts) {
        const auto text =
            wallet::account_descriptor(*master, kind, create.account, context.network());
        if (!text) return text.error();
        const auto descriptor = wallet::Descriptor::parse(*text, context.network());
        if (!descriptor) return descriptor.error();
        const auto added = made->add(*descriptor, create.gap, birthday_of(context, create), true);
        if (!added) return added.error();
    }
    return made;
}

void show(Context& context, const wallet::Wallet& made, const std::string* new_mnemonic) {
    if (context.out.json()) {
        boost::json::object object;
        if (new_mnemonic) object["mnemonic"] = *new_mnemonic;
        object["fingerprint"] = made.fingerprint();
        auto& descriptors = object["descriptors"].emplace_array();
        for (const auto& state : made.scripts().descriptors())
            descriptors.emplace_back(state.descriptor);
        object["birthday"] = to_json(made.scripts().descriptors().front().birthday);
        return context.out.value(std::move(object));
    }
    std::string text = "Wallet '" + context.paths.wallet + "' on " +
                       std::string(context.network().name) + ", fingerprint " + made.fingerprint() +
                       "\n";
    for (const auto& state : made.scripts().descriptors())
        text += "  " + state.descriptor + "\n";
    if (new_mnemonic)
        text += "\nMnemonic: " + *new_mnemonic +
                "\n\nWrite these words down now, on paper. They are the money: they are shown this "
                "once and\nstored nowhere, and nobody can bring them back.\n";
    context.out.text(text);
}

void remove_wallet(const client::Paths& paths) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", ".lock"})
        fs::remove(fs::path(paths.wallet_file()) += suffix, ignored);
}

} // namespace

result<void> perform(Context& context, const command::Create& create) {
    std::error_code ignored;
    if (fs::exists(context.paths.wallet_file(), ignored)) return exists(context.paths);
    SecretText mnemonic;
    SecretText passphrase;
    if (auto got = get_mnemonic(context, create, mnemonic); !got) return got;
    if (auto got = get_passphrase(context, create, passphrase); !got) return got;
    auto made = make_wallet(context, create, mnemonic, passphrase);
    if (!made) return made.error();
    auto stored = client::store_new_wallet(context.paths, std::move(*made));
    if (!stored) return stored.error();

    const bool is_new = create.mnemonic_file.empty();
    if (!is_new && !create.birthday)
        context.out.note("No --birthday is given: the next sync scans from the first block.");
    show(context, *stored->wallet, is_new ? &mnemonic.text : nullptr);
    auto shown = context.out.flush();
    // Nobody saw the words: a wallet that only this file knows would be a trap for coins.
    if (!shown && is_new) {
        stored->db.reset();
        remove_wallet(context.paths);
    }
    return shown;
}

} // namespace headlight::cli
