// What `liftgen solve` is asked for, and its options.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lift::cli {

struct SolveOptions {
  std::string problem = "poisson";  ///< or helmholtz, or FILE.lift
  std::string size, faces;          ///< empty: not said
  std::string rhs, guess, out;      ///< files
  std::string checkpoint;           ///< a file
  int checkpoint_every = 5;
  std::string emit;               ///< a folder: the solver is written there as C
  std::vector<std::string> sets;  ///< NAME=FILE.npy or NAME=NUMBER
  std::string norm = "rms";
  double spacing = 0, to = 1e-8, a = 1;
  int cycles = 30;
  double tune = 0, tune_plan = 0;
  bool variable = false, tuned = false, untuned = false, plain = false;
  // Of the plan; none: as tuning has found, else as Plan{} has it.
  std::optional<std::string> cycle, smoother, bottom;
  std::optional<double> weight;
  std::optional<int> down, up, inner;
  std::optional<bool> full_start, mixed;
  std::string bricks, report;

  /// What --set says, by name. UserError: neither a number nor a .npy, twice.
  std::map<std::string, std::string> values() const;
};

void add_solve_options(CLI::App& app, SolveOptions& o);

}  // namespace lift::cli
