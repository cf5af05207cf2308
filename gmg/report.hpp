// How a solve went.
#pragma once

#include "gmg/hierarchy.hpp"

namespace lift::gmg {

struct Report {
  enum class Status : std::uint8_t {
    converged,
    cycles_used_up,
    stagnated,   ///< the residual no longer falls
    diverged,    ///< it grows
    not_finite,  ///< f, the first u or a coefficient is not a number, or became infinite
    interrupted  ///< a signal, or request_interrupt, came meanwhile
  } status = Status::converged;
  std::string reason;  ///< a sentence
  Norm norm = Norm::rms;
  double reference = 0;         ///< the residual's norm where u is 0: what a relative tolerance is of
  std::vector<double> history;  ///< the residual's norm: at first, and after each cycle, or where cycles are
                                ///< in f32, after each f64 step
  std::vector<int> cycles_at;   ///< how many cycles there had been, for each of these
  std::vector<std::string> notes;
  std::string plan;
  double ms = 0;          ///< of the cycles, norms among them
  double setup_ms = 0;    ///< of kernels, coefficients and diagonals, where this solve had to
  double kernels_ms = 0;  ///< of that, kernels and the weight; the rest is what arrays take
  std::vector<LegTime> times;
  std::vector<std::string> grids;  ///< by level: cells, smoother

  bool converged() const { return status == Status::converged; }
  int cycles() const { return cycles_at.empty() ? 0 : cycles_at.back(); }
  void add(double norm, int more_cycles) {
    cycles_at.push_back(cycles() + more_cycles), history.push_back(norm);
  }
  /// A cycle's factor between the last two norms of the history; 0 before the first cycle.
  double last_factor() const;
  /// The geometric mean of a cycle's factor, without the first norm's, where there are others.
  double mean_factor() const;
  std::string text() const;   ///< the reason, notes and history
  std::string table() const;  ///< a line a level and leg: ms, GB/s, share
};
const char* text(Report::Status s);

}  // namespace lift::gmg
