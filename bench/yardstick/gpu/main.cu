// Yardsticks for sweeps in one pass over memory, on a CUDA device: each tiled kernel is compared with the
// untiled one, then both are timed. Some seconds.
//   yardstick [--quick] [--json FILE]
// Built by bench/gpu --pack; --json appends a line of JSON for each kernel at once.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include "gsrb.cuh"
#include "jacobi.cuh"

static void check(cudaError_t s, const char* what) {
  if (s == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(s));
  std::exit(1);
}
#define CHECK(x) check((x), #x)

template <class T>
__global__ void fill(T* to, long n, unsigned long long seed) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) {
    unsigned long long h = (i + 1) * 0x9e3779b97f4a7c15ull ^ seed * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 30, h *= 0xbf58476d1ce4e5b9ull, h ^= h >> 27, h *= 0x94d049bb133111ebull, h ^= h >> 31;
    to[i] = T(0.5 + double(h >> 11) * 0x1p-53);
  }
}
/// Of the interiors: the largest difference (as bits of a float), cells that differ at all, and NaN.
template <class T>
__global__ void compare(const T* x, const T* y, int n, int ghost, int boxes, unsigned long long* differing, unsigned* largest) {
  const long row = n + 2 * ghost, cells = (long)n * n * n * boxes;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < cells; i += (long)gridDim.x * blockDim.x) {
    const long a = i % n + ghost, b = i / n % n + ghost, c = i / n / n % n + ghost, box = i / n / n / n;
    const long p = ((box * row + c) * row + b) * row + a;
    if (x[p] == y[p]) continue;
    atomicAdd(differing, 1ull);
    const float d = fabs(double(x[p]) - double(y[p]));
    atomicMax(largest, d == d ? __float_as_uint(d) : 0x7f800000u);
  }
}

struct Device {
  cudaEvent_t from, to;
  void* flush = nullptr;
  double copy = 0;  ///< GB/s, read and written
  int sms = 0;
  Device() {
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaEventCreate(&from)), CHECK(cudaEventCreate(&to));
    const size_t bytes = size_t(1) << 30;
    char *a, *b;
    CHECK(cudaMalloc(&a, bytes)), CHECK(cudaMalloc(&b, bytes)), CHECK(cudaMemset(a, 1, bytes));
    const double ms = time([&] { CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice)); }, 15);
    copy = 2.0 * bytes / ms / 1e6, sms = p.multiProcessorCount;
    CHECK(cudaFree(a)), CHECK(cudaFree(b));
    std::printf("%s, sm_%d%d, %d multiprocessors, %zu KB shared memory a block, L2 %d MB; copies %.0f GB/s\n", p.name, p.major, p.minor, sms,
                p.sharedMemPerBlockOptin >> 10, p.l2CacheSize >> 20, copy);
  }
  /// Median ms of a launch.
  template <class F>
  double time(const F& f, int times = 21) {
    std::vector<float> all;
    for (int i = 0; i < times + 2; ++i) {
      float ms = 0;
      CHECK(cudaEventRecord(from)), f(), CHECK(cudaEventRecord(to)), CHECK(cudaEventSynchronize(to));
      CHECK(cudaGetLastError()), CHECK(cudaEventElapsedTime(&ms, from, to));
      if (i >= 2) all.push_back(ms);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
};

template <class T>
const char* type_name() { return sizeof(T) == 8 ? "f64" : "f32"; }

static int failures = 0;
static std::FILE* json = nullptr;

template <class T>
struct Verdict {
  unsigned long long* differing;
  unsigned* largest;
  Verdict() { CHECK(cudaMalloc(&differing, 8)), CHECK(cudaMalloc(&largest, 4)); }
  ~Verdict() { cudaFree(differing), cudaFree(largest); }
  std::string of(const T* x, const T* y, int n, int ghost, int boxes) {
    CHECK(cudaMemset(differing, 0, 8)), CHECK(cudaMemset(largest, 0, 4));
    compare<<<1024, 256>>>(x, y, n, ghost, boxes, differing, largest);
    unsigned long long d;
    float l;
    CHECK(cudaMemcpy(&d, differing, 8, cudaMemcpyDeviceToHost)), CHECK(cudaMemcpy(&l, largest, 4, cudaMemcpyDeviceToHost));
    const bool right = l <= (sizeof(T) == 8 ? 1e-12 : 1e-4);  // values are of the order of 1
    failures += !right;
    char text[100];
    std::snprintf(text, sizeof text, "%s (%llu cells differ, at most %.1e)", d == 0 ? "same bits" : right ? "right" : "WRONG", d, l);
    return text;
  }
};

/// `bytes`: what a pass has to move, a cell of the interior.
static void row(const Device& d, const char* smoother, const char* type, const char* name, int n, int boxes, int sweeps, double ms,
                double bytes, double untiled_ms, const std::string& verdict) {
  const double cells = double(n) * n * n * boxes, gbs = bytes * cells / ms / 1e6;
  std::printf("%s %s %-22s %4d x %d^3 T=%d  %8.4f ms a sweep  %7.1f Gcells/s  model %5.1f B a cell and sweep, %5.0f GB/s = %.2f of copy  %.2fx  %s\n",
              smoother, type, name, boxes, n, sweeps, ms / sweeps, cells * sweeps / ms / 1e6, bytes / sweeps, gbs, gbs / d.copy, untiled_ms / ms,
              verdict.c_str());
  std::fflush(stdout);
  if (!json) return;
  std::fprintf(json, "{\"smoother\": \"%s\", \"type\": \"%s\", \"box\": %d, \"boxes\": %d, \"sweeps\": %d, \"kernel\": \"%s\", \"ms\": %.6g, "
               "\"of_copy\": %.4g, \"over_untiled\": %.4g, \"verdict\": \"%s\"}\n",
               smoother, type, n, boxes, sweeps, name, ms / sweeps, gbs / d.copy, untiled_ms / ms, verdict.c_str());
  std::fflush(json);
}

template <int TI, int TJ, int KC>
static void gsrb_tiled(Device& d, const GsrbArrays& g, const double* expected, int n, int boxes, double untiled_ms) {
  using Tile = GsrbTile<TI, TJ, KC>;
  if (n % TI || n % TJ || n % KC) return;
  auto* kernel = gsrb_two<TI, TJ, KC>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)Tile::kShared));
  int resident = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, Tile::kThreads, Tile::kShared));
  const dim3 grid(n / TI, n / TJ, boxes * (n / KC));
  const long row_ = n + 4, all = row_ * row_ * row_ * boxes;
  CHECK(cudaMemset(g.out, 0xff, all * 8));
  const auto launch = [&] { kernel<<<grid, Tile::kThreads, Tile::kShared>>>(g, n, 0, 0.125, 0.1875); };
  launch();
  CHECK(cudaDeviceSynchronize());
  const std::string verdict = Verdict<double>().of(g.out, expected, n, 2, boxes);
  const double r = n, chunk = KC;
  // phi of n + 4 along i and j; coefficients of n + 4 along i (whole sectors) and n + 2 along j; planes of a chunk and its margins.
  const double bytes = 8 * ((r + 4) / r * (r + 4) / r * (chunk + 4) / chunk + 6 * (r + 4) / r * (r + 2) / r * (chunk + 2) / chunk + 1);
  char name[64];
  std::snprintf(name, sizeof name, "tiles %dx%dx%d, %d/SM", TI, TJ, KC, resident);
  row(d, "gsrb", "f64", name, n, boxes, 2, d.time(launch), bytes, untiled_ms, verdict);
}

static void gsrb(Device& d, int n, int boxes) {
  const long side = n + 4, all = side * side * side * boxes;
  double* a[9];
  for (int i = 0; i < 9; ++i) CHECK(cudaMalloc(&a[i], all * 8)), fill<<<2048, 256>>>(a[i], all, i < 7 ? i + 1 : 1);  // a[8]: as phi
  const GsrbArrays g{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]};
  const auto half = [&](int h) {
    const int cells = n + 2 - 2 * h;
    gsrb_plain<32><<<dim3((cells + 31) / 32, (cells + 7) / 8, boxes * ((cells + 31) / 32)), 256>>>(g, a[8], n, 1 + h, h, 0.125, 0.1875);
  };
  half(0), half(1);
  CHECK(cudaDeviceSynchronize());
  double* expected = nullptr;
  CHECK(cudaMalloc(&expected, all * 8)), CHECK(cudaMemcpy(expected, a[8], all * 8, cudaMemcpyDeviceToDevice));
  const double ms = d.time([&] { half(0), half(1); });
  const double r = n, edge = (r + 4) / r * (r + 2) / r * (r + 2) / r;
  row(d, "gsrb", "f64", "untiled", n, boxes, 2, ms, 2 * 8 * 8 * edge, ms, "");
  gsrb_tiled<64, 16, 64>(d, g, expected, n, boxes, ms);
  gsrb_tiled<64, 16, 32>(d, g, expected, n, boxes, ms);
  gsrb_tiled<64, 8, 64>(d, g, expected, n, boxes, ms);
  gsrb_tiled<32, 16, 64>(d, g, expected, n, boxes, ms);
  gsrb_tiled<32, 8, 64>(d, g, expected, n, boxes, ms);
  for (double* x : a) CHECK(cudaFree(x));
  CHECK(cudaFree(expected));
}

template <class T, int TI, int TJ, int KC>
static void jacobi_tiled(Device& d, const JacobiArrays<T>& g, const T* expected, int n, int boxes, double untiled_ms) {
  using Tile = JacobiTile<T, TI, TJ, KC>;
  if (n % TI || n % TJ || n % KC) return;
  auto* kernel = jacobi_four<T, TI, TJ, KC>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)Tile::kShared));
  int resident = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, Tile::kThreads, Tile::kShared));
  const dim3 grid(n / TI, n / TJ, boxes * (n / KC));
  const long side = n + 8, all = side * side * side * boxes;
  CHECK(cudaMemset(g.out, 0xff, all * sizeof(T)));
  const auto launch = [&] { kernel<<<grid, Tile::kThreads, Tile::kShared>>>(g, n, T(0.125), T(0.1875), T(0.6875)); };
  launch();
  CHECK(cudaDeviceSynchronize());
  const std::string verdict = Verdict<T>().of(g.out, expected, n, 4, boxes);
  const double r = n, chunk = KC;
  const double bytes = sizeof(T) * ((r + 8) / r * (r + 8) / r * (chunk + 8) / chunk + 2 * (r + 8) / r * (r + 6) / r * (chunk + 6) / chunk + 1);
  char name[64];
  std::snprintf(name, sizeof name, "tiles %dx%dx%d, %d/SM", TI, TJ, KC, resident);
  row(d, "jacobi constant", type_name<T>(), name, n, boxes, 4, d.time(launch), bytes, untiled_ms, verdict);
}

template <class T>
static void jacobi(Device& d, int n, int boxes) {
  const long side = n + 8, all = side * side * side * boxes;
  T* a[6];
  for (int i = 0; i < 6; ++i) CHECK(cudaMalloc(&a[i], all * sizeof(T))), fill<<<2048, 256>>>(a[i], all, i < 3 ? i + 1 : 1);  // a[4], a[5]: as phi
  const JacobiArrays<T> g{a[0], a[1], a[2], a[3]};
  const auto sweeps = [&] {
    for (int h = 1; h <= 4; ++h) {
      const int cells = n + 8 - 2 * h;
      jacobi_plain<T, 32><<<dim3((cells + 31) / 32, (cells + 7) / 8, boxes * ((cells + 31) / 32)), 256>>>(g, h == 1 ? a[0] : a[4 + h % 2], a[5 - h % 2], n, h, T(0.125), T(0.1875), T(0.6875));
    }
  };
  sweeps();
  CHECK(cudaDeviceSynchronize());
  const T* expected = a[5];  // of the fourth
  const double ms = d.time(sweeps);
  row(d, "jacobi constant", type_name<T>(), "untiled", n, boxes, 4, ms, 4 * 4.0 * sizeof(T) * std::pow((n + 4.0) / n, 3), ms, "");
  if constexpr (sizeof(T) == 8) {
    jacobi_tiled<T, 64, 16, 64>(d, g, expected, n, boxes, ms);
    jacobi_tiled<T, 64, 8, 64>(d, g, expected, n, boxes, ms);
    jacobi_tiled<T, 32, 16, 64>(d, g, expected, n, boxes, ms);
  } else {
    jacobi_tiled<T, 64, 32, 64>(d, g, expected, n, boxes, ms);
    jacobi_tiled<T, 64, 16, 64>(d, g, expected, n, boxes, ms);
    jacobi_tiled<T, 128, 16, 64>(d, g, expected, n, boxes, ms);
  }
  for (T* x : a) CHECK(cudaFree(x));
}

int main(int argc, char** argv) {
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0)
      quick = true;
    else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc)
      json = std::fopen(argv[++i], "a");
  }
  Device d;
  gsrb(d, 64, quick ? 2 : 64);
  jacobi<double>(d, 64, quick ? 2 : 64);
  if (!quick) gsrb(d, 256, 1), jacobi<double>(d, 256, 1);
  jacobi<float>(d, 64, quick ? 2 : 64);
  if (!quick) jacobi<float>(d, 256, 1);
  std::printf(failures ? "%d WRONG\n" : "all right\n", failures);
  return failures != 0;
}
