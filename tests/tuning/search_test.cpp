// Order and coverage of the search, on the space of the smoother.
#include "tuning/search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "patterns/operators.hpp"

using namespace lift;

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
  for (const auto kind : {SearchKind::random, SearchKind::climb, SearchKind::exhaustive}) {
    Search search(space, kind, 7);
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

TEST_CASE("search: one seed, one order; another seed, another order") {
  const Space space = smoother_space(16);
  const auto first = [&](std::uint64_t seed) {
    Search search(space, SearchKind::random, seed);
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
  Search search(space, SearchKind::exhaustive, 1);
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
  Search search(grid, SearchKind::climb, 1, {fast[3], fast[0]});
  const auto first = search.next(), second = search.next();
  REQUIRE((first && second));
  CHECK(*first == project(grid, fast[3]));
  CHECK(*second == project(grid, fast[0]));
  CHECK(first->at("grid") == "solo " + fast[3].at("parallel"));
  CHECK(first->at("inner") == fast[3].at("inner"));
  CHECK(project(threads, *first) == fast[3]);
}

TEST_CASE("search: an unknown kind is named, with the remedy") {
  CHECK_THROWS_WITH_AS(parse_search("genetic"),
                       "--search genetic: no such search; use climb, random or exhaustive", UserError);
}
