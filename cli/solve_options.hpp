// What `liftgen solve` is asked for, and its options.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace lift::cli {

struct SolveOptions {
  std::string problem = "poisson", size = "64", faces = "dirichlet", cycle = "V", smoother = "automatic",
              bottom = "automatic", norm = "rms";
  double to = 1e-8, weight = 0, a = 1;
  int down = 2, up = 2, cycles = 30;
  double tune = 0;
  bool variable = false, full_start = false, mixed = false, tuned = false;
};

void add_solve_options(CLI::App& app, SolveOptions& o);

}  // namespace lift::cli
