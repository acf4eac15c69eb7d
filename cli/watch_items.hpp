// What `watch` and `unwatch` are given: addresses, descriptors, extended public keys.
#pragma once

#include "cli/context.hpp"
#include "wallet/descriptor.hpp"

#include <functional>

namespace headlight::cli {

/// The descriptors that one item stands for.
using TakeItem = std::function<result<void>(const std::vector<wallet::Descriptor>& item)>;

/// Gives each of `items` to `take`. Errors: as wallet::parse_watch_item, and those of `take`.
result<void> for_items(const Context& context, const std::vector<std::string>& items,
                       const TakeItem& take);
/// The same for the lines of `file` ("-": stdin), one by one: there may be a million. How many
/// there were, blanks and comments left out. Errors of parsing name the line; those of read_lines.
result<std::size_t> for_item_lines(const Context& context, const std::string& file,
                                   const TakeItem& take);
Error nothing_in(const std::string& file);

} // namespace headlight::cli
