#include "cli/view.hpp"

#include "cli/text.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace headlight::cli {

using wallet::store::HeaderFile;
using wallet::store::WalletDb;

std::int32_t View::best_height() const { return std::max(chain.height, wallet().scan().height); }

std::int32_t View::confirmations(std::int32_t height) const {
    return height < 0 ? 0 : best_height() - height + 1;
}

result<std::unique_ptr<HeaderFile>> open_headers(Context& context) {
    auto opened =
        HeaderFile::open(context.paths.headers(), context.network(), HeaderFile::Mode::read_only);
    if (!opened) return opened.error();
    if (!opened->notice.empty()) context.out.warn(opened->notice);
    return std::move(opened->file);
}

result<View> open_view(Context& context) {
    auto opened = client::open_wallet(context.paths, WalletDb::Mode::read_only);
    if (!opened) return opened.error();
    auto headers = open_headers(context);
    if (!headers) return headers.error();
    ChainTip chain{.height = (*headers)->tip_height(), .hash = {}};
    if (chain.height >= 0) {
        const auto tip = (*headers)->at(chain.height);
        chain.hash = tip.hash;
        chain.time = tip.header.time;
    }
    return View{std::move(*opened), std::move(*headers), chain};
}

boost::json::object to_json(const wallet::Balance& balance) {
    return {{"confirmed", balance.confirmed},
            {"unconfirmed", balance.unconfirmed},
            {"immature", balance.immature},
            {"total", balance.total()}};
}

std::string to_text(const wallet::Balance& balance) {
    std::string text = format_amount(balance.total());
    text += " (confirmed " + format_amount(balance.confirmed);
    text += ", unconfirmed " + format_amount(balance.unconfirmed);
    text += ", immature " + format_amount(balance.immature) + ")";
    return text;
}

} // namespace headlight::cli
