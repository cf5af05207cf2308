// Every operator, one kernel of each structure of the space, in f32 and f64 at odd sizes: CUDA on the host
// against the pattern's reference, which is held against the interpreter, and OpenCL under oclgrind.
#include <doctest/doctest.h>

#include <cstdio>

#include "grid_cases.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"
#include "tests/emit/broken.hpp"
#include "tests/emit/grid_run.hpp"
#include "tests/emit/together.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace grid_operators_test {
namespace {

std::vector<GridCase> all_cases(const GridChoice& choice, const std::vector<Scalar>& types,
                                const std::string& name) {
  std::vector<GridCase> all;
  for (const auto& pattern : all_patterns())
    for (const Scalar type : types)
      for (GridCase& c : grid_cases(*pattern, choice, type, pattern->name + "_" + name + "_" + text(type)))
        all.push_back(std::move(c));
  return all;
}

double error_of(GridDevice& device, GridProgram& program, const GridCase& c, Target target, int color) {
  const SmallProblem data(*c.pattern, c.problem, color);
  auto storage = data.storage(c.kernel);
  run_on(device, program, c.kernel, target, storage.pointers);
  return data.error(c.kernel, storage);
}
double tolerance(const GridCase& c) { return c.problem.type == f32 ? 1e-5 : 1e-12; }

constexpr std::size_t kInOneSource = 10;

std::vector<std::string> sources(std::span<const GridCase> cases) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < cases.size(); i += kInOneSource) {
    Together source;
    for (const GridCase& c : cases.subspan(i, std::min(kInOneSource, cases.size() - i)))
      source.add(test::cuda_of(c.kernel));
    all.push_back(source.code());
  }
  return all;
}

/// How many kernels have each decision.
std::string tally(const std::vector<GridCase>& cases) {
  std::map<std::string, int> count;
  for (const GridCase& c : cases)
    for (const std::string& d : decisions(c.structure))
      if (d.find(" with ") == std::string::npos) ++count[d];
  std::string text;
  for (const auto& [decision, n] : count)
    text += (text.empty() ? "" : ", ") + decision + " " + std::to_string(n);
  return text;
}

bool masked(const std::string& source) {
  return source.find("select(") != std::string::npos && source.find("vstore") != std::string::npos;
}

}  // namespace

TEST_CASE("every operator and structure as CUDA on the host gives the reference's result") {
  NativeCompilerOptions options;
  options.timeout_seconds = 1000;
  NativeCompiler compiler(options);
  const auto device = make_cuda_host_device(compiler);
  std::vector<GridCase> cases =
      all_cases({Target::cuda, small_sides(), 2, {2, 4, 6}, 40}, {f64, f32}, "small");
  for (GridCase& c :
       all_cases({Target::cuda, tiled_sides(), 2, {2, 4, 9}, 80, "groups"}, {f64, f32}, "tiled"))
    cases.push_back(std::move(c));
  const std::vector<std::string> texts = sources(cases);
  const std::vector<GridBuild> built = device->build_all(texts, kCompiledSoon, {});
  std::set<std::pair<std::string, std::string>> interpreted;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const GridCase& c = cases[i];
    INFO(test::describe(c) << "\n" << test::cuda_of(c.kernel));
    const GridBuild& build = built[i / kInOneSource];
    REQUIRE_MESSAGE(build.program, build.error);
    double error = 1e30;
    CHECK_NOTHROW(error = error_of(*device, *build.program, c, Target::cuda, static_cast<int>(i % 2)));
    CHECK(error < tolerance(c));
  }
  MESSAGE(cases.size() << " kernels: " << tally(cases));
}

TEST_CASE("no barrier of a generated kernel can be left out") {
  NativeCompilerOptions options;
  options.timeout_seconds = 1000;
  NativeCompiler compiler(options);
  const auto device = make_cuda_host_device(compiler);
  struct Mutant {
    GridCase c;
    int barrier;
  };
  std::vector<Mutant> mutants;
  std::vector<std::string> texts;
  for (const auto& pattern : all_patterns()) {
    for (const GridCase& c :
         grid_cases(*pattern, {Target::cuda, tiled_sides(), 1, {0, 3, 4}, 120, "local memory"}, f64,
                    pattern->name)) {
      int barriers = 0;
      visit(c.kernel.body, [&](const Stmt& s) { barriers += is_barrier(s); });
      for (int b = 0; b < barriers; ++b) {
        mutants.push_back({c, b});
        mutants.back().c.kernel = without_barrier(c.kernel, b);
        texts.push_back(test::cuda_of(mutants.back().c.kernel));
      }
    }
  }
  const std::vector<GridBuild> built = device->build_all(texts, kCompiledSoon, {});
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    const GridCase& c = mutants[i].c;
    INFO(test::describe(c) << ", without barrier " << mutants[i].barrier << "\n" << texts[i]);
    REQUIRE_MESSAGE(built[i].program, built[i].error);
    CHECK_THROWS_AS(error_of(*device, *built[i].program, c, Target::cuda, 1), KernelFault);
  }
  MESSAGE(mutants.size() << " barriers");
  CHECK(mutants.size() > 10);
}

TEST_CASE("the references are what the interpreter computes") {
  for (const auto& pattern : all_patterns())
    for (Problem p : choices(*pattern, buildable(*pattern, Problem{}, {5, 6, 8}))) {
      p.boxes = 2;
      CAPTURE(pattern->name);
      CHECK(SmallProblem(*pattern, p, 1).interpreter_error() < 1e-12);
    }
}

namespace {
std::vector<GridCase> tiny_cases() {
  std::vector<GridCase> all;
  bool single = false;
  for (const auto& pattern : all_patterns()) {
    single = !single;
    const Scalar type = single ? f32 : f64;
    for (GridCase& c :
         grid_cases(*pattern, {Target::opencl, small_sides(), 1, {4, 8, 12}, 50}, type, pattern->name))
      all.push_back(std::move(c));
    for (GridCase& c : grid_cases(*pattern, {Target::opencl, tiled_sides(), 1, {1, 2, 4}, 80, "groups"}, type,
                                  pattern->name + "_tiled"))
      all.push_back(std::move(c));
  }
  return all;
}
}  // namespace

TEST_CASE("oclgrind runs one kernel of each operator and structure" * doctest::skip()) {
  opencl::Device device;
  for (const GridCase& c : tiny_cases()) {
    const std::string source = test::opencl_of(c.kernel);
    if (masked(source)) continue;
    std::printf("=== %s\n", c.kernel.name.c_str());
    std::fflush(stdout);
    const GridBuild built = device.build(source);
    REQUIRE_MESSAGE(built.program, built.error);
    CHECK(error_of(device, *built.program, c, Target::opencl, 1) < tolerance(c));
  }
}

TEST_CASE("no race, no access beyond an array, no barrier in divergent code under oclgrind") {
  if (!has_oclgrind()) return;
  const std::string all = under_oclgrind(
      {"--data-races"}, "oclgrind runs one kernel of each operator and structure", "test_emit_long", 900);
  int kernels = 0;
  for (const GridCase& c : tiny_cases()) {
    const std::size_t begin = all.find("=== " + c.kernel.name + "\n");
    if (begin == std::string::npos) continue;  // masked
    ++kernels;
    const std::string part = all.substr(begin, all.find("===", begin + 4) - begin);
    INFO(test::describe(c) << "\n" << part << test::opencl_of(c.kernel));
    // (Its check of what is not initialised does not know LLVM's freeze.)
    for (const char* word : {"race", "Invalid", "divergence"}) CHECK(part.find(word) == std::string::npos);
  }
  MESSAGE(kernels << " kernels");
  CHECK(kernels > 100);
}

}  // namespace grid_operators_test
