// `descriptors`: what the wallet watches, in the form that other wallets read.
#include "cli/birthday.hpp"
#include "cli/commands.hpp"
#include "cli/label.hpp"
#include "cli/parts.hpp"
#include "cli/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace headlight::cli {

namespace {

using wallet::DescriptorState;

boost::json::value highest(const wallet::BranchState& branch) {
    if (branch.highest_used < 0) return nullptr;
    return branch.highest_used;
}

std::string label_of(const wallet::Wallet& wallet, const DescriptorState& state) {
    if (wallet.labels().empty()) return {};
    const auto found = wallet.labels().find(label_name(state.descriptor));
    return found == wallet.labels().end() ? std::string() : found->second;
}

} // namespace

boost::json::object descriptor_json(const wallet::Wallet& wallet, const DescriptorState& state) {
    boost::json::object object{{"id", state.id},
                               {"descriptor", state.descriptor},
                               {"generated", state.generated},
                               {"gap", state.gap},
                               {"birthday", cli::to_json(state.birthday)}};
    auto& branches = object["branches"].emplace_array();
    for (const auto& branch : state.branches)
        branches.emplace_back(
            boost::json::object{{"highest_used", highest(branch)}, {"derived", branch.derived}});
    object["label"] = label_json(label_of(wallet, state));
    return object;
}

namespace {

std::string used_text(const DescriptorState& state) {
    std::string text;
    for (const auto& branch : state.branches) {
        if (!text.empty()) text += " / ";
        text += branch.highest_used < 0 ? "none" : std::to_string(branch.highest_used);
    }
    return text;
}

std::vector<std::string> row_of(const wallet::Wallet& wallet, const DescriptorState& state,
                                bool labelled) {
    std::vector<std::string> row{to_text(state.birthday), std::to_string(state.gap),
                                 used_text(state)};
    if (labelled) row.push_back(label_of(wallet, state));
    row.push_back(state.descriptor);
    return row;
}

/// Row by row: there may be a million. The last column, the text, is as wide as it is.
void print_table(Output& out, const wallet::Wallet& wallet) {
    using enum Table::Align;
    const auto states = wallet.scripts().descriptors();
    const bool labelled =
        !wallet.labels().empty() && std::ranges::any_of(states, [&](const auto& state) {
            return !label_of(wallet, state).empty();
        });
    std::vector<Table::Column> columns{{"BIRTHDAY"}, {"GAP", right}, {"HIGHEST USED"}};
    if (labelled) columns.push_back({"LABEL"});
    columns.push_back({"DESCRIPTOR"});
    Table table(std::move(columns));
    const auto measured = labelled ? states : wallet.scripts().textless_descriptors();
    for (const auto& state : measured)
        table.measure(row_of(wallet, state, labelled));
    out.text(table.heading());
    for (const auto& state : states)
        out.text(table.line(row_of(wallet, state, labelled)));
}

} // namespace

void write_descriptors(const wallet::Wallet& wallet, const Output::Write& write) {
    for (const auto& state : wallet.scripts().descriptors())
        write(descriptor_json(wallet, state));
}

result<void> perform(Context& context, const command::Descriptors&) {
    const auto opened =
        client::open_wallet(context.paths, wallet::store::WalletDb::Mode::read_only);
    if (!opened) return opened.error();
    const auto& wallet = *opened->wallet;
    if (context.out.json())
        context.out.value([&](const Output::Write& write) { write_descriptors(wallet, write); });
    else if (wallet.scripts().descriptors().empty())
        context.out.text("Nothing is watched.\n");
    else
        print_table(context.out, wallet);
    return {};
}

} // namespace headlight::cli
