// Elementary functions in kernels: in vectors of the machine's library, on OpenCL and emulated CUDA devices.
#include <doctest/doctest.h>

#include <cmath>

#include "grid_run.hpp"
#include "ir/expr/interpret.hpp"
#include "lower/lower.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/native.hpp"
#include "runtime/opencl.hpp"
#include "small_kernels.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace elementary_test {
namespace {

constexpr std::size_t kMany = 301;

/// All functions of each pair of numbers.
Program all_functions(Scalar s, Op loop, std::vector<std::int64_t> options) {
  const Expr x = vector_param("x", s, kMany), y = vector_param("y", s, kMany), xy = zip({x, y});
  const auto f = [](Expr a, Expr b) {
    std::vector<Expr> values;
    for (const Elementary& e : all_elementary()) values.push_back(elementary_call(e, a, b));
    return tuple(values);
  };
  return {"functions", {x, y}, map_with(loop, 1, function_of(element_of(xy.type(), 1), f), xy, options), {}};
}

template <class T>
struct Arrays {
  std::vector<std::vector<T>> storage;
  std::vector<void*> pointers;

  explicit Arrays(const Kernel& k) {
    for (const KernelArgument& a : k.arguments) {
      storage.emplace_back(kMany + 64 / sizeof(T));
      void* p = storage.back().data();
      std::size_t room = storage.back().size() * sizeof(T);
      pointers.push_back(std::align(64, kMany * sizeof(T), p, room));
      for (std::size_t i = 0; i < kMany; ++i)
        of(storage.size() - 1)[i] =
            static_cast<T>(a.written ? NAN : std::sin(1.7 * static_cast<double>(i + storage.size())));
    }
  }
  T* of(std::size_t argument) const { return static_cast<T*>(pointers[argument]); }
};

/// Of every function, in units in the last place of the result: at most what its row allows.
template <class T>
void check(const Kernel& k, const Arrays<T>& arrays) {
  constexpr Scalar s = sizeof(T) == 4 ? f32 : f64;
  const T *x = arrays.of(0), *y = arrays.of(1);
  std::size_t f = 0;
  for (const Elementary& e : all_elementary()) {
    const std::string name(text(e.op));
    CAPTURE(name);
    const std::string& result = k.results.at(f++);
    for (std::size_t a = 0; a < k.arguments.size(); ++a) {
      if (k.arguments[a].name != result) continue;
      const T* got = arrays.of(a);
      double worst = 0;
      for (std::size_t i = 0; i < kMany; ++i) {
        const Expr call =
            elementary_call(e, literal(static_cast<double>(x[i]), s), literal(static_cast<double>(y[i]), s));
        const T expected = static_cast<T>(flatten(interpret(call, {}, {})).at(0));
        const double ulp = std::max<double>(std::nextafter(std::abs(expected), INFINITY) - std::abs(expected),
                                            std::numeric_limits<T>::min());
        const double off = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected)) / ulp;
        worst = off <= worst ? worst : off;
      }
      CHECK(worst <= e.ulps + 1);  // the interpreter's is rounded, too
    }
  }
}

template <class T>
void check_on_grid(GridDevice& device, Target target) {
  const Kernel k = lower(all_functions(sizeof(T) == 4 ? f32 : f64, Op::MapGlb, {0}), {.target = target});
  const Arrays<T> arrays(k);
  const GridBuild built = device.build(target == Target::cuda ? test::cuda_of(k) : test::opencl_of(k), "");
  REQUIRE_MESSAGE(built.program, built.error);
  run_on(device, *built.program, k, target, arrays.pointers);
  check(k, arrays);
}

template <class T>
void check_in_vectors(int lanes) {
  const Kernel k = lower(all_functions(sizeof(T) == 4 ? f32 : f64, Op::MapVec, {lanes, 1, 0, 0}));
  const Arrays<T> arrays(k);
  NativeCompiler compiler;
  const std::vector<NativeSource> sources{
      {test::openmp_of(k) + emit_trampoline(k, k.name), default_flags(), "", "c"}};
  const auto compiled = compiler.compile_all(sources);
  REQUIRE_MESSAGE(compiled[0].library, compiled[0].error);
  std::vector<void*> pointers = arrays.pointers;
  compiled[0].library->function<void(void**)>("liftgen_call")(pointers.data());
  check(k, arrays);
}

}  // namespace

TEST_CASE("elementary functions: in vectors, as far off as their rows say") {
  configure_openmp(2);
  check_in_vectors<double>(4);
  check_in_vectors<float>(8);
}

TEST_CASE("elementary functions: on an OpenCL device, as far off as their rows say") {
  if (const std::string why = opencl::why_unavailable(); !why.empty()) {
    MESSAGE("no OpenCL device, not tested: " << why);
    return;
  }
  opencl::configure_pocl(2);
  opencl::Device device;
  check_on_grid<double>(device, Target::opencl);
  check_on_grid<float>(device, Target::opencl);
}

TEST_CASE("elementary functions: on the emulated CUDA device") {
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  check_on_grid<double>(*device, Target::cuda);
  check_on_grid<float>(*device, Target::cuda);
}

}  // namespace elementary_test
