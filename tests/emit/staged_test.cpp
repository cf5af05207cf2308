// Tiles in local memory and register tiles, emitted: on an OpenCL device, as CUDA on the host, and under
// oclgrind.
#include <doctest/doctest.h>

#include <set>

#include "grid_run.hpp"
#include "lower/lower.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"
#include "staged_cases.hpp"
#include "tests/spelled.hpp"
#include "together.hpp"

using namespace lift;
using namespace lift::test;

namespace staged_test {
namespace {

double error_of(GridDevice& device, GridProgram& program, const GridCase& c, Target target) {
  const SmallProblem data(*c.pattern, c.problem, 1);
  auto storage = data.storage(c.kernel);
  run_on(device, program, c.kernel, target, storage.pointers);
  return data.error(c.kernel, storage);
}
double tolerance(const GridCase& c) { return c.problem.type == f32 ? 1e-5 : 1e-12; }

bool available() {
  const std::string why = opencl::why_unavailable();
  if (!why.empty()) MESSAGE("no OpenCL device, not tested: " << why);
  return why.empty();
}

void check_on_opencl(bool all) {
  opencl::configure_pocl(2);
  opencl::Device device;
  for (const GridCase& c : staged_cases(Target::opencl)) {
    if (!all && dimensions(*c.pattern) == 3 && c.problem.choices.count("coefficients") == 0)
      continue;  // oclgrind takes its time
    const std::string source = test::opencl_of(c.kernel);
    INFO(test::describe(c) << "\n" << source);
    const GridBuild built = device.build(source);
    REQUIRE_MESSAGE(built.program, built.error);
    CHECK(error_of(device, *built.program, c, Target::opencl) < tolerance(c));
  }
}

}  // namespace

TEST_CASE("staged tiles and register tiles give the reference's result as OpenCL") {
  if (available()) check_on_opencl(true);
}

TEST_CASE("staged tiles and register tiles give the reference's result as CUDA on the host") {
  NativeCompilerOptions options;
  options.timeout_seconds = 1000;
  NativeCompiler compiler(options);
  const auto device = make_cuda_host_device(compiler);
  const std::vector<GridCase> cases = staged_cases(Target::cuda);
  Together source;
  for (const GridCase& c : cases) source.add(test::cuda_of(c.kernel));
  const GridBuild built = device->build(source.code(), kCompiledSoon);
  REQUIRE_MESSAGE(built.program, built.error);
  for (const GridCase& c : cases) {
    INFO(test::describe(c) << "\n" << test::cuda_of(c.kernel));
    double error = 1e30;
    CHECK_NOTHROW(error = error_of(*device, *built.program, c, Target::cuda));
    CHECK(error < tolerance(c));
  }
}

TEST_CASE("oclgrind runs staged tiles and register tiles" * doctest::skip()) { check_on_opencl(false); }

TEST_CASE("no race, no access beyond an array, no divergent barrier where tiles are staged") {
  if (!has_oclgrind()) return;
  const std::string all = under_oclgrind({"--data-races"}, "oclgrind runs staged tiles and register tiles");
  INFO(all.substr(0, 4000));
  for (const char* word : {"race", "Invalid", "divergence"}) CHECK(all.find(word) == std::string::npos);
}

TEST_CASE("what neighbouring cells of a work-item read both is loaded once") {
  const auto loads = [](const Problem& problem, const Configuration& c) {
    SpaceOptions options;
    options.target = Target::cuda;
    const Space space(smooth3d().build(problem), options);
    std::set<std::string> positions;
    int n = 0;
    visit(lower(replay(space.program(), space.derive(c))).body, [&](const Stmt& s) {
      const auto scan = [&](const Term& t) {
        visit(t, [&](const Term& x) {
          if (x->kind == TermKind::Load && x->name == "phi") ++n, positions.insert(x->nats[0].str());
        });
      };
      if (const auto* x = std::get_if<Store>(&s.v)) scan(x->value);
      if (const auto* x = std::get_if<Let>(&s.v)) scan(x->value);
      if (const auto* x = std::get_if<Declare>(&s.v)) scan(x->value);
    });
    CHECK(positions.size() == static_cast<std::size_t>(n));  // none twice
    return n;
  };
  // Seven points each: 12 different ones for two cells, 22 for four.
  const Problem whole = small(32, 1, "jacobi");
  CHECK(loads(whole, {{"tile", "j8 i16"}}) == 7);
  CHECK(loads(whole, {{"tile", "j8 i16"}, {"items", "j2"}}) == 12);
  CHECK(loads(whole, {{"tile", "j8 i16"}, {"items", "j4"}}) == 22);
  // Where the planes are gone along, the newest of each cell and those beside it; four more before the loop.
  CHECK(loads(whole, {{"tile", "j8 i16"}, {"order", "j i k"}, {"items", "j2"}, {"kcache", "yes"}}) ==
        2 + 6 + 4);
}

TEST_CASE("the slot of a plane is found by a mask where there is a power of two of them") {
  SpaceOptions options;
  options.target = Target::cuda;
  const Space space(smooth3d().build(small(32, 1, "jacobi")), options);
  const Kernel k = lower(replay(space.program(), space.derive({{"tile", "j8 i16"}, {"local", "planes"}})));
  for (const std::string& text : {test::cuda_of(k), test::opencl_of(k)}) {
    INFO(text);
    CHECK(text.find(" & 3;") != std::string::npos);  // four slots for windows of three planes
    CHECK(text.find(" % ") == std::string::npos);
  }
}

}  // namespace staged_test
