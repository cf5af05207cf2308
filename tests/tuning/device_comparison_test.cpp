// What a device says of two arrays is what the host says of them.
#include "tuning/device_comparison.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <vector>

#include "runtime/cuda_host.hpp"
#include "runtime/nvrtc.hpp"
#include "runtime/opencl.hpp"

using namespace lift;

namespace device_comparison_test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kElements = 40000;  // more than items

template <class T>
struct Arrays {
  std::vector<T> got, wanted;
  std::vector<float> bounds;
  Arrays() : got(kElements), wanted(kElements), bounds(kElements, 1e-3F) {
    std::mt19937 random(7);
    std::uniform_real_distribution<T> number(-1, 1);
    for (std::size_t i = 0; i < got.size(); ++i) wanted[i] = number(random), got[i] = wanted[i];
  }
};
template <class T>
T poisoned() {
  T x;
  poison(&x, sizeof x);
  return x;
}

template <class T>
void check_alike(GridDevice& device, Target language, const Arrays<T>& a, bool bounded) {
  const Scalar type = sizeof(T) == 8 ? f64 : f32;
  Expected expected;
  expected.result = {"x", Type::array(kElements, type), const_cast<T*>(a.wanted.data())};
  expected.mean = 0.5, expected.bounds = bounded ? a.bounds.data() : nullptr;
  const GridMemory got = device.allocate(kElements * sizeof(T));
  device.write(got, a.got.data(), kElements * sizeof(T));
  DeviceComparison comparison(device);
  const auto there = comparison.compare(language, got, expected, 1e-6);
  const Difference here =
      difference(type, a.got.data(), a.wanted.data(), expected.bounds, kElements, expected.mean, 1e-6);
  REQUIRE(there);
  CHECK(there->error == here.error);
  CHECK(there->excess == here.excess);
  CHECK(there->unwritten == here.unwritten);
  CHECK(there->no_numbers == here.no_numbers);
  CHECK(there->elements == here.elements);
  CHECK(there->right() == here.right());
}

template <class T>
void check_all(GridDevice& device, Target language) {
  for (const bool bounded : {false, true}) {
    Arrays<T> a;
    check_alike(device, language, a, bounded);
    a.got[123] += static_cast<T>(1e-4), a.got[39999] -= static_cast<T>(2e-4);
    check_alike(device, language, a, bounded);
    a.wanted[5] = a.got[5] = static_cast<T>(NAN), a.wanted[6] = a.got[6] = static_cast<T>(-kInfinite);
    check_alike(device, language, a, bounded);
    a.got[77] = a.got[32768 + 77] = poisoned<T>();
    check_alike(device, language, a, bounded);
    a.wanted[8] = static_cast<T>(kInfinite);
    check_alike(device, language, a, bounded);
    a.bounds[123] = static_cast<float>(kInfinite), a.bounds[39999] = 0;
    check_alike(device, language, a, bounded);
  }
}

}  // namespace

TEST_CASE("device comparison: as on the host, by CUDA's kernels on the host and by OpenCL's") {
  NativeCompiler compiler;
  const auto emulated = make_cuda_host_device(compiler);
  check_all<double>(*emulated, Target::cuda);
  check_all<float>(*emulated, Target::cuda);
  if (!opencl::why_unavailable().empty()) return;
  opencl::configure_pocl(2);
  opencl::Device device;
  if (!device.info().f64) return;
  check_all<double>(device, Target::opencl);
  check_all<float>(device, Target::opencl);
}

TEST_CASE("device comparison: NVRTC takes the kernels without a warning") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("liftgen-comparison-test-" + std::to_string(::getpid()));
  try {
    (void)cuda::compiler_info();
  } catch (const EnvironmentError& error) {
    MESSAGE("no NVRTC here, not tested: " << std::string(error.what()));
    return;
  }
  const cuda::CompiledSource made =
      cuda::compile(DeviceComparison::source(Target::cuda), 80, "--std=c++17", BinaryCache(folder));
  CHECK_MESSAGE((!made.binary.empty() && made.log.empty()), (made.error + made.log));
  std::filesystem::remove_all(folder);
}

TEST_CASE("device comparison: a kernel that has not run leaves nothing that is right") {
  struct Nothing final : GridFunction {
    Nothing() : GridFunction("nothing") { info_.max_work_group = 128; }
  };
  struct Program final : GridProgram {
    GridKernel kernel(const std::string&) override { return std::make_shared<Nothing>(); }
  };
  struct Memory final : GridBuffer {
    std::vector<unsigned char> data;
    explicit Memory(std::size_t n) : GridBuffer(n), data(n) {}
  };
  struct Idle final : GridDevice {
    Idle() { info_.max_work_items = {128, 128, 128}; }
    std::string default_options() const override { return ""; }
    GridBuild build_one(const std::string&, const std::string&) override {
      GridBuild b;
      b.program = std::make_shared<Program>();
      return b;
    }
    static std::vector<unsigned char>& data(GridBuffer& b) { return static_cast<Memory&>(b).data; }
    GridMemory allocate_bytes(std::size_t n) override { return std::make_shared<Memory>(n); }
    void write_bytes(GridBuffer& to, const void* from, std::size_t n, std::size_t at) override {
      std::memcpy(data(to).data() + at, from, n);
    }
    void read_bytes(GridBuffer& from, void* to, std::size_t n, std::size_t at) override {
      std::memcpy(to, data(from).data() + at, n);
    }
    void copy_bytes(GridBuffer& to, GridBuffer& from) override { data(to) = data(from); }
    void fill_bytes(GridBuffer& to, const void* pattern, std::size_t n) override {
      for (std::size_t i = 0; i < to.bytes(); i += n) std::memcpy(data(to).data() + i, pattern, n);
    }
    double run_all(std::span<const GridLaunch>, int) override { return 1; }
  } device;
  const Arrays<double> a;
  Expected expected;
  expected.result = {"x", Type::array(kElements, f64), const_cast<double*>(a.wanted.data())};
  const GridMemory got = device.allocate(kElements * sizeof(double));
  CHECK_FALSE(DeviceComparison(device).compare(Target::cuda, got, expected, 1e-6)->right());
}

}  // namespace device_comparison_test
