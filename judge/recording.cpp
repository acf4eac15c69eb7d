#include "judge/recording.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace headlight::judge {

namespace {

std::string_view word_of(Spoken::What what) {
    switch (what) {
    case Spoken::What::opened:
        return "opened";
    case Spoken::What::from_client:
        return "from client";
    case Spoken::What::to_client:
        return "to client";
    case Spoken::What::over_limit:
        return "over limit";
    case Spoken::What::broken_frame:
        return "broken frame";
    case Spoken::What::closed_by_client:
        return "closed by client";
    case Spoken::What::closed_by_node:
        return "closed by node";
    }
    return "?";
}

boost::json::object decoded(const bip37::BloomFilter& filter) {
    return {{"bytes", filter.data().size()}, {"functions", filter.hash_functions()},
            {"tweak", filter.tweak()},       {"flags", static_cast<int>(filter.flags())},
            {"fill", filter.fill_ratio()},   {"fp_rate", filter.false_positive_rate()},
            {"data", to_hex(filter.data())}};
}

boost::json::object as_line(const Spoken& spoken) {
    boost::json::object line{
        {"connection", spoken.connection}, {"ms", spoken.ms}, {"what", word_of(spoken.what)}};
    if (spoken.message) {
        line["command"] = p2p::command_of(*spoken.message);
        line["summary"] = p2p::summary(*spoken.message);
        if (const auto* load = std::get_if<bip37::FilterLoad>(&*spoken.message))
            line["filter"] = decoded(load->filter);
    }
    if (!spoken.note.empty()) line["note"] = spoken.note;
    return line;
}

} // namespace

std::string to_json_lines(const Recording& recording) {
    std::string lines;
    for (const auto& spoken : recording.said)
        lines += boost::json::serialize(as_line(spoken)) + "\n";
    return lines;
}

} // namespace headlight::judge
