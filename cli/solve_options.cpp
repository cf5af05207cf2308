#include "cli/solve_options.hpp"

namespace lift::cli {

void add_solve_options(CLI::App& app, SolveOptions& o) {
  app.add_option("problem", o.problem,
                 "poisson: -div(beta grad u) = f; helmholtz: a u - div(beta grad u) = f");
  app.add_option("--size", o.size, "cells: N (in 3D), N,N (2D), or N,N,N, outermost axis first")
      ->capture_default_str();
  app.add_option(
         "--bc", o.faces,
         "faces: one of dirichlet, neumann, robin and periodic, or one an axis, outermost first, in which "
         "LOW:HIGH gives its faces one each: dirichlet:neumann,robin,periodic")
      ->capture_default_str();
  app.add_flag("--variable", o.variable, "beta varies, and is read from arrays");
  app.add_option("--a", o.a, "of helmholtz")->capture_default_str();
  app.add_option("--to", o.to, "residual to be reached, relative to that where u is 0")
      ->capture_default_str();
  app.add_option("--cycles", o.cycles, "at most")->capture_default_str();
  app.add_option("--norm", o.norm, "of residuals: rms or max")->capture_default_str();
  app.add_option("--cycle", o.cycle, "V, W or F")->capture_default_str();
  app.add_flag("--full-start", o.full_start, "begin with full multigrid");
  app.add_flag("--mixed", o.mixed, "cycles in f32 inside an iteration in f64");
  app.add_option("--tune", o.tune, "seconds to explore the kernels of a cycle for, which are remembered")
      ->capture_default_str();
  app.add_flag("--tuned", o.tuned, "take kernels that --tune has found before");
  app.add_option("--smoother", o.smoother, "automatic, gauss-seidel (by colours), jacobi or chebyshev")
      ->capture_default_str();
  app.add_option("--down", o.down, "sweeps before a coarse grid's correction")->capture_default_str();
  app.add_option("--up", o.up, "sweeps after it")->capture_default_str();
  app.add_option("--weight", o.weight, "of relaxation; 0: by the couplings of A's axes")
      ->capture_default_str();
  app.add_option("--bottom", o.bottom,
                 "of the coarsest grid: automatic, dense, sweeps or conjugate-gradients")
      ->capture_default_str();
}

}  // namespace lift::cli
