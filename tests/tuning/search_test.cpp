// Order and coverage of the search, on the space of the smoother.
#include "tuning/search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/error.hpp"
#include "patterns/operators.hpp"

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
  CHECK_THROWS_WITH_AS(find_technique("genetic"),
                       "--search genetic: no such search; use climb, random, exhaustive or anneal",
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
  constexpr int searches = 8, tries = 100;
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
  for (const std::string technique : {"climb", "anneal"}) {
    const double told = found_by(space, technique, true);
    MESSAGE(technique << ": " << told << ", untold " << found_by(space, technique, false) << ", random "
                      << random);
    CHECK(told < 0.95 * random);
    CHECK(told < 0.95 * found_by(space, technique, false));
  }
}

}  // namespace search_test
