// A peer's way to its fastest settings, by times that are written down here: what is tried, what is kept of
// it, and what is said where nothing is right.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "compare/contest.hpp"
#include "compare/peer.hpp"
#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "runtime/interrupt.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/lift_problem.hpp"

namespace lift::compare_peer_searches_test {
namespace {

bool has(const RivalJob& job, const std::string& flag) {
  return std::count(job.job.flags.begin(), job.job.flags.end(), flag) > 0;
}
bool has_simd(const RivalJob& job) { return job.job.code.starts_with("#define SIMD _Pragma"); }

/// Says what becomes of jobs, and counts them.
class Judge : public Trials {
 public:
  explicit Judge(std::function<Trial(const RivalJob&, int)> of) : of_(std::move(of)) {}
  std::vector<Trial> try_out(const std::vector<RivalJob>& jobs, double best) override {
    std::vector<Trial> all;
    for (const RivalJob& job : jobs) {
      CHECK(best == best_);
      all.push_back(of_(job, count++));
    }
    for (const Trial& t : all)
      if (t.status == Status::ok && (best_ == 0 || t.relative < best_)) best_ = t.relative;
    return all;
  }
  int count = 0;

 private:
  std::function<Trial(const RivalJob&, int)> of_;
  double best_ = 0;
};
Trial ok(double relative) { return {Status::ok, "", 0.125, 10 * relative, relative}; }
Trial not_ok(Status status, const std::string& message, double error = 0) {
  return {status, message, error, 0, 0};
}

Contender contend(Judge& judge, int most, double seconds = 1e9, const std::string& name = "graphite") {
  Problem p;
  p.box = 8, p.boxes = 1;
  const auto contest = make_contest({"plain", name}, most);
  contest->begin(smooth3d(), p, smooth3d().build(p), 2);
  const std::vector<Contender> all = contest->contend(judge, seconds);
  return all.empty() ? Contender{} : all.at(0);
}

}  // namespace

TEST_CASE("peer searches: the fastest settings are kept, whenever they come") {
  Judge judge([](const RivalJob& job, int n) {
    return ok(has(job, "--param=loop-block-tile-size=64") && !has_simd(job) && has(job, "-fopenmp") ? 0.5
                                                                                                    : 1 + n);
  });
  const Contender c = contend(judge, 0);
  CHECK(judge.count == 28);  // all settings, as there is time
  CHECK(c.rival.tried == 28);
  CHECK(c.rival.wrong == 0);
  CHECK(c.rival.status == Status::ok);
  CHECK(c.rival.settings == "tile 64");
  CHECK(c.rival.ms == 5);
  CHECK(c.rival.error == 0.125);
  REQUIRE(c.job.has_value());
  CHECK(has(*c.job, "--param=loop-block-tile-size=64"));
}

TEST_CASE("peer searches: as many as are allowed, and none but the first where there is no time") {
  const auto always = [](const RivalJob&, int n) { return ok(2 - 0.01 * n); };
  for (const int most : {1, 2, 7}) {
    Judge judge(always);
    CHECK(contend(judge, most).rival.tried == most);
  }
  Judge hurried(always);
  const Contender c = contend(hurried, 0, 0);
  CHECK(hurried.count == 1);
  CHECK(c.rival.status == Status::ok);
}

TEST_CASE("peer searches: what fails with some settings is counted, and is no time") {
  Judge judge([](const RivalJob& job, int n) {
    if (has_simd(job)) return not_ok(Status::wrong, "differs", 0.5);
    if (has(job, "-floop-parallelize-all")) return Trial{Status::aborted, "", 0, 0, 0.001};
    if (has(job, "--param=loop-block-tile-size=8")) return not_ok(Status::compile_failed, "no room");
    if (has(job, "--param=loop-block-tile-size=16")) return not_ok(Status::impossible, "too small");
    return ok(3 + n);
  });
  const Contender c = contend(judge, 0);
  CHECK(judge.count == 28);
  CHECK(c.rival.wrong == 14);
  CHECK(c.rival.tried == 26);
  CHECK(c.rival.status == Status::ok);
  CHECK(c.rival.message.empty());
  CHECK(c.rival.error == 0.125);
  CHECK(c.rival.settings.empty());
}

TEST_CASE("peer searches: a wrong result is said rather than that another one was impossible") {
  struct Case {
    std::string name;
    std::vector<Trial> trials;  ///< the last one again and again
    Status status;
    std::string message;
    double error;
  };
  const Trial wrong = not_ok(Status::wrong, "differs", 0.5), crashed = not_ok(Status::crashed, "crashed"),
              impossible = not_ok(Status::impossible, "first"),
              another = not_ok(Status::impossible, "second");
  const std::vector<Case> cases{
      {"impossible", {impossible, another}, Status::impossible, "first", 0},
      {"then wrong", {impossible, wrong}, Status::wrong, "differs", 0.5},
      {"wrong, then impossible", {wrong, impossible}, Status::wrong, "differs", 0.5},
      {"wrong, then crashed", {wrong, crashed}, Status::wrong, "differs", 0.5},
      {"wrong, then wrong", {wrong, not_ok(Status::wrong, "more", 0.75)}, Status::wrong, "more", 0.75},
      {"crashed, then impossible", {crashed, impossible}, Status::crashed, "crashed", 0},
      {"right, then wrong", {ok(1), wrong}, Status::ok, "", 0.125},
      {"wrong, then right", {wrong, ok(1)}, Status::ok, "", 0.125},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Judge judge([&](const RivalJob&, int n) {
      return c.trials[std::min<std::size_t>(static_cast<std::size_t>(n), c.trials.size() - 1)];
    });
    const Rival r = contend(judge, 3).rival;
    CHECK(r.status == c.status);
    CHECK(r.message == c.message);
    CHECK(r.error == c.error);
  }
}

TEST_CASE("peer searches: loops that nobody can read are refused once, with the reason") {
  if (!make_isl()->missing().empty()) return;
  const PatternProblem p = load_lift_file(LIFTGEN_SOURCE_DIR "/examples/gallery/roughness.lift", {{"n", 9}});
  const auto contest = make_contest({"isl"}, 3);
  contest->begin(p.pattern, p.problem, p.pattern.build(p.problem), 2);
  Judge judge([](const RivalJob&, int) { return ok(1); });
  const std::vector<Contender> all = contest->contend(judge, 1e9);
  REQUIRE(all.size() == 1);
  CHECK(judge.count == 0);
  CHECK(all[0].rival.tried == 0);
  CHECK(all[0].rival.status == Status::impossible);
  CHECK(all[0].rival.message.starts_with("isl is not told of "));
}

TEST_CASE("peer searches: loops that others have no words for, beside plain loops and without") {
  const test::Scratch folder;
  const auto course = [&](const std::string& value, const std::optional<std::string>& plain) {
    const auto file = folder.path() / "thirds.lift";
    std::ofstream(file) << "program thirds\nparam x : 37.i32 = wave\nresult y : 37.i32 = x |> map(\\v. "
                        << value << ")\n";
    PatternProblem p = load_lift_file(file);
    if (plain) p.pattern.plain_c = [=](const Problem&) { return *plain; };
    return course_of(p.pattern, p.problem, p.pattern.build(p.problem), 2);
  };
  const std::string why = "thirds: quotients of integers that are stored are not spelled as plain loops";
  // Somebody wrote plain loops: these take part, and others are told why they do not.
  const Course written = course("v / 3", "void plain() {}\n");
  CHECK(written.why_no_loops == why);
  CHECK(written.plain.code == "void plain() {}\n");
  // Nobody did: there is nothing to compare with.
  for (const std::optional<std::string>& none :
       {std::optional<std::string>(), std::optional<std::string>("")})
    CHECK(test::message([&] { (void)course("v / 3", none); }) == why);
  const Course without = course("v * 3", "");
  CHECK(without.why_no_loops.empty());
  CHECK_FALSE(without.scop.empty());
  CHECK(without.plain.code.empty());
  CHECK_FALSE(course("v * 3", std::nullopt).plain.code.empty());
}

TEST_CASE("peer searches: nobody begins after an interrupt, and what was found before is kept") {
  const InterruptScope scope;
  Judge judge([](const RivalJob&, int) {
    request_interrupt();
    return ok(2);
  });
  const Contender c = contend(judge, 0);
  CHECK(judge.count == 1);
  CHECK(c.rival.status == Status::ok);
  CHECK(c.rival.ms == 20);
  CHECK(contend(judge, 0).rival.name.empty());
  CHECK(judge.count == 1);
}

}  // namespace lift::compare_peer_searches_test
