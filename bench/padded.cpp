// Views whose rows have gaps beside dense arrays, from C++: red-black sweeps in place and a residual written
// into the inside of an array, at 128^3, in turns. usage: bench_padded [rounds]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <liftgen/lift.hpp>

#include "runtime/buffer.hpp"

using namespace lift;

namespace {

constexpr std::int64_t kLength = 128;
using View = array_view<double, 3>;
using Input = array_view<const double, 3>;

const Nat k = nat("k"), n = nat("n"), m = nat("m");
const Expr u = param("u", array({k + 2, n + 2, m + 2}, f64)), f = param("f", u.type()),
           b = param("b", u.type());

Expr operator_at(const Expr& w) {
  return w[0][1][1] + w[2][1][1] + w[1][0][1] + w[1][2][1] + w[1][1][0] + w[1][1][2] - 6.0 * w[1][1][1];
}
std::vector<Expr> inside() { return {u | slide3(3, 1), f | drop3(1, 1), b | drop3(1, 1)}; }

Program red_black() {
  const Expr color = index_param("color", 0, 1);
  const auto cell = [=](Expr p, Expr w, Expr f, Expr b) {
    const Expr mine = eq((get(0, p) + get(1, p) + get(2, p) + color) % 2, 0);
    return select(mine, w[1][1][1] + 0.1 * (f + b * operator_at(w)), w[1][1][1]);
  };
  std::vector<Expr> arrays = inside();
  arrays.insert(arrays.begin(), positions({k, n, m}));
  return {"red_black", {u, f, b, color}, update(u, {1, 1, 1}, zip_n(3, arrays) | map3(cell))};
}
Program residual() {
  const auto cell = [](Expr w, Expr f, Expr b) { return f - b * operator_at(w); };
  return {"residual", {u, f, b}, zip_n(3, inside()) | map3(cell)};
}

/// u, f, b and r with rows of one pitch.
struct Arrays {
  explicit Arrays(std::int64_t row_pitch) : pitch(row_pitch) {
    for (Buffer& buffer : memory) {
      buffer = Buffer(static_cast<std::size_t>(kLength * kLength * pitch) * sizeof(double));
      std::size_t at = 0;
      for (double& x : buffer.as<double>()) x = 1 + 1e-3 * static_cast<double>(at++ % 97);
    }
  }
  View view(std::size_t array, std::int64_t margin = 0) {
    const std::int64_t plane = kLength * pitch, length = kLength - 2 * margin;
    return {memory[array].as<double>().data() + margin * (plane + pitch + 1),
            {length, length, length},
            {plane, pitch, std::int64_t{1}}};
  }
  std::int64_t pitch;
  std::array<Buffer, 4> memory;
  std::vector<double> sweeps, residuals;
};

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

int main(int argc, char** argv) try {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 41;
  const auto sweep = compile<void(View, Input, Input, std::int32_t)>(red_black());
  const auto rest = compile<void(Input, Input, Input, View)>(residual());
  std::vector<Arrays> all;
  for (const std::int64_t pitch : {128, 136, 132}) all.emplace_back(pitch);
  for (int round = -2; round < rounds; ++round)
    for (Arrays& a : all) {
      const double swept = milliseconds([&] { sweep(a.view(0), a.view(1), a.view(2), round & 1); });
      const double left = milliseconds([&] { rest(a.view(0), a.view(1), a.view(2), a.view(3, 1)); });
      if (round >= 0) a.sweeps.push_back(swept), a.residuals.push_back(left);
    }
  std::printf("128^3 f64, medians of %d rounds; in brackets how fast beside dense arrays\n", rounds);
  for (const Arrays& a : all)
    std::printf("rows of %ld: red-black in place %.3f ms (%.2f), residual into the inside %.3f ms (%.2f)\n",
                static_cast<long>(a.pitch), median(a.sweeps), median(all[0].sweeps) / median(a.sweeps),
                median(a.residuals), median(all[0].residuals) / median(a.residuals));
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
