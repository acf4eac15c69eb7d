// What people and programs are told: results on stdout, everything else on stderr.
#pragma once

#include "chain/result.hpp"
#include "cli/host.hpp"

#include <boost/json/fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace headlight::cli {

/// {"code", "message", "cause", "cure"}.
boost::json::object to_json(const Error& error);

/// "headlight: MESSAGE: cause. cure", or one line of JSON.
void print_error(const Host& host, const Error& error, bool json);

class Output {
  public:
    Output(const Host& host, bool json, bool verbose)
        : host_(host), json_(json), verbose_(verbose) {}

    bool json() const { return json_; }
    bool verbose() const { return verbose_; }
    const Host& host() const { return host_; }

    /// Text for people, on stdout.
    void text(std::string_view text);
    /// The result for programs: one line on stdout. An object gets the warnings so far as
    /// "warnings".
    void value(boost::json::object object);
    void value(const boost::json::array& array);
    /// The same, element by element: there may be a million.
    using Write = std::function<void(const boost::json::object& element)>;
    using Elements = std::function<void(const Write& write)>;
    void value(const Elements& elements);
    /// `head` and `tail` as one object, with such an array under `key` between their members.
    void value(const boost::json::object& head, std::string_view key, const Elements& elements,
               boost::json::object tail);
    /// One line of JSON on stdout at once, for programs that follow.
    void line(const boost::json::object& object);

    /// Remarks, on stderr; with --json only when -v asks for it.
    void note(std::string_view text);
    void warn(const Error& warning);
    void warn(std::string_view text);
    /// For -v only.
    void detail(std::string_view text);

    /// Called before each line on stderr, so that a progress bar can get out of its way.
    void on_stderr(std::function<void()> clear) { clear_ = std::move(clear); }
    /// Error: io, when what was written did not arrive (a full disk, a closed pipe).
    result<void> flush();

  private:
    void say(std::string_view text);
    void add_warnings(boost::json::object& object) const;
    void write_array(const Elements& elements);

    const Host& host_;
    bool json_;
    bool verbose_;
    std::vector<std::string> warnings_;
    std::function<void()> clear_;
};

} // namespace headlight::cli
