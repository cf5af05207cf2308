// Solvers as C: compiled by the system's compiler alone, they have the history that ours has.
#include <doctest/doctest.h>

#include <filesystem>

#include "gmg/emit_solver.hpp"
#include "gmg/manufactured.hpp"
#include "ir/number_text.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::message;

namespace gmg_emit_solver_test {
namespace {

struct Case {
  const char* what;
  std::vector<std::int64_t> cells;
  std::vector<gmg::Condition> faces;  ///< low and high of each dimension; "periodic" both
  gmg::Plan plan;
  double a = 0;
  bool variable = true;
  std::vector<std::string> flags = {"-fopenmp"};
  bool steep = false;  ///< beta to the power of 4, between a quarter and 2.9; f stays
};

gmg::Condition periodic() { return {gmg::Condition::Kind::periodic, 0, 0}; }

gmg::Domain domain_of(const Case& c) {
  gmg::Domain domain(c.cells);
  for (std::size_t side = 0; side < c.faces.size(); ++side)
    domain.face({static_cast<gmg::Axis>(c.cells.size() - 1 - side / 2), side % 2 != 0}) = c.faces[side];
  return domain;
}

std::vector<double> own_history(gmg::Solver& solver, const Case& c, const gmg::Manufactured& known) {
  const gmg::Domain& domain = solver.equation().domain();
  for (const gmg::Coefficient& k : solver.equation().coefficients())
    if (k.faces)
      solver.set(k.name, gmg::Solver::Sampler([&](std::span<const double> x) {
                   const double beta = gmg::manufactured_beta(domain, c.variable, x.back());
                   return c.steep ? beta * beta * beta * beta : beta;
                 }));
  std::vector<double> u(known.u.size(), 0);
  return solver.solve(known.f, u, {.relative = 1e-9, .cycles = 30}).history;
}

/// What the compiled program prints: its history; the rest is in `said`.
std::vector<double> emitted_history(gmg::Solver& solver, const Case& c, std::string& said) {
  const test::Scratch scratch;
  std::map<std::string, std::string> files = gmg::emit_solver(solver, "mg");
  files["mg_main.c"] = gmg::emit_solver_main(solver, "mg", c.a, c.variable, 1e-9);
  if (std::string& text = files["mg_main.c"]; c.steep) {
    const auto put = [&](const std::string& what, const std::string& by) {
      REQUIRE(text.find(what) != std::string::npos);
      text.replace(text.find(what), what.size(), by);
    };
    put("int main(void)",
        "static double steep(double i) { return beta(i) * beta(i) * beta(i) * beta(i); }\nint main(void)");
    put("b[n] = beta(", "b[n] = steep(");
  }
  std::vector<std::string> command{
      "gcc", "-O1", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-Wall", "-Wextra", "-Werror",
      "-o",  "mg"};
  command.insert(command.end(), c.flags.begin(), c.flags.end());
  for (const auto& [name, text] : files) {
    write_file_atomically(scratch.path() / name, text);
    if (name.ends_with(".c")) command.push_back(name);
  }
  command.emplace_back("-lm");
  const ProcessResult compiled =
      run_process(command, {.timeout_seconds = 300, .directory = scratch.path().string()});
  said = compiled.output;
  if (compiled.status != 0) return {};
  const ProcessResult r = run_process({(scratch.path() / "mg").string()}, {.timeout_seconds = 100});
  said = r.output;
  std::vector<double> history;
  std::string_view rest = r.output;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::vector<std::string> words = words_of(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (words.size() == 2) history.push_back(*read_number<double>(words[1]));
  }
  if (r.status != 0) history.clear();
  return history;
}

}  // namespace

TEST_CASE("an emitted solver has our history, for all that a plan has") {
  using gmg::dirichlet, gmg::neumann, gmg::robin;
  gmg::Plan each, together, jacobi, start, bottom, steps, least;
  each.bottom_cells = together.bottom_cells = 60;
  each.passes = gmg::Passes::each, together.passes = gmg::Passes::together;
  together.cycle = gmg::CycleKind::W, together.down = 1;
  jacobi.smoother = gmg::Smoother::jacobi, jacobi.bottom_cells = 20, jacobi.down = 3, jacobi.up = 3;
  start.full_start = true, start.cycle = gmg::CycleKind::F, start.bottom_cells = 10;
  bottom.bottom = gmg::Bottom::sweeps, bottom.bottom_cells = 30, bottom.bottom_sweeps = 20;
  steps.bottom_cells = least.bottom_cells = 20, least.corrections = gmg::Corrections::least_energy;
  const std::vector<Case> all{
      {"mixed faces, sweep by sweep, with sanitizers",
       {12, 11, 8},
       {dirichlet(), neumann(), robin(1, 1), robin(2, 1), periodic(), periodic()},
       each,
       0,
       true,
       {"-fopenmp", "-fsanitize=address,undefined"}},
      {"sweeps together, W", {10, 12, 14}, {dirichlet(), dirichlet(), neumann(), dirichlet()}, together},
      {"singular, without OpenMP",
       {16, 12},
       {neumann(), neumann(), periodic(), periodic()},
       bottom,
       0,
       true,
       {}},
      {"Jacobi, one dimension", {64}, {dirichlet(), robin(1, 2)}, jacobi, 2.5, false},
      {"full start, F", {18, 20}, {dirichlet(), neumann()}, start, 1, false},
      {"steps along corrections, as coefficients are",
       {24, 20, 16},
       {neumann(), neumann(), neumann(), neumann(), periodic(), periodic()},
       steps,
       0,
       true,
       {"-fopenmp", "-fsanitize=address,undefined"},
       true},
      {"steps along corrections, always", {40, 24}, {dirichlet(), neumann()}, least, 1, false}};
  for (const Case& c : all) {
    CAPTURE(c.what);
    gmg::Domain domain = domain_of(c);
    const gmg::Manufactured known = gmg::manufactured(domain, c.a, c.variable);
    gmg::Solver solver(gmg::helmholtz(domain, {.a = c.a, .variable = c.variable}), c.plan);
    const std::vector<double> own = own_history(solver, c, known);
    CHECK(solver.hierarchy().takes_best_steps() ==
          (c.steep || c.plan.corrections == gmg::Corrections::least_energy));
    std::string said;
    const std::vector<double> got = emitted_history(solver, c, said);
    CAPTURE(said);
    REQUIRE(got.size() == own.size());
    CHECK(own.size() > 3);
    for (std::size_t i = 0; i < own.size(); ++i) {
      CAPTURE(i);
      CHECK(std::abs(got[i] - own[i]) <= 1e-4 * own[i] + 1e-13 * own[0]);
    }
  }
}

TEST_CASE("what is not written as C is refused, with what to choose instead") {
  const auto refusal = [](const std::vector<std::int64_t>& cells, const gmg::Plan& plan,
                          const char* name = "mg") {
    gmg::Domain domain(cells);
    domain.periodic(gmg::Axis::i);
    gmg::Solver solver(gmg::helmholtz(domain, {.variable = false}), plan);
    return message([&] { (void)gmg::emit_solver(solver, name); });
  };
  gmg::Plan mixed, gradients;
  mixed.mixed = true, mixed.bottom_cells = 20;
  gradients.bottom = gmg::Bottom::conjugate_gradients;
  CHECK(refusal({8, 8}, mixed).find("leave mixed out") != std::string::npos);
  CHECK(refusal({8, 35}, {}).find("gauss-seidel or jacobi") != std::string::npos);
  CHECK(refusal({8, 8}, gradients).find("dense or sweeps") != std::string::npos);
  CHECK(refusal({8, 8}, {}, "my solver").find("no name of C functions") != std::string::npos);
  CHECK(refusal({8, 8}, {}).empty());
}

}  // namespace gmg_emit_solver_test
