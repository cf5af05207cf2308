// liftgen solve: a problem with a known solution, or arrays from files, solved by multigrid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/check_files.hpp"
#include "cli/checkpoint.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/solve_domain.hpp"
#include "cli/solve_problem.hpp"
#include "gmg/emit_solver.hpp"
#include "gmg/fourier.hpp"
#include "gmg/known_plan.hpp"
#include "gmg/named.hpp"
#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "report/solve_page.hpp"
#include "runtime/file.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/parallel.hpp"

namespace lift::cli {
namespace {

/// The value of that name, by its text.
template <class E>
E choice(const std::string& option, const std::string& name, std::initializer_list<E> all) {
  return gmg::named(option + " " + name + ": use one of ", name, all);
}

/// Axes are k, j and i; x, y and z are understood.
std::string smoother_name(const std::string& asked) {
  const std::size_t axis =
      asked.size() == 7 && asked.starts_with("lines-") ? std::string("xyz").find(asked[6]) : 3;
  return axis < 3 ? std::string("lines-") + "ijk"[axis] : asked;
}

/// What was found before for this equation, `plan`, with what is asked for in place of that.
gmg::Plan plan_of(const SolveOptions& o, gmg::Plan plan) {
  if (o.cycle && o.cycle->find(' ') != std::string::npos)
    plan.steps = *o.cycle;
  else if (o.cycle)
    plan.cycle = choice("--cycle", *o.cycle, gmg::kCycles), plan.steps.clear();
  if (o.smoother) plan.smoother = choice("--smoother", smoother_name(*o.smoother), gmg::kSmoothers);
  if (o.bottom) plan.bottom = choice("--bottom", *o.bottom, gmg::kBottoms);
  const auto take = [](const auto& asked, auto& choice) { choice = asked.value_or(choice); };
  take(o.down, plan.down), take(o.up, plan.up), take(o.weight, plan.weight);
  take(o.full_start, plan.full_start), take(o.mixed, plan.mixed), take(o.inner, plan.inner);
  plan.tuned = o.tuned, plan.plain = o.plain, plan.bricks.clear();
  if (!o.bricks.empty())
    for (const auto n : cells_of(o.bricks, "--bricks")) plan.bricks.push_back(static_cast<int>(n));
  gmg::check(plan);
  return plan;
}

/// The two-grid factor that A lets expect, with the weight of the finest level, where there is one; ""
/// otherwise.
std::string predicted(gmg::Solver& solver, gmg::Plan plan) {
  plan.weight = solver.hierarchy().level(0).weight();
  try {
    const gmg::FourierFactors f = gmg::fourier_factors(solver.equation(), plan, {}, 8);
    return fmt::format(
        "Fourier analysis (constant coefficients, two grids, no faces): smoothing {:.3f} a sweep, "
        "factor {:.3f} a cycle",
        f.smoothing, f.two_grid);
  } catch (const UserError&) {  // not for this smoother
    return "";
  }
}

std::string lengths(const gmg::Domain& domain, const char* between = ",") {
  std::string s;
  for (const auto n : domain.cells()) s += (s.empty() ? "" : between) + std::to_string(n);
  return s;
}

/// "dirichlet:neumann,periodic".
std::string faces(const gmg::Domain& domain) {
  std::string all;
  for (std::size_t d = 0; d < domain.dimensions(); ++d) {
    const std::string low = text(domain.condition(d, false).kind),
                      high = text(domain.condition(d, true).kind);
    all += (d > 0 ? "," : "") + low + (high == low ? "" : ":" + high);
  }
  return all;
}

double error_of(const std::vector<double>& u, const std::vector<double>& known, bool singular) {
  double error = 0;
  const double shift = singular ? gmg::mean(known) : 0;
  for (std::size_t x = 0; x < u.size(); ++x) error = std::max(error, std::abs(u[x] + shift - known[x]));
  return error;
}

/// The name of a problem as one in C.
std::string c_name(const std::string& problem) {
  std::string name = std::filesystem::path(problem).stem().string();
  for (char& c : name)
    if (!in_word(c)) c = '_';
  return is_letter(name.empty() ? '0' : name[0]) ? name : "solver_" + name;
}

int emit(const SolveOptions& o, const SolveProblem& problem, gmg::Solver& solver) {
  const std::string name = c_name(o.problem);
  std::map<std::string, std::string> files = gmg::emit_solver(solver, name);
  const bool is_known = !problem.known.empty();
  if (is_known)
    files[name + "_main.c"] =
        gmg::emit_solver_main(solver, name, o.problem == "helmholtz" ? o.a : 0, o.variable, o.to);
  make_directories(o.emit);
  for (const auto& [file, text] : files) check_generated(std::filesystem::path(o.emit) / file);
  for (const auto& [file, text] : files) write_generated(std::filesystem::path(o.emit) / file, text);
  print("solver: " + (std::filesystem::path(o.emit) / (name + ".h")).string() + ", " +
        std::to_string(files.size()) +
        " files; gcc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno " +
        (is_known ? "*.c" : "-c *.c") + " -lm");
  return 0;
}

}  // namespace

namespace {

int solve_asked(const Options& options) {
  const SolveOptions& o = options.solve;
  (void)plan_of(o, {});  // refused before files are read
  const gmg::Norm norm = choice("--norm", o.norm, {gmg::Norm::rms, gmg::Norm::max});
  if (!o.out.empty()) check_writable_file(o.out, "--out");
  if (!o.report.empty()) check_writable_file(o.report, "--report");
  configure_openmp(options.threads);
  SolveProblem problem = problem_of(o);
  Checkpoint checkpoint(o, problem.equation.domain());
  std::optional<gmg::KnownPlan> known;
  const std::string database = options.no_db ? "none" : options.db.string();
  if (!o.untuned) known = gmg::known_plan(problem.equation, database);
  gmg::Plan plan = plan_of(o, known ? known->plan : gmg::Plan{});
  plan.database = database;
  gmg::Solver solver(problem.equation, plan, false);
  std::string text = known ? known->origin + "; --untuned leaves that out\n" : "";
  if (o.tune > 0)
    for (const std::string& line : solver.tune(o.tune, database)) text += line + "\n";
  set_coefficients(o, problem, solver);
  if (!o.emit.empty()) return emit(o, problem, solver);
  std::vector<double>& u = problem.guess;
  const InterruptScope patient;  // a cycle may take longer than commands are given to end
  gmg::Goal goal{.relative = o.to, .cycles = o.cycles, .norm = norm};
  if (o.tune_plan > 0)
    for (const std::string& line : solver.tune_plan(problem.f, goal, o.tune_plan, database))
      text += line + "\n";
  checkpoint.add_to(goal);
  const gmg::Report r = solver.solve(problem.f, u, goal);
  if (r.status != gmg::Report::Status::not_finite || r.cycles() > 0) {
    checkpoint.write(r.cycles(), u);
    if (!o.out.empty()) write_array(o.out, problem.equation.domain(), u);
  }

  text += fmt::format("{} on {} cells, faces {}: {}, weight {:.4g}\n", o.problem,
                      lengths(problem.equation.domain()), faces(problem.equation.domain()), r.plan,
                      solver.hierarchy().level(0).weight());
  text += r.text() + "\n" + r.table();
  if (const std::string factors = predicted(solver, solver.plan()); !factors.empty()) text += factors + "\n";
  text +=
      fmt::format("set-up {:.0f} ms (kernels {:.0f} ms), cycles {:.1f} ms", r.setup_ms, r.kernels_ms, r.ms);
  if (!problem.known.empty())
    text += fmt::format(
        "; largest error of u {:.2e}, of which discretisation is the part that finer cells make smaller",
        error_of(u, problem.known, solver.hierarchy().singular()));
  if (!o.out.empty()) text += "\nu : " + lengths(problem.equation.domain(), ".") + ".f64 is in " + o.out;
  if (checkpoint.is_asked()) text += "\n" + checkpoint.text();
  if (!o.report.empty()) {
    const std::string title = o.problem + " on " + lengths(problem.equation.domain(), " x ") + " cells";
    write_file_atomically(o.report,
                          report::solve_page(r, title, cycle_steps(solver.plan(), solver.hierarchy().size()),
                                             {"Faces: " + faces(problem.equation.domain()) + ".",
                                              predicted(solver, solver.plan())}));
    text += "\nreport: " + o.report;
  }
  print(text);
  return r.converged() && !checkpoint.failed() ? 0 : 1;
}

}  // namespace

int solve(const Options& options) {
  try {
    return solve_asked(options);
  } catch (const std::bad_alloc&) {
    throw UserError("solve " + options.solve.problem +
                    ": out of memory; use a smaller --size, or fewer cells of --rhs");
  }
}

}  // namespace lift::cli
