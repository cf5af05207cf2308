// What explorations record, and searches over it without measuring.
#include "tuning/search/recording.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/keys.hpp"
#include "tests/message.hpp"
#include "tuning/explore.hpp"
#include "tuning/search.hpp"
#include "tuning/search/odometer.hpp"
#include "tuning/search/replay.hpp"

using namespace lift;

namespace recording_test {
namespace {

/// Each decision has a best setting, and what is far from it takes longer.
double time_of(const SearchSpace& space, const Configuration& c) {
  double all = 1;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Settings& values = space.parameters()[i].values;
    const auto n = static_cast<double>(values.size());
    const auto at = static_cast<double>(
        std::find(values.begin(), values.end(), *c.find(*space.parameters()[i].key)) - values.begin());
    all += std::abs(at - (i % 3 == 0 ? n - 1 : 0)) / n;
  }
  return all;
}

/// Of the first configurations of a space: every fifth is refused, every seventh has the kernel of the one
/// before.
Recording recorded(const Space& space, std::size_t most) {
  Recording r;
  r.program = "smooth3d", r.backend = "openmp", r.device = r.machine = "a machine", r.threads = 2;
  r.vector_bytes = 32, r.decisions = space.parameters(), r.costs = {"memory", "starts"};
  r.problem.box = 16, r.problem.choices["smoother"] = "gsrb";
  Odometer odometer(space);
  do {
    TriedConfiguration t;
    t.configuration = odometer.configuration();
    const std::size_t i = r.tried.size();
    t.first_guess = i % 50 == 3;
    if (i % 7 == 6 && !r.tried[i - 1].same_as) {
      t.same_as = i - 1;
    } else if (i % 5 == 4) {
      t.status = "impossible";
    } else {
      t.status = "ok", t.verified = true, t.relative = time_of(space, t.configuration), t.ms = 2 * t.relative;
      t.costs = {static_cast<double>(i), 0.5};
    }
    r.tried.push_back(std::move(t));
  } while (r.tried.size() < most && odometer.step());
  return r;
}

Space smoother_space() {
  Problem problem;
  problem.box = 16, problem.boxes = 2;
  return Space(smooth3d().build(problem), SpaceOptions{});
}

std::string fault_of(const std::string& text) {
  return test::message([&] { recordings_in(text); });
}

}  // namespace

TEST_CASE("recording: what is written is read again") {
  const Space space = smoother_space();
  Recording written = recorded(space, 300), other = recorded(space, 5);
  other.file = "mine.lift", other.sizes = {{"n", 12}};
  const std::vector<Recording> read = recordings_in(text_of(written) + text_of(other));
  REQUIRE(read.size() == 2);
  CHECK(text_of(read[0]) == text_of(written));
  CHECK(text_of(read[1]) == text_of(other));
  CHECK(read[1].file == "mine.lift");
  CHECK(read[1].sizes.at("n") == 12);
  CHECK(read[0].problem.choices.at("smoother") == "gsrb");
  REQUIRE(read[0].tried.size() == 300);
  for (std::size_t i = 0; i < 300; ++i) {
    const TriedConfiguration &a = read[0].tried[i], &b = written.tried[i];
    CHECK(a.configuration == b.configuration);
    CHECK(a.relative == doctest::Approx(b.relative).epsilon(1e-4));
    CHECK(std::pair(a.same_as, a.first_guess) == std::pair(b.same_as, b.first_guess));
    CHECK(a.costs == b.costs);
    if (!a.same_as) CHECK(std::pair(a.status, a.verified) == std::pair(b.status, b.verified));
  }
}

TEST_CASE("recording: what is none is refused, with its line") {
  const Space space = smoother_space();
  const std::string text = text_of(recorded(space, 1));
  CHECK(fault_of("no JSON\n") == "line 1: it is nothing that liftgen explore --record has written");
  CHECK(fault_of("{\"settings\":{}}\n") == "line 1: it does not begin with what was explored");
  CHECK(fault_of(text + "{\"settings\":{\"inner\":\"vec\",\"width\":\"77\"},\"status\":\"ok\"}\n") ==
        "line 3: the decision 'width' has no setting \"77\"");
  CHECK(fault_of(text + "{\"settings\":{},\"same_as\":1}\n") ==
        "line 3: same_as names no configuration before it that was compiled");
  CHECK(fault_of(text + "{\"settings\":{},\"status\":\"ok\",\"costs\":[1]}\n") ==
        "line 3: it has 1 costs, and the exploration 2");
  CHECK(fault_of("{\"liftgen_recording\":9}\n") ==
        "line 1: it is of format 9, which this version does not read");
  std::string older = text;
  older.replace(older.find("\"unroll\""), 8, "\"enroll\"");
  CHECK(fault_of(older) == "line 1: there is no decision 'enroll' any more; record it again");
}

TEST_CASE("recording: its space has what was tried, and nothing else") {
  const Recording r = recorded(smoother_space(), 300);
  const RecordedSpace space(r);
  CHECK(count_configurations(space, 1000) == 300);
  Odometer odometer(space);
  std::set<std::size_t> found;
  do {
    const std::size_t i = space.find(odometer.configuration());
    CHECK(r.tried[i].configuration == odometer.configuration());
    found.insert(i);
  } while (odometer.step());
  CHECK(found.size() == 300);
  CHECK(space.seeds().size() == 6);
  CHECK(space.seeds()[1] == r.tried[53].configuration);
  CHECK_THROWS_AS(RecordedSpace(Recording{}), UserError);
}

TEST_CASE("replay: every search ends with the best known, and pays for each kernel once") {
  const Recording r = recorded(smoother_space(), 300);
  const RecordedSpace space(r);
  std::size_t kernels = 0;
  for (const TriedConfiguration& t : r.tried) kernels += !t.same_as;
  for (const TechniqueRow& technique : techniques()) {
    CAPTURE(technique.name);
    const std::vector<double> course = replay(r, space, {technique.name, 1});
    CHECK(course.size() <= kernels);
    if (technique.name == std::string("exhaustive")) CHECK(course.size() == kernels);
    CHECK(std::is_sorted(course.rbegin(), course.rend()));
    CHECK(course.back() >= 1);
    CHECK(course.back() < 1.2);
    CHECK(course == replay(r, space, {technique.name, 1}));  // one seed, one course
    if (technique.name != std::string("exhaustive")) CHECK(course != replay(r, space, {technique.name, 2}));
  }
}

TEST_CASE("replay: begins with the first guesses where asked to") {
  Recording r = recorded(smoother_space(), 300);
  std::size_t best = 0;
  for (std::size_t i = 0; i < r.tried.size(); ++i) {
    r.tried[i].first_guess = false;
    if (r.tried[i].is_timed() && r.tried[i].relative == best_known(r)) best = i;
  }
  r.tried[best].first_guess = true;
  const RecordedSpace space(r);
  CHECK(replay(r, space, {.search = "random", .most = 3, .first_guesses = true}).front() == 1);
  CHECK(replay(r, space, {.search = "random", .most = 3}).front() > 1);
  CHECK(replay(r, space, {.search = "random", .most = 3}).size() == 3);
}

TEST_CASE("recording: of several of one space, each kernel's least time") {
  const Recording once = recorded(smoother_space(), 60);
  Recording again = once, other = once;
  for (std::size_t i = 0; i < 60; ++i) again.tried[i].ms *= i % 2 == 0 ? 0.5 : 3;
  const Recording r = merged({once, again});
  for (std::size_t i = 0; i < 60; ++i)
    if (r.tried[i].is_timed()) CHECK(r.tried[i].ms == once.tried[i].ms * (i % 2 == 0 ? 0.5 : 1));
  CHECK(best_known(r) == 1);
  other.program = "restriction3d";
  CHECK(test::message([&] {
          merged({once, other});
        }) ==
        "restriction3d smoother=gsrb f64 64 x 16^3 openmp: the others are of smooth3d smoother=gsrb f64 64 x "
        "16^3 "
        "openmp");
}

TEST_CASE("replay: measurements until the best is near the best known") {
  const std::vector<double> course{INFINITY, 1.5, 1.04, 1};
  CHECK(measurements_until(course, 1.05, 99) == 3);
  CHECK(measurements_until(course, 1.0, 99) == 4);
  CHECK(measurements_until(course, 2.0, 99) == 2);
  CHECK(measurements_until(course, 0.5, 99) == 99);
}

TEST_CASE("explore: records everything that it tries") {
  Problem problem;
  problem.box = 12, problem.boxes = 2;
  ExploreOptions options;
  options.configurations = 8, options.budget_seconds = 3600, options.rivals = false;
  options.search = "exhaustive", options.recorder = std::make_shared<Recorder>();
  const ExploreResult found = explore(find_pattern("restriction3d"), problem, options);
  const std::vector<Recording> all = recordings_in(options.recorder->text());
  REQUIRE(all.size() == 1);
  const Recording& r = all[0];
  CHECK(r.title() == "restriction3d f64 2 x 12^3 openmp");
  Recording plane = r;
  plane.program = "restriction2d";
  CHECK(plane.title() == "restriction2d f64 2 x 12^2 openmp");
  CHECK(r.tried.size() >= found.variants.size());
  for (std::size_t i = 0; i < r.tried.size(); ++i) {
    const TriedConfiguration& t = r.tried[i];
    const TriedConfiguration& kernel = r.tried[r.kernel_of(i)];
    const auto at = std::find_if(found.variants.begin(), found.variants.end(),
                                 [&](const Variant& v) { return v.params == kernel.configuration; });
    REQUIRE(at != found.variants.end());
    CHECK(kernel.status == text(at->status));
    CHECK(kernel.ms == doctest::Approx(at->explored_ms).epsilon(1e-4));
    if (kernel.ms > 0) CHECK(kernel.relative > 0);
    CHECK(kernel.costs.size() == r.costs.size());
    if (i == 0) CHECK(t.first_guess);
  }
  CHECK(best_known(r) > 0);
}

}  // namespace recording_test
