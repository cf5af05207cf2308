// Emitted C of small expressions: compiled without a warning by gcc and clang, run, and compared with the
// interpreter; what the text must and must not contain; two whole texts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "ir/expr/interpret.hpp"
#include "lower/lower.hpp"
#include "runtime/native.hpp"
#include "runtime/parallel.hpp"
#include "runtime/process.hpp"
#include "small_kernels.hpp"
#include "small_problem.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace small_kernels_test {
namespace {

// ---- running

std::vector<std::string> flags() {
  return {"-std=gnu11", "-O1", "-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror"};
}

/// Arguments of a kernel, filled, and their values for the interpreter.
struct Data {
  std::vector<std::vector<unsigned char>> storage;
  std::vector<void*> pointers;  ///< multiples of 64 bytes, as streaming stores need
  std::map<std::string, Value> params;
  std::map<std::string, std::int64_t> sizes;
};

void put(void* to, Scalar s, std::size_t i, double v) {
  if (s == f32)
    static_cast<float*>(to)[i] = static_cast<float>(v);
  else
    static_cast<double*>(to)[i] = v;
}
double take(const void* from, Scalar s, std::size_t i) {
  return s == f32 ? static_cast<double>(static_cast<const float*>(from)[i])
                  : static_cast<const double*>(from)[i];
}

Data data_for(const Kernel& k, int index_value) {
  Data d;
  int which = 0;
  for (const KernelArgument& a : k.arguments) {
    ++which;
    const std::size_t n = a.type.is_array() ? static_cast<std::size_t>(*a.layout.size().constant()) : 1;
    d.storage.emplace_back(n * sizeof(double) + 64);
    void* p = d.storage.back().data();
    std::size_t room = d.storage.back().size();
    REQUIRE(std::align(64, n * sizeof(double), p, room));
    if (a.type.is_scalar() && a.type.scalar() == i32) {
      std::memcpy(p, &index_value, sizeof index_value);
      d.sizes[a.name] = index_value;
    } else {
      const Scalar s = (a.type.is_array() ? element_of(a.type) : a.type).scalar();
      std::vector<double> values(n);
      for (std::size_t i = 0; i < n; ++i)
        put(p, s, i, std::sin(1.7 * static_cast<double>(i) + which)), values[i] = take(p, s, i);
      if (a.type.is_array())
        d.params[a.name] = make_array(values, a.type);
      else
        d.params[a.name].v = values[0];
    }
    d.pointers.push_back(p);
  }
  return d;
}

/// Largest difference between what the compiled kernel and the interpreter compute.
double error_of(const SmallKernel& c, const Kernel& k, const NativeLibrary& library, int index_value) {
  Data d = data_for(k, index_value);
  const std::vector<double> expected = flatten(interpret(c.program.body, d.params, d.sizes));
  library.function<void(void**)>("liftgen_call")(d.pointers.data());
  double worst = 0;
  for (std::size_t a = 0; a < k.arguments.size(); ++a) {
    if (k.arguments[a].name != k.results.at(0)) continue;
    const Scalar s = element_of(k.arguments[a].type).scalar();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double e =
          std::abs(take(d.pointers[a], s, i) - expected[i]) / std::max(1.0, std::abs(expected[i]));
      if (!(e <= worst)) worst = std::isnan(e) ? 1e30 : e;
    }
  }
  return worst;
}

void check_with(const std::string& compiler) {
  configure_openmp(2);
  const std::vector<SmallKernel> all = small_kernels();
  std::vector<Kernel> kernels;
  std::vector<NativeSource> sources;
  for (const SmallKernel& c : all) {
    INFO(c.name);
    kernels.push_back(lower(c.program));
    sources.push_back({test::openmp_of(kernels.back()) + emit_trampoline(kernels.back(), kernels.back().name),
                       flags(), compiler, "c"});
  }
  NativeCompiler native;
  const auto compiled = native.compile_all(sources);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(sources[i].code);
    CHECK_MESSAGE(compiled[i].library, compiled[i].error);
    if (!compiled[i].library) continue;
    const bool indexed = all[i].program.arguments.back().type() == Type(i32);
    for (int v = indexed ? -9 : 0; v <= (indexed ? 9 : 0); ++v) {
      INFO("index " << v);
      CHECK(error_of(all[i], kernels[i], *compiled[i].library, v) <
            (all[i].name.ends_with("f32") ? 1e-6 : 1e-14));
    }
  }
}

/// The bodies of the loops that store vectors and hold no other loop.
std::vector<std::string> vector_loops(const std::string& code) {
  std::vector<std::string> r;
  std::istringstream in(code);
  std::vector<std::string>
      open;  // bodies of the loops around a line; a block that is no loop adds to the one around it
  std::vector<bool> loops;
  for (std::string line; std::getline(in, line);) {
    const bool loop = line.find("for (long") != std::string::npos;
    if (line.ends_with("{")) {
      if (loop) {
        if (!open.empty()) open.back() += "(a loop)";
        open.emplace_back();
      }
      loops.push_back(loop);
    } else if (line.find_first_not_of(' ') != std::string::npos && line[line.find_first_not_of(' ')] == '}' &&
               !loops.empty()) {
      if (loops.back()) {
        const std::string body = open.back();
        open.pop_back();
        if (body.find("store_f") != std::string::npos && body.find("(a loop)") == std::string::npos)
          r.push_back(body);
      }
      loops.pop_back();
    } else if (!open.empty()) {
      open.back() += line + "\n";
    }
  }
  return r;
}

/// Compared with tests/emit/golden/NAME.c; LIFTGEN_BLESS=1 writes it anew.
void check_golden(const std::string& name, const std::string& got) {
  const std::string path = std::string(LIFTGEN_SOURCE_DIR) + "/tests/emit/golden/" + name + ".c";
  if (const char* bless = std::getenv("LIFTGEN_BLESS"); bless && *bless) {
    std::ofstream(path) << got;
    MESSAGE("written: " << path);
  }
  std::ifstream in(path);
  std::stringstream expected;
  expected << in.rdbuf();
  REQUIRE_MESSAGE(in, path);
  INFO("LIFTGEN_BLESS=1 accepts the new text of " << path);
  CHECK(got == expected.str());
}

Kernel kernel_named(const std::string& name) {
  for (const SmallKernel& c : small_kernels())
    if (c.name == name) return lower(c.program);
  FAIL("no case " << name);
  return {};
}

}  // namespace

TEST_CASE("small kernels: no warning from the system's compiler, the interpreter's result") {
  check_with("");
}

TEST_CASE("small kernels: no warning from clang, the interpreter's result") {
  const std::string clang = !find_program("clang-14").empty() ? "clang-14"
                            : !find_program("clang").empty()  ? "clang"
                                                              : "";
  if (clang.empty()) {
    MESSAGE("clang is not installed, not tested");
    return;
  }
  check_with(clang);
}

TEST_CASE("small kernels: a wrong one is found") {
  for (const SmallKernel& c : small_kernels()) {
    if (c.name != "strided_f64") continue;
    const Kernel k = lower(c.program);
    std::string code = test::openmp_of(k) + emit_trampoline(k, k.name);
    const std::size_t at = code.find("ii < 19");
    REQUIRE(at != std::string::npos);
    code.replace(at, 7, "ii < 18");  // one element too few
    NativeCompiler native;
    const CompileResult r = native.compile({code, flags(), "", "c"});
    REQUIRE_MESSAGE(r.library, r.error);
    CHECK(error_of(c, k, *r.library, 0) > 1e-3);
  }
}

TEST_CASE("small kernels: what their text contains and lacks") {
  for (const SmallKernel& c : small_kernels()) {
    const std::string code = test::openmp_of(lower(c.program)),
                      body = code.substr(code.find("void " + c.name + "("));
    CAPTURE(code);
    for (const std::string& part : c.contains) CHECK_MESSAGE(body.find(part) != std::string::npos, part);
    for (const std::string& part : c.lacks) CHECK_MESSAGE(body.find(part) == std::string::npos, part);
  }
}

TEST_CASE("vector loops of the smoother hold no division, whatever the space decides") {
  std::size_t found = 0;
  for (const Problem& p : {small(64, 2, "gsrb"), small(64, 2, "jacobi", "ghost", f32)}) {
    const Space space(smooth3d().build(p), {Target::openmp, 2, 32});
    for (const Configuration& c : configurations(space, 0, 1)) {
      const std::string code = test::openmp_of(lower(replay(space.program(), space.derive(c))));
      CAPTURE(code);
      for (const std::string& body : vector_loops(code)) {
        ++found;
        CAPTURE(body);
        for (const char* slow : {" / ", " % ", "index_div", "index_mod"})
          CHECK(body.find(slow) == std::string::npos);
      }
    }
  }
  CHECK(found > 10);
  // It would be seen.
  CHECK(vector_loops("  for (long i = 0; i < 8; i += 4) {\n    store_f64x4(&x[i % 3], y);\n  }\n")
            .at(0)
            .find(" % ") != std::string::npos);
}

TEST_CASE("the fence of streaming stores ends each iteration of the parallel loops") {
  const std::string code = test::openmp_of(kernel_named("streamed_collapsed_f64"));
  CAPTURE(code);
  const std::size_t fence = code.rfind("store_fence();"), last = code.rfind("stream_f64x4(");
  REQUIRE(fence != std::string::npos);
  CHECK(last < fence);
  const std::string rest = code.substr(fence);
  CHECK(std::count(rest.begin(), rest.end(), '}') ==
        3);  // two loops and the function: inside the collapsed pair
}

TEST_CASE("golden: a vector loop with its remainder, a strided update in place") {
  check_golden("neighbours_late", test::openmp_of(kernel_named("neighbours_late_f64")));
  check_golden("strided", test::openmp_of(kernel_named("strided_f32")));
}

}  // namespace small_kernels_test
