#include "regtest/script_memory.hpp"

#include <unordered_map>

namespace headlight::regtest {
namespace {

/// By branch, then by index; empty where none is derived yet (no script is empty).
using Scripts = std::vector<std::vector<Bytes>>;

Scripts& scripts_of(const wallet::Descriptor& descriptor) {
    static std::unordered_map<std::string, Scripts> all;
    auto& scripts = all[descriptor.text()];
    if (scripts.empty()) scripts.resize(descriptor.branches());
    return scripts;
}

} // namespace

wallet::DeriveScript remembered_scripts() {
    // A wallet derives a descriptor's scripts in a row, so the last one asked for is kept at hand.
    return [last = std::string(), scripts = static_cast<Scripts*>(nullptr)](
               const wallet::Descriptor& descriptor, std::uint32_t branch,
               std::uint32_t index) mutable -> result<Bytes> {
        constexpr std::uint32_t most_remembered = 10'000;
        if (branch >= descriptor.branches() || index >= most_remembered)
            return descriptor.script_pubkey(branch, index);
        if (!scripts || last != descriptor.text()) {
            scripts = &scripts_of(descriptor);
            last = descriptor.text();
        }
        auto& known = (*scripts)[branch];
        if (known.size() <= index) known.resize(index + 1);
        if (known[index].empty()) {
            auto script = descriptor.script_pubkey(branch, index);
            if (!script) return script;
            known[index] = std::move(*script);
        }
        return known[index];
    };
}

} // namespace headlight::regtest
