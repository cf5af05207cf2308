// Order and coverage of the search, on the space of the smoother.
#include "tuning/search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/search/odometer.hpp"
#include "tuning/search/regression_trees.hpp"

using namespace lift;

namespace search_test {
namespace {

Space smoother_space(std::int64_t box) {
  Problem problem;
  problem.box = box, problem.boxes = 2;
  return Space(smooth3d().build(problem), SpaceOptions{});
}

bool belongs_to(const Space& space, const Configuration& c) {
  Configuration so_far;
  for (const Parameter& p : space.parameters()) {
    const Setting* s = c.find(*p.key);
    if (s == nullptr || !contains(space.allowed(so_far, *p.key), *s)) return false;
    so_far.set(*p.key, *s);
  }
  return c.size() == space.parameters().size();
}

}  // namespace

TEST_CASE("search: the seeds come first, and nothing comes twice") {
  const Space space = smoother_space(16);
  std::set<Configuration> seeds;
  for (const Configuration& c : space.seeds()) seeds.insert(c);
  for (const TechniqueRow& technique : techniques()) {
    Search search(space, technique.name, 7);
    std::set<Configuration> seen;
    for (int i = 0; i < 80; ++i) {
      const auto c = search.next();
      if (!c) break;
      if (seen.size() < seeds.size()) CHECK(seeds.contains(*c));
      CHECK(seen.insert(*c).second);
      CHECK(belongs_to(space, *c));
      search.report(*c, 1.0 + i % 7);
    }
    CHECK(seen.size() >= std::min<std::size_t>(80, count_configurations(space, 80)));
  }
}

TEST_CASE("search: what is wished for, the default, what is known, then the other seeds") {
  const Space space = smoother_space(16);
  const std::vector<Configuration> seeds = space.seeds();
  REQUIRE(seeds.size() > 5);
  Search search(space, "random", 1, {seeds[3]}, {seeds[5], seeds[4]});
  for (const std::size_t i : {3, 0, 5, 4, 1, 2}) CHECK(search.next() == seeds[i]);
}

TEST_CASE("search: one seed, one order; another seed, another order") {
  const Space space = smoother_space(16);
  const auto first = [&](std::uint64_t seed) {
    Search search(space, "random", seed);
    std::vector<Configuration> order;
    for (std::size_t i = 0; i < space.seeds().size() + 12; ++i)
      if (const auto c = search.next()) order.push_back(*c);
    return order;
  };
  CHECK(first(3) == first(3));
  if (count_configurations(space, 1000) == 1000) CHECK(first(3) != first(4));
}

TEST_CASE("search: exhaustive finds exactly what is counted") {
  const Space space = smoother_space(2);
  const std::size_t n = count_configurations(space, 3000);
  Search search(space, "exhaustive", 1);
  std::size_t found = 0;
  while (found < 3000 && search.next()) ++found;
  CHECK(found == n);
}

TEST_CASE("search: a configuration is projected onto a space of another size") {
  const Space large = smoother_space(64), small = smoother_space(5);
  for (const Configuration& c : large.seeds()) {
    CHECK(project(large, c) == c);
    CHECK(belongs_to(small, project(small, c)));
  }
}

TEST_CASE("search: a layout whose numbers follow the ghost zone becomes one of its kind") {
  Problem problem;
  problem.box = 8, problem.boxes = 2;
  const Pattern& pattern = find_pattern("smooth2d");
  const auto rows = [](const Space& space) {
    for (const Setting& s : space.allowed({}, key::layout))
      if (key::layout.text(s).starts_with("rows")) return s;
    return Setting{};
  };
  const Space one(pattern.build(problem), {}), two(pattern.build(with_sweeps(problem, 2)), {});
  Configuration c;
  c.set(key::layout, rows(one));
  CHECK(project(two, c).at("layout") == key::layout.text(rows(two)));
  CHECK(project(two, c).at("layout") != c.at("layout"));
}

TEST_CASE("search: what was fast elsewhere is tried first, with threads as work-groups of one item") {
  Problem problem;
  problem.box = 64, problem.boxes = 2;
  const Program program = find_pattern("smooth3d").build(problem);
  SpaceOptions on_threads, on_grid;
  on_grid.target = Target::opencl, on_grid.cpu = true;
  const Space threads(program, on_threads), grid(program, on_grid);
  const std::vector<Configuration> fast = threads.seeds();
  Search search(grid, "climb", 1, {fast[3], fast[0]});
  const auto first = search.next(), second = search.next();
  REQUIRE((first && second));
  CHECK(*first == project(grid, fast[3]));
  CHECK(*second == project(grid, fast[0]));
  CHECK(first->at("grid") == "solo " + fast[3].at("parallel"));
  CHECK(first->at("inner") == fast[3].at("inner"));
  CHECK(project(threads, *first) == fast[3]);
}

TEST_CASE("search: an unknown kind is named, with the remedy") {
  CHECK_THROWS_WITH_AS(
      find_technique("luck"),
      "--search luck: no such search; use climb, random, exhaustive, anneal, genetic, forest "
      "or portfolio",
      UserError);
}

namespace {

/// A cost that is computed: each parameter has a best setting somewhere in its list, and what is far from it
/// costs more. No clock, no processor.
double cost(const Space& space, const Configuration& c) {
  double all = 1;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& p = space.parameters()[i];
    const auto n = static_cast<double>(p.values.size());
    const auto at =
        static_cast<double>(std::find(p.values.begin(), p.values.end(), *c.find(*p.key)) - p.values.begin());
    const double best = (i * 5) % 7 < 3 ? n - 1 : 0;
    all += std::abs(at - best) / n;
  }
  return all;
}

/// The least cost of so many configurations beyond the seeds, a mean over several searches.
double found_by(const Space& space, const std::string& technique, bool told) {
  constexpr int searches = 4, tries = 100;
  double sum = 0;
  for (int seed = 0; seed < searches; ++seed) {
    Search search(space, technique, static_cast<std::uint64_t>(seed));
    double least = 1000;
    for (std::size_t i = 0; i < space.seeds().size() + tries; ++i) {
      const auto c = search.next();
      if (!c) break;
      const double here = cost(space, *c);
      if (i >= space.seeds().size()) least = std::min(least, here);
      if (told) search.report(*c, here);
    }
    sum += least;
  }
  return sum / searches;
}

}  // namespace

TEST_CASE("search: what techniques learn leads them to less than chance does") {
  const Space space = smoother_space(64);
  const double random = found_by(space, "random", true);
  for (const std::string technique : {"climb", "anneal", "genetic", "forest", "portfolio"}) {
    const double told = found_by(space, technique, true);
    MESSAGE(technique << ": " << told << ", untold " << found_by(space, technique, false) << ", random "
                      << random);
    CHECK(told < 0.95 * random);
    CHECK(told < 0.95 * found_by(space, technique, false));
  }
}

TEST_CASE("search: a forest and a portfolio learn what is refused") {
  const Space space = smoother_space(64);
  const auto refused = [&](const Configuration& c) {
    return c.at("tile") != "none" || c.at("unroll") != "1";
  };
  const auto asked_in_vain = [&](const std::string& technique) {
    int in_vain = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Search search(space, technique, seed);
      for (int i = 0; i < 80; ++i) {
        const auto c = search.next();
        REQUIRE(c);
        in_vain += refused(*c);
        if (refused(*c))
          search.refuse(*c);
        else
          search.report(*c, cost(space, *c));
      }
    }
    return in_vain;
  };
  const int by_chance = asked_in_vain("random");
  CHECK(asked_in_vain("forest") < 0.6 * by_chance);
  CHECK(asked_in_vain("portfolio") < 0.7 * by_chance);
}

TEST_CASE("search: regression trees learn a step, and say where they do not agree") {
  Chance chance(1);
  std::vector<Row> rows;
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) {
    rows.push_back({static_cast<double>(i), static_cast<double>(-i)});
    values.push_back(i < 20 ? 1 : 3);
  }
  const RegressionTrees trees(rows, values, chance);
  CHECK(trees.expect({5, -5}).mean == doctest::Approx(1));
  CHECK(trees.expect({35, -35}).mean == doctest::Approx(3));
  CHECK(trees.expect({5, -5}).deviation == doctest::Approx(0));
  double disagreement = 0;
  for (const double x : {18.0, 19.5, 21.0}) disagreement += trees.expect({x, -x}).deviation;
  CHECK(disagreement > 0);
}

TEST_CASE("search: different configurations are different rows of numbers") {
  const Space space = smoother_space(16);
  const Encoding encoding(space);
  std::set<Row> rows;
  Odometer odometer(space);
  std::size_t n = 0;
  do {
    rows.insert(encoding(odometer.configuration()));
  } while (++n < 1500 && odometer.step());
  CHECK(rows.size() == n);
}

}  // namespace search_test
