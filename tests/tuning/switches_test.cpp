// Switches: which a space has, their combinations, what is computed from the times.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "ir/expr/build.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/keys.hpp"
#include "tests/message.hpp"
#include "tuning/explore.hpp"

using namespace lift;

namespace switches_test {
namespace {

Problem small() {
  Problem p;
  p.box = 16, p.boxes = 2, p.choices["smoother"] = "jacobi";
  return p;
}
Space space() { return {smooth3d().build(small()), {Target::openmp, 2, 32, kCallersLayout}}; }

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
  for (const Switch& x : plain) names.push_back(x.name());
  CHECK(std::find(names.begin(), names.end(), "order") != names.end());
  CHECK(std::find(names.begin(), names.end(), "unroll") != names.end());
  CHECK(std::find(names.begin(), names.end(), "inner") == names.end());
  for (const Switch& x : plain) CHECK(x.on != x.off);
  const auto chosen = switches_of(s, {{{"unroll", "1"}}, {{"unroll", "4"}}, {{"unroll", "2"}}});
  for (const Switch& x : chosen)
    if (x.name() == "unroll") CHECK(x.on_text() == "4");
  const Expr xs = param("xs", array({7}, f64));
  const Program sum{"sum",
                    {xs},
                    reduce(fun({f64, f64}, [](Expr a, Expr b) { return a + b; }), literal(0, f64), xs),
                    {"xs"},
                    {}};
  CHECK(test::message([&] { switches_of(Space(sum, {}), {}); }) ==
        "--grid: the space of sum has no switches (tile, order, unroll, kcache, prefetch, readonly); explore "
        "it without --grid");
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
    CHECK(r.possible == r.note.empty());
    CHECK(r.note.find("the others") == std::string::npos);
    (r.note.empty() ? possible : refused) += 1;
    if (r.note.empty()) CHECK(r.params.at("inner") == "seq");
    for (std::size_t i = 0; r.note.empty() && i < switches.size(); ++i)
      CHECK(*r.params.find(*switches[i].key) == (r.on[i] ? switches[i].on : switches[i].off));
  }
  CHECK(possible >= 4);
  CHECK(refused > 0);  // no loop over scalars has vectors to prefetch for
}

TEST_CASE("switches: effects are geometric means over pairs") {
  const std::vector<Switch> two{{&key::late, false, true, "first"}, {&key::stream, false, true, "second"}};
  const auto e = effects(
      two, {run({false, false}, 8), run({false, true}, 4), run({true, false}, 2), run({true, true}, 4)});
  CHECK(e[0].factor == doctest::Approx(2));  // 8 / 2 and 4 / 4
  CHECK(e[0].pairs == 2);
  CHECK(e[0].off_ms == doctest::Approx(std::sqrt(32.0)));
  CHECK(e[0].on_ms == doctest::Approx(std::sqrt(8.0)));
  CHECK(e[0].least == doctest::Approx(1));
  CHECK(e[0].most == doctest::Approx(4));
  CHECK(e[0].best_on == 2);
  CHECK(e[0].best_off == 4);
  CHECK(e[1].factor == doctest::Approx(1));  // 8 / 4 and 2 / 4
  const auto missing = effects(
      two, {run({false, false}, 8), run({false, true}, 0), run({true, false}, 2), run({true, true}, 4)});
  CHECK(missing[0].pairs == 1);
  CHECK(missing[0].factor == doctest::Approx(4));
  CHECK(missing[1].pairs == 1);
  const auto none = effects(two, {run({false, false}, 8)});
  CHECK(none[0].pairs == 0);
  CHECK(none[0].best_on == 0);
}

TEST_CASE("switches: the surroundings are those that all switches go with, though vectors are faster") {
  for (const Target target : {Target::openmp, Target::opencl})
    for (const std::string name : {"thomas", "smooth3d", "residual3d"}) {
      Problem p;
      p.box = 24, p.boxes = 4;
      SpaceOptions options{target, 2, 32, kCallersLayout};
      options.cpu = target == Target::opencl;
      const Space space(find_pattern(name).build(p), options);
      std::vector<Configuration> vectors;
      for (const Configuration& c : space.seeds())
        if (c.contains("inner") && c.at("inner") == "vec") vectors.push_back(c);
      REQUIRE(!vectors.empty());
      const SwitchGrid g = switch_grid(space, vectors);
      CAPTURE(name);
      CAPTURE(text(target));
      CAPTURE(g.around_structure);
      REQUIRE(g.runs.size() == std::size_t{1} << g.switches.size());
      CHECK(g.switches.size() + g.missing.size() == 6);
      for (const MissingSwitch& m : g.missing)
        MESSAGE(name << " " << text(target) << " " << m.name << ": " << m.why);
      CHECK(g.missing.empty());
      CHECK_FALSE(g.around_fastest);
      // Each can be turned on and off while all else, but the names of the loops that are shared, stays.
      for (std::size_t s = 0; s < g.switches.size(); ++s) {
        bool alone = false;
        for (const SwitchRun& off : g.runs)
          for (const SwitchRun& on : g.runs) {
            if (off.on[s] || !on.on[s] || !off.possible || !on.possible) continue;
            std::vector<bool> partner = off.on;
            partner[s] = true;
            bool same = partner == on.on;
            for (const auto& x : off.params)
              same = same && (x.key == g.switches[s].key || x.name() == "grid" || x.name() == "parallel" ||
                              *on.params.find(*x.key) == x.setting);
            alone = alone || same;
          }
        CHECK_MESSAGE(alone, g.switches[s].name());
      }
      for (const SwitchRun& r : g.runs)
        if (r.possible) CHECK_FALSE(space.derive(r.params).empty());
    }
}

TEST_CASE(
    "switches: what a space does not have is said, with the reason; few switches on are measured first") {
  const Expr xs = param("xs", array({Nat(40)}, f64));
  const Program twice{"twice", {xs}, xs | map([](Expr x) { return x * 2.0; }), {}, {}};
  const Space space(twice, {Target::openmp, 2, 32, kCallersLayout});
  const SwitchGrid g = switch_grid(space, {});
  std::map<std::string, std::string> why;
  for (const MissingSwitch& m : g.missing) why[m.name] = m.why;
  CHECK(why["order"] == "there is one order of the loops only");
  CHECK(why["kcache"] == "no element is read again by a later iteration of a loop");
  CHECK(why.count("readonly") == 0);
  const auto order = measuring_order(g.runs);
  REQUIRE(order.size() > 2);
  CHECK(order.front() == 0);
  int before = 0;
  for (const std::size_t i : order) {
    const auto n = static_cast<int>(std::count(g.runs[i].on.begin(), g.runs[i].on.end(), true));
    CHECK(n >= before);
    before = n;
  }
  SwitchGrid shown = g;
  shown.effects = effects(shown.switches, shown.runs);
  CHECK(switch_table(shown).find("not available: there is one order of the loops only") != std::string::npos);
}

TEST_CASE("explore: all combinations of the switches are verified and timed") {
  ExploreOptions options;
  options.configurations = 4, options.budget_seconds = 3600, options.rivals = false,
  options.only_layout = kCallersLayout, options.switches = true;
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
  for (const Switch& s : g.switches)
    CHECK(table.find(s.name() + " " + s.off_text() + " -> " + s.on_text()) != std::string::npos);
  CHECK(table.find("<- fastest") != std::string::npos);
  std::istringstream lines(switch_table(g, 80));
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
  CHECK(table.find("those that are on") == std::string::npos);
  CHECK(switch_table(g, 40).find("\n         ms  those that are on\n") != std::string::npos);
  CHECK(r.best.has_value());
}

}  // namespace switches_test
