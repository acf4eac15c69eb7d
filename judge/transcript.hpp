// A recording, sorted for the checks of clients: each connection for itself, with the filter that
// was loaded at each moment.
#pragma once

#include "bip37/messages.hpp"
#include "conform/check.hpp"
#include "judge/recording.hpp"

namespace headlight::judge {

using conform::Check;
using conform::differs;
using conform::fail;
using conform::Outcome;
using conform::pass;
using conform::skipped;

/// One message of a connection, and what held when it was said.
struct Line {
    const Spoken* spoken = nullptr;
    const bip37::BloomFilter* filter = nullptr; ///< the client's, loaded last; null: none
    bool established = false;                   ///< both veracks had been said

    bool from_client() const { return spoken->what == Spoken::What::from_client; }
    /// The client sent this command with more in it than it may hold.
    bool over_limit(std::string_view command) const {
        return spoken->what == Spoken::What::over_limit && spoken->note == command;
    }
    bool to_client() const { return spoken->what == Spoken::What::to_client; }
    template <class Wanted>
    const Wanted* client_says() const {
        return from_client() ? std::get_if<Wanted>(&*spoken->message) : nullptr;
    }
    template <class Wanted>
    const Wanted* node_says() const {
        return to_client() ? std::get_if<Wanted>(&*spoken->message) : nullptr;
    }
};
using Conversation = std::vector<Line>;

/// How many matches of the merkleblock at `at` were never followed by their transactions.
std::size_t withheld_by(const Conversation& conversation, std::size_t at);

class Transcript {
  public:
    explicit Transcript(const Recording& recording);

    const std::vector<Conversation>& conversations() const { return conversations_; }
    const chain::Network& network() const { return chain::network(recording_->network); }
    const std::vector<Bytes>& client_scripts() const { return recording_->client_scripts; }
    /// Every filterload, in order.
    std::vector<const bip37::BloomFilter*> filters() const;

    /// Each client message of a kind with its line, until `see` gives a verdict.
    template <class Wanted, class See>
    std::optional<Outcome> each(See see) const {
        for (const auto& conversation : conversations_) {
            for (const auto& line : conversation) {
                const auto* message = line.client_says<Wanted>();
                if (!message) continue;
                if (auto verdict = see(*message, line)) return verdict;
            }
        }
        return std::nullopt;
    }

  private:
    const Recording* recording_;
    std::vector<Conversation> conversations_;
};

/// A check of clients.
struct ClientCheck {
    Check check;
    Outcome (*judge)(const Transcript&) = nullptr;
};

// The parts of the list, one file each.
std::vector<ClientCheck> client_handshake_checks();
std::vector<ClientCheck> client_filter_checks();
std::vector<ClientCheck> client_request_checks();
std::vector<ClientCheck> client_proof_checks();

} // namespace headlight::judge
