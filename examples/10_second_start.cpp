// A program that tunes itself once: its first start searches, every later one takes what was found then.
//
// With --full at the size and for the time that one would take in earnest.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <liftgen/lift.hpp>

using namespace lift;
using namespace std::chrono_literals;

namespace {

Expr smooth() {
  const Nat n = nat("n"), m = nat("m");
  return fun(array({n, m}, f32), [](Expr image) {
    return image | pad2(1, 1, clamp) | slide2(3, 1) |
           map2([](Expr w) { return (w[0][1] + w[1][0] + w[1][1] + w[1][2] + w[2][1]) / 5.0f; });
  });
}

using Smooth = void(array_view<const float, 2>, array_view<float, 2>);

}  // namespace

int main(int argc, char** argv) try {
  const auto began = std::chrono::steady_clock::now();
  const bool full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
  const std::int64_t rows = full ? 4000 : 200, columns = full ? 6000 : 300;

  ExpressionOptions options{.sizes = {{"n", rows}, {"m", columns}}, .budget = 60s, .unless_known = true};
  options.more.configurations = full ? 0 : 4;
  options.more.rivals = false;
  const Tuned tuned = explore(smooth(), options);
  const auto kernel = tuned.kernel<Smooth>();

  std::vector<float> in(static_cast<std::size_t>(rows * columns), 1.0f), out(in.size());
  kernel(array_view<const float, 2>(in.data(), {rows, columns}), array_view(out.data(), {rows, columns}));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%d configurations tried, first result after %.2f s\n%s%s\n",
              tuned.report.counts.configurations, took.count(),
              tuned.origin.empty() ? "" : "known: ", tuned.origin.c_str());

  // Elsewhere in the program, and at other sizes: what is known, and the default where nothing is.
  const auto another = compile<Smooth>(smooth(), {.tuned = true});
  std::printf("for a quarter of it: %s\n", another.origin({{"n", rows / 2}, {"m", columns / 2}}).c_str());
  return out[out.size() / 2] == 1.0f ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
