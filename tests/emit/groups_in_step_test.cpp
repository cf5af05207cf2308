// Chains in step on work-groups, emitted: as CUDA on the host under several orders of groups and threads,
// with copies that are early or late, bit by bit against the sweeps one after the other; and as OpenCL on a
// device, against the plain reference.
#include <doctest/doctest.h>

#include "grid_run.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"
#include "small_problem.hpp"
#include "tests/groups_in_step.hpp"
#include "tests/spelled.hpp"
#include "together.hpp"

namespace lift::groups_in_step_test {
namespace {

using namespace lift::test;

struct Case {
  const char* operation;
  const char* smoother;
  const char* boundary;
  int sweeps;
  Scalar type;
  Groups groups;
  std::int64_t box = 7;
  std::size_t pairs = 0, quads = 0;  ///< arrays of which two, or four, elements are copied at once
};

const std::vector<Case> kCases{
    {"smooth3d", "gsrb", "ghost", 2, f64, {{3, 4}, {2, 6}, false}},
    {"smooth3d", "gsrb", "ghost", 2, f64, {{3, 4}, {2, 6}, true}},
    {"smooth3d", "gsrb", "ghost", 4, f32, {{4, 5}, {10, 11}, true}},
    {"smooth3d", "jacobi", "neumann", 3, f64, {{2, 5}, {3, 4}, true}},
    {"smooth2d", "gsrb", "dirichlet", 3, f32, {{4}, {5}, false}},
    {"smooth3d", "gsrb", "ghost", 2, f64, {{3, 4}, {2, 6}, false, 1, true}},
    {"smooth3d", "gsrb", "ghost", 2, f64, {{4, 11}, {4, 11}, true, 1, true, 5}},
    {"smooth3d", "jacobi", "ghost", 3, f32, {{5, 13}, {4, 13}, false, 2, true, 4}},
    {"smooth2d", "jacobi", "ghost", 2, f64, {{4}, {5}, false, 1, true}},
    // Rows of 12: whole ones, and tiles of them whose margins are made even.
    {"smooth3d", "gsrb", "ghost", 2, f64, {{4, 12}, {4, 12}, false, 1, true}, 8, 7},
    {"smooth3d", "gsrb", "ghost", 2, f64, {{5, 4}, {3, 8}, false, 1, true, 5}, 8, 7},
    {"smooth3d", "gsrb", "ghost", 2, f64, {{5, 3}, {3, 7}, false, 1, true}, 8},
    {"smooth3d", "gsrb", "ghost", 2, f32, {{3, 12}, {4, 12}, true, 1, true}, 8, 0, 7},
    {"smooth3d", "gsrb", "ghost", 2, f32, {{5, 4}, {3, 8}, false, 1, true}, 8, 7},
    {"smooth3d", "gsrb", "ghost", 4, f32, {{4, 8}, {2, 10}, false, 1, true}, 8, 0, 7},
    {"smooth2d", "jacobi", "ghost", 2, f64, {{6}, {10}, false, 1, true}, 8, 6},
};

struct Built {
  const Pattern* pattern;
  Problem problem;
  Kernel kernel, apart;  ///< its sweeps together, and one after the other
};
Built build(const Case& c, std::size_t number) {
  Problem p;
  p.box = c.box, p.boxes = 2, p.sweeps = c.sweeps, p.type = c.type, p.boundary = c.boundary;
  p.ghost = p.boundary == "ghost" ? c.sweeps : 1, p.choices = {{"smoother", c.smoother}};
  const Pattern& pattern = find_pattern(c.operation);
  Program apart = pattern.build(p), together = in_groups(apart, c.sweeps, c.groups);
  together.name = "k" + std::to_string(number), apart.name = together.name + "_apart";
  return {&pattern, p, lower(together), lower(apart)};
}
/// Whether a kernel on the device has the bits of its sweeps one after the other, by one item.
bool has_bits_of_sweeps(GridDevice& device, GridProgram& program, const Built& b) {
  const SmallProblem data(*b.pattern, b.problem, 1);
  auto together = data.storage(b.kernel), apart = data.storage(b.apart);
  run_on(device, program, b.kernel, Target::cuda, together.pointers);
  run_on(device, program, b.apart, Target::cuda, apart.pointers);
  return SmallProblem::same_bits(b.kernel, together, b.apart, apart);
}
double error_of(GridDevice& device, GridProgram& program, const Built& b, Target target) {
  const SmallProblem data(*b.pattern, b.problem, 1);
  auto storage = data.storage(b.kernel);
  run_on(device, program, b.kernel, target, storage.pointers);
  return data.error(b.kernel, storage);
}
double tolerance(const Built& b) { return b.problem.type == f32 ? 1e-5 : 1e-12; }

const std::string kBarrier = "__syncthreads();", kWait = "wait_for_copies();";

std::size_t lines_with(const std::string& what, const std::string& source) {
  std::size_t n = 0;
  for (std::size_t at = source.find(what); at != std::string::npos; at = source.find(what, at + 1)) ++n;
  return n;
}
std::string without(const std::string& what, std::string source, std::size_t n) {
  std::size_t at = source.find(what);
  for (; n > 0; --n) at = source.find(what, at + 1);
  return source.erase(at, what.size());
}

}  // namespace

TEST_CASE("groups in step as CUDA on the host: right in any order of threads, with no barrier to spare") {
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  for (const Case& c : kCases) {
    Together source;
    const Built whole = build(c, static_cast<std::size_t>(&c - kCases.data()));
    const std::string text = cuda_of(whole.kernel);
    INFO(text);
    source.add(text), source.add(cuda_of(whole.apart));
    if (c.groups.wait_once) CHECK(lines_with(kBarrier, text) == 1);
    CHECK(lines_with(kWait, text) == (c.groups.ahead ? 1 : 0));
    CHECK(lines_with(c.type == f64 ? "(const double2 *)" : "(const float2 *)", text) == c.pairs);
    CHECK(lines_with("(const float4 *)", text) == c.quads);
    std::vector<Built> broken;
    for (const std::string& what : {kBarrier, kWait})
      for (std::size_t n = 0; n < lines_with(what, text); ++n) {
        broken.push_back(whole);
        broken.back().kernel.name += "_without_" + std::to_string(broken.size());
        source.add(without(what, cuda_of(broken.back().kernel), n));
      }
    CHECK(broken.size() >= 1);
    const GridBuild built = device->build(source.code(), kCompiledSoon);
    REQUIRE_MESSAGE(built.program, built.error);
    double error = 1e30;
    CHECK_NOTHROW(error = error_of(*device, *built.program, whole, Target::cuda));
    CHECK(error < tolerance(whole));
    CHECK(has_bits_of_sweeps(*device, *built.program, whole));
    for (const Built& b : broken) {
      INFO(b.kernel.name);
      CHECK_THROWS_WITH_AS(error_of(*device, *built.program, b, Target::cuda),
                           doctest::Contains("as the order of threads goes"), KernelFault);
    }
  }
}

TEST_CASE(
    "groups in step: what exploring tries first on a device, bit by bit, in any order and with any copies") {
  SpaceOptions gpu;
  gpu.target = Target::cuda, gpu.only_layout = kCallersLayout;
  gpu.local_bytes = std::size_t{64} * 1024, gpu.max_work_group = 64, gpu.compute_units = 16;
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  std::size_t copies = 0, chunks = 0;
  for (const auto& [smoother, sweeps, coefficients] :
       {std::tuple{"gsrb", 2, "variable"}, std::tuple{"gsrb", 4, "constant"},
        std::tuple{"jacobi", 4, "constant"}, std::tuple{"jacobi", 2, "variable"}}) {
    Problem p = small(12, 1, smoother, "ghost", f64, sweeps);
    p.sides = {64, 9, 12};  // so many planes that chunks of them are offered
    p.sweeps = sweeps, p.choices["coefficients"] = coefficients;
    const Pattern& pattern = find_pattern("smooth3d");
    const Space space(pattern.build(p), gpu);
    Together source;
    std::vector<Built> all;
    for (const Configuration& c : space.seeds()) {
      if (space.structure(c).find("in step") == std::string::npos || all.size() == 5) continue;
      chunks += space.structure(c).find("tiles of k j i") != std::string::npos;
      Program together = replay(space.program(), space.derive(c)), apart = space.program();
      together.name = "k" + std::to_string(all.size()), apart.name = together.name + "_apart";
      all.push_back({&pattern, p, lower(together, {.target = Target::cuda}), lower(apart)});
      const std::string text = emit_source(all.back().kernel);
      copies += text.find(kWait) != std::string::npos;
      source.add(text), source.add(cuda_of(all.back().apart));
    }
    CHECK(all.size() >= 2);
    const GridBuild built = device->build(source.code(), kCompiledSoon);
    REQUIRE_MESSAGE(built.program, built.error);
    for (const Built& b : all) {
      CAPTURE(smoother);
      CAPTURE(b.kernel.name);
      CHECK(has_bits_of_sweeps(*device, *built.program, b));
    }
  }
  CHECK(copies >= 4);
  CHECK(chunks >= 1);
}

TEST_CASE("groups in step in more local memory than a kernel may declare: its launch asks for it") {
  Problem p;
  p.box = 20, p.boxes = 1, p.sweeps = 4, p.ghost = 4, p.choices = {{"smoother", "gsrb"}};
  const Pattern& pattern = find_pattern("smooth3d");
  const Program program = in_groups(pattern.build(p), p.sweeps, {{20, 20}, {13, 26}, true});
  const Built b{&pattern, p, for_target(lower(program), Target::cuda), {}};
  const NDRange range = launches_in(b.kernel).at(0).range;
  CHECK(range.local_bytes == 4 * 8 * 26 * (26 + 24 + 22));
  const std::string text = cuda_of(b.kernel), header = emit_header(b.kernel),
                    bytes = std::to_string(range.local_bytes);
  INFO(text << header);
  CHECK(text.find("  extern __shared__ __align__(16) unsigned char local_memory[];\n") != std::string::npos);
  CHECK(text.find("__shared__ double") == std::string::npos);
  CHECK(text.find(bytes + ">>>(...)") != std::string::npos);
  CHECK(header.find("cudaFuncAttributeMaxDynamicSharedMemorySize, " + bytes + ");") != std::string::npos);
  CHECK(header.find("1), " + bytes + ",") != std::string::npos);
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  const GridBuild built = device->build(text, kCompiledSoon);
  REQUIRE_MESSAGE(built.program, built.error);
  CHECK(error_of(*device, *built.program, b, Target::cuda) < tolerance(b));
}

TEST_CASE("groups in step as OpenCL on a device") {
  if (!opencl::why_unavailable().empty()) return;
  opencl::configure_pocl(2);
  opencl::Device device;
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    Case c = kCases[i];
    c.groups.ahead = false;  // whole groups copy whole rows there
    const Built b = build(c, i);
    INFO(opencl_of(b.kernel));
    const GridBuild built = device.build(opencl_of(b.kernel));
    REQUIRE_MESSAGE(built.program, built.error);
    CHECK(error_of(device, *built.program, b, Target::opencl) < tolerance(b));
  }
}

}  // namespace lift::groups_in_step_test
