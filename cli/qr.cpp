#include "cli/qr.hpp"

#include <qrencode.h>

#include <memory>

namespace headlight::cli {

namespace {

constexpr int quiet_zone = 2; // modules on each side: less than the norm's 4, enough on a screen

class Modules {
  public:
    explicit Modules(const QRcode& code) : code_(code) {}
    int first() const { return -quiet_zone; }
    int end() const { return code_.width + quiet_zone; }
    bool dark(int row, int column) const {
        if (row < 0 || column < 0 || row >= code_.width || column >= code_.width) return false;
        return (code_.data[row * code_.width + column] & 1) != 0;
    }

  private:
    const QRcode& code_;
};

// Light modules are drawn, dark ones left out: terminals mostly are light on dark.
const char* half_blocks(bool upper_light, bool lower_light) {
    if (upper_light) return lower_light ? "\u2588" : "\u2580";
    return lower_light ? "\u2584" : " ";
}

} // namespace

result<std::string> qr_code(const std::string& text) {
    const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
        QRcode_encodeString(text.c_str(), 0, QR_ECLEVEL_M, QR_MODE_8, 1), &QRcode_free);
    if (!code)
        return Error{errc::too_large, "no QR code holds this text", "it is too long",
                     "Use it as text"};
    const Modules modules(*code);
    std::string drawn;
    for (int row = modules.first(); row < modules.end(); row += 2) {
        for (int column = modules.first(); column < modules.end(); ++column)
            drawn += half_blocks(!modules.dark(row, column), !modules.dark(row + 1, column));
        drawn += '\n';
    }
    return {boost::system::in_place_value, std::move(drawn)};
}

} // namespace headlight::cli
