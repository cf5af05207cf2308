// How an exploration keeps its budget: when the search has to end, and what is not worth beginning.
#include "tuning/budget.hpp"

#include <doctest/doctest.h>

#include "tuning/explore.hpp"

using namespace lift;

namespace budget_test {

TEST_CASE("budget: the last round gets what it needs, at most a share of the whole") {
  const Budget b(1000);
  CHECK(b.before_last_round(100) == doctest::Approx(900));
  CHECK(b.before_last_round(600) == doctest::Approx(700));
  CHECK(b.for_last_round() > 900);
  const Budget spent(1e-9);
  CHECK(spent.left() <= 0);
  CHECK(spent.for_last_round() / 1e-9 == doctest::Approx(0.05));  // not the share, which would be too much
  CHECK_FALSE(spent.is_time_for_rivals());
}

TEST_CASE("budget: a search without an end goes on") {
  Budget b(1e-9);
  CHECK_FALSE(b.is_search_over());
  b.end_search_at(0);
  CHECK(b.is_search_over());
  b.end_search_at(1e9);
  CHECK_FALSE(b.is_search_over());
}

TEST_CASE("budget: a larger problem takes as many times as long, what is needed once left out") {
  ExploreResult r;
  r.spent.setup = 5, r.spent.once = 3;
  CHECK(least_seconds(r, 1) == doctest::Approx(2));
  CHECK(least_seconds(r, 4) == doctest::Approx(8));
  r.rivals.emplace_back().ms = 100, r.baseline = 0;
  const double with_plain = least_seconds(r, 1);
  CHECK(with_plain > 2.5);  // several rounds of plain loops
  r.problem.sweeps = 2;     // times are of one
  CHECK(least_seconds(r, 1) - 2 == doctest::Approx(2 * (with_plain - 2)));
  r.twin_ms = 50;
  const double with_twin = least_seconds(r, 1);
  CHECK(with_twin > least_seconds(ExploreResult{r}, 0.99));
  r.variants.emplace_back().ms = 100, r.best = 0;
  CHECK(least_seconds(r, 1) > with_twin);
}

}  // namespace budget_test
