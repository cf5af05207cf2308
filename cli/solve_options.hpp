// What `liftgen solve` is asked for, and its options.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace lift::cli {

struct SolveOptions {
  std::string problem = "poisson";  ///< or helmholtz, or FILE.lift
  std::string size, faces;          ///< empty: not said
  std::string rhs, guess, out;      ///< files
  std::string emit;                 ///< a folder: the solver is written there as C
  std::vector<std::string> sets;    ///< NAME=FILE.npy or NAME=NUMBER
  std::string cycle = "V", smoother = "automatic", bottom = "automatic", norm = "rms";
  double spacing = 0, to = 1e-8, weight = 0, a = 1;
  int down = 2, up = 2, cycles = 30, inner = 0;
  double tune = 0, tune_plan = 0;
  bool variable = false, full_start = false, mixed = false, tuned = false;

  /// What --set says, by name. UserError: neither a number nor a .npy, twice.
  std::map<std::string, std::string> values() const;
};

void add_solve_options(CLI::App& app, SolveOptions& o);

}  // namespace lift::cli
