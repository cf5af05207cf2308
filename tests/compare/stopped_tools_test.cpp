// Tools that do not come to an end, and an interrupt between two of them.
#include <doctest/doctest.h>

#include "compare/contest.hpp"
#include "compare/peer.hpp"
#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "runtime/affinity.hpp"
#include "runtime/interrupt.hpp"
#include "tests/compare/stand_in.hpp"
#include "tests/jumping_clock.hpp"
#include "tests/message.hpp"

LIFT_TEST_CLOCK

namespace lift::compare_stopped_tools_test {
namespace {

Problem small() {
  Problem p;
  p.box = 8, p.boxes = 2, p.choices["smoother"] = "jacobi";
  return p;
}

class CountsJobs : public Trials {
 public:
  std::vector<Trial> try_out(const std::vector<RivalJob>& jobs, double) override {
    count += jobs.size();
    return std::vector<Trial>(jobs.size(), {Status::ok, "", 0, 1, 1});
  }
  std::size_t count = 0;
};

}  // namespace

TEST_CASE("compare: a tool that takes longer than anybody waits is ended, and cannot do it") {
  const Problem problem = small();
  const Course course = course_of(smooth3d(), problem, smooth3d().build(problem), 2);
  struct Case {
    std::string tool;
    std::unique_ptr<Peer> peer;
    PeerSettings settings;
  };
  std::vector<Case> cases;
  cases.push_back({"polycc", make_pluto(), {"8", "64", ""}});
  cases.push_back({"ppcg", make_ppcg(), {"", "--reschedule"}});
  cases.push_back({"ppcg", make_ppcg_on(Target::cuda), {"", ""}});
  cases.push_back({"ppcg", make_ppcg_on(Target::opencl), {"", ""}});
  for (const Case& c : cases) {
    CAPTURE(c.peer->what());
    // What it has written by then is no reason to take it.
    const test::StandIn tool(c.tool,
                             "for last in \"$@\"; do :; done\necho half > $last\n"
                             "for s in host.cu host.c kernel.cu kernel.cl; do echo half > smooth3d_$s; done\n"
                             "echo called > $calls\nsleep 1000\n");
    const test::JumpingClock clock(tool.file_of_calls());
    CHECK(test::message<UserError>([&] { (void)c.peer->make(course, c.settings); }) ==
          c.tool + " did not finish within 60 s");
    CHECK(tool.calls() == "called\n");
  }
}

TEST_CASE("compare: after an interrupt no further tool is called, and what was made is not tried out") {
  if (allowed_cpus().size() < 2) return;  // where one is tried out after the other
  // Each time something else. The second call is interrupted, and does not mind.
  const test::StandIn polycc("polycc", R"(
echo called >> $calls
n=$(wc -l < $calls)
for last in "$@"; do :; done
echo "// $n" > $last
if [ $n = 2 ]; then
  trap '' TERM
  kill -INT $PPID
fi
)");
  const Problem problem = small();
  const auto contest = make_contest({"pluto"}, 0);
  contest->begin(smooth3d(), problem, smooth3d().build(problem), 2);
  const InterruptScope scope;
  CountsJobs trials;
  const std::vector<Contender> all = contest->contend(trials, 1e9);
  CHECK(interrupted());
  CHECK(polycc.calls() == "called\ncalled\n");
  CHECK(trials.count == 1);
  REQUIRE(all.size() == 1);
  CHECK(all[0].rival.status == Status::ok);
  CHECK(all[0].rival.tried == 1);
  REQUIRE(all[0].job.has_value());
  CHECK(all[0].job->job.code == "// 1\n");
}

}  // namespace lift::compare_stopped_tools_test
