// Calls the kernels that the build has made and prints what they compute.
#include <axpy3d.h>
#include <heat_step.h>
#include <scale.h>

#include <cstdio>

namespace {

struct alignas(64) Line {
  double u[100] = {}, later[100] = {};
};
struct alignas(64) Box {
  double x[2 * 10 * 10 * 10], y[2 * 10 * 10 * 10];
};

}  // namespace

int main() {
  Line line;
  line.u[0] = line.u[4] = 4;
  for (const long n : {5L, 100L}) {
    heat_step(n, line.u, line.later);
    std::printf("%g %g %g %g %g\n", line.later[0], line.later[1], line.later[2], line.later[3], line.later[4]);
  }
  alignas(64) float x[64], y[64];
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i), y[i] = -1;
  scale(x, 2, y);
  std::printf("%g %g\n", static_cast<double>(y[1]), static_cast<double>(y[63]));
  static Box box;
  for (double& v : box.x) v = 1;
  for (double& v : box.y) v = 10;
  axpy3d(box.x, box.y, 0.5);
  std::printf("%g\n", box.y[111]);
}
