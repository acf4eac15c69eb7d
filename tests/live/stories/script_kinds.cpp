// Every script kind that a wallet makes and every descriptor form that it watches, against
// bitcoind's own books on the same descriptors.
#include "tests/live/stories/fixture.hpp"

#include "chain/script.hpp"
#include "wallet/address.hpp"

#include <algorithm>

namespace headlight::stories {

class ScriptKinds : public Story {};

namespace {

struct Form {
    std::string name;
    std::string text;         ///< public
    std::string private_text; ///< what signs for it; empty when the public text has no keys
};

// The keys m/0/0 .. m/0/2 and the branch m/1 of a master key, public and private.
class Keys {
  public:
    explicit Keys(std::uint32_t number) : master_(master_from(number)) {
        const auto parent = wallet::derive(master_, 0).value();
        for (std::uint32_t i = 0; i < 3; ++i) {
            const auto child = wallet::derive(parent, i).value();
            hex.push_back(to_hex(wallet::neuter(child).key));
            private_path.push_back(to_string(master_, network) + "/0/" + std::to_string(i));
        }
        const auto branch = wallet::derive(master_, 1).value();
        range = to_string(wallet::neuter(branch), network) + "/<0;1>/*";
        private_range = to_string(master_, network) + "/1/<0;1>/*";
        x_only = hex[0].substr(2);
    }

    const chain::Network& network = chain::network(chain::NetworkId::regtest);
    std::vector<std::string> hex, private_path;
    std::string x_only, range, private_range;

  private:
    wallet::ExtendedPrivateKey master_;
};

std::vector<Form> every_form() {
    const Keys k(0x1000), other(0x1001), third(0x1002);
    const auto three = k.hex[0] + "," + k.hex[1] + "," + k.hex[2];
    const auto three_private =
        k.private_path[0] + "," + k.private_path[1] + "," + k.private_path[2];
    const auto ranges = other.range + "," + third.range;
    const auto ranges_private = other.private_range + "," + third.private_range;
    const auto wrap = [](const std::string& before, const std::string& inside) {
        return before + inside +
               std::string(static_cast<std::size_t>(std::ranges::count(before, '(')), ')');
    };
    std::vector<Form> forms;
    const auto add = [&](const std::string& before, const std::string& keys,
                         const std::string& private_keys) {
        forms.push_back({before, wrap(before, keys), wrap(before, private_keys)});
    };
    add("pk(", k.hex[0], k.private_path[0]);
    add("pkh(", k.range, k.private_range);
    add("wpkh(", k.hex[1], k.private_path[1]);
    add("sh(wpkh(", k.range, k.private_range);
    add("multi(2,", three, three_private);
    add("sortedmulti(1,", ranges, ranges_private);
    add("sh(multi(2,", ranges, ranges_private);
    add("wsh(multi(2,", ranges, ranges_private);
    add("wsh(sortedmulti(2,", three, three_private);
    add("sh(wsh(multi(1,", ranges, ranges_private);
    add("tr(", k.x_only, k.private_path[0]);
    add("tr(", k.range, k.private_range);
    return forms;
}

// addr() and raw() hold no key: the scripts of one that signs.
std::vector<Form> forms_without_keys() {
    const Keys k(0x1003);
    const auto hash = from_hex(k.hex[0]).value();
    const auto pkh = chain::pkh_script(chain::hash160(hash));
    const auto wpkh = chain::witness_script(0, chain::hash160(hash));
    return {{"addr(", "addr(" + wallet::encode_address(wpkh, k.network).value() + ")",
             "wpkh(" + k.private_path[0] + ")"},
            {"raw(", "raw(" + to_hex(pkh) + ")", "pkh(" + k.private_path[0] + ")"}};
}

Bytes script_at(const Form& form, std::uint32_t index) {
    const auto& network = chain::network(chain::NetworkId::regtest);
    const auto parsed = wallet::Descriptor::parse(form.text, network).value();
    return parsed.script_pubkey(0, parsed.ranged() ? index : 0).value();
}

} // namespace

TEST_F(ScriptKinds, EachAccountReceivesOnBothBranchesAndSpends) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    std::vector<PaidTo> payments;
    for (const auto kind : all_kinds) {
        payments.push_back({wallet.address(kind, 0, 0), coin / 10});
        payments.push_back({wallet.address(kind, 0, 3), coin / 20});
        payments.push_back({wallet.address(kind, 1, 2), coin / 50});
    }
    const auto paid = node().pay(payments);
    mine(1);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance.confirmed, 4 * (coin / 10 + coin / 20 + coin / 50));
    expect_equal_to_bitcoind(node(), wallet);

    const Signer signer(node(), wallet);
    const auto tx = node().transaction(paid);
    for (const auto kind : all_kinds) {
        const auto from = output_to(tx, wallet.script(kind, 0, 0));
        node().send_raw(signer.spend({from}, {{coin / 30, script_of(node().new_address())},
                                              {coin / 20, wallet.script(kind, 1, 0)}}));
    }
    mine(1);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 5U);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(ScriptKinds, EveryDescriptorFormIsWatchedThroughReceivingAndSpending) {
    auto forms = every_form();
    for (auto& form : forms_without_keys())
        forms.push_back(form);

    std::vector<chain::TxOut> outputs;
    for (const auto& form : forms)
        for (std::uint32_t i = 0; i < 2; ++i)
            outputs.push_back(
                {coin / 100 + static_cast<Amount>(outputs.size()), script_at(form, i)});
    const auto paid = fund(node(), outputs);
    node().mine_block({paid}); // bare multisig is not relayed everywhere, but valid

    // Half of what each form received is spent, in one transaction each, to nobody of ours.
    std::vector<chain::Transaction> spends;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const Signer signer(node(), std::vector{forms[i].private_text});
        const chain::OutPoint from{chain::txid(paid), static_cast<std::uint32_t>(2 * i)};
        spends.push_back(signer.spend({from}, {{coin / 200, script_of(node().new_address())}}));
    }

    StoryWallet everything(folder());
    std::vector<std::string> texts;
    for (const auto& form : forms)
        texts.push_back(form.text);
    everything.watch(texts);
    std::vector<StoryWallet> alone;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        alone.emplace_back(folder(), "form-" + std::to_string(i));
        alone.back().watch({forms[i].text});
        sync(alone.back(), node());
        EXPECT_EQ(alone.back().books().coins.size(), 2U) << forms[i].name;
    }
    sync(everything, node());
    expect_equal_to_bitcoind(node(), everything);

    node().mine_block(spends);
    sync(everything, node());
    expect_equal_to_bitcoind(node(), everything);
    for (std::size_t i = 0; i < forms.size(); ++i) {
        SCOPED_TRACE(forms[i].name);
        sync(alone[i], node());
        EXPECT_EQ(alone[i].books().coins.size(), 1U);
        EXPECT_EQ(alone[i].books().history.size(), 2U);
        expect_equal_to_bitcoind(node(), alone[i]);
    }
}

} // namespace headlight::stories
