// How many sweeps are done in one pass: the depths tried, what each costs, and the one that is kept.
#include "tuning/depths.hpp"
#include "tuning/going_on.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/error.hpp"
#include "patterns/operators.hpp"

using namespace lift;

namespace depths_test {
namespace {

ExploreOptions some(int configurations) {
  ExploreOptions o;
  o.budget_seconds = 3600, o.configurations = configurations, o.threads = 2, o.rivals = false;
  return o;
}

Problem boxes_of(std::int64_t box, std::int64_t boxes) {
  Problem p;
  p.box = box, p.boxes = boxes;
  return p;
}

}  // namespace

TEST_CASE("depths: a sample of the boxes exceeds the caches and keeps threads equally busy") {
  const double mb = 1 << 20;
  CHECK(boxes_of_sample(10 * mb, 4 * mb, 2, 1000) == 8);      // 64 MB at least: 7, for two threads 8
  CHECK(boxes_of_sample(10 * mb, 32 * mb, 2, 1000) == 26);    // 8 times the caches
  CHECK(boxes_of_sample(10 * mb, 32 * mb, 2, 9) == 9);        // all there are
  CHECK(boxes_of_sample(1000 * mb, 32 * mb, 3, 1000) == 12);  // four boxes a thread
  CHECK(boxes_of_sample(1000 * mb, 0, 1, 1) == 1);
}

TEST_CASE("depths: deeper ghost zones cost memory and cells, and the fastest depth is kept") {
  const Problem problem = boxes_of(8, 3);
  const Depths d = explore_depths(find_pattern("smooth2d"), problem, some(2));
  REQUIRE(d.tried.size() >= 2);
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < d.tried.size(); ++i) {
    const Depth& x = d.tried[i];
    const int sweeps = kDepths[i];
    CHECK(x.problem.sweeps == sweeps);
    CHECK(x.problem.ghost == sweeps);
    const auto cells = [](double width) { return (8 + 2 * width) * (8 + 2 * width); };
    double computed = 0;
    for (int t = 0; t < sweeps; ++t) computed += cells(sweeps - 1 - t) / cells(0) / sweeps;
    CHECK(x.computed == doctest::Approx(computed));
    CHECK(x.memory >= cells(sweeps) / cells(1) * 0.8);
    CHECK(x.memory <= cells(sweeps) / cells(1) * 1.2);
    REQUIRE(x.result.best);
    CHECK(x.result.variants[*x.result.best].sweeps == sweeps);
    const double speedup = x.result.variants[*x.result.best].speedup;
    REQUIRE(speedup > 0);
    CHECK(cost(x) == doctest::Approx(computed / speedup));
    if (cost(x) < cost(d.tried[fastest])) fastest = i;
  }
  CHECK(d.best == fastest);
  CHECK(d.boxes == 3);
  REQUIRE(d.result.best);
  CHECK(d.result.problem.sweeps == kDepths[fastest]);
  CHECK(d.result.problem.boxes == 3);
  CHECK(d.result.variants[*d.result.best].verified);
  const std::string table = depth_table(d);
  CHECK(std::count(table.begin(), table.end(), '\n') == static_cast<std::ptrdiff_t>(d.tried.size()));
}

TEST_CASE("depths: what cannot end in time is not begun, and what was found over the sample is kept") {
  ExploreOptions options = some(2);
  options.budget_seconds = 1e-6;
  const Depths d = explore_depths(find_pattern("smooth2d"), boxes_of(8, 3), options);
  REQUIRE(d.tried.size() == 2);
  CHECK(d.tried[1].why_not == "the budget is too short for it");
  REQUIRE(d.result.best);
  CHECK(d.result.spent.total == d.tried[0].result.spent.total);  // the same exploration
}

TEST_CASE("depths: what was fast at one depth comes first at the next") {
  ExploreOptions options = some(12);
  options.search = "random";
  const Depths d = explore_depths(find_pattern("smooth2d"), boxes_of(6, 2), options);
  REQUIRE(d.tried.size() >= 2);
  const std::vector<Configuration> before = fastest_configurations(d.tried[0].result, 4);
  std::vector<Variant> after = d.tried[1].result.variants;
  std::erase_if(after, [](const Variant& v) { return v.explored_s == 0; });
  std::sort(after.begin(), after.end(),
            [](const Variant& a, const Variant& b) { return a.explored_s < b.explored_s; });
  REQUIRE(before.size() == 4);
  const auto is_before = [&](const Variant& now) {
    return std::any_of(before.begin(), before.end(), [&](const Configuration& c) {
      return std::all_of(c.begin(), c.end(), [&](const auto& decision) {
        const std::string text = now.params.at(decision.name());
        if (decision.name() == "layout")  // its numbers follow the ghost zone
          return text.substr(0, text.find(' ')) == decision.text().substr(0, decision.text().find(' '));
        return text == decision.text();
      });
    });
  };
  // On a busy machine not all of them are timed, but those that are come first.
  const auto others = std::find_if_not(after.begin(), after.end(), is_before);
  CHECK(others - after.begin() >= 2);
  CHECK(std::none_of(others, after.end(), is_before));
}

TEST_CASE("depths: operators that are applied once have none; a problem that does not fit says so") {
  CHECK_THROWS_WITH_AS(explore_depths(find_pattern("residual3d"), boxes_of(6, 1), some(1)),
                       doctest::Contains("residual3d is applied once"), UserError);
  CHECK_THROWS_WITH_AS(explore_depths(find_pattern("smooth3d"), boxes_of(2000, 64), some(1)),
                       doctest::Contains("use a smaller --box"), UserError);
  Depths none;
  none.tried.push_back({boxes_of(6, 1), {}, 1, 1, "too large"});
  CHECK(depth_table(none).find("none  too large") != std::string::npos);
}

}  // namespace depths_test
