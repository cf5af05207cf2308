// How arrays lie in memory, and what that is worth to kernels that read seven of them: pages of 4 KB or huge
// ones, all beginning at the same place in a page or 19 cache lines apart. The four arrangements are timed in
// turns.
//
//   g++ -std=c++20 -O3 -march=native -fopenmp -o arrays bench/arrays/arrays.cpp && ./arrays CELLS ROUNDS
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

std::size_t cells, row, plane, count;  // of a cube with a ghost zone of one cell

double* allocated(bool huge, std::size_t lines) {
  const std::size_t large = std::size_t{2} << 20, bytes = count * sizeof(double) + 2 * large;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  madvise(memory, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  const std::size_t begin =
      (reinterpret_cast<std::uintptr_t>(memory) + large - 1) / large * large + 256 + 64 * lines;
  auto* const a = reinterpret_cast<double*>(begin);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) a[i] = 0.5 + static_cast<double>(i % 97) * 0.001;
  return a;
}

inline double applied(const double* u, const double* a, const double* bi, const double* bj, const double* bk,
                      std::size_t c) {
  return a[c] * u[c] - 0.1 * (bi[c + 1] * (u[c + 1] - u[c]) - bi[c] * (u[c] - u[c - 1]) +
                              bj[c + row] * (u[c + row] - u[c]) - bj[c] * (u[c] - u[c - row]) +
                              bk[c + plane] * (u[c + plane] - u[c]) - bk[c] * (u[c] - u[c - plane]));
}

void residual(const double* __restrict u, const double* __restrict f, const double* __restrict a,
              const double* __restrict bi, const double* __restrict bj, const double* __restrict bk,
              double* __restrict r) {
#pragma omp parallel for schedule(static)
  for (std::size_t k = 1; k <= cells; ++k)
    for (std::size_t j = 1; j <= cells; ++j) {
#pragma omp simd
      for (std::size_t i = 1; i <= cells; ++i) {
        const std::size_t c = k * plane + j * row + i;
        r[c] = f[c] - applied(u, a, bi, bj, bk, c);
      }
    }
}

void half_sweep(double* __restrict u, const double* __restrict f, const double* __restrict a,
                const double* __restrict bi, const double* __restrict bj, const double* __restrict bk,
                const double* __restrict lambda, std::size_t color) {
#pragma omp parallel for schedule(static)
  for (std::size_t k = 1; k <= cells; ++k)
    for (std::size_t j = 1; j <= cells; ++j)
      for (std::size_t i = 1 + ((k + j + color) & 1); i <= cells; i += 2) {
        const std::size_t c = k * plane + j * row + i;
        u[c] += lambda[c] * (f[c] - applied(u, a, bi, bj, bk, c));
      }
}

template <class F>
double milliseconds(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: arrays CELLS ROUNDS\n"), 2;
  cells = std::strtoul(argv[1], nullptr, 10), row = cells + 2, plane = row * row, count = plane * row;
  const int rounds = std::atoi(argv[2]);
  std::vector<double*> arrays[4];
  std::vector<double> residuals[4], sweeps[4];
  for (std::size_t m = 0; m < 4; ++m)
    for (std::size_t k = 0; k < 8; ++k) arrays[m].push_back(allocated(m >= 2, m % 2 * (19 * k % 64)));
  for (int r = 0; r < rounds; ++r)
    for (std::size_t m = 0; m < 4; ++m) {
      const auto& x = arrays[m];
      residuals[m].push_back(milliseconds([&] { residual(x[0], x[1], x[2], x[3], x[4], x[5], x[6]); }));
      sweeps[m].push_back(milliseconds(
          [&] { half_sweep(x[0], x[1], x[2], x[3], x[4], x[5], x[7], static_cast<std::size_t>(r % 2)); }));
    }
  const char* const names[] = {"small pages, aligned", "small pages, staggered", "huge pages, aligned",
                               "huge pages, staggered"};
  for (std::size_t m = 0; m < 4; ++m)
    std::printf("%zu^3 %-24s residual %6.2f ms, half-sweep %6.2f ms\n", cells, names[m], median(residuals[m]),
                median(sweeps[m]));
}
