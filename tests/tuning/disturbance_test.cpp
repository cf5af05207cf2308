// Times taken beside other work.
#include "tuning/disturbance.hpp"

#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/database/memory.hpp"
#include "tuning/one_layout.hpp"
#include "tuning/report.hpp"

using namespace lift;

namespace disturbance_test {

TEST_CASE("disturbance: times of one kernel that lie far apart, unless they are too short to say anything") {
  const auto timing = [](double least, double median) {
    return Timing{.median_ms = median, .min_ms = least, .max_ms = 2 * median, .runs = 11};
  };
  CHECK(unsteady({}) == "");
  const std::vector<Timing> quiet{timing(1, 1.1), timing(0.001, 0.01)};
  CHECK(unsteady(quiet) == "");
  const std::vector<Timing> busy{timing(1, 1.1), timing(2, 4), timing(1, 1.8)};
  CHECK(unsteady(busy) == "one kernel took from 2 to 8 ms");
}

TEST_CASE(
    "disturbance: no kernel is several times faster than its traffic, but for those of several sweeps") {
  CHECK(is_possible(1.5, 1));
  CHECK_FALSE(is_possible(13.97, 1));
  CHECK(is_possible(5, 4));
}

TEST_CASE("disturbance: what was measured beside other work is said to be, and not remembered") {
  Problem p;
  p.box = 16, p.boxes = 2;
  const Pattern& pattern = find_pattern("residual2d");
  ExploreOptions options;
  options.configurations = 1, options.rivals = false;
  ExploreResult result = explore(pattern, p, options);
  REQUIRE(result.best);
  const Occasion occasion{pattern, p, Target::openmp, result.machine, nullptr, result.threads, true};
  CHECK(records_of(occasion, result).size() == 1);
  result.disturbed = "the machine's load is 7.0, of 2 processors";
  CHECK(records_of(occasion, result).empty());
  CHECK(about_times(result).find("beside other work") != std::string::npos);
}

TEST_CASE("disturbance: a load above the processors is one, unless times are trusted") {
  const test::Variable trusted("LIFTGEN_TRUST_TIMES", "1");
  CHECK(are_times_trusted());
  const test::Variable not_trusted("LIFTGEN_TRUST_TIMES", "0");
  CHECK_FALSE(are_times_trusted());
}

TEST_CASE("one layout: a budget that is used up leaves what was found, in the caller's layout at least") {
  const std::vector<LayoutRequest> layouts{kCallersLayout, parse_layout("rows 8 0"),
                                           parse_layout("split 3 1")};
  std::vector<std::size_t> explored;
  const LayoutChoice choice = choose_layout(layouts, 2, {}, 1e-9, [&](const LayoutTurn& turn) {
    CHECK(turn.seconds > 0);
    CHECK(turn.layout == 0);
    explored.push_back(turn.op);
    return 1.0;
  });
  CHECK(explored == std::vector<std::size_t>{0, 1});
  CHECK(choice.best == 0);
  CHECK(choice.costs[0].ms == 2);
  CHECK(choice.costs[1].why_not.find("--budget") != std::string::npos);
}

}  // namespace disturbance_test
