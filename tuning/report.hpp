// What an exploration found, for programs and for people.
#pragma once

#include <string>

#include "tuning/depths.hpp"
#include "tuning/explanation.hpp"

namespace lift {

/// What a report says beside the result of an exploration, where it is known.
struct ReportExtras {
  std::string file;                   ///< that the operator comes from; "" for those of the library
  std::string command, emit_command;  ///< command lines: that explored, that makes the best kernel again
  const Depths* depths = nullptr;     ///< of which the result is the best
  const Explanation* explanation = nullptr;  ///< of the best variant
};

/// JSON, schema 1: fields are added freely and never renamed. `source_path` is where the best kernel was
/// written ("" when it was not). Numbers that are not known are null.
std::string json_report(const ExploreResult& result, const std::string& source_path,
                        const ReportExtras& extras = {});

/// The parameters of the verified variants in a JSON report, fastest first, at most `most`. UserError when it
/// is none.
std::vector<Configuration> configurations_in(const std::string& json_report, std::size_t most);

/// A table of the best `rows` variants: first those of the last round with the plain loops, the rivals and
/// the twin that were timed beside them, then the others. Lines of at most `columns` characters: names and
/// notes that do not fit go on below; 0: each in a line. No trailing newline.
std::string leaderboard(const ExploreResult& result, std::size_t rows, std::size_t columns = 0);

/// The kernel with a header comment: the expression, the derivation in the form that can be replayed with
/// what each step does, and the command that makes the kernel again (if there is one).
Kernel documented(Kernel kernel, const Program& program, const Derivation& derivation,
                  const std::string& command = "");

/// What the best's time holds besides memory and arithmetic, or does not hold; a sentence each, or nothing.
std::string about_times(const ExploreResult& result);
/// How well the cost model orders what was timed: the rank correlation of expected and measured times while
/// exploring; 0 for less than three variants.
double cost_model_correlation(const ExploreResult& result);

/// Counts, times, and why variants were impossible, in a few lines. `verbose`: also where the time went.
std::string summary(const ExploreResult& result, bool verbose);

}  // namespace lift
