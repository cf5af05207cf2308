// Operators as OpenCL C on a device against the plain reference, at odd sizes: those of several loop nests
// (sweeps, several results, reductions, copies of bases), which take several launches, and the mappings of a
// processor and of a GPU.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "grid_run.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "runtime/opencl.hpp"
#include "small_problem.hpp"
#include "tests/patterns/operator_cases.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;
using namespace lift::testing;

namespace grid_operators_test {
namespace {

bool available() {
  const std::string why = opencl::why_unavailable();
  if (!why.empty()) MESSAGE("no OpenCL device, not tested: " << why);
  return why.empty();
}

Space space_of(const OperatorCase& c, bool cpu) {
  SpaceOptions o;
  o.target = Target::opencl, o.threads = 2, o.vector_bytes = 32, o.cpu = cpu;
  return {c.pattern->build(c.problem), o};
}

struct Count {
  int run = 0, launches = 0;
};

/// Runs up to `most` variants of different structure, beginning with another one from case to case; all of
/// them when the environment asks for them.
Count check(opencl::Device& device, const OperatorCase& c, bool cpu, std::size_t number, int most) {
  if (std::getenv("LIFTGEN_ALL_VARIANTS") != nullptr) most = 1000;
  const Space space = space_of(c, cpu);
  const std::vector<Configuration> seeds = space.seeds();
  std::set<std::string> structures;
  Count count;
  for (std::size_t s = 0; s < seeds.size() && count.run < most; ++s) {
    const Configuration& configuration = seeds[(number + s) % seeds.size()];
    if (!structures.insert(space.structure(configuration)).second) continue;
    INFO(describe(c) << ": " << test::str(configuration));
    Kernel kernel;
    try {
      kernel = lower(replay(space.program(), space.derive(configuration)));
      const SmallProblem data(*c.pattern, c.problem, static_cast<int>(s % 2));
      auto storage = data.storage(kernel);
      run_on(device, kernel, Target::opencl, storage.pointers);
      INFO(test::opencl_of(kernel));
      CHECK(data.error(kernel, storage) < (c.problem.type == f32 ? 1e-5 : 1e-12));
    } catch (const UserError& e) {  // impossible as asked
      if (std::getenv("LIFTGEN_ALL_VARIANTS") != nullptr) MESSAGE("impossible: " << e.what());
      continue;
    }
    ++count.run;
    count.launches = std::max(count.launches, static_cast<int>(launches(kernel).size()));
  }
  CHECK_MESSAGE(count.run > 0, "no variant of " << describe(c) << " could be run");
  return count;
}

OperatorCase three_d(const std::string& name, std::map<std::string, std::string> choices, Scalar type,
                     std::int64_t box, std::int64_t boxes = 2) {
  OperatorCase c{std::make_shared<const Pattern>(find_pattern(name)), {}};
  c.problem.box = box, c.problem.boxes = boxes, c.problem.type = type, c.problem.choices = std::move(choices);
  return c;
}

void check_all(const std::vector<OperatorCase>& cases, int variants, int least_launches) {
  if (!available()) return;
  opencl::configure_pocl(2);
  opencl::Device device;
  std::size_t number = 0;
  for (const OperatorCase& c : cases)
    for (const bool cpu : {true, false}) {
      const Count n = check(device, c, cpu, number++, variants);
      CHECK_MESSAGE(n.launches >= least_launches, describe(c));
    }
}

}  // namespace

TEST_CASE("several sweeps on a grid are launches") {
  check_all({three_d("smooth3d", {{"smoother", "chebyshev"}, {"degree", "3"}}, f64, 5),
             three_d("smooth3d", {{"smoother", "symmetric-gsrb"}}, f64, 7),
             three_d("smooth3d", {{"smoother", "chebyshev"}, {"degree", "2"}, {"coefficients", "constant"}},
                     f32, 7, 1),
             three_d("smooth3d", {{"smoother", "symmetric-gsrb"}}, f32, 5, 1)},
            7, 2);  // of six structures all sweeps are one launch
}

TEST_CASE("reductions on a grid have their parts reduced side by side, then their results") {
  check_all({three_d("norm3d", {{"kind", "l2"}}, f64, 17), three_d("norm3d", {{"kind", "max"}}, f32, 17),
             three_d("dot3d", {}, f64, 19, 1), three_d("dot3d", {{"compensated", "yes"}}, f32, 17),
             three_d("residual_norm3d", {}, f64, 17), three_d("residual_norm3d", {}, f32, 17, 1)},
            3, 2);
  check_all({three_d("norm3d", {{"kind", "l2"}}, f32, 8, 1),
             three_d("dot3d", {{"compensated", "yes"}}, f64, 9), three_d("residual_norm3d", {}, f64, 8)},
            3, 1);
}

TEST_CASE("fused operators and several results on a grid") {
  check_all(
      {three_d("residual_restriction3d", {}, f64, 10), three_d("residual_restriction3d", {}, f32, 18, 1),
       three_d("residual_restriction3d", {{"keep", "yes"}}, f64, 10),
       three_d("residual_restriction3d", {{"keep", "yes"}}, f32, 6, 1)},
      2, 1);
}

TEST_CASE("operators of one nest on a grid, on processors and on a GPU") {
  std::vector<OperatorCase> cases;
  for (const auto& families : {stencil_families(), transfer_families(), vector_families()})
    for (const OperatorFamily& f : families)
      for (std::size_t i = 0; i < f.choices.size(); i += 2) {
        OperatorCase c{std::make_shared<const Pattern>(f.make(3)), {}};
        choose(c.problem, f.choices[i]);
        c.problem.boxes = 2, c.problem.box = f.sides[2] + 2, c.problem.boundary = "ghost";
        if (const auto stencil = c.problem.choices.find("stencil");
            stencil != c.problem.choices.end() && stencil->second == "wide")
          c.problem.ghost = 2;
        c.problem.ghost *= c.problem.sweeps;
        c.problem.type = cases.size() % 2 ? f32 : f64;
        cases.push_back(std::move(c));
      }
  check_all(cases, 1, 1);
}

}  // namespace grid_operators_test
