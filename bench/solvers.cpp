// bench_solvers: our multigrid solver on the problem of bench/solvers, for its driver; and what a cycle
// reduces the residual by.
//
//   bench_solvers --size NK,NJ,NI --faces dirichlet|mixed --to TOLERANCE --out U.f64 [--table] [plan]
//   bench_solvers --plan-grid [--results R.json --slice SECONDS] [--size ...]
//   bench_solvers --factors [--large]
//   bench_solvers --contrast [--large]
//   bench_solvers --promises [--large]
//
// The first form prints one line of JSON (seconds) and writes the solution; --table adds a line a level and
// leg. The second compares the search of plans with a grid of a hundred. The others print docs/solver.md's
// tables of factors: for beta that varies little, and by e^4.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/solvers/problem.h"
#include "gmg/plan_text.hpp"
#include "gmg/tune_plan.hpp"
#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "runtime/parallel.hpp"

namespace {

using namespace lift;
using gmg::Axis;

struct Asked {
  std::vector<std::int64_t> size{64, 64, 64};
  std::string faces = "dirichlet", out;
  std::string results;
  std::int64_t only = 0;
  double to = 1e-8, tune = 0, tune_plan = 0, slice = 0;
  int threads = 2, repeats = 1, rounds = 5;
  bool table = false, factors = false, contrast = false, promises = false, large = false, plan_grid = false;
  gmg::Plan plan;
};

// ---- the problem of the comparison

Problem problem_of(const Asked& a) {
  std::vector<std::string> words;
  for (const auto n : a.size) words.push_back(std::to_string(n));
  words.push_back(a.faces);
  char* pointers[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data()};
  return ::problem_of(pointers);
}

gmg::Domain domain_of(const Problem& p) {
  std::vector<std::int64_t> cells(p.n, p.n + 3);
  gmg::Domain box(cells, {.spacings = {1.0 / p.n[0], 1.0 / p.n[1], 1.0 / p.n[2]}});
  for (int d = 0; d < 3; ++d)
    for (const bool high : {false, true})
      if (p.zero_flux[d][high]) box.face({static_cast<Axis>(2 - d), high}) = gmg::neumann();
  return box;
}

std::vector<double> right_hand_side(const Problem& p) {
  std::vector<double> f;
  for (long k = 0; k < p.n[0]; ++k)
    for (long j = 0; j < p.n[1]; ++j)
      for (long i = 0; i < p.n[2]; ++i) f.push_back(f_of(&p, k, j, i));
  return f;
}

std::vector<double> coefficient(const Problem& p, int d) {
  std::vector<double> beta;
  for (long k = 0; k < p.n[0] + (d == 0); ++k)
    for (long j = 0; j < p.n[1] + (d == 1); ++j)
      for (long i = 0; i < p.n[2] + (d == 2); ++i) {
        const long at[3] = {k, j, i};
        beta.push_back(beta_of(&p, d, at));
      }
  return beta;
}

int solve(const Asked& a) {
  const Problem p = problem_of(a);
  const gmg::Domain box = domain_of(p);
  const std::vector<double> f = right_hand_side(p);
  std::vector<double> beta[3];
  for (int d = 0; d < 3; ++d) beta[d] = coefficient(p, d);
  const double t0 = seconds();
  gmg::Solver solver(gmg::helmholtz(box), a.plan);
  const double t1 = seconds();
  if (a.tune > 0)
    for (const std::string& line : solver.tune(a.tune)) fmt::print(stderr, "{}\n", line);
  solver.set("beta_k", beta[0]).set("beta_j", beta[1]).set("beta_i", beta[2]);
  if (a.tune_plan > 0)
    for (const std::string& line : solver.tune_plan(f, {.relative = a.to}, a.tune_plan))
      fmt::print(stderr, "{}\n", line);
  std::vector<double> u(f.size(), 0);
  gmg::Report r;
  double least = 0, setup = 0, kernels = 0;
  for (int repeat = 0; repeat < a.repeats; ++repeat) {
    std::fill(u.begin(), u.end(), 0.0);
    const double before = seconds();
    r = solver.solve(f, u, {.relative = a.to});
    const double spent = seconds() - before - (repeat == 0 ? r.setup_ms / 1e3 - (t1 - t0) : 0);
    if (repeat == 0) setup = r.setup_ms / 1e3, kernels = r.kernels_ms / 1e3;
    least = repeat == 0 ? spent : std::min(least, spent);
  }
  if (!a.out.empty()) {
    std::ofstream out(a.out, std::ios::binary);
    out.write(reinterpret_cast<const char*>(u.data()),
              static_cast<std::streamsize>(u.size() * sizeof(double)));
    if (!out.flush()) throw UserError("--out " + a.out + ": cannot be written");
  }
  fmt::print("{{\"setup\": {:.4f}, \"kernels\": {:.4f}, \"solve\": {:.4f}, \"steps\": {}}}\n", setup, kernels,
             least, r.cycles());
  if (a.table) fmt::print("{}{}", r.text(), r.table());
  return r.converged() ? 0 : 1;
}

// ---- plans

/// Results so far, in a file: a grid of plans takes longer than a quiet machine is to be had in one piece.
class Results {
 public:
  explicit Results(std::string path) : path_(std::move(path)) {
    if (std::filesystem::exists(path_)) all_ = nlohmann::json::parse(read_file(path_));
  }
  /// What is there by that name, else what f gives, which is kept. None after the time for this slice.
  template <class F>
  std::optional<nlohmann::json> of(const std::string& name, double until, const F& f) {
    if (!all_.contains(name)) {
      if (seconds() > until) return std::nullopt;
      all_[name] = f();
      if (!path_.empty()) write_file_atomically(path_, all_.dump(1) + "\n");
    }
    return all_[name];
  }

 private:
  std::string path_;
  nlohmann::json all_;
};

nlohmann::json json_of(const gmg::PlanTrial& t) {
  return {{"plan", gmg::plan_text(t.plan)}, {"ms", t.ms}, {"cycles", t.cycles}, {"reached", t.reached}};
}
gmg::PlanTrial trial_of(const nlohmann::json& j) {
  return {gmg::read_plan(j["plan"]), j["ms"], j["cycles"], j["reached"]};
}

/// A hundred plans, each tried by itself, and what the search among them finds: that and the grid's best five
/// are timed once more, in turns. `until`: ends for now when that time has come; 1 then.
int plan_grid(const Asked& a) {
  const double until = a.slice > 0 ? seconds() + a.slice : 1e300;
  const Problem p = problem_of(a);
  const gmg::Domain box = domain_of(p);
  const std::vector<double> f = right_hand_side(p);
  std::vector<double> beta[3];
  for (int d = 0; d < 3; ++d) beta[d] = coefficient(p, d);
  const gmg::MakeSolver make = [&](const gmg::Plan& plan) {
    gmg::Solver solver(gmg::helmholtz(box), plan);
    solver.set("beta_k", beta[0]).set("beta_j", beta[1]).set("beta_i", beta[2]);
    return solver;
  };
  const gmg::Goal goal{.relative = a.to};
  Results results(a.results);
  const auto later = [] { return fmt::print("to be gone on with: the same command\n"), 1; };
  std::vector<gmg::PlanTrial> grid;
  for (int down = 1; down <= 5; ++down)
    for (int up = 1; up <= 5; ++up)
      for (int inner = 0; inner <= 3; ++inner) {
        gmg::Plan plan = a.plan;
        plan.down = down, plan.up = up, plan.mixed = inner > 0, plan.inner = inner;
        const auto tried =
            results.of(gmg::str(plan), until, [&] { return json_of(gmg::try_plan(plan, make, f, goal)); });
        if (!tried) return later();
        grid.push_back(trial_of(*tried));
      }
  std::sort(grid.begin(), grid.end(), gmg::is_better);
  for (std::size_t i = 0; i < 5; ++i) fmt::print("grid: {}\n", gmg::str(grid[i]));
  fmt::print("grid: the slowest of {}: {}\n", grid.size(), gmg::str(grid.back()));
  const auto search = results.of("search", until, [&] {
    const double before = seconds();
    std::vector<gmg::PlanTrial> found =
        gmg::try_plans(a.plan, make, f, goal, a.tune_plan > 0 ? a.tune_plan : 60);
    std::sort(found.begin(), found.end(), gmg::is_better);
    nlohmann::json j = json_of(found[0]);
    j["tried"] = found.size(), j["seconds"] = seconds() - before;
    return j;
  });
  if (!search) return later();
  const gmg::PlanTrial found = trial_of(*search);
  fmt::print("search: {} plans in {:.0f} s; {}\n", (*search)["tried"].get<int>(),
             (*search)["seconds"].get<double>(), gmg::str(found));
  std::vector<gmg::Plan> again{found.plan};
  for (std::size_t i = 0; i < 5; ++i) again.push_back(grid[i].plan);
  const auto turns = results.of("turns", until, [&] {
    std::vector<double> least(again.size(), 1e30);
    for (int round = 0; round < a.rounds; ++round)
      for (std::size_t i = 0; i < again.size(); ++i)
        least[i] = std::min(least[i], gmg::try_plan(again[i], make, f, goal).ms);
    return nlohmann::json(least);
  });
  if (!turns) return later();
  const auto least = turns->get<std::vector<double>>();
  for (std::size_t i = 0; i < again.size(); ++i)
    fmt::print("in turns: {}{}: {:.2f} ms\n", i == 0 ? "found: " : "", gmg::str(again[i]), least[i]);
  const double best = *std::min_element(least.begin() + 1, least.end());
  fmt::print("the plan found takes {:.3f} of the best of the grid's five\n", least[0] / best);
  return 0;
}

// ---- factors

gmg::Domain box_of(const std::vector<std::int64_t>& cells, const std::string& faces) {
  std::vector<double> spacings;
  for (const auto n : cells) spacings.push_back(1.0 / static_cast<double>(n));
  gmg::Domain box(cells, {.spacings = spacings});
  for (const Axis axis : {Axis::k, Axis::j, Axis::i})
    for (const bool high : {false, true}) {
      const std::string kind = faces != "mixed"  ? faces
                               : axis == Axis::k ? "dirichlet"
                               : axis == Axis::j ? (high ? "dirichlet" : "neumann")
                                                 : "robin";
      if (kind == "neumann") box.face({axis, high}) = gmg::neumann();
      if (kind == "robin") box.face({axis, high}) = gmg::robin(1, 0.5);
      if (kind == "periodic") box.periodic(axis);
    }
  return box;
}

/// The problem's, between 0.7 and 1.3; or between e^-2 and e^2.
double beta_of(std::span<const double> x, bool contrast) {
  const double beta = beta_at(x[0], x[1], x[2]);
  return contrast ? std::exp(2 * (beta - 1) / 0.3) : beta;
}

double factor(const gmg::Domain& box, const gmg::Plan& plan, double to, bool contrast = false) {
  gmg::Solver solver(gmg::helmholtz(box), plan);
  for (const gmg::Coefficient& c : solver.equation().coefficients())
    solver.set(c.name, gmg::Solver::Sampler([=](std::span<const double> x) { return beta_of(x, contrast); }));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> f(static_cast<std::size_t>(box.count())), u(f.size(), 0);
  for (double& x : f) x = number(random);
  const gmg::Report r = solver.solve(f, u, {.relative = to, .cycles = 40});
  return r.converged() ? r.mean_factor() : std::nan("");
}

int factors(const Asked& a) {
  struct Row {
    const char *text, *faces;
    std::vector<std::int64_t> cells;
  };
  std::vector<Row> rows{{"Dirichlet 32^3", "dirichlet", {32, 32, 32}},
                        {"Neumann 32^3", "neumann", {32, 32, 32}},
                        {"periodic 32^3", "periodic", {32, 32, 32}},
                        {"Robin 32^3", "robin", {32, 32, 32}},
                        {"Dirichlet, Neumann and Robin mixed 32^3", "mixed", {32, 32, 32}},
                        {"the same, 25 x 30 x 37", "mixed", {25, 30, 37}},
                        {"Dirichlet 64^3", "dirichlet", {64, 64, 64}}};
  if (a.large) rows.push_back({"Dirichlet 128^3", "dirichlet", {128, 128, 128}});
  fmt::print(
      "| | V(2,2), w = 1 | w = 1.15 | w = 1.2 | w = 1.25 | V(1,1), w = 1.2 |\n|---|---|---|---|---|---|\n");
  bool all = true;
  for (const Row& row : rows) {
    fmt::print("| {} |", row.text);
    for (const auto& [sweeps, weight] :
         {std::pair{2, 1.0}, std::pair{2, 1.15}, std::pair{2, 1.2}, std::pair{2, 1.25}, std::pair{1, 1.2}}) {
      gmg::Plan plan = a.plan;
      plan.down = plan.up = sweeps, plan.weight = weight;
      const double x = factor(box_of(row.cells, row.faces), plan, 1e-10);
      all = all && std::isfinite(x);
      fmt::print(" {:.3f} |", x);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
  return all ? 0 : 1;
}

int contrast(const Asked& a) {
  std::vector<std::int64_t> sizes{16, 32, 64};
  if (a.large) sizes.push_back(128);
  fmt::print("| |");
  for (const auto n : sizes) fmt::print(" {}^3 |", n);
  fmt::print("\n|---|");
  for (std::size_t x = 0; x < sizes.size(); ++x) fmt::print("---|");
  bool all = true;
  for (const char* faces : {"dirichlet", "neumann", "periodic", "robin", "mixed"}) {
    fmt::print("\n| {} |", faces);
    for (const auto n : sizes) {
      const double x = factor(box_of({n, n, n}, faces), a.plan, 1e-10, true);
      all = all && std::isfinite(x);
      fmt::print(" {:.3f} |", x);
      std::fflush(stdout);
    }
  }
  fmt::print("\n");
  return all ? 0 : 1;
}

/// What a solver does by itself, beside the bounds that docs/solver.md promises.
int promises(const Asked& a) {
  std::vector<std::int64_t> sizes{32, 64};
  if (a.large) sizes.push_back(128), sizes.push_back(256);
  if (a.only > 0) sizes = {a.only};
  fmt::print(
      "| | V(2,2) | V(1,1) | V(2,2), contrast e^4 |\n|---|---|---|---|\n| at most | 0.05 | 0.09 | 0.06 |\n");
  bool all = true;
  for (const auto n : sizes)
    for (const char* faces : {"dirichlet", "neumann", "periodic", "robin", "mixed"}) {
      fmt::print("| {} {}^3 |", faces, n);
      for (const auto& [sweeps, varies, most] :
           {std::tuple{2, false, 0.05}, std::tuple{1, false, 0.09}, std::tuple{2, true, 0.06}}) {
        gmg::Plan plan = a.plan;
        plan.down = plan.up = sweeps;
        const double x = factor(box_of({n, n, n}, faces), plan, 1e-10, varies);
        all = all && x <= most;
        fmt::print(" {:.3f}{} |", x, x <= most ? "" : " (missed)");
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Asked a;
  CLI::App app{"Our multigrid solver, for bench/solvers"};
  app.add_option("--size", a.size, "cells along k, j, i")->delimiter(',')->expected(3);
  app.add_option("--faces", a.faces, "dirichlet or mixed")->check(CLI::IsMember({"dirichlet", "mixed"}));
  app.add_option("--to", a.to, "relative residual")->check(CLI::PositiveNumber);
  app.add_option("--out", a.out, "file of the solution, f64");
  app.add_option("--repeats", a.repeats, "solves, the fastest of which counts")->check(CLI::PositiveNumber);
  app.add_option("--threads", a.threads, "of the processors")->check(CLI::PositiveNumber);
  app.add_option("--down", a.plan.down, "sweeps before a correction");
  app.add_option("--up", a.plan.up, "sweeps after it");
  app.add_option("--weight", a.plan.weight, "of relaxation; 0: as A suggests");
  app.add_flag("--full-start", a.plan.full_start, "begins with full multigrid");
  app.add_flag("--mixed", a.plan.mixed, "cycles in f32");
  app.add_option("--inner", a.plan.inner, "cycles in f32 for a residual in f64; 0: as many as pay");
  app.add_flag("--tuned", a.plan.tuned, "kernels that tuning has found");
  app.add_option("--tune", a.tune, "seconds of tuning before the solve");
  app.add_option("--tune-plan", a.tune_plan, "seconds to try other plans for before the solve");
  app.add_flag_callback(
      "--each", [&] { a.plan.passes = gmg::Passes::each; }, "sweeps one by one");
  app.add_flag_callback(
      "--together", [&] { a.plan.passes = gmg::Passes::together; }, "sweeps of a leg in one pass");
  app.add_flag_callback(
      "--legs", [&] { a.plan.passes = gmg::Passes::legs; }, "whole legs in one pass");
  app.add_flag("--table", a.table, "a line a level and leg");
  app.add_flag("--plan-grid", a.plan_grid, "a hundred plans beside what the search among them finds");
  app.add_option("--results", a.results, "file of --plan-grid's results so far, which it goes on from");
  app.add_option("--slice", a.slice, "seconds after which --plan-grid ends, to be gone on with");
  app.add_option("--rounds", a.rounds, "in which the best plans are timed in turns");
  app.add_flag("--factors", a.factors, "the table of factors of docs/solver.md");
  app.add_flag("--contrast", a.contrast, "the table of factors where beta varies by e^4");
  app.add_flag("--promises", a.promises,
               "factors of what a solver does by itself, beside their bounds; status 1: one is missed");
  app.add_option("--only", a.only, "with --promises: of that many cells along each axis");
  app.add_flag("--large", a.large, "with 128^3, and --promises with 256^3");
  CLI11_PARSE(app, argc, argv);
  try {
    configure_openmp(a.threads);
    if (a.promises) return promises(a);
    return a.plan_grid ? plan_grid(a) : a.factors ? factors(a) : a.contrast ? contrast(a) : solve(a);
  } catch (const UserError& e) {
    return fmt::print(stderr, "bench_solvers: {}\n", e.what()), 2;
  } catch (const std::exception& e) {
    return fmt::print(stderr, "bench_solvers: {}\n", e.what()), 3;
  }
}
