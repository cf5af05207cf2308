// Sweeps over small boxes by one work-group a box: one launch with a barrier after each sweep but the last,
// bit by bit what the sweeps are one after the other, in any order of threads.
#include <doctest/doctest.h>

#include "grid_run.hpp"
#include "lower/launches.hpp"
#include "rewrite/space/space.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"
#include "small_problem.hpp"
#include "together.hpp"

namespace lift::one_group_test {
namespace {

using namespace lift::test;

struct Case {
  const char* operation;
  const char* smoother;
  const char* boundary;
  int sweeps;
  Scalar type;
  std::int64_t box;
};
const std::vector<Case> kCases{
    {"smooth3d", "gsrb", "periodic", 4, f64, 6},  {"smooth3d", "gsrb", "ghost", 2, f32, 9},
    {"smooth3d", "gsrb", "dirichlet", 8, f64, 5}, {"smooth3d", "jacobi", "periodic", 3, f64, 6},
    {"smooth2d", "gsrb", "periodic", 4, f64, 14}, {"smooth3d", "jacobi", "neumann", 2, f32, 8},
};

struct Built {
  const Pattern* pattern;
  Problem problem;
  Kernel kernel, apart;  ///< its sweeps in one group, and one after the other
};
Built build(const Case& c, std::size_t number, Target target) {
  Problem p;
  p.box = c.box, p.boxes = 2, p.sweeps = c.sweeps, p.type = c.type, p.boundary = c.boundary;
  p.ghost = p.boundary == "ghost" ? c.sweeps : 1, p.choices = {{"smoother", c.smoother}};
  const Pattern& pattern = find_pattern(c.operation);
  Program apart = pattern.build(p);
  SpaceOptions options;
  options.target = target, options.compute_units = 4, options.max_work_group = 64;
  options.only_layout = kCallersLayout;
  const Space space(apart, options);
  const Configuration first = space.seeds().at(0);
  CHECK(space.structure(first).find("a box a work-group, a barrier a sweep") != std::string::npos);
  Program together = replay(space.program(), space.derive(first));
  together.name = "k" + std::to_string(number), apart.name = together.name + "_apart";
  return {&pattern, p, lower(together), lower(apart)};
}

std::size_t barriers_in(const Kernel& k) {
  std::size_t n = 0;
  visit(k.body, [&](const Stmt& s) { n += std::holds_alternative<Barrier>(s.v) ? 1 : 0; });
  return n;
}

bool has_bits_of_sweeps(GridDevice& device, GridProgram& program, const Built& b) {
  const SmallProblem data(*b.pattern, b.problem, 1);
  auto together = data.storage(b.kernel), apart = data.storage(b.apart);
  run_on(device, program, b.kernel, Target::cuda, together.pointers);
  run_on(device, program, b.apart, Target::cuda, apart.pointers);
  return SmallProblem::same_bits(b.kernel, together, b.apart, apart);
}

}  // namespace

TEST_CASE("one group a box: first on a device for small boxes, one launch, as CUDA the bits of the sweeps") {
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  for (const Case& c : kCases) {
    const Built whole = build(c, static_cast<std::size_t>(&c - kCases.data()), Target::cuda);
    const auto sweeps = static_cast<std::size_t>(c.sweeps);
    CHECK(launches_in(for_target(whole.kernel, Target::cuda)).size() == 1);
    CHECK(barriers_in(whole.kernel) == sweeps - 1);
    Together source;
    source.add(cuda_of(whole.kernel)), source.add(cuda_of(whole.apart));
    INFO(cuda_of(whole.kernel));
    Built broken = whole;
    broken.kernel.name += "_without";
    std::string without = cuda_of(broken.kernel);
    const std::string barrier = "__syncthreads();";
    source.add(without.erase(without.rfind(barrier), barrier.size()));
    const GridBuild built = device->build(source.code(), kCompiledSoon);
    REQUIRE_MESSAGE(built.program, built.error);
    CHECK(has_bits_of_sweeps(*device, *built.program, whole));
    CHECK_THROWS_WITH_AS(has_bits_of_sweeps(*device, *built.program, broken),
                         doctest::Contains("as the order of threads goes"), KernelFault);
  }
}

TEST_CASE("one group a box: where boxes are many, or large, it is not what is tried first") {
  SpaceOptions options;
  options.target = Target::cuda, options.compute_units = 4;
  const auto first = [&](std::int64_t box, std::int64_t boxes) {
    Problem p;
    p.box = box, p.boxes = boxes, p.sweeps = 4, p.ghost = 4, p.choices = {{"smoother", "gsrb"}};
    const Space space(find_pattern("smooth3d").build(p), options);
    return space.structure(space.seeds().at(0)).find("a box a work-group") != std::string::npos;
  };
  CHECK(first(8, 4));
  CHECK_FALSE(first(8, 5));
  CHECK_FALSE(first(20, 1));
}

TEST_CASE("one group a box: as OpenCL on a device") {
  if (!opencl::why_unavailable().empty()) return;
  opencl::configure_pocl(2);
  opencl::Device device;
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    const Built b = build(kCases[i], i, Target::opencl);
    const GridBuild built = device.build(opencl_of(b.kernel));
    REQUIRE_MESSAGE(built.program, built.error);
    const SmallProblem data(*b.pattern, b.problem, 1);
    auto storage = data.storage(b.kernel);
    run_on(device, *built.program, b.kernel, Target::opencl, storage.pointers);
    CHECK(data.error(b.kernel, storage) < (b.problem.type == f32 ? 1e-5 : 1e-12));
  }
}

}  // namespace lift::one_group_test
