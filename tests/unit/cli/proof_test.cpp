// `proof` and `verify`: what one prints the other believes, and nothing else.
#include "tests/unit/cli/program.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace headlight::tests {
namespace {

class Proof : public Program {
  protected:
    void SetUp() override {
        ASSERT_EQ(run({"create"}).code, 0);
        txid_ = pay(script(0, 0), 700);
        pay(script(0, 1), 800);
        proof_ = run({"proof", txid_.to_string()}).json().as_object();
    }
    Ran verify(const boost::json::object& proof) {
        return run({"verify", "-", "--json"}, boost::json::serialize(proof));
    }
    // The proof with one member changed.
    Ran verify_with(std::string_view member, boost::json::value value) {
        auto changed = proof_;
        changed[member] = std::move(value);
        return verify(changed);
    }
    void expect_refused(const Ran& ran, std::string_view code) {
        EXPECT_EQ(ran.code, 1);
        EXPECT_EQ(ran.out, "");
        EXPECT_EQ(ran.error().at("code").as_string(), code) << ran.err;
    }
    std::string flipped(std::string_view member) {
        std::string text(proof_.at(member).as_string());
        auto& digit = text.back(); // of the transaction: its lock time
        digit = digit == '0' ? '1' : '0';
        return text;
    }
    chain::Hash256 txid_;
    boost::json::object proof_;
};

TEST_F(Proof, OfAConfirmedPaymentIsValid) {
    for (const char* member : {"txid", "transaction", "position", "total_transactions", "branch",
                               "header", "block", "height"})
        EXPECT_TRUE(proof_.contains(member)) << member;
    const auto ran = verify(proof_);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(ran.json().at("valid").as_bool());
    EXPECT_EQ(ran.json().at("txid").as_string(), txid_.to_string());
    EXPECT_EQ(ran.json().at("height").as_int64(), 1);
    EXPECT_EQ(ran.json().at("confirmations").as_int64(), 2);
    const auto path = file("proof.json", boost::json::serialize(proof_));
    const auto text = run({"verify", path}).out;
    EXPECT_NE(text.find("Valid: "), std::string::npos);
    EXPECT_NE(text.find("is transaction 2 of 2 (position 1) in block"), std::string::npos) << text;
}

TEST_F(Proof, NeedsNoWalletToBeVerified) {
    std::filesystem::remove_all(paths().wallets());
    EXPECT_EQ(verify(proof_).code, 0);
}

TEST_F(Proof, FailsWhenAnyMemberIsTamperedWith) {
    expect_refused(verify_with("txid", boost::json::value(flipped("txid"))), "bad-proof");
    expect_refused(verify_with("transaction", boost::json::value(flipped("transaction"))),
                   "bad-proof");
    expect_refused(verify_with("position", 0), "bad-proof");
    expect_refused(verify_with("position", 2), "bad-proof");
    expect_refused(verify_with("total_transactions", 1), "bad-proof");
    expect_refused(verify_with("total_transactions", 5), "bad-proof");
    expect_refused(verify_with("branch", boost::json::array{}), "bad-proof");
    expect_refused(verify_with("branch", boost::json::array{txid_.to_string()}), "bad-proof");
    expect_refused(verify_with("header", boost::json::value(flipped("header"))), "bad-proof");
    expect_refused(verify_with("block", boost::json::value(flipped("block"))), "bad-proof");
    expect_refused(verify_with("height", 2), "not-found");
    expect_refused(verify_with("height", 1'000'000), "not-found");
}

TEST_F(Proof, FailsWhenAMemberIsMissingOrOfAnotherType) {
    for (const auto& member : proof_) {
        auto without = proof_;
        without.erase(member.key());
        expect_refused(verify(without), "malformed");
        for (const auto& other :
             {boost::json::value(nullptr), boost::json::value(1.5), boost::json::value("zz"),
              boost::json::value(-1), boost::json::value(boost::json::array{1, 2})})
            expect_refused(verify_with(member.key(), other), "malformed");
    }
    expect_refused(run({"verify", "-", "--json"}, "[]"), "malformed");
    expect_refused(run({"verify", "-", "--json"}, ""), "malformed");
    expect_refused(run({"verify", "-", "--json"}, std::string(100'000, '[')), "malformed");
    expect_refused(run({"verify", "-", "--json"}, std::string(9'000'000, ' ')), "too-large");
}

// CVE-2017-12842: an inner node passed off as a transaction.
TEST_F(Proof, FailsForATransactionOf64Bytes) {
    chain::Transaction tx;
    tx.inputs.push_back({.prevout = {txid_, 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({1, Bytes(4, 0x51)});
    ASSERT_EQ(chain::serialize(tx).size(), 64U);
    auto forged = proof_;
    forged["transaction"] = to_hex(chain::serialize(tx));
    forged["txid"] = chain::txid(tx).to_string();
    const auto ran = verify(forged);
    expect_refused(ran, "bad-proof");
    EXPECT_NE(ran.err.find("CVE-2017-12842"), std::string::npos);
}

TEST_F(Proof, IsNotValidOnAnotherChain) {
    std::filesystem::remove(paths().headers());
    expect_refused(verify(proof_), "not-found");
    mine({chain::Transaction{}});
    const auto ran = verify(proof_);
    expect_refused(ran, "not-found");
    EXPECT_NE(ran.err.find("our chain"), std::string::npos);
    // and the wallet says that it has none for this chain
    expect_refused(run({"proof", txid_.to_string(), "--json"}), "not-found");
}

TEST_F(Proof, IsRefusedForWhatIsUnknownOrPending) {
    const auto unknown = run({"proof", std::string(64, '0'), "--json"});
    expect_refused(unknown, "not-found");
    EXPECT_EQ(run({"abandon", std::string(64, '0'), "--json"}).err, unknown.err);
    chain::Transaction tx;
    tx.inputs.push_back({.prevout = {txid_, 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({600, Bytes(30, 0x51)});
    {
        auto opened =
            client::open_wallet(paths(), wallet::store::WalletDb::Mode::read_write).value();
        opened.wallet->ledger().record(tx, chain::txid(tx), now_);
        ASSERT_TRUE(opened.save());
    }
    expect_refused(run({"proof", chain::txid(tx).to_string(), "--json"}), "not-found");
}

} // namespace
} // namespace headlight::tests
