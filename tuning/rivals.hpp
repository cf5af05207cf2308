// The loops a C programmer writes, through the compilers that are there: the baseline, and what polyhedral
// optimisers make of the same source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patterns/pattern.hpp"
#include "tuning/executor.hpp"
#include "tuning/explore.hpp"

namespace lift {

struct RivalJob {
  std::string name, what;
  bool baseline = false;
  Job job;
};

/// What became of a job that was verified and timed.
struct Trial {
  Status status = Status::ok;
  std::string message;
  double error = 0, ms = 0;
  double relative = 0;  ///< time over that of the plain loops, taken again before and after
};

/// Runs jobs for those who look for a fast one.
class Trials {
 public:
  virtual ~Trials() = default;
  /// Compiles them together, all for processors or all for the device; each is verified, and timed until it
  /// is seen to be much slower than `best`, another's relative time (0: none).
  virtual std::vector<Trial> try_out(const std::vector<RivalJob>& jobs, double best) = 0;
};

/// Who takes part, with the best that was found: a job where there is one, and what else is to be said.
struct Contender {
  Rival rival;
  std::optional<RivalJob> job;  ///< one that was verified
};

/// Others than the compilers of the plain loops, who take part in an exploration (ExploreOptions).
class Contenders {
 public:
  virtual ~Contenders() = default;
  /// Told what is explored, once.
  virtual void begin(const Pattern& pattern, const Problem& problem, const Program& program, int threads) = 0;
  /// Called when the plain loops have been timed; `seconds` are left for them and for the exploration, which
  /// takes what they leave. They return earlier when interrupted.
  virtual std::vector<Contender> contend(Trials& trials, double seconds) = 0;
};

/// The pattern's plain loops, or where nobody wrote any the program's as they are written (empty when there
/// are none, or none that are short enough). Each is bounded: its text here, its compilation and a run as
/// those of any candidate; one that fails is a row that says so. `others`: also Polly and Graphite, where
/// installed, of loops that somebody wrote.
std::vector<RivalJob> rival_jobs(const Pattern& pattern, const Problem& problem, const Program& program,
                                 bool others, int threads);

}  // namespace lift
