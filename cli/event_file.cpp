#include "cli/event_file.hpp"

#include "cli/json_text.hpp"

#include <boost/json/object.hpp>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace headlight::cli {

result<EventFile> EventFile::open(const std::string& name) {
    auto file = wallet::store::open_file(name, O_WRONLY | O_CREAT | O_APPEND);
    if (!file.is_open()) {
        auto error = wallet::store::file_error("cannot open", name, errno);
        error.cure = "Name another file with --events, or make its folder writable";
        return error;
    }
    return EventFile(name, std::move(file));
}

void EventFile::line(const boost::json::object& object) {
    const auto text = json_text(object) + "\n";
    std::string_view rest = text;
    int error = 0;
    while (!rest.empty() && error == 0) {
        const auto written = write(file_.get(), rest.data(), rest.size());
        if (written > 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (written == 0 || errno != EINTR)
            error = written == 0 ? ENOSPC : errno;
    }
    if (error != 0 && !failed_) error_ = wallet::store::file_error("cannot write", name_, error);
    failed_ = error != 0;
}

} // namespace headlight::cli
