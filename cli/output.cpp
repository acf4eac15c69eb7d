#include "cli/output.hpp"

#include "cli/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <ostream>
#include <utility>

namespace headlight::cli {

boost::json::object to_json(const Error& error) {
    return {{"code", error.code},
            {"message", error.message},
            {"cause", error.cause},
            {"cure", error.cure}};
}

void print_error(const Host& host, const Error& error, bool json) {
    if (json)
        host.err << json_text(boost::json::object{{"error", to_json(error)}}) << '\n';
    else
        host.err << "headlight: " << to_string(error) << '\n';
    host.err.flush();
}

void Output::text(std::string_view text) { host_.out << text; }

void Output::add_warnings(boost::json::object& object) const {
    if (warnings_.empty()) return;
    auto& warnings = object["warnings"].emplace_array();
    for (const auto& warning : warnings_)
        warnings.emplace_back(warning);
}

void Output::value(boost::json::object object) {
    add_warnings(object);
    host_.out << json_text(object) << '\n';
}

void Output::value(const boost::json::array& array) { host_.out << json_text(array) << '\n'; }

void Output::write_array(const Elements& elements) {
    const char* before = "[";
    elements([&](const boost::json::object& element) {
        host_.out << std::exchange(before, ",") << json_text(element);
    });
    host_.out << (*before == '[' ? "[]" : "]");
}

void Output::value(const Elements& elements) {
    write_array(elements);
    host_.out << '\n';
}

void Output::value(const boost::json::object& head, std::string_view key, const Elements& elements,
                   boost::json::object tail) {
    add_warnings(tail);
    auto text = json_text(head);
    text.back() = ','; // it ends in a brace
    host_.out << text << boost::json::serialize(boost::json::string_view(key)) << ':';
    write_array(elements);
    host_.out << ',' << json_text(tail).substr(1) << '\n';
}

void Output::line(const boost::json::object& object) {
    host_.out << json_text(object) << std::endl;
}

void Output::note(std::string_view text) {
    if (!json_ || verbose_) say(text);
}

void Output::warn(const Error& warning) { warn(to_string(warning)); }

void Output::warn(std::string_view text) {
    warnings_.emplace_back(text);
    note("headlight: warning: " + std::string(text));
}

void Output::detail(std::string_view text) {
    if (verbose_) say(text);
}

void Output::say(std::string_view text) {
    if (clear_) clear_();
    host_.err << text << '\n';
    host_.err.flush();
}

result<void> Output::flush() {
    host_.out.flush();
    if (host_.out.good()) return {};
    return Error{errc::io, "the result could not be written", "stdout is closed or full",
                 "Give it somewhere to go and run the command again"};
}

} // namespace headlight::cli
