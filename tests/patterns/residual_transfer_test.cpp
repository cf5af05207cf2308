// Residual with restriction or norm: expression, reference and plain loops agree, and the parts are those of
// the operators that they are composed of.
#include <doctest/doctest.h>

#include "patterns/box_problem.hpp"
#include "patterns/operators.hpp"
#include "tests/patterns/box_case.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace residual_transfer_test {
namespace {

std::vector<Case> cases(Pattern (*make)(int),
                        const std::vector<std::map<std::string, std::string>>& choices) {
  std::vector<Case> all;
  for (int dim = 1; dim <= 3; ++dim)
    for (const std::string& boundary : boundary_names())
      for (const auto& c : choices)
        for (const Scalar type : {f32, f64}) {
          Problem p;
          p.box = dim == 3 ? 4 : 6, p.boxes = 2, p.ghost = 2, p.boundary = boundary, p.type = type,
          p.choices = c;
          all.push_back({make(dim), p});
        }
  return all;
}
std::vector<Case> all_cases() {
  const std::map<std::string, std::string> constant{{"coefficients", "constant"}};
  auto kept = constant;
  kept["keep"] = "yes";
  auto r = cases(residual_restriction, {{}, constant, {{"keep", "yes"}}, kept});
  for (Case& c :
       cases(residual_norm,
             {{}, {{"kind", "l2"}}, {{"kind", "l2"}, {"compensated", "yes"}, {"coefficients", "constant"}}}))
    r.push_back(std::move(c));
  for (Case& c : cases(prolongation_correction, {{}, {{"kind", "constant"}}})) r.push_back(std::move(c));
  return r;
}
/// The same with half-sweeps: ghost zones of four cells, which two of them and what follows use up.
std::vector<Case> smoothing_cases() {
  const std::map<std::string, std::string> two{{"half-sweeps", "2"}},
      constant{{"half-sweeps", "3"}, {"coefficients", "constant"}};
  auto kept = two, sum = two, blocks = constant;
  kept["keep"] = "yes", sum["kind"] = "l2", blocks["kind"] = "constant";
  auto r = cases(residual_restriction, {two, constant, kept});
  for (Case& c : cases(residual_norm, {two, sum})) r.push_back(std::move(c));
  for (Case& c : cases(prolongation_correction, {two, blocks})) r.push_back(std::move(c));
  for (Case& c : r) c.p.ghost = 4;
  return r;
}

std::vector<OwnedArray> empty_results(const Program& program) {
  std::vector<OwnedArray> r;
  for (const ProgramResult& x : results_of(program)) r.emplace_back(x.name, x.type, 1);
  return r;
}
std::vector<OwnedArray> by_reference(const Case& c, const ProblemData& data, const Program& program) {
  auto r = empty_results(program);
  std::vector<HostArray> views;
  for (const OwnedArray& a : r) views.push_back(a.view());
  c.pattern.reference(c.p, data.all(), views);
  return r;
}
std::vector<std::vector<double>> by_interpreter(const ProblemData& data, const Program& program) {
  Interpreter in = interpreter_of(data.all());
  return flatten_components(in.eval(program.body), program.body.type());
}

}  // namespace

TEST_CASE(
    "residual with restriction or norm, and correction: the expression means what the reference computes") {
  auto all = all_cases();
  for (Case& c : smoothing_cases()) all.push_back(std::move(c));
  for (const Case& c : all) {
    CAPTURE(describe(c));
    const Program program = c.pattern.build(c.p);
    const ProblemData data(c.pattern, c.p, program, 1);
    const auto expected = by_reference(c, data, program);
    const auto got = by_interpreter(data, program);
    const bool kept = c.p.choices.count("keep") > 0, smooths = c.p.choices.count("half-sweeps") > 0,
               correction = c.pattern.name.find("correction") != std::string::npos;
    REQUIRE(got.size() == 1 + (kept ? 1 : 0) + (smooths && !correction ? 1 : 0));
    REQUIRE(expected.size() == got.size());
    auto result = empty_results(program);
    for (std::size_t r = 0; r < got.size(); ++r) {
      assign(result[r].view(), got[r]);
      const double roundings = smooths && c.p.type == f32 ? 4 : 1;  // those of half-sweeps add up
      CHECK(relative_error(result[r].view(), expected[r].view()) <= roundings * tolerance(c.p.type));
    }
  }
}

TEST_CASE("half-sweeps with what comes before or after them: what cannot be says what to do") {
  const auto message = [](const Pattern& pattern, const std::string& boundary,
                          std::map<std::string, std::string> choices) {
    Problem p;
    p.box = 6, p.boxes = 1, p.ghost = 2, p.boundary = boundary, p.choices = std::move(choices);
    try {
      pattern.build(p);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(message(residual_restriction(3), "ghost", {{"half-sweeps", "4"}}) ==
        "--half-sweeps 4 --ghost 2: ghost too thin: half-sweeps and what is done with them use up 5 cells of "
        "it; "
        "use --ghost 5 or more");
  CHECK(message(prolongation_correction(2), "ghost", {{"half-sweeps", "3"}}).find("use --ghost 3 or more") !=
        std::string::npos);
  CHECK(message(residual_restriction(2), "neumann",
                {{"half-sweeps", "2"}, {"coefficients", "constant"}, {"stencil", "box"}})
            .find("use --stencil star") != std::string::npos);
  CHECK(message(residual_norm(2), "neumann", {{"half-sweeps", "2"}, {"kind", "l2"}, {"compensated", "yes"}})
            .find("leave out one of the two") != std::string::npos);
  CHECK(message(prolongation_correction(2), "neumann", {{"coefficients", "constant"}})
            .find("use --half-sweeps 2") != std::string::npos);
}

TEST_CASE("what is kept does not change what is restricted") {
  for (int dim = 1; dim <= 3; ++dim) {
    Case c{residual_restriction(dim), {}};
    c.p.box = 4, c.p.boxes = 1, c.p.boundary = "neumann";
    const Program fused = c.pattern.build(c.p);
    const auto coarse = by_interpreter(ProblemData(c.pattern, c.p, fused, 1), fused);
    c.p.choices["keep"] = "yes";
    const Program kept = c.pattern.build(c.p);
    const auto both = by_interpreter(ProblemData(c.pattern, c.p, kept, 1), kept);
    CHECK(both.at(1) == coarse.at(0));
    CHECK(results_of(kept).at(0).type == cell_array(BoxProblem(c.p, dim)));
  }
}

TEST_CASE("residual with restriction or norm: the plain loops compute the reference") {
  NativeCompiler compiler;
  std::size_t checked = 0;
  for (const Case& c : all_cases()) {
    const bool one = c.p.boundary == "ghost" ||
                     (c.p.boundary == "dirichlet-value" && c.pattern.name.find("2d") != std::string::npos);
    if (!one || c.p.type == f32 || c.p.choices.count("keep") || c.p.choices.count("compensated") ||
        c.pattern.name.find("correction") != std::string::npos)
      continue;
    CAPTURE(describe(c));
    const BoxData data(c.pattern, c.p);
    const OwnedArray expected = data.by_reference();
    for (const OwnedArray& got : data.by_plain_loops(compiler))
      CHECK(relative_error(got.view(), expected.view()) <= tolerance(c.p.type));
    ++checked;
  }
  CHECK(checked == 4 * 4);
  Case leg{residual_restriction(3), {}};
  leg.p.box = 4, leg.p.boxes = 2, leg.p.ghost = 4, leg.p.choices = {{"half-sweeps", "2"}};
  const BoxData data(leg.pattern, leg.p);
  const Program program = leg.pattern.build(leg.p);
  const auto smoothed = by_reference(leg, ProblemData(leg.pattern, leg.p, program, 1), program);
  for (const OwnedArray& got : data.by_plain_loops(compiler))
    CHECK(relative_error(got.view(), smoothed.at(0).view()) <= tolerance(leg.p.type));
}

}  // namespace residual_transfer_test
