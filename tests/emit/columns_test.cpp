// Programs of scans over columns as emitted C against their references, at odd sizes down to one level: the
// variants that are tried first, and random ones.
#include <doctest/doctest.h>

#include <set>

#include "grid_run.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "runtime/native.hpp"
#include "runtime/opencl.hpp"
#include "runtime/parallel.hpp"
#include "small_problem.hpp"
#include "tests/spelled.hpp"
#include "together.hpp"

using namespace lift;
using namespace lift::test;

namespace columns_test {
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
std::vector<Variant> variants(const Pattern& pattern, int random, Target target = Target::openmp,
                              const std::vector<std::pair<int, Scalar>>& sizes =
                                  {{1, f64}, {2, f64}, {3, f32}, {7, f64}, {16, f32}, {16, f64}},
                              bool cpu = false) {
  std::vector<Variant> all;
  for (const auto& [box, type] : sizes) {
    const Problem p = of_size(box, type);
    SpaceOptions options{target, 2, 32};
    options.cpu = cpu;
    const Space space(pattern.build(p), options);
    for (const Configuration& c : configurations(space, random, static_cast<std::uint64_t>(box))) {
      all.push_back({pattern, p, c, lower(replay(space.program(), space.derive(c)))});
      all.back().kernel.name = "kernel_" + std::to_string(all.size());
    }
  }
  return all;
}

/// Of one type: the names of vector types say how many elements they have.
void check_all(const std::vector<Variant>& all) {
  Together source;
  for (const Variant& v : all) {
    source.add_line("#undef liftgen_call\n#define liftgen_call call_" + v.kernel.name);
    source.add(test::openmp_of(v.kernel) + emit_trampoline(v.kernel, v.kernel.name));
  }
  NativeCompiler compiler;
  const std::vector<NativeSource> sources{{source.code(),
                                           {"-std=gnu11", "-O0", "-march=native", "-fopenmp", "-Wall",
                                            "-Wextra", "-Werror", "-Wno-unused-variable"},
                                           "",
                                           "c"}};
  const std::vector<CompileResult> compiled = compiler.compile_all(sources);
  REQUIRE_MESSAGE(compiled[0].library, compiled[0].error);
  for (const Variant& v : all) {
    INFO(v.pattern.name << " of " << v.problem.box << " " << text(v.problem.type) << ": "
                        << test::str(v.configuration) << "\n"
                        << test::openmp_of(v.kernel));
    const SmallProblem data(v.pattern, v.problem, 0);
    auto storage = data.storage(v.kernel);
    compiled[0].library->function<void(void**)>("call_" + v.kernel.name)(storage.pointers.data());
    CHECK(data.error(v.kernel, storage) < (v.problem.type == f32 ? 1e-5 : 1e-12));
  }
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

void check(const std::vector<Variant>& all) {
  configure_openmp(2);
  for (const Scalar type : {f32, f64}) {
    std::vector<Variant> some;
    for (const Variant& v : all)
      if (v.problem.type == type) some.push_back(v);
    check_all(some);
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
    for (const bool cpu : {false, true})
      for (const Variant& v : variants(make(), 1, Target::opencl, {{1, f64}, {7, f32}, {9, f64}}, cpu)) {
        INFO(v.pattern.name << " of " << v.problem.box << ": " << test::str(v.configuration));
        const SmallProblem data(v.pattern, v.problem, 0);
        auto storage = data.storage(v.kernel);
        run_on(device, v.kernel, Target::opencl, storage.pointers);
        CHECK(data.error(v.kernel, storage) < (v.problem.type == f32 ? 1e-5 : 1e-12));
      }
}

TEST_CASE("columns: groups of one item each have columns of their own, as threads have") {
  SpaceOptions options{Target::opencl, 2, 32};
  options.cpu = true;
  const Space space(thomas().build(of_size(256, f64)), options);
  const Configuration shared{{"order", "j k i"}, {"tile", "i32"}, {"grid", "j"}};
  Configuration solo = shared;
  solo.set("grid", "solo j");
  CHECK(space.allowed_texts(shared, "keep") ==
        std::vector<std::string>{"work"});  // PoCL has the items' arrays on one stack
  CHECK(space.allowed_texts(solo, "keep") == std::vector<std::string>{"work", "private"});
  solo.set("keep", "private");
  const NDRange range = nd_range(lower(replay(space.program(), space.derive(solo))), Target::opencl);
  CHECK(range.local[0] == 1);
}

TEST_CASE("columns: the level before stays in variables, or is read where it was stored") {
  const Space space(thomas().build(of_size(8, f64)), {Target::openmp, 2, 32});
  const auto text_of = [&](const Configuration& c) {
    return test::openmp_of(lower(replay(space.program(), space.derive(c))));
  };
  const std::string in_registers = text_of({{"order", "j i k"}, {"kcache", "yes"}}),
                    stored = text_of({{"order", "j i k"}, {"kcache", "no"}});
  CHECK(count(in_registers, "before") > 0);
  CHECK(count(stored, "before") == 0);
  CHECK(count(stored, "x[") > count(in_registers, "x["));  // x[k] is computed from x[k + 1]
}

TEST_CASE("columns: every switch is there, on every target") {
  for (const auto make : {thomas, vertical_advection, fillz})
    for (const Target target : {Target::openmp, Target::opencl, Target::cuda}) {
      const Space space(make().build(of_size(24, f64)), {target, 2, 32});
      std::set<std::string> names;
      for (const auto* some : {&space.parameters(), &space.comparisons()})
        for (const Parameter& p : *some) names.insert(p.name());
      for (const char* name : {"order", "tile", "unroll", "kcache", "prefetch", "readonly"}) {
        CAPTURE(make().name);
        CAPTURE(lift::text(target));
        CAPTURE(name);
        CHECK(names.count(name) == 1);
      }
    }
}

TEST_CASE("columns: what a scan reads some levels later is asked for, in its direction") {
  const Space space(thomas().build(of_size(8, f64)), {Target::opencl, 2, 32});
  const auto kernel_of = [&](const Configuration& c) {
    return lower(replay(space.program(), space.derive(c)));
  };
  const auto prefetches = [](const Kernel& k) {
    int n = 0;
    visit(k.body, [&](const Stmt& s) { n += std::holds_alternative<Prefetch>(s.v); });
    return n;
  };
  CHECK(prefetches(kernel_of({{"order", "j i k"}})) == 0);
  const Kernel two = kernel_of({{"order", "j i k"}, {"prefetch", "2"}});
  CHECK(prefetches(two) ==
        4);  // a, b, c, d on the way up; on the way down, nothing is loaded that was not stored just before
  const std::string text = test::opencl_of(two);
  CAPTURE(text);
  CHECK(count(text, "fetch_ahead(&") == 4);
  CHECK(count(text, "+ 2;") == 1);
  CHECK(space.allowed_texts({{"order", "j k i"}}, "prefetch") ==
        std::vector<std::string>{"0"});  // rows of 8 points are too short
}

TEST_CASE("columns: a work-group has a tile of columns") {
  const Space space(thomas().build(of_size(24, f64)), {Target::cuda, 2, 32});
  const Kernel k = lower(replay(space.program(), space.derive({{"order", "j i k"}, {"tile", "i8"}})));
  const NDRange range = nd_range(k, Target::cuda);
  CHECK(range.local == std::array<std::size_t, 3>{8, 1, 1});
  CHECK(range.global == std::array<std::size_t, 3>{24, 24, 2});
  CHECK(space.allowed_texts({{"order", "j i k"}, {"tile", "i8"}}, "grid") ==
        std::vector<std::string>{"groups"});
}

TEST_CASE("read-only path: loads through the cache, restricted pointers, or no promise at all") {
  for (const auto& [pattern, box] : {std::pair{thomas(), 8}, {smooth3d(), 8}}) {
    const Problem p = of_size(box, f64);
    const auto text_of = [&, &pattern = pattern](Target target, const char* readonly) {
      const Space space(pattern.build(p), {target, 2, 32});
      Configuration c;
      if (readonly) c.set("readonly", readonly);
      const Kernel k = lower(replay(space.program(), space.derive(c)));
      return target == Target::cuda     ? test::cuda_of(k)
             : target == Target::opencl ? test::opencl_of(k)
                                        : test::openmp_of(k);
    };
    CAPTURE(pattern.name);
    CHECK(count(text_of(Target::cuda, "no"), "__ldg(") == 0);
    CHECK(count(text_of(Target::cuda, "yes"), "__ldg(") > 0);
    for (const Target target : {Target::openmp, Target::opencl}) {
      const std::string parameter = target == Target::opencl ? "double *" : "const double *";
      CHECK(text_of(target, nullptr) == text_of(target, "yes"));
      CHECK(count(text_of(target, "yes"), parameter + "restrict ") >= 4);
      CHECK(count(text_of(target, "no"), "*restrict ") == 0);
      CHECK(count(text_of(target, "no"), parameter) >= 4);
    }
  }
}

}  // namespace columns_test
