// Users' programs in tiles in time on a grid: chains of stages, of sweeps and of several results go in step
// on work-groups, in rings, and compute what the interpreter does, in any order of threads.
#include <doctest/doctest.h>

#include <set>

#include "grid_run.hpp"
#include "lower/launches.hpp"
#include "rewrite/space/space.hpp"
#include "runtime/cuda_host.hpp"
#include "small_problem.hpp"
#include "together.hpp"
#include "tuning/lift_problem.hpp"

namespace lift::programs_in_groups_test {
namespace {

using namespace lift::test;

struct Case {
  const char* file;
  Sizes sizes;
  std::size_t launches;  ///< of the first proposal
};
const std::vector<Case> kCases{
    {"examples/gallery/nine_point.lift", {{"n", 23}}, 2},  // ten steps, five at a time
    {"examples/gallery/pyramid.lift", {{"n", 24}}, 1},     // grids of several scales, several results
    {"bench/users/jacobi_2d.lift", {{"n", 37}}, 5},        // updates: a border is copied beside them
    {"bench/users/harris.lift", {{"n", 37}, {"m", 41}}, 1},
    {"bench/users/canny.lift", {{"n", 37}, {"m", 41}}, 1},
    {"bench/users/gray_scott_named.lift", {{"n", 37}, {"m", 41}}, 1},
    {"examples/gallery/leg_of_cycle.lift",
     {{"n", 37}},
     1},  // half-sweeps, what they leave over, a coarser grid
    {"examples/gallery/fields_in_turn.lift", {{"n", 37}}, 1},  // two fields, each updated by the other
    {"bench/users/life.lift", {{"n", 37}, {"m", 41}}, 3},  // periodic along both axes, of bytes; and a sum
    {"bench/users/gray_scott.lift", {{"n", 37}}, 1},
};

/// Proposals that go in step, one of each way to load arrays and to wait.
std::vector<Kernel> kernels_in_step(const Space& space) {
  std::vector<Kernel> r;
  std::set<std::string> seen;
  for (const Configuration& c : space.seeds()) {
    const std::string structure = space.structure(c);
    if (structure.find("in step along") == std::string::npos || !seen.insert(structure).second) continue;
    Program p = replay(space.program(), space.derive(c));
    p.name += "_" + std::to_string(r.size());
    r.push_back(lower(p, {.target = Target::cuda}));
    if (r.size() == 4) break;
  }
  return r;
}

double tolerance(const Program& p) {
  for (const ProgramResult& r : results_of(p))
    if (element_of(r.type).scalar() == f32) return 1e-5;
  return 1e-12;
}

}  // namespace

TEST_CASE("programs in groups: proposed first, and right in any order of threads") {
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  for (const Case& c : kCases) {
    INFO(c.file);
    const PatternProblem made = load_lift_file(std::string(LIFTGEN_SOURCE_DIR "/") + c.file, c.sizes);
    SpaceOptions options;
    options.target = Target::cuda, options.only_layout = kCallersLayout;
    const Space space(made.pattern.build(made.problem), options);
    const bool first = space.structure(space.seeds().at(0)).find("in step along") != std::string::npos;
    CHECK(first == space.program().overwritable.empty());  // what is given away is overwritten, before all
    const std::vector<Kernel> kernels = kernels_in_step(space);
    REQUIRE(kernels.size() >= 2);
    CHECK(launches_in(for_target(kernels[0], Target::cuda)).size() == c.launches);
    Together source;
    for (const Kernel& k : kernels) source.add(cuda_of(k));
    const GridBuild built = device->build(source.code());
    REQUIRE_MESSAGE(built.program, built.error);
    const SmallProblem data(made.pattern, made.problem, 0);
    for (const Kernel& k : kernels) {
      INFO(cuda_of(k));
      auto storage = data.storage(k);
      CHECK_NOTHROW(run_on(*device, *built.program, k, Target::cuda, storage.pointers));
      CHECK(data.error(k, storage) < tolerance(space.program()));
    }
  }
}

}  // namespace lift::programs_in_groups_test
