// What a check comes to.
#pragma once

#include <string>
#include <string_view>

namespace headlight::conform {

enum class Verdict {
    pass,
    fail,
    differs, ///< not as most nodes do, in what the clause leaves open
    skipped, ///< could not be tried here; the text says why
};
std::string_view to_string(Verdict verdict);

struct Outcome {
    Verdict verdict = Verdict::fail;
    std::string got; ///< what came, in words

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

inline Outcome pass(std::string got) { return {Verdict::pass, std::move(got)}; }
inline Outcome fail(std::string got) { return {Verdict::fail, std::move(got)}; }
inline Outcome differs(std::string got) { return {Verdict::differs, std::move(got)}; }
inline Outcome skipped(std::string why) { return {Verdict::skipped, std::move(why)}; }

/// Thrown inside a check that cannot go on (no connection, no answer); run() catches it. It never
/// leaves this room.
struct Ended {
    Outcome outcome;
};

} // namespace headlight::conform
