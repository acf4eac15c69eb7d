#include "tests/sim/swarm/knobs.hpp"

#include <array>
#include <charconv>

namespace headlight::tests {
namespace {

struct Switch {
    std::string_view name;
    bool Knobs::*on;
};
constexpr std::array switches{
    Switch{"faults", &Knobs::faults},     Switch{"lies", &Knobs::lies},
    Switch{"behind", &Knobs::behind},     Switch{"weather", &Knobs::weather},
    Switch{"crashes", &Knobs::crashes},   Switch{"disk", &Knobs::disk},
    Switch{"stops", &Knobs::stops},       Switch{"reorgs", &Knobs::reorgs},
    Switch{"growth", &Knobs::growth},     Switch{"mempool", &Knobs::mempool},
    Switch{"spends", &Knobs::spends},     Switch{"jumps", &Knobs::jumps},
    Switch{"coinbase", &Knobs::coinbase}, Switch{"strangers", &Knobs::strangers},
    Switch{"changes", &Knobs::changes},   Switch{"birthdays", &Knobs::birthdays},
    Switch{"shards", &Knobs::shards},     Switch{"whole", &Knobs::whole},
};

struct Most {
    std::string_view name;
    std::uint64_t Knobs::*figure;
};
constexpr std::array figures{
    Most{"blocks", &Knobs::blocks},
    Most{"peers", &Knobs::peers},
    Most{"runs", &Knobs::runs},
};

bool set_figure(Knobs& knobs, std::string_view name, std::string_view value) {
    for (const auto& each : figures) {
        if (each.name != name) continue;
        const auto* end = value.data() + value.size();
        const auto read = std::from_chars(value.data(), end, knobs.*each.figure);
        return read.ec == std::errc{} && read.ptr == end;
    }
    return false;
}

bool set_knob(Knobs& knobs, std::string_view word) {
    if (word.starts_with("no-")) {
        for (const auto& each : switches) {
            if (each.name != word.substr(3)) continue;
            knobs.*each.on = false;
            return true;
        }
        return false;
    }
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    const auto name = word.substr(0, equals);
    const auto value = word.substr(equals + 1);
    if (name != "wallet") return set_figure(knobs, name, value);
    knobs.wallet = std::string(value);
    return true;
}

} // namespace

std::optional<Knobs> Knobs::parse(std::string_view text) {
    Knobs knobs;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        if (!set_knob(knobs, text.substr(0, comma))) return std::nullopt;
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return knobs;
}

std::string Knobs::names() {
    std::string text;
    for (const auto& each : switches)
        text += "no-" + std::string(each.name) + ", ";
    for (const auto& each : figures)
        text += std::string(each.name) + "=N, ";
    return text + "wallet=NAME";
}

} // namespace headlight::tests
