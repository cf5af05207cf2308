// What `liftgen solve --checkpoint FILE` leaves while it goes on.
#pragma once

#include "cli/solve_options.hpp"
#include "gmg/solver.hpp"

namespace lift::cli {

/// The iterate in a file, written beside it and renamed: it is whole at any time, of the last cycle that
/// could be written. Where one cannot be, the solve goes on, and the others are tried.
class Checkpoint {
 public:
  /// UserError: a file that cannot be made.
  Checkpoint(const SolveOptions& o, gmg::Domain domain);
  bool is_asked() const { return !path_.empty(); }
  void add_to(gmg::Goal& goal);
  void write(int cycles, std::span<const double> u);
  /// What became of it, in a sentence; "" where it was not asked for.
  std::string text() const;
  bool failed() const { return !failure_.empty(); }

 private:
  std::string path_;
  int every_;
  gmg::Domain domain_;
  int last_ = -1;  ///< cycles before the one that is in the file; -1: none of this solve
  std::string failure_;
};

}  // namespace lift::cli
