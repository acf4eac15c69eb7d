// A report as text: a table for people, TAP, and JUnit's XML.
#pragma once

#include "conform/run.hpp"

namespace headlight::conform {

/// One check of the table: its id and result, the clause, and what was sent and came; in lines of
/// at most 100 columns.
std::string to_text(const Result& result);
/// "160 passed, 2 differ, 3 skipped, 0 failed".
std::string totals(const Report& report);
/// The checks without a run, one a line with its clause.
std::string list_text(const std::vector<const Check*>& checks);

/// TAP version 13. What differs is ok, with a remark; what failed has its details behind it.
std::string to_tap(const Report& report);
/// One test suite, a class for each group. What differs passes, with its text as output.
std::string to_junit(const Report& report);

} // namespace headlight::conform
