// The loops that others are given: what they compute, and how they are written.
#include <doctest/doctest.h>

#include "compare/affine.hpp"
#include "emit/emit.hpp"
#include "lower/loops/visit.hpp"
#include "patterns/operators.hpp"
#include "runtime/native.hpp"
#include "tests/compare/trials.hpp"
#include "tuning/lift_problem.hpp"
#include "tuning/untransformed.hpp"

namespace lift::compare_loops_test {
namespace {

using test::job_of;
using test::trials_of;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Problem small(const std::map<std::string, std::string>& choices = {}, int sweeps = 1) {
  Problem p;
  p.box = 10, p.boxes = 3, p.sweeps = sweeps, p.ghost = sweeps, p.choices = choices;
  return p;
}

/// Both texts of the loops compute what the operator means.
void check_right(const Pattern& pattern, const Problem& problem) {
  CAPTURE(pattern.name);
  CAPTURE(problem.sweeps);
  const std::vector<Trial> trials = trials_of(pattern, problem, [](const Course& c) {
    return std::vector<Job>{job_of(c, c.scop), job_of(c, emit_plain_loops(shared_loops(c.loops)))};
  });
  REQUIRE(trials.size() == 2);
  for (const Trial& t : trials) {
    CAPTURE(t.message);
    CHECK(std::string(text(t.status)) == "ok");
  }
}

}  // namespace

TEST_CASE("compare: the untransformed loops compute what the operators mean") {
  check_right(smooth3d(), small());
  check_right(smooth3d(), small({{"smoother", "jacobi"}}, 3));
  check_right(smooth3d(), small({{"coefficients", "constant"}, {"smoother", "jacobi"}}));
  for (const char* name : {"residual3d", "restriction3d", "prolongation3d", "horizontal_diffusion"})
    check_right(find_pattern(name), small());
  check_right(find_pattern("residual_restriction3d"), small({{"keep", "yes"}}));
  Problem periodic = small();
  periodic.boundary = "periodic";
  check_right(smooth3d(), periodic);
}

TEST_CASE("compare: the untransformed loops of users' programs, where others have none to compare with") {
  for (const char* name : {"heat_chain", "nine_point", "reaction", "leg_of_cycle"}) {
    const PatternProblem p =
        load_lift_file(std::string(LIFTGEN_SOURCE_DIR "/examples/gallery/") + name + ".lift", {{"n", 33}});
    check_right(p.pattern, p.problem);
  }
}

TEST_CASE("compare: loops for others are affine, on arrays with all their dimensions") {
  const std::string fixed = emit_scop(untransformed_loops(smooth3d().build(small())));
  CHECK(has(fixed, "void smooth3d(double phi[restrict const static 3][12][12][12], const double rhs["));
  CHECK(has(fixed, "#pragma scop\n  for (int b = 0; b < 3; ++b) {\n    for (int k = 0; k < 10; ++k) {"));
  CHECK(has(fixed, ") % 2 == 0) {\n            phi[b][k + 1][j + 1][i + 1] ="));
  CHECK(has(fixed, "}\n#pragma endscop\n}\n"));
  CHECK_FALSE(has(fixed, "pragma omp"));
  Problem symbolic = small();
  symbolic.symbolic = true;
  const std::string any = emit_scop(untransformed_loops(smooth3d().build(symbolic)));
  CHECK(has(any,
            "void smooth3d(int boxes, int n, double phi[restrict const static boxes][n + 2][n + 2][n + 2]"));
  CHECK(has(any, "for (int k = 0; k < n; ++k) {"));
  for (const std::string& text : {fixed, any}) {
    const CompileResult r = NativeCompiler().compile(
        {.code = text, .flags = {"-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"}});
    CHECK_MESSAGE(r.library, r.error);
  }
}

TEST_CASE(
    "compare: each child of a coarse cell is a statement, and named values are put where they are used") {
  const Kernel children = untransformed_loops(find_pattern("prolongation3d").build(small()));
  int stores = 0;
  visit(children.body, [&](const Stmt& s) { stores += std::holds_alternative<Store>(s.v) ? 1 : 0; });
  CHECK(stores == 8);
  CHECK_FALSE(has(str(children.body), "?"));
  const PatternProblem p = load_lift_file(LIFTGEN_SOURCE_DIR "/examples/gallery/reaction.lift", {{"n", 9}});
  const Kernel reaction = untransformed_loops(p.pattern.build(p.problem));
  visit(reaction.body, [&](const Stmt& s) { CHECK_FALSE(std::holds_alternative<Let>(s.v)); });
}

TEST_CASE("compare: loops of users' programs are shared by threads where iterations keep to themselves") {
  const auto shared = [](const std::string& name) {
    const PatternProblem p =
        load_lift_file(LIFTGEN_SOURCE_DIR "/examples/gallery/" + name + ".lift", {{"n", 33}});
    return emit_plain_loops(shared_loops(untransformed_loops(p.pattern.build(p.problem))));
  };
  const auto count = [](const std::string& text, const std::string& part) {
    int n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  const std::string parallel = "#pragma omp parallel for schedule(static)\n";
  CHECK(count(shared("reaction"), parallel) == 1);
  const std::string iterated = shared("nine_point");  // the loop over time is not; those within are
  CHECK(count(iterated, parallel) == 4);
  CHECK(has(iterated, "#pragma scop") == false);
  CHECK(has(iterated, "++t) {\n" + parallel));
  CHECK(count(shared("nine_point"), "    SIMD\n") == 4);
  // In place a row is read while its neighbour is written: only what is left over is shared.
  CHECK(count(shared("leg_of_cycle"), parallel) < count(shared("leg_of_cycle"), "for (int j"));
}

TEST_CASE("compare: what is loaded where a condition does not hold is known to be") {
  const Nat i = Nat::fresh("i", 0, 9);
  const Type t = array({Nat(10)}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"x", "y", "out"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  const Term inside =
      apply_term(Op::And, boolean, {compare_term(less_equal(2, i)), compare_term(less(i, 7))});
  For f;
  f.var = i, f.upper = 10;
  f.body = {{Store{"out",
                   {i},
                   apply_term(Op::Select, f64, {inside, load_term("x", {i}, f64), load_term("y", {i}, f64)}),
                   false}}};
  k.body = {{f}};
  const affine::Reader reader(k);
  REQUIRE(reader.statements.size() == 1);
  int seen = 0;
  for (const affine::Load& l : reader.statements[0].loads) {
    REQUIRE(l.conditions.size() == 1);
    CAPTURE(l.conditions[0]);
    CHECK(has(l.conditions[0], l.array == "x" ? " and " : " or "));
    ++seen;
  }
  CHECK(seen == 2);
}

}  // namespace lift::compare_loops_test
