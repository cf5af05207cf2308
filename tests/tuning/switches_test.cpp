// Switches: which a space has, their combinations, what is computed from the times.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/build.hpp"
#include "patterns/operators.hpp"
#include "tests/message.hpp"
#include "tuning/explore.hpp"

using namespace lift;

namespace {

Problem small() {
  Problem p;
  p.box = 16, p.boxes = 2, p.choices["smoother"] = "jacobi";
  return p;
}
Space space() { return {smooth3d().build(small()), {Target::openmp, 2, 32, 512 * 1024, true}}; }

SwitchRun run(std::vector<bool> on, double ms) {
  SwitchRun r;
  r.on = std::move(on), r.ms = ms, r.verified = ms > 0;
  return r;
}

}  // namespace

TEST_CASE("switches: the decisions that are on or off, on as in the fastest configuration that has them on") {
  const Space s = space();
  const auto plain = switches_of(s, {});
  std::vector<std::string> names;
  for (const Switch& x : plain) names.push_back(x.name);
  CHECK(std::find(names.begin(), names.end(), "order") != names.end());
  CHECK(std::find(names.begin(), names.end(), "unroll") != names.end());
  CHECK(std::find(names.begin(), names.end(), "inner") == names.end());
  for (const Switch& x : plain) CHECK(x.on != x.off);
  const auto chosen = switches_of(s, {{{"unroll", "1"}}, {{"unroll", "4"}}, {{"unroll", "2"}}});
  for (const Switch& x : chosen)
    if (x.name == "unroll") CHECK(x.on == "4");
  const Expr xs = param("xs", array({7}, f64));
  const Program none{"none", {xs}, xs | map([](Expr x) { return x * 2.0; }), {}, {}};
  CHECK(test::message([&] { switches_of(Space(none, {}), {}); }).find("has no switches") == std::string::npos);  // unrolled
  const Program sum{"sum", {xs}, reduce(fun({f64, f64}, [](Expr a, Expr b) { return a + b; }), literal(0, f64), xs), {}, {}};
  CHECK(test::message([&] { switches_of(Space(sum, {}), {}); }) ==
        "--grid: the space of sum has no switches (order, unroll, kcache, prefetch, readonly, tile, local); explore it without --grid");
}

TEST_CASE("switches: combinations keep the other decisions, and say what does not go together") {
  const Space s = space();
  const auto switches = switches_of(s, {});
  const Configuration base{{"inner", "seq"}};
  const auto runs = combinations(s, switches, base);
  REQUIRE(runs.size() == std::size_t{1} << switches.size());
  CHECK(std::none_of(runs.front().on.begin(), runs.front().on.end(), [](bool on) { return on; }));
  int possible = 0, refused = 0;
  for (const SwitchRun& r : runs) {
    CHECK(r.note.empty() != r.params.empty());
    (r.note.empty() ? possible : refused) += 1;
    if (r.note.empty()) CHECK(r.params.at("inner") == "seq");
    for (std::size_t i = 0; r.note.empty() && i < switches.size(); ++i) CHECK(r.params.at(switches[i].name) == (r.on[i] ? switches[i].on : switches[i].off));
  }
  CHECK(possible >= 4);
  CHECK(refused > 0);  // no loop over scalars has vectors to prefetch for
}

TEST_CASE("switches: effects are geometric means over pairs") {
  const std::vector<Switch> two{{"a", "0", "1"}, {"b", "0", "1"}};
  const auto e = effects(two, {run({false, false}, 8), run({false, true}, 4), run({true, false}, 2), run({true, true}, 4)});
  CHECK(e[0].factor == doctest::Approx(2));  // 8 / 2 and 4 / 4
  CHECK(e[0].pairs == 2);
  CHECK(e[0].best_on == 2);
  CHECK(e[0].best_off == 4);
  CHECK(e[1].factor == doctest::Approx(1));  // 8 / 4 and 2 / 4
  const auto missing = effects(two, {run({false, false}, 8), run({false, true}, 0), run({true, false}, 2), run({true, true}, 4)});
  CHECK(missing[0].pairs == 1);
  CHECK(missing[0].factor == doctest::Approx(4));
  CHECK(missing[1].pairs == 1);
  const auto none = effects(two, {run({false, false}, 8)});
  CHECK(none[0].pairs == 0);
  CHECK(none[0].best_on == 0);
}

TEST_CASE("explore: all combinations of the switches are verified and timed") {
  ExploreOptions options;
  options.configurations = 4, options.budget_seconds = 60, options.rivals = false, options.caller_layout_only = true, options.switches = true;
  const ExploreResult r = explore(smooth3d(), small(), options);
  const SwitchGrid& g = r.switches;
  REQUIRE(!g.empty());
  CHECK(g.effects.size() == g.switches.size());
  CHECK(r.counts.wrong == 0);
  int timed = 0;
  for (const SwitchRun& x : g.runs) {
    CAPTURE(x.note);
    CHECK((x.ms > 0) == x.note.empty());
    CHECK(x.verified == (x.ms > 0));
    timed += x.ms > 0;
  }
  CHECK(timed >= 2);
  const std::string table = switch_table(g);
  for (const Switch& s : g.switches) CHECK(table.find(s.name + ": " + s.on + " for " + s.off) != std::string::npos);
  CHECK(r.best.has_value());
}
