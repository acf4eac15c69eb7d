// What `watch` and `unwatch` are given: addresses, descriptors, extended public keys.
#pragma once

#include "cli/context.hpp"
#include "wallet/descriptor.hpp"

namespace headlight::cli {

/// All of `items` and of the lines of `file` (empty: none; "-": stdin), understood before anything
/// is changed. Errors: as wallet::parse_watch_item, naming the line; those of read_input;
/// bad_argument when there is none.
result<std::vector<wallet::Descriptor>> parse_watch_items(const Context& context,
                                                          const std::vector<std::string>& items,
                                                          const std::string& file);

} // namespace headlight::cli
