// Calls the kernels that the build has made and prints what they compute.
#include <axpy3d.h>
#include <heat_step.h>
#include <scale.h>

#include <cstdio>

namespace {

struct Line {
  alignas(64) double values[100] = {};
};
struct Box {
  alignas(64) double values[2 * 10 * 10 * 10] = {};
};

}  // namespace

int main() {
  Line u, after;
  const double* const later = after.values;
  u.values[0] = u.values[4] = 4;
  for (long n = 5; n <= 100; n += 95) {
    heat_step(n, u.values, after.values);
    std::printf("%g %g %g %g %g\n", later[0], later[1], later[2], later[3], later[4]);
  }
  alignas(64) float x[64], y[64];
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i), y[i] = -1;
  scale(x, 2, y);
  std::printf("%g %g\n", static_cast<double>(y[1]), static_cast<double>(y[63]));
  static Box ones, sums;
  for (double& v : ones.values) v = 1;
  for (double& v : sums.values) v = 10;
  axpy3d(ones.values, sums.values, 0.5);
  std::printf("%g\n", sums.values[111]);
}
