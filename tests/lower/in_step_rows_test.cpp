// Rows of rings that are long: they lie as whole vectors do, and the last stage's stores may bypass the
// cache.
#include "rewrite/space/keys.hpp"
#include "tests/lower/in_step_chains.hpp"

namespace lift::in_step_test {
namespace {

/// Three steps of the heat equation on a plate whose border is kept.
Program heat(std::int64_t columns) {
  return parse_program(
      "program heat\nparam u : 9." + std::to_string(columns) +
          ".f64\n"
          "def step(x) = update2(x, 1, x |> slide2(3, 1) |> map2(\\w. w[1, 1] + 0.125 * (w[0, 1] "
          "+ w[2, 1] + w[1, 0] + w[1, 2] - 4 * w[1, 1])))\n"
          "result = let a = step(u) in let b = step(a) in step(b)\n",
      "heat.lift");
}

int times(const Derivation& d, const std::string& rule) {
  return static_cast<int>(std::count_if(d.begin(), d.end(), [&](const auto& s) { return s.rule == rule; }));
}

}  // namespace

TEST_CASE("in step: what is stored to long rows of rings, and loaded above and below, is whole lines") {
  for (const std::int64_t columns : {1100, 1031, 300}) {
    const Program p = heat(columns);
    const LoopsRun expected = run_loops(lower(p), 1);
    const Space space(p, {Target::openmp, 2, 32});
    int rings = 0, strips = 0, streams = 0;
    for (const Configuration& c : space.seeds()) {
      if (!c[key::rings] || c.at("time") == "none") continue;
      CAPTURE(space.structure(c));
      CAPTURE(columns);
      const Derivation steps = space.derive(c);
      const LoopsRun found = run_loops(lower(replay(space.program(), steps), {.vector_bytes = 32}), 1);
      CHECK(found.results == expected.results);
      CHECK(found.races.empty());
      ++rings, strips += times(steps, "in-tiles"), streams += times(steps, "stream");
      CHECK(times(steps, "stream") == (c[key::stream] ? 1 : 0));  // the last stage, which nothing reads
      if (c.at("inner") != "vec") continue;
      CHECK(times(steps, "in-layout") == 2);
      for (const auto& [array, of] : found.vectors) {
        if (array.rfind("ring", 0) != 0) continue;
        CAPTURE(array);
        CHECK(of.stores > 0);
        CHECK(of.shifted_stores == 0);
        CHECK(of.loads > 0);
        if (columns % 4 == 0 || array != "ring2")       // what is stored to the result need not lie so
          CHECK(5 * of.shifted_loads == 2 * of.loads);  // those beside the middle one
      }
    }
    CHECK(rings >= 2);
    CHECK(strips >= (columns > 1024 ? 1 : 0));
    CHECK(streams >= 1);
  }
  const Space narrow(heat(200), {Target::openmp, 2, 32});
  for (const Configuration& c : narrow.seeds())
    CHECK(times(narrow.derive(c), "in-layout") ==
          0);  // the elements before the first whole vector would count
}

}  // namespace lift::in_step_test
