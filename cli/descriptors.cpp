// `descriptors`: what the wallet watches, in the form that other wallets read.
#include "cli/birthday.hpp"
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

using wallet::DescriptorState;

boost::json::value highest(const wallet::BranchState& branch) {
    if (branch.highest_used < 0) return nullptr;
    return branch.highest_used;
}

boost::json::object to_json(const DescriptorState& state) {
    boost::json::object object{{"descriptor", state.descriptor},
                               {"generated", state.generated},
                               {"gap", state.gap},
                               {"birthday", cli::to_json(state.birthday)}};
    auto& branches = object["branches"].emplace_array();
    for (const auto& branch : state.branches)
        branches.emplace_back(
            boost::json::object{{"highest_used", highest(branch)}, {"derived", branch.derived}});
    return object;
}

std::string used_text(const DescriptorState& state) {
    std::string text;
    for (const auto& branch : state.branches) {
        if (!text.empty()) text += " / ";
        text += branch.highest_used < 0 ? "none" : std::to_string(branch.highest_used);
    }
    return text;
}

std::string as_table(const std::vector<DescriptorState>& states) {
    using enum Table::Align;
    Table table({{"BIRTHDAY"}, {"GAP", right}, {"HIGHEST USED"}, {"DESCRIPTOR"}});
    for (const auto& state : states)
        table.add({to_text(state.birthday), std::to_string(state.gap), used_text(state),
                   state.descriptor});
    return table.to_string();
}

} // namespace

result<void> perform(Context& context, const command::Descriptors&) {
    const auto opened =
        client::open_wallet(context.paths, wallet::store::WalletDb::Mode::read_only);
    if (!opened) return opened.error();
    const auto& states = opened->wallet->scripts().descriptors();
    if (!context.out.json()) {
        context.out.text(states.empty() ? "Nothing is watched.\n" : as_table(states));
        return {};
    }
    boost::json::array array;
    for (const auto& state : states)
        array.push_back(to_json(state));
    context.out.value(array);
    return {};
}

} // namespace headlight::cli
