// Runs the empty input and every file it is given, or that is in a folder it is given, through one
// fuzz target: what libFuzzer once found stays found, without clang. A target that breaks aborts.
#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path))
        files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::vector<std::uint8_t> bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto target = arguments.empty() ? headlight::tests::fuzz_targets.end()
                                          : headlight::tests::fuzz_targets.find(arguments[0]);
    if (target == headlight::tests::fuzz_targets.end()) {
        std::cerr << "usage: fuzz_replay TARGET [FILE|FOLDER]...\ntargets:";
        for (const auto& [name, function] : headlight::tests::fuzz_targets)
            std::cerr << ' ' << name;
        std::cerr << '\n';
        return 2;
    }
    std::cout << "the empty input" << std::endl;
    target->second(nullptr, 0);
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        for (const auto& file : files_in(arguments[i])) {
            std::cout << file.string() << std::endl; // before it runs: the last line is the culprit
            // At its exact size on the heap, so that a read past the end is seen by a sanitizer.
            const auto bytes = bytes_of(file);
            target->second(bytes.data(), bytes.size());
        }
    }
    return 0;
}
