// A rule of one's own is explored: the sum of a square window is the sum of its rows' sums, which neighbours
// share. It is held against the interpreter first; then it is a decision like any other.
#include <cstdio>
#include <liftgen/lift.hpp>

using namespace lift;
using namespace std::chrono_literals;

int main() try {
  const Expr mean = fun(array({nat("n"), nat("m")}, f32), [](Expr image) {
    return image | pad2(5, 5, clamp) | slide2(11, 1) |
           map2([](Expr w) { return (w | map([](Expr row) { return row | sum(); }) | sum()) / 121.0f; });
  });
  // clang-format off
  const std::vector<Rule> rules = parse_rules(R"(
    two-passes: slide2(k, 1) |> map2(\w. (w |> map(sum) |> sum) / c)
      = map(\row. row |> slide(k, 1) |> map(sum))
        |> transpose |> map(\column. column |> slide(k, 1) |> map(\sums. sum(sums) / c)) |> transpose
  )");
  const Tuned tuned = explore(mean, {.sizes = {{"n", 300}, {"m", 200}}, .budget = 20s, .rules = rules});
  // clang-format on
  std::printf("%s\n\n%s\n", leaderboard(tuned.report, 6).c_str(), prose(tuned.derivation).c_str());

  // Whatever was fastest computes what the default does, but for rounding.
  const std::vector<float> image(60000, 0.5f);
  using Image = array_view<const float, 2>;
  const auto fast = tuned.kernel<void(Image, array_view<float, 2>)>();
  std::vector<float> smooth(image.size());
  fast(Image(image.data(), {300, 200}), array_view<float, 2>(smooth.data(), {300, 200}));
  for (const float s : smooth)
    if (s < 0.499f || s > 0.501f) return 1;

  // A wrong one is refused, with a counterexample.
  try {
    explore(mean, {.sizes = {{"n", 300}, {"m", 200}},
                   .rules = parse_rules("turned: map2(f) = transpose |> map2(f)")});
    return 1;
  } catch (const UserError& refused) {
    std::printf("%s\n", refused.what());
  }
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
