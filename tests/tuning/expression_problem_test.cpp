// Bare expressions as problems: data, small siblings, exploration without a reference of their own.
#include <doctest/doctest.h>

#include <cstdlib>

#include "ir/expr/build.hpp"
#include "patterns/host_data.hpp"
#include "tests/message.hpp"
#include "tuning/explore.hpp"
#include "tuning/expression_problem.hpp"

using namespace lift;
using lift::test::message;

namespace expression_problem_test {
namespace {

Program blur(const Nat& n) {
  const Expr xs = param("xs", array(f64, n)), c = param("c", f64);
  return {"blur",
          {xs, c},
          xs | pad(1, 1, clamp) | slide(3, 1) | map([=](Expr w) { return c * (w[0] + w[1] + w[2]); }),
          {}};
}

std::vector<double> filled(const PatternProblem& p, const std::string& name, std::int64_t box) {
  Problem q = p.problem;
  q.box = box;
  const Program program = p.pattern.build(q);
  for (const Expr& a : program.arguments)
    if (param_name(a) == name) {
      std::vector<double> data(static_cast<std::size_t>(host::count(a.type())), -1);
      p.pattern.fill(q, {name, a.type(), data.data()});
      return data;
    }
  return {};
}

}  // namespace

TEST_CASE("data of an expression's arguments") {
  ExpressionProblem p{.program = blur(Nat::size("n")), .sizes = {{"n", 100}}};
  const auto uniform = filled(pattern_of(p), "xs", 100);
  REQUIRE(uniform.size() == 100);
  for (const double x : uniform) CHECK((x >= 0.5 && x < 1.5));
  CHECK(uniform[0] != uniform[1]);
  CHECK(filled(pattern_of(p), "xs", 5).size() == 5);  // a small sibling

  p.data["xs"] = {.kind = ArgumentData::Kind::smooth, .low = -1, .high = 3};
  const auto smooth = filled(pattern_of(p), "xs", 100);
  for (std::size_t i = 1; i < 100; ++i) {
    CHECK(std::abs(smooth[i] - smooth[i - 1]) < 0.3);
    CHECK((smooth[i] >= -1 && smooth[i] <= 3));
  }
  p.data["xs"] = {.kind = ArgumentData::Kind::constant, .low = 2.5};
  CHECK(filled(pattern_of(p), "xs", 100)[99] == 2.5);
  p.data["xs"] = {.kind = ArgumentData::Kind::given,
                  .fill = [](const HostArray& a) { *static_cast<double*>(a.data) = 7; }};
  CHECK(filled(pattern_of(p), "xs", 100)[0] == 7);

  p.data["ys"] = {};
  CHECK(message([&] { pattern_of(p); }) ==
        "blur: data is given for 'ys', which is no argument; its arguments are xs, c");
  p.data.clear();
  p.sizes = {{"m", 3}};
  CHECK(message([&] { pattern_of(p); }) == "blur: there is no size 'm'; its sizes are n");
}

TEST_CASE("an expression is explored without a reference of its own") {
  const PatternProblem p = pattern_of({.program = blur(Nat::size("n")), .sizes = {{"n", 5000}}});
  ExploreOptions options;
  options.budget_seconds = 3600, options.configurations = 6, options.rivals = false;
  const ExploreResult r = explore(p.pattern, p.problem, options);
  REQUIRE(r.best);
  CHECK(r.variants[*r.best].verified);
  CHECK(r.counts.wrong == 0);
  // What it would take as it is written stands beside it.
  REQUIRE(r.baseline);
  for (const Rival& plain : r.rivals) {
    CAPTURE(plain.name);
    CHECK(plain.status == Status::ok);
    CHECK(plain.baseline);
    CHECK(plain.error < 1e-12);
  }
  CHECK(r.rivals.size() == 2);
  CHECK(r.variants[*r.best].speedup > 0);
}

}  // namespace expression_problem_test
