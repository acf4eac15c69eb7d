// --events FILE: lines of JSON at the end of a file.
#pragma once

#include "chain/result.hpp"
#include "wallet/store/file_system.hpp"

#include <boost/json/fwd.hpp>

namespace headlight::cli {

class EventFile {
  public:
    /// Appends to what is there; its owner's only when it is new. Errors: io, disk_full.
    static result<EventFile> open(const std::string& name);

    /// One write for one line. The first error is kept.
    void line(const boost::json::object& object);
    /// Since the last call.
    std::optional<Error> take_error() { return std::exchange(error_, std::nullopt); }

  private:
    EventFile(std::string name, wallet::store::FileDescriptor file)
        : name_(std::move(name)), file_(std::move(file)) {}

    std::string name_;
    wallet::store::FileDescriptor file_;
    bool failed_ = false; ///< told once, until a line arrives again
    std::optional<Error> error_;
};

} // namespace headlight::cli
