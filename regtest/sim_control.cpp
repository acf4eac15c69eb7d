#include "regtest/sim_control.hpp"

#include "wallet/address.hpp"

#include <charconv>

namespace headlight::regtest {

namespace {

constexpr std::int32_t most_blocks = 10'000; // of one command

Error unusable(std::string_view word, std::string cause) {
    return {errc::bad_argument, "\"" + std::string(word) + "\" is not usable", std::move(cause)};
}

template <class Number>
result<Number> parse_number(std::string_view text, Number most) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= most)
        return value;
    return unusable(text, "it is no whole number from 0 to " + std::to_string(most));
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (;;) {
        const auto start = line.find_first_not_of(" \t\r");
        if (start == line.npos) return words;
        line.remove_prefix(start);
        const auto end = std::min(line.find_first_of(" \t\r"), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

/// TXID:INDEX.
result<chain::OutPoint> parse_outpoint(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == text.npos) return unusable(text, "it is no TXID:INDEX");
    const auto txid = chain::Hash256::from_string(text.substr(0, colon));
    if (!txid) return unusable(text, "it does not begin with 64 hex digits");
    const auto index = parse_number<std::uint32_t>(text.substr(colon + 1), 0xfffffffe);
    if (!index) return index.error();
    return chain::OutPoint{*txid, *index};
}

/// Text would do for an Error as well, so that it has to be said which one is meant.
result<std::string> answer(std::string text) {
    return result<std::string>(boost::system::in_place_value, std::move(text));
}

std::string at(const SimBlock& block) {
    return "height " + std::to_string(block.height) + " " + block.hash.to_string();
}

} // namespace

result<chain::TxOut> parse_output(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == text.npos) return unusable(text, "it is no ADDRESS:SATOSHIS");
    const auto script =
        wallet::decode_address(text.substr(0, colon), chain::network(chain::NetworkId::regtest));
    if (!script) return script.error();
    const auto amount = parse_number<Amount>(text.substr(colon + 1), chain::max_money);
    if (!amount) return amount.error();
    return chain::TxOut{*amount, *script};
}

std::string_view SimControl::help() {
    return "  tip                       height and hash of the newest block\n"
           "  mine N                    N blocks; the first takes what is pending\n"
           "  pay ADDRESS:SATOSHIS...   a pending payment from a stranger; its id\n"
           "  spend TXID:INDEX ADDRESS:SATOSHIS...\n"
           "                            a pending spend of this coin, whose signature nobody\n"
           "                            checks; its id\n"
           "  reorg N                   N + 1 empty blocks in place of the last N, whose payments\n"
           "                            are pending again\n";
}

result<std::string> SimControl::obey(std::string_view line, std::int64_t now_ms) {
    const auto words = words_of(line);
    const auto name = words.empty() ? std::string_view{} : words[0];
    if (name == "tip" && words.size() == 1) return tip();
    if (name == "mine" && words.size() == 2) return mine(words, now_ms);
    if (name == "pay" && words.size() >= 2) return pay(words, now_ms);
    if (name == "spend" && words.size() >= 3) return spend(words, now_ms);
    if (name == "reorg" && words.size() == 2) return reorganise(words, now_ms);
    return Error{errc::bad_argument, "\"" + std::string(line) + "\" is no command",
                 "it is none of: tip, mine N, pay ADDRESS:SATOSHIS..., spend TXID:INDEX "
                 "ADDRESS:SATOSHIS..., reorg N, quit"};
}

result<std::string> SimControl::tip() const { return answer(at(node_.tip())); }

result<std::string> SimControl::mine(const Words& words, std::int64_t now_ms) {
    const auto count = parse_number(words[1], most_blocks);
    if (!count) return count.error();
    for (std::int32_t i = 0; i < *count; ++i)
        node_.mine(now_ms);
    return answer(at(node_.tip()));
}

namespace {

result<std::vector<chain::TxOut>> parse_outputs(std::span<const std::string_view> words) {
    std::vector<chain::TxOut> outputs;
    for (const auto word : words) {
        const auto output = parse_output(word);
        if (!output) return output.error();
        outputs.push_back(*output);
    }
    return outputs;
}

} // namespace

result<std::string> SimControl::pay(const Words& words, std::int64_t now_ms) {
    const auto outputs = parse_outputs(std::span(words).subspan(1));
    if (!outputs) return outputs.error();
    const auto tx = node_.chain().pay(*outputs);
    node_.add_to_mempool(tx, now_ms);
    return answer(chain::txid(tx).to_string());
}

result<std::string> SimControl::spend(const Words& words, std::int64_t now_ms) {
    const auto coin = parse_outpoint(words[1]);
    if (!coin) return coin.error();
    const auto outputs = parse_outputs(std::span(words).subspan(2));
    if (!outputs) return outputs.error();
    const auto* from = find(coin->txid);
    if (!from || coin->index >= from->outputs.size()) {
        return Error{errc::not_found, "there is no coin " + coin->to_string(),
                     "no block of the active chain and no pending transaction has it"};
    }
    const auto tx = ChainBuilder::spend({*coin}, *outputs);
    node_.add_to_mempool(tx, now_ms);
    return answer(chain::txid(tx).to_string());
}

result<std::string> SimControl::reorganise(const Words& words, std::int64_t now_ms) {
    const auto count = parse_number(words[1], std::min(most_blocks, node_.tip().height));
    if (!count) return count.error();
    const auto fork = static_cast<std::size_t>(node_.tip().height - *count);
    const auto& tip = node_.chain().mine_empty(node_.active()[fork]->hash, *count + 1);
    node_.set_tip(tip.hash, now_ms);
    return answer(at(node_.tip()));
}

const chain::Transaction* SimControl::find(const chain::Hash256& txid) const {
    if (const auto* entry = node_.find_in_mempool(txid)) return &entry->tx;
    for (const auto* block : node_.active()) {
        for (std::size_t i = 0; i < block->txids.size(); ++i)
            if (block->txids[i] == txid) return &block->transactions[i];
    }
    return nullptr;
}

} // namespace headlight::regtest
