// Expected failures are values: an Error says what failed, why, and what to do about it.
#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace headlight {

/// One failure, for people and for programs. `code` is one of errc's words and never changes its
/// meaning (docs/errors.md lists them); `cause` and `cure` may be empty inside the library, where
/// only the caller knows them.
struct Error {
    std::string_view code; ///< a string literal, stable
    std::string message;   ///< what failed, naming the thing
    std::string cause{};   ///< why
    std::string cure{};    ///< what to do

    friend bool operator==(const Error&, const Error&) = default;
};

/// "message: cause. cure" on one line, leaving out what is empty.
std::string to_string(const Error& error);

/// `.value()` on a failed result is a bug in the caller; it throws std::logic_error.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location&);

template <class T = void>
using result = boost::system::result<T, Error>;

/// The stable words of Error::code. A word, once released, keeps its meaning.
namespace errc {
// clang-format off
inline constexpr std::string_view malformed = "malformed"; ///< bytes or text that do not decode
inline constexpr std::string_view too_large = "too-large"; ///< over a limit of docs/limits.md
inline constexpr std::string_view bad_proof = "bad-proof"; ///< a merkle proof does not hold
inline constexpr std::string_view bad_argument = "bad-argument"; ///< a value outside its range
inline constexpr std::string_view bad_mnemonic = "bad-mnemonic";
inline constexpr std::string_view bad_checksum = "bad-checksum";
inline constexpr std::string_view bad_address = "bad-address";
inline constexpr std::string_view bad_descriptor = "bad-descriptor";
inline constexpr std::string_view private_key = "private-key"; ///< a private key where a public one is due
inline constexpr std::string_view wrong_network = "wrong-network";
inline constexpr std::string_view wallet_exists = "wallet-exists";
inline constexpr std::string_view wallet_missing = "wallet-missing";
inline constexpr std::string_view in_use = "in-use";   ///< another process holds the file
inline constexpr std::string_view damaged = "damaged"; ///< a file that fails its checks
inline constexpr std::string_view io = "io";           ///< the system refused a read or write
inline constexpr std::string_view disk_full = "disk-full";
inline constexpr std::string_view no_peer = "no-peer";   ///< nobody listens, or nobody serves us
inline constexpr std::string_view no_bloom = "no-bloom"; ///< the node lacks NODE_BLOOM
inline constexpr std::string_view pruned = "pruned";     ///< the node lacks the blocks we need
inline constexpr std::string_view bad_peer = "bad-peer"; ///< the peer proved itself false
inline constexpr std::string_view stalled = "stalled";   ///< no progress in time
inline constexpr std::string_view timeout = "timeout";   ///< --timeout ran out
inline constexpr std::string_view stopped = "stopped";   ///< a signal
inline constexpr std::string_view wiped_chain = "wiped-chain"; ///< shares only genesis with ours
inline constexpr std::string_view future_block = "future-block";
inline constexpr std::string_view not_found = "not-found";
inline constexpr std::string_view not_accepted = "not-accepted"; ///< a broadcast that no peer showed
// clang-format on
} // namespace errc

} // namespace headlight
