// Which word of the list was probably meant.
#include "wallet/nearest_word.hpp"

#include "wallet/english_words.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

constexpr std::size_t longest = 12; // the list's longest has 8 letters
constexpr std::size_t most_mistakes = 2;

using Row = std::array<std::size_t, longest + 1>;

// Edit distance with a swap of neighbours as one mistake (optimal string alignment), over three
// rows.
std::size_t mistakes(std::string_view a, std::string_view b) {
    Row before{}, last{}, row{};
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
    }
    return last[b.size()];
}

} // namespace

std::string_view nearest_word(std::string_view word) { return nearest_word(word, english_words); }

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words) {
    if (word.empty() || word.size() > longest) return {};
    const auto begins = [&](std::string_view known) { return known.starts_with(word); };
    const auto first = std::find_if(words.begin(), words.end(), begins);
    if (first != words.end() && std::none_of(std::next(first), words.end(), begins))
        return *first; // people write the first four letters, which are enough
    std::string_view nearest;
    std::size_t fewest = most_mistakes + 1;
    for (const auto known : words) {
        const auto count = mistakes(word, known);
        if (count >= fewest) continue;
        fewest = count;
        nearest = known;
    }
    return nearest;
}

} // namespace headlight::wallet
