// Programs of scans over columns as emitted C against their references, at odd sizes down to one level: the variants that are
// tried first, and random ones.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "grid_run.hpp"
#include "runtime/native.hpp"
#include "runtime/opencl.hpp"
#include "runtime/parallel.hpp"
#include "small_problem.hpp"
#include "together.hpp"

using namespace lift;
using namespace lift::test;

namespace {

struct Variant {
  Pattern pattern;
  Problem problem;
  Configuration configuration;
  Kernel kernel;
};

Problem of_size(std::int64_t box, Scalar type) {
  Problem p;
  p.box = box, p.boxes = 2, p.type = type;
  return p;
}

/// Every variant that is asked for, none left out: a decision that is offered is possible.
std::vector<Variant> variants(const Pattern& pattern, int random, Target target = Target::openmp, const std::vector<std::pair<int, Scalar>>& sizes = {{1, f64}, {2, f64}, {3, f32}, {7, f64}, {16, f32}, {16, f64}}) {
  std::vector<Variant> all;
  for (const auto& [box, type] : sizes) {
    const Problem p = of_size(box, type);
    const Space space(pattern.build(p), {target, 2, 32, 512 * 1024, false});
    for (const Configuration& c : configurations(space, random, static_cast<std::uint64_t>(box))) {
      all.push_back({pattern, p, c, lower(replay(space.program(), space.derive(c)))});
      all.back().kernel.name = "kernel_" + std::to_string(all.size());
    }
  }
  return all;
}

void check(const std::vector<Variant>& all) {
  configure_openmp(2);
  Together source;
  for (const Variant& v : all) {
    source.add_line("#undef liftgen_call\n#define liftgen_call call_" + v.kernel.name);
    source.add(emit_openmp(v.kernel) + emit_trampoline(v.kernel, v.kernel.name));
  }
  NativeCompiler compiler;
  const std::vector<NativeSource> sources{{source.code(), {"-std=gnu11", "-O0", "-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable"}, "", "c"}};
  const std::vector<CompileResult> compiled = compiler.compile_all(sources);
  REQUIRE_MESSAGE(compiled[0].library, compiled[0].error);
  for (const Variant& v : all) {
    INFO(v.pattern.name << " of " << v.problem.box << " " << text(v.problem.type) << ": " << test::str(v.configuration) << "\n" << emit_openmp(v.kernel));
    const SmallProblem data(v.pattern, v.problem, 0);
    auto storage = data.storage(v.kernel);
    compiled[0].library->function<void(void**)>("call_" + v.kernel.name)(storage.pointers.data());
    CHECK(data.error(v.kernel, storage) < (v.problem.type == f32 ? 1e-5 : 1e-12));
  }
}

}  // namespace

TEST_CASE("columns: tridiagonal systems") { check(variants(thomas(), 6)); }
TEST_CASE("columns: vertical advection") { check(variants(vertical_advection(), 4)); }
TEST_CASE("columns: filling of negative ratios") { check(variants(fillz(), 4)); }
TEST_CASE("planes: horizontal diffusion") { check(variants(horizontal_diffusion(), 2)); }

TEST_CASE("columns: on a grid of work-items") {
  if (const std::string why = opencl::why_unavailable(); !why.empty()) {
    MESSAGE("no OpenCL device, not run: " << why);
    return;
  }
  opencl::Device device;
  for (const auto make : {thomas, vertical_advection, fillz, horizontal_diffusion})
    for (const Variant& v : variants(make(), 1, Target::opencl, {{1, f64}, {7, f32}, {9, f64}})) {
      INFO(v.pattern.name << " of " << v.problem.box << ": " << test::str(v.configuration));
      const SmallProblem data(v.pattern, v.problem, 0);
      auto storage = data.storage(v.kernel);
      run_on(device, v.kernel, Target::opencl, storage.pointers);
      CHECK(data.error(v.kernel, storage) < (v.problem.type == f32 ? 1e-5 : 1e-12));
    }
}

TEST_CASE("columns: the level before stays in variables, or is read where it was stored") {
  const Problem p = of_size(8, f64);
  const Space space(thomas().build(p), {Target::openmp, 2, 32, 512 * 1024, false});
  const auto text_of = [&](const Configuration& c) { return emit_openmp(lower(replay(space.program(), space.derive(c)))); };
  const auto count = [](const std::string& text, const std::string& what) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
    return n;
  };
  const std::string in_registers = text_of({{"order", "j i k"}, {"kcache", "yes"}}), stored = text_of({{"order", "j i k"}, {"kcache", "no"}});
  CHECK(count(in_registers, "before") > 0);
  CHECK(count(stored, "before") == 0);
  CHECK(count(stored, "x[") > count(in_registers, "x["));  // x[k] is computed from x[k + 1]
}
