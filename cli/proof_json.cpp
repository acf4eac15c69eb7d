#include "cli/proof_json.hpp"

#include "bip37/partial_merkle_tree.hpp"
#include "chain/limits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <limits>

namespace headlight::cli {

namespace {

constexpr std::size_t merkle_node_bytes = 64;
constexpr std::size_t max_branch = 32; // deeper than any tree of a 32-bit count

Error malformed(std::string_view member, std::string cause) {
    return {errc::malformed, "the proof's '" + std::string(member) + "' is not usable",
            std::move(cause), "Make the proof again with `headlight proof TXID`"};
}

Error refused(std::string cause) {
    return {errc::bad_proof, "the proof does not hold", std::move(cause),
            "Do not rely on it; ask for a new one"};
}

// Reads members one after the other; the first failure stays.
class Members {
  public:
    explicit Members(const boost::json::object& object) : object_(object) {}

    std::string_view text(std::string_view name) {
        const auto* member = object_.if_contains(name);
        if (member && member->is_string()) return member->get_string();
        fail(name, "it is missing or no text");
        return {};
    }

    std::uint32_t number(std::string_view name, std::uint32_t most) {
        const auto* member = object_.if_contains(name);
        if (member && member->is_int64()) {
            const auto value = member->get_int64();
            if (value >= 0 && value <= most) return static_cast<std::uint32_t>(value);
        }
        fail(name, "it is missing or no whole number from 0 to " + std::to_string(most));
        return 0;
    }

    chain::Hash256 hash(std::string_view name) {
        const auto hash = chain::Hash256::from_string(text(name));
        if (!hash) fail(name, "it is not 64 hex digits");
        return hash.value_or(chain::Hash256{});
    }

    Bytes hex(std::string_view name) {
        auto bytes = from_hex(text(name));
        if (!bytes) fail(name, "it is not hex");
        return std::move(bytes).value_or(Bytes{});
    }

    std::vector<chain::Hash256> hashes(std::string_view name) {
        std::vector<chain::Hash256> all;
        const auto* member = object_.if_contains(name);
        if (!member || !member->is_array() || member->get_array().size() > max_branch) {
            fail(name, "it is missing or no list of at most 32 hashes");
            return all;
        }
        for (const auto& entry : member->get_array()) {
            const auto hash =
                entry.is_string() ? chain::Hash256::from_string(entry.get_string()) : std::nullopt;
            if (!hash) fail(name, "an entry is not 64 hex digits");
            all.push_back(hash.value_or(chain::Hash256{}));
        }
        return all;
    }

    void fail(std::string_view name, std::string cause) {
        if (!error_) error_ = malformed(name, std::move(cause));
    }
    const std::optional<Error>& error() const { return error_; }

  private:
    const boost::json::object& object_;
    std::optional<Error> error_;
};

result<PaymentProof> from_object(const boost::json::object& object) {
    Members members(object);
    PaymentProof proof;
    proof.txid = members.hash("txid");
    const auto transaction = chain::parse_transaction(members.hex("transaction"));
    if (!transaction) members.fail("transaction", to_string(transaction.error()));
    proof.position = members.number("position", std::numeric_limits<std::uint32_t>::max());
    proof.total_transactions =
        members.number("total_transactions", std::numeric_limits<std::uint32_t>::max());
    proof.branch = members.hashes("branch");
    const auto header = chain::parse_block_header(members.hex("header"));
    if (!header) members.fail("header", to_string(header.error()));
    proof.block = members.hash("block");
    proof.height = static_cast<std::int32_t>(members.number("height", limits::max_height));
    if (members.error()) return *members.error();
    proof.transaction = *transaction;
    proof.header = *header;
    return proof;
}

} // namespace

boost::json::object to_json(const PaymentProof& proof) {
    boost::json::object object{{"txid", proof.txid.to_string()},
                               {"transaction", to_hex(chain::serialize(proof.transaction))},
                               {"position", proof.position},
                               {"total_transactions", proof.total_transactions}};
    auto& branch = object["branch"].emplace_array();
    for (const auto& hash : proof.branch)
        branch.emplace_back(hash.to_string());
    object["header"] = to_hex(chain::serialize(proof.header));
    object["block"] = proof.block.to_string();
    object["height"] = proof.height;
    return object;
}

result<PaymentProof> parse_proof(std::string_view text) {
    boost::json::error_code error;
    const auto parsed = boost::json::parse({text.data(), text.size()}, error);
    if (!error && parsed.is_object()) return from_object(parsed.get_object());
    return Error{errc::malformed, "this is no proof",
                 error ? "it is not JSON (" + error.message() + ")" : "it is no JSON object",
                 "Give what `headlight proof TXID` prints"};
}

result<void> check_proof(const PaymentProof& proof) {
    if (chain::txid(proof.transaction) != proof.txid)
        return refused("the transaction's id is not the one that is claimed");
    if (chain::serialize(proof.transaction, chain::Witness::strip).size() == merkle_node_bytes)
        return refused("a transaction of 64 bytes can be an inner node of the merkle tree "
                       "(CVE-2017-12842)");
    const auto root =
        bip37::root_of_branch(proof.txid, proof.position, proof.total_transactions, proof.branch);
    if (!root) return refused(to_string(root.error()));
    if (*root != proof.header.merkle_root)
        return refused("the branch does not lead to the header's merkle root");
    if (chain::hash_of(proof.header) != proof.block)
        return refused("the header's hash is not the block's");
    return {};
}

} // namespace headlight::cli
