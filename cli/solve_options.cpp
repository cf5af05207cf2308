#include "cli/solve_options.hpp"

#include <cmath>

#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "runtime/npy.hpp"

namespace lift::cli {

std::map<std::string, std::string> SolveOptions::values() const {
  std::map<std::string, std::string> all;
  for (const std::string& text : sets) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals),
                      value = equals == std::string::npos ? "" : text.substr(equals + 1);
    const bool number = std::isfinite(read_number<double>(value).value_or(NAN));
    if (name.empty() || (!number && !is_npy(value)))
      throw UserError("--set " + text +
                      ": write a name, and a file or a number: --set beta_i=beta.npy, --set c=2");
    if (!all.emplace(name, value).second) throw UserError("--set " + name + ": given more than once");
  }
  return all;
}

void add_solve_options(CLI::App& app, SolveOptions& o) {
  app.add_option(
      "problem", o.problem,
      "poisson: -div(beta grad u) = f; helmholtz: a u - div(beta grad u) = f; or FILE.lift, a program "
      "whose result is A u");
  app.add_option("--size", o.size,
                 "cells: N (in 3D), N,N (2D), or N,N,N, outermost axis first; without it the shape of --rhs, "
                 "else 64");
  app.add_option("--spacing", o.spacing, "of cells; 0: 1 / the cells of the longest axis");
  app.add_option("--rhs", o.rhs,
                 "f.npy: the right-hand side, f64; without it a problem with a known solution is solved");
  app.add_option("--guess,--start", o.guess,
                 "u.npy: the first guess, or the checkpoint to go on from; without it 0");
  app.add_option("--set", o.sets, "NAME=FILE.npy or NAME=NUMBER: a coefficient, or a number of A")
      ->take_all();
  app.add_option("--out", o.out,
                 "u.npy: where to write the solution, or the best iterate, replacing the file");
  app.add_option("--checkpoint", o.checkpoint,
                 "u.npy: the best iterate so far, replacing the file, which is whole at any time; also where "
                 "the solve ends without convergence, or is interrupted");
  app.add_option("--checkpoint-every", o.checkpoint_every, "cycles between two of them")
      ->capture_default_str();
  app.add_option(
      "--bc", o.faces,
      "faces: one of dirichlet, neumann, robin and periodic, or one an axis, outermost first, in which "
      "LOW:HIGH gives its faces one each, and =NUMBER a value: dirichlet=1:neumann,robin,periodic "
      "(dirichlet unless a file says otherwise)");
  app.add_option(
      "--emit", o.emit,
      "write the solver as C to this folder, and solve nothing; as liftgen emit solver ... --out DIR");
  app.add_flag("--variable", o.variable, "beta varies, and is read from arrays");
  app.add_option("--a", o.a, "of helmholtz")->capture_default_str();
  app.add_option("--to", o.to, "residual to be reached, relative to that where u is 0")
      ->capture_default_str();
  app.add_option("--cycles", o.cycles, "at most")->capture_default_str();
  app.add_option("--norm", o.norm, "of residuals: rms or max")->capture_default_str();
  app.add_option("--cycle", o.cycle,
                 "V, W, F or K (V), or legs and their levels: \"down 0, down 1, bottom 2, up 1, up 0\"");
  app.add_flag("--full-start,!--no-full-start", o.full_start, "begin with full multigrid");
  app.add_flag("--mixed,!--no-mixed", o.mixed, "cycles in f32 inside an iteration in f64");
  app.add_option("--inner", o.inner, "such cycles for a residual in f64; 0: as many as pay, up to 2 (0)");
  app.add_option(
         "--tune", o.tune,
         "seconds to explore the kernels of a cycle for; later solves of such cells, faces and threads "
         "use them")
      ->capture_default_str();
  app.add_option("--tune-plan", o.tune_plan,
                 "seconds to try other --down, --up, --mixed and --inner for, by time to the goal; the "
                 "fastest is used, later as well")
      ->capture_default_str();
  app.add_flag("--untuned", o.untuned, "leave out what --tune and --tune-plan have found before");
  app.add_flag("--tuned", o.tuned, "kernels also as they were found for other sizes, near these");
  app.add_option(
      "--smoother", o.smoother,
      "automatic, gauss-seidel (by colours), jacobi, chebyshev, or lines-k, lines-j, lines-i (all cells of a "
      "line at once; lines-z, -y, -x likewise)");
  app.add_option("--report", o.report, "write how it went to this file as one HTML page");
  app.add_flag(
      "--plain", o.plain,
      "kernels as they are written, one sweep at a time, by one thread: what others are compared with");
  app.add_option(
      "--bricks", o.bricks,
      "along each axis, outermost first: the domain in bricks with arrays of their own (one brick)");
  app.add_option("--down", o.down, "sweeps before a coarse grid's correction (2)");
  app.add_option("--up", o.up, "sweeps after it (2)");
  app.add_option("--weight", o.weight, "of relaxation; 0: by Fourier analysis, or the couplings of A's axes");
  app.add_option("--bottom", o.bottom,
                 "of the coarsest grid: automatic, dense, sweeps, conjugate-gradients or bicgstab (A need "
                 "not be symmetric)");
}

}  // namespace lift::cli
