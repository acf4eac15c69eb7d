// The items of `watch` and `unwatch`.
#include "cli/watch_items.hpp"

#include "cli/input.hpp"

namespace headlight::cli {

namespace {

using wallet::Descriptor;

// The rest of an item's own error says what and why; the line says where.
Error in_line(Error error, std::size_t line, std::string_view text) {
    auto where = "line " + std::to_string(line);
    // A secret is not repeated, nor what the message quotes.
    const bool quoted = error.message.find(text) != std::string::npos;
    if (!quoted && error.code != errc::private_key) where += " ('" + std::string(text) + "')";
    error.message = where + ": " + error.message;
    return error;
}

result<void> parse_item(const chain::Network& network, std::string_view text,
                        std::vector<Descriptor>& all) {
    auto parsed = wallet::parse_watch_item(trim(text), network);
    if (!parsed) return parsed.error();
    for (auto& descriptor : *parsed)
        all.push_back(std::move(descriptor));
    return {};
}

result<void> parse_lines(const chain::Network& network, std::string_view text,
                         std::vector<Descriptor>& all) {
    std::size_t number = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty() || line.front() == '#') continue;
        if (const auto parsed = parse_item(network, line, all); !parsed)
            return in_line(parsed.error(), number, line);
    }
    return {};
}

} // namespace

result<std::vector<Descriptor>> parse_watch_items(const Context& context,
                                                  const std::vector<std::string>& items,
                                                  const std::string& file) {
    std::vector<Descriptor> all;
    for (const auto& item : items) {
        if (const auto parsed = parse_item(context.network(), item, all); !parsed)
            return parsed.error();
    }
    if (file.empty()) return all;
    const auto text = read_input(context.out.host(), file, limits::max_watch_file_bytes);
    if (!text) return text.error();
    if (const auto parsed = parse_lines(context.network(), *text, all); !parsed)
        return parsed.error();
    if (!all.empty()) return all;
    return Error{errc::bad_argument, "there is nothing in " + file,
                 "it has no line but blanks and comments", "Write one item a line"};
}

} // namespace headlight::cli
