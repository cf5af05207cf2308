// Kernels over a grid without liftgen: OpenCL sources with their C hosts, run on a device where there is one;
// CUDA sources with theirs, compiled by nvcc where that is installed.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/launches.hpp"
#include "lower/lower.hpp"
#include "runtime/file.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "small_problem.hpp"
#include "tests/runtime/scratch.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace grid_caller_test {
namespace {

struct StandAlone {
  Kernel kernel;
  Program program;
};
StandAlone variant(const Pattern& pattern, const Problem& p, Target target, const Configuration& c) {
  const Program program = pattern.build(p);
  const Space space(program,
                    {target, 2, 32, c.contains("layout") ? std::nullopt : std::optional(kCallersLayout)});
  return {lower(replay(program, space.derive(c))), program};
}
/// The first variant that can be lowered.
StandAlone variant(const Pattern& pattern, const Problem& p, Target target) {
  const Program program = pattern.build(p);
  for (const Configuration& c : Space(program, {target, 2, 32, kCallersLayout}).seeds()) {
    try {
      return variant(pattern, p, target, c);
    } catch (const UserError&) {  // impossible as asked
    }
  }
  throw UserError("no variant of " + pattern.name);
}

std::string main_name(const StandAlone& s, Target target) {
  return s.kernel.name + (target == Target::cuda ? "_main.cu" : "_main.c");
}
std::string source_name(const StandAlone& s, Target target) {
  return s.kernel.name + (target == Target::cuda ? ".cu" : ".cl");
}
void write(const Scratch& d, const StandAlone& s, Target target) {
  write_file_atomically(d.path() / source_name(s, target), test::spelled(s.kernel, target));
  write_file_atomically(d.path() / (s.kernel.name + ".h"), emit_header(for_target(s.kernel, target)));
  write_file_atomically(
      d.path() / main_name(s, target),
      emit_caller(for_target(s.kernel, target), lower(s.program, {.target = Target::openmp})));
}
ProcessResult in(const Scratch& d, const std::vector<std::string>& command) {
  ProcessOptions options;
  options.directory = d.path().string(), options.timeout_seconds = 1000;
  return run_process(command, options);
}
void build(const Scratch& d, const StandAlone& s,
           std::vector<std::string> compiler = {"gcc", "-std=c99", "-O1"}) {
  for (const std::string& word :
       {std::string("-Wall"), std::string("-Wextra"), std::string("-Werror"), main_name(s, Target::opencl),
        std::string("-lOpenCL"), std::string("-lm"), std::string("-o"), std::string("program")})
    compiler.push_back(word);
  const ProcessResult built = in(d, compiler);
  REQUIRE_MESSAGE(built.status == 0, built.output);
}
ProcessResult run(const Scratch& d) { return in(d, {(d.path() / "program").string()}); }

/// Two results, one of them a number; argument names that the host would use.
Program mixed(bool on_grid) {
  const Expr x = param("queue", array({Nat(5), Nat(37)}, f64)), y = param("status", array({Nat(37)}, f32)),
             c = param("check", f64), which = index_param("device", 1, 3);
  const auto row = [&](Expr r) {
    return map_with(on_grid ? Op::MapGlb : Op::MapSeq, 1,
                    fun(f64, [&](Expr a) { return max(a * c, a - 1.0) / cast(f64, which); }), r,
                    {on_grid ? 0 : 1, 1, 0, 0});
  };
  const Expr scaled =
      map_with(on_grid ? Op::MapGlb : Op::MapSeq, 1, fun(x.type().element(), row), x, {1, 1, 0, 0});
  const Expr total =
      make(Op::ReduceSeq, {fun({f32, f32}, [](Expr a, Expr b) { return a + sqrt(b); }), literal(0, f32), y});
  return {"mixed", {x, y, c, which}, tuple({scaled, total}), {}, {"scaled", "total"}};
}

/// As many steps as the caller says, each a launch; argument names that the host's loops would have.
Program in_turns(bool on_grid) {
  const Expr x = param("turn", array({Nat(37)}, f64)), times = index_param("global_", 1, 9);
  const auto step = [&](Expr v) {
    return map_with(on_grid ? Op::MapGlb : Op::MapSeq, 1,
                    fun(array({Nat(3)}, f64), [](Expr w) { return (w[0] + w[1] + w[2]) / 3.0; }),
                    v | pad(1, 1, clamp) | slide(3, 1), {on_grid ? 0 : 1, 1, 0, 0});
  };
  return {"in_turns", {x, times}, iterate(index_variable(times), fun(x.type(), step), x), {}, {}};
}

Problem plain(std::int64_t box) {
  Problem p = small(box, 2, "");
  p.choices.clear();
  return p;
}

StandAlone mixed() { return {lower(mixed(true)), mixed(false)}; }

std::vector<StandAlone> kernels(Target target) {
  std::vector<StandAlone> all{
      variant(smooth(3), small(7, 3, "gsrb"), target, {{"grid", "k j i"}}),
      variant(smooth(3), small(11, 1, "jacobi", "neumann", f32), target, {{"grid", "k j i"}}),
      variant(smooth(3), small(9, 2, "gsrb"), target, {{"layout", "split 3 1"}, {"inner", "strided"}}),
      variant(smooth(3), small(9, 2, "gsrb"), target,
              {{"layout", "split 3 1"}, {"grid", "box k j i"}, {"inner", "strided"}}),
      variant(restriction(3), plain(14), target),
      variant(norm(3), plain(9), target)};
  all.push_back(mixed());
  all.push_back({lower(in_turns(true)), in_turns(false)});
  return all;
}

}  // namespace

TEST_CASE("stand-alone OpenCL: no warning, right results, on a device") {
  const std::string missing = opencl::why_unavailable();
  if (!missing.empty()) MESSAGE("no OpenCL device, not run: " << missing);
  const Scratch d;
  for (const StandAlone& s : kernels(Target::opencl)) {
    CAPTURE(s.kernel.name);
    write(d, s, Target::opencl);
    build(d, s);
    if (!missing.empty()) continue;
    const ProcessResult r = run(d);
    CHECK_MESSAGE(r.status == 0, r.output);
    CHECK_MESSAGE(r.output.find(" ms, correct") != std::string::npos, r.output);
  }
  write(d, mixed(), Target::opencl);
  build(d, mixed(), {"g++", "-std=c++17", "-O0", "-x", "c++"});
}

TEST_CASE("stand-alone OpenCL: what is wrong is said, with status 1") {
  if (!opencl::why_unavailable().empty()) return;
  const Scratch d;
  const StandAlone s = variant(smooth(3), small(7, 2, "jacobi"), Target::opencl, {{"grid", "k j i"}});
  write(d, s, Target::opencl);
  build(d, s);
  const std::string code = test::opencl_of(s.kernel);
  const std::size_t at = code.rfind("w * ");
  REQUIRE(at != std::string::npos);
  const auto with_source = [&](const std::string& text) {
    write_file_atomically(d.path() / "smooth3d.cl", text);
    return run(d);
  };
  const auto check = [](const ProcessResult& r, const char* message) {
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.output.find(message) != std::string::npos, r.output);
  };
  check(with_source(std::string(code).replace(at, 1, "2.0")), "WRONG");
  check(with_source(std::string(code).replace(at, 1, "nothing")), "smooth3d.cl does not build");
  check(with_source(std::string(code).replace(code.find("void smooth3d("), 13, "void other3d")),
        "smooth3d_enqueue failed: OpenCL error -46");
  std::filesystem::remove(d.path() / "smooth3d.cl");
  check(run(d), "smooth3d.cl cannot be read here");
}

TEST_CASE("stand-alone: headers of kernels over a grid launch all they consist of") {
  const StandAlone s = mixed();
  const std::string opencl = emit_header(for_target(s.kernel, Target::opencl)),
                    cuda = emit_header(for_target(s.kernel, Target::cuda));
  INFO(opencl << cuda);
  for (const char* part : {"{\"mixed_1\", {37, 5, 1}, {0, 0, 0}},", "{\"mixed_2\", {1, 1, 1}, {0, 0, 0}},",
                           "clSetKernelArg(kernel_, 2, sizeof check, &check)"})
    CHECK(opencl.find(part) != std::string::npos);
  for (const char* part :
       {"mixed_1<<<dim3(",
        "mixed_2<<<dim3(1, 1, 1), dim3(1, 1, 1), 0, stream_>>>(queue, status, check, device, scaled, total);",
        "const double *queue"})
    CHECK(cuda.find(part) != std::string::npos);
}

TEST_CASE("stand-alone CUDA: nvcc takes kernel and caller without a warning") {
  std::string nvcc = find_program("nvcc");
  if (nvcc.empty()) nvcc = find_program("/usr/local/cuda/bin/nvcc");
  if (nvcc.empty()) {
    MESSAGE("nvcc is not installed, not tested");
    return;
  }
  const Scratch d;
  const auto all = kernels(Target::cuda);
  const auto check = [&](const StandAlone& s) {
    CAPTURE(s.kernel.name);
    write(d, s, Target::cuda);
    const ProcessResult built =
        in(d, {nvcc, "-arch=sm_80", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror",
               source_name(s, Target::cuda), main_name(s, Target::cuda), "-o", "program"});
    CHECK_MESSAGE(built.status == 0, built.output);
  };
  // A layout; a name that CUDA has taken; two launches.
  for (const std::size_t n : {std::size_t{2}, std::size_t{4}, all.size() - 1}) check(all[n]);
  Problem p;
  p.box = 64, p.boxes = 512, p.sweeps = 4, p.ghost = 4;
  SpaceOptions large{Target::cuda, 2, 32, kCallersLayout};
  large.local_bytes = std::size_t{163} * 1024;
  const Program program = find_pattern("smooth3d").build(p);
  const Space space(program, large);
  const StandAlone asks{lower(replay(program, space.derive(space.seeds().at(0)))), program};
  CHECK(launches_in(for_target(asks.kernel, Target::cuda)).at(0).range.local_bytes > 0);
  check(asks);
}

}  // namespace grid_caller_test
