#include "tuning/device_comparison.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "ir/error.hpp"
#include "patterns/host_data.hpp"

namespace lift {
namespace {

constexpr std::size_t kItems = 32768, kGroup = 128, kNumbers = 4;

constexpr const char* kForCuda =
    "#define GLOBAL\n#define UNSIGNED unsigned long\n"
    "#define ITEM ((long)blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define ITEMS ((long)gridDim.x * blockDim.x)\n";
constexpr const char* kForOpenCL =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define GLOBAL __global\n#define UNSIGNED ulong\n"
    "#define ITEM ((long)get_global_id(0))\n#define ITEMS ((long)get_global_size(0))\n";

/// Of each item's elements: the largest error and excess, those not written, those that are no numbers. Bits
/// are compared as such: compilers may take no NaN for granted.
constexpr const char* kKernel =
    R"((GLOBAL const T *a, GLOBAL const T *b, GLOBAL const BITS *a_bits, GLOBAL const BITS *b_bits, GLOBAL const float *bounds,
            long n, int bounded, double least, double tolerance, double infinite, GLOBAL double *differences) {
  double error = 0, excess = 0, unwritten = 0, no_numbers = 0;
  for (long i = ITEM; i < n; i += ITEMS) {
    const double x = a[i], y = b[i];
    const int finite = y - y == 0;
    if (!finite) no_numbers += 1;
    if (a_bits[i] == POISON && b_bits[i] != POISON) unwritten += 1;
    if (x == y || (x != x && y != y)) continue;
    double d = x < y ? y - x : x - y;
    if (!(d - d == 0)) d = infinite;
    const double size = y < 0 ? -y : y, scale = size > least ? size : least;
    const double bound = bounded ? (double)bounds[i] : infinite;
    const double allowed = bound - bound == 0 ? (bound > 1e-37 ? bound : 1e-37) : tolerance * scale;
    const double relative = finite ? d / scale : infinite, over = allowed > 0 ? d / allowed : infinite;
    if (relative > error) error = relative;
    if (over > excess) excess = over;
  }
  differences[4 * ITEM] = error;
  differences[4 * ITEM + 1] = excess;
  differences[4 * ITEM + 2] = unwritten;
  differences[4 * ITEM + 3] = no_numbers;
}
)";

std::string name_of(Scalar type) { return std::string("liftgen_compare_") + text(type); }

std::string kernel_for(Target language, Scalar type) {
  const std::string poison = std::to_string(kPoison) + "u", wide = "(UNSIGNED)" + poison;
  const bool f64 = type == Scalar::f64;
  const std::string head = language == Target::cuda ? "extern \"C\" __global__ void " : "__kernel void ";
  return std::string("#define T ") + (f64 ? "double" : "float") + "\n#define BITS " +
         (f64 ? "UNSIGNED" : "unsigned int") + "\n#define POISON (" +
         (f64 ? wide + " << 32 | " + wide : poison) + ")\n" + head + name_of(type) + kKernel +
         "#undef T\n#undef BITS\n#undef POISON\n";
}

/// Four numbers an item; NaN where a kernel has not been there.
Difference worst_of(const std::vector<double>& numbers) {
  Difference all;
  for (std::size_t i = 0; i < numbers.size(); i += kNumbers) {
    if (std::isnan(numbers[i]))
      all.error = all.excess = std::numeric_limits<double>::infinity();
    else
      all = worse(all, {numbers[i], numbers[i + 1], static_cast<std::int64_t>(numbers[i + 2]),
                        static_cast<std::int64_t>(numbers[i + 3]), 0});
  }
  return all;
}

}  // namespace

std::string DeviceComparison::source(Target language) {
  return (language == Target::cuda ? kForCuda : kForOpenCL) + kernel_for(language, Scalar::f64) +
         kernel_for(language, Scalar::f32);
}

bool DeviceComparison::applies(Scalar type) const {
  const GridDeviceInfo& info = device_->info();
  return info.gpu && !info.emulated && info.f64 && is_float(type);
}

GridMemory DeviceComparison::there(const void* data, std::size_t bytes) {
  GridMemory& memory = there_[data];
  if (memory) return memory;
  GridMemory made = device_->allocate(bytes);
  device_->write_there(made, data);
  return memory = made;
}

std::optional<Difference> DeviceComparison::compare(Target language, const GridMemory& got,
                                                    const Expected& expected, double tolerance) {
  const Scalar type = element_of(expected.result.type).scalar();
  const std::int64_t n = host::count(expected.result.type);
  const auto bytes = static_cast<std::size_t>(n) * size_of(type);
  if (got->bytes() != bytes) throw InternalError("comparing on the device: results of different sizes");
  const GridBuild built = device_->build(source(language));
  if (!built.program) throw InternalError("comparing on the device: " + built.error);
  GridMemory wanted, bounds;
  try {
    wanted = there(expected.result.data, bytes);
    if (expected.bounds != nullptr)
      bounds = there(expected.bounds, static_cast<std::size_t>(n) * sizeof(float));
    if (!differences_) differences_ = device_->allocate(kItems * kNumbers * sizeof(double));
  } catch (const OutOfDeviceMemory&) {
    forget();
    return std::nullopt;
  }
  device_->fill(differences_, std::uint32_t{0xffffffff});
  const double least = std::max(expected.mean, std::numeric_limits<double>::min());
  const GridLaunch launch{built.program->kernel(name_of(type)),
                          {got, wanted, got, wanted, bounds ? bounds : wanted, n, bounds ? 1 : 0, least,
                           tolerance, std::numeric_limits<double>::infinity(), differences_},
                          {kItems, 1, 1},
                          {kGroup, 1, 1},
                          1,
                          0};
  device_->run(launch);
  std::vector<double> numbers(kItems * kNumbers);
  device_->read(differences_, numbers.data(), differences_->bytes());
  Difference all = worst_of(numbers);
  all.elements = n;
  return all;
}

}  // namespace lift
