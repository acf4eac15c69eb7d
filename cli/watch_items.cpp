// The items of `watch` and `unwatch`.
#include "cli/watch_items.hpp"

#include "cli/input.hpp"

namespace headlight::cli {

namespace {

// The rest of an item's own error says what and why; the line says where.
Error in_line(Error error, std::size_t line, std::string_view text) {
    auto where = "line " + std::to_string(line);
    // A secret is not repeated, nor what the message quotes.
    const bool quoted = error.message.find(text) != std::string::npos;
    if (!quoted && error.code != errc::private_key) where += " ('" + std::string(text) + "')";
    error.message = where + ": " + error.message;
    return error;
}

} // namespace

result<void> for_items(const Context& context, const std::vector<std::string>& items,
                       const TakeItem& take) {
    for (const auto& item : items) {
        const auto parsed = wallet::parse_watch_item(item, context.network());
        if (!parsed) return parsed.error();
        if (const auto taken = take(*parsed); !taken) return taken;
    }
    return {};
}

result<std::size_t> for_item_lines(const Context& context, const std::string& file,
                                   const TakeItem& take) {
    std::size_t number = 0;
    std::size_t items = 0;
    const auto read =
        read_lines(context.out.host(), file, limits::max_watch_file_bytes,
                   [&](std::string_view text) -> result<void> {
                       const auto line = trim(text);
                       ++number;
                       if (line.empty() || line.front() == '#') return {};
                       ++items;
                       const auto parsed = wallet::parse_watch_item(line, context.network());
                       return parsed ? take(*parsed) : in_line(parsed.error(), number, line);
                   });
    if (!read) return read.error();
    return items;
}

Error nothing_in(const std::string& file) {
    return {errc::bad_argument, "there is nothing in " + file,
            "it has no line but blanks and comments", "Write one item a line"};
}

} // namespace headlight::cli
