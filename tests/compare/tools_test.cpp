// Pluto and PPCG, by programs of their names that look at how they are called and give C back.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "compare/table.hpp"
#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "runtime/process.hpp"
#include "tests/compare/stand_in.hpp"
#include "tests/compare/trials.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"

namespace lift::compare_tools_test {
namespace {

using test::Scratch;
using test::StandIn;
using test::Variable;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// polycc, as far as it is needed: the loops with a parallel outermost one, and Pluto's pragmas.
constexpr const char* kPolycc = R"(
echo "$@ sizes:" $(cat tile.sizes) >> $calls
for last in "$@"; do :; done
[ "$1 $2 $3" = "--pet --tile --parallel" ] || exit 7
in=smooth3d.c
grep -q '#pragma scop' $in && grep -q '#pragma endscop' $in || exit 8
sed -e 's/^#pragma scop/#pragma omp parallel for/' -e '/^#pragma endscop/d' \
    -e 's/^        for (int i/#pragma ivdep\n#pragma vector always\n&/' $in > $last
)";
constexpr const char* kPpcg = R"(
echo "$@" >> $calls
for last in "$@"; do :; done
[ "$1 $2" = "--target=c --openmp" ] || exit 7
sed -e 's/^#pragma scop/#pragma omp parallel for/' -e '/^#pragma endscop/d' smooth3d.c > $last
)";

Problem small() {
  Problem p;
  p.box = 8, p.boxes = 2, p.choices["smoother"] = "jacobi";
  return p;
}
ExploreResult contest(const std::string& with, int most, const Problem& problem = small()) {
  return explore(smooth3d(), problem, test::one_configuration(make_contest({with}, most)));
}
const Rival& rival(const ExploreResult& r, const std::string& name) {
  for (const Rival& x : r.rivals)
    if (x.name == name) return x;
  FAIL("no rival " << name);
  return r.rivals.front();
}

}  // namespace

TEST_CASE("compare: Pluto is given the loops and tile sizes, and its C is verified and timed") {
  const StandIn polycc("polycc", kPolycc);
  const ExploreResult r = contest("pluto", 3);
  const Rival& pluto = rival(r, "pluto");
  CAPTURE(pluto.message);
  CHECK(pluto.status == Status::ok);
  CHECK(pluto.ms > 0);
  CHECK(pluto.tried == 1);  // the stand-in makes the same of all sizes
  CHECK(pluto.settings == "tile 16, inner 512");
  const std::string calls = polycc.calls();
  CHECK(has(calls, "--pet --tile --parallel smooth3d.c -o smooth3d.out.c sizes: 16 16 16 512\n"));
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 3);
  CHECK(has(comparison_table(r), "pluto          tile 16, inner 512"));
}

TEST_CASE("compare: a result that is wrong is said to be, and gets no time") {
  Problem red_black;
  red_black.box = 8, red_black.boxes = 2;
  const StandIn polycc("polycc", std::string(kPolycc) + "sed -i 's/if (.* % 2.*/if (1) {/' $last\n");
  const ExploreResult r = contest("pluto", 1, red_black);
  const Rival& pluto = rival(r, "pluto");
  CHECK(pluto.status == Status::wrong);
  CHECK(pluto.ms == 0);
  CHECK(pluto.wrong == 1);
  const std::string table = comparison_table(r);
  CAPTURE(table);
  CHECK(has(table, "pluto          wrong (error "));
  CHECK(has(table, "differs from the reference, with 1 of"));
}

TEST_CASE("compare: PPCG tiles and schedules as it is told") {
  const StandIn ppcg("ppcg", kPpcg);
  const ExploreResult r = contest("ppcg", 4);
  CHECK(rival(r, "ppcg").status == Status::ok);
  CHECK(has(ppcg.calls(), "--target=c --openmp --no-reschedule smooth3d.c -o smooth3d.out.c\n"));
  CHECK(has(ppcg.calls(), "--target=c --openmp --tile --tile-size=32 --no-reschedule smooth3d.c"));
  CHECK(has(ppcg.calls(), "--target=c --openmp --reschedule smooth3d.c"));
}

TEST_CASE("compare: a tool that fails, or gives what does not compile, is said to") {
  {
    const StandIn broken("polycc", "echo 'no schedule found' >&2\nexit 3\n");
    const Rival pluto = rival(contest("pluto", 1), "pluto");
    CHECK(pluto.status == Status::compile_failed);
    CHECK(has(pluto.message, "polycc ended with status 3: no schedule found"));
  }
  const StandIn nonsense("ppcg", "for last in \"$@\"; do :; done\necho 'void f(' > $last\n");
  const Rival ppcg = rival(contest("ppcg", 1), "ppcg");
  CHECK(ppcg.status == Status::compile_failed);
  CHECK(has(ppcg.message, "error"));
}

TEST_CASE("compare: who is missing is named, with how to get it") {
  if (!find_program("polycc").empty() || !find_program("ppcg").empty()) return;
  const ExploreResult r = contest("ppcg", 1);
  CHECK(rival(r, "ppcg").status == Status::impossible);
  CHECK(rival(r, "ppcg").message ==
        "not here: ppcg is not on the PATH; it comes from github.com/Meinersbur/ppcg");
  CHECK(test::message([] { make_contest({"plutto"}); }) ==
        "--with plutto: nobody of that name; did you mean pluto?; there are plain, polly, graphite, isl, "
        "pluto, "
        "ppcg");
}

TEST_CASE("compare: Pluto is given a tile size for each loop there is, and what it is told besides") {
  const StandIn polycc("polycc", kPolycc);
  const auto sizes = [&](const Problem& problem, const PeerSettings& settings) {
    (void)make_pluto()->make(course_of(smooth3d(), problem, smooth3d().build(problem), 2), settings);
    const std::string calls = polycc.calls();
    return calls.substr(calls.rfind('\n', calls.size() - 2) + 1);
  };
  CHECK(sizes(small(), {"8", "64", ""}) ==
        "--pet --tile --parallel smooth3d.c -o smooth3d.out.c sizes: 8 8 8 64\n");
  CHECK(sizes(small(), {"8", "64", "--nofuse"}) ==
        "--pet --tile --parallel --nofuse smooth3d.c -o smooth3d.out.c sizes: 8 8 8 64\n");
  // Over a single box there is no loop.
  Problem one = small();
  one.boxes = 1;
  CHECK(sizes(one, {"8", "64", "--maxfuse"}) ==
        "--pet --tile --parallel --maxfuse smooth3d.c -o smooth3d.out.c sizes: 8 8 64\n");
}

TEST_CASE("compare: a tool that says it is done and gives nothing, or what it gave the last time") {
  const Problem problem = small();
  const Course course = course_of(smooth3d(), problem, smooth3d().build(problem), 2);
  const auto failure = [&](Peer& peer) {
    return test::message<EnvironmentError>([&] { (void)peer.make(course, {"8", "64", ""}); });
  };
  const StandIn polycc("polycc",
                       "for last in \"$@\"; do :; done\n"
                       "[ -e $calls ] && exit 0\necho made > $last\necho > $calls\n");
  const std::unique_ptr<Peer> pluto = make_pluto();
  CHECK(pluto->make(course, {"8", "64", ""}).code == "made\n");
  CHECK(failure(*pluto) == "polycc ended with status 0: ");
  Course none = course;
  none.why_no_loops = "there are none";
  for (const std::unique_ptr<Peer>& peer : {make_pluto(), make_ppcg()})
    CHECK(test::message<UserError>([&] { (void)peer->make(none, {"8", "64", ""}); }) == "there are none");
}

namespace {

/// ppcg for a grid, as far as it is needed: one launch over all of x, that is, a name for each file.
std::string ppcg_for(const std::string& host, const std::string& kernels, const std::string& first = "") {
  return first +
         "echo \"$@\" >> $calls\nfor last in \"$@\"; do :; done\nname=${last%.c}\n"
         "printf '#include \"%s_kernel.hu\"\\nint device;\\n' $name > ${name}_kernel." +
         kernels + "\n" +
         (kernels == "cu" ? "echo 'dim3 b(8, 4); dim3 g(2, 4); kernel0 <<<g, b>>> (dev_phi);' > ${name}_host."
                          : "echo 'size_t g[1] = {16}; size_t b[1] = {8}; "
                            "clEnqueueNDRangeKernel(queue, kernel0, 1, NULL, g, b, 0);' > ${name}_host.") +
         host + "\n";
}

}  // namespace

TEST_CASE("compare: PPCG makes kernels for a grid, with tiles of as many loops as there are") {
  const Problem problem = small();
  const Course course = course_of(smooth3d(), problem, smooth3d().build(problem), 2);
  {
    const StandIn ppcg("ppcg", ppcg_for("cu", "cu"));
    const auto peer = make_ppcg_on(Target::cuda);
    CHECK(peer->missing().empty());
    const Job job = peer->make(course, {"16", "8,32"});
    CHECK(job.code == "extern \"C\" {\nint device;\n}\n");
    CHECK(job.kernel.target == Target::cuda);
    REQUIRE(job.launches.size() == 1);
    CHECK(job.launches[0].groups == std::array<std::size_t, 3>{2, 4, 1});
    (void)peer->make(course, {"", "256"}), (void)peer->make(course, {"4", ""}),
        (void)peer->make(course, {"", ""});
    CHECK(ppcg.calls() ==
          "--target=cuda --sizes={kernel[i]->tile[16,16,16,16];kernel[i]->block[8,32]} smooth3d.c\n"
          "--target=cuda --sizes={kernel[i]->block[256]} smooth3d.c\n"
          "--target=cuda --sizes={kernel[i]->tile[4,4,4,4]} smooth3d.c\n"
          "--target=cuda smooth3d.c\n");
  }
  const StandIn ppcg("ppcg", ppcg_for("c", "cl"));
  const Job job = make_ppcg_on(Target::opencl)->make(course, {"", ""});
  CHECK(job.code == "int device;\n");
  CHECK(job.kernel.target == Target::opencl);
  CHECK(job.launches.at(0).groups == std::array<std::size_t, 3>{2, 1, 1});
  CHECK(ppcg.calls() == "--target=opencl smooth3d.c\n");
}

TEST_CASE("compare: kernels of one text are others where they are launched in other groups") {
  class All : public Trials {
   public:
    std::vector<Trial> try_out(const std::vector<RivalJob>& jobs, double) override {
      for (const RivalJob& j : jobs) groups.push_back(j.job.launches.at(0).local[0]);
      return std::vector<Trial>(jobs.size(), {Status::ok, "", 0, 1, 1});
    }
    std::vector<std::size_t> groups;
  };
  const StandIn ppcg("ppcg", R"(
case "$*" in *'block[256]'*) b=256;; *) b=8;; esac
echo "dim3 b($b); dim3 g(2); kernel0 <<<g, b>>> (dev_phi);" > smooth3d_host.cu
echo "int device;" > smooth3d_kernel.cu
)");
  const Problem problem = small();
  const auto contest = make_contest({"ppcg"}, 0, Target::cuda);
  contest->begin(smooth3d(), problem, smooth3d().build(problem), 2);
  All all;
  CHECK(contest->contend(all, 1e9).at(0).rival.tried == 2);
  std::sort(all.groups.begin(), all.groups.end());
  CHECK(all.groups == std::vector<std::size_t>{8, 256});
}

TEST_CASE("compare: PPCG for a grid that fails, or writes one file of two") {
  const Problem problem = small();
  Course course = course_of(smooth3d(), problem, smooth3d().build(problem), 2);
  const auto failure = [&] {
    return test::message<EnvironmentError>([&] { (void)make_ppcg_on(Target::cuda)->make(course, {"", ""}); });
  };
  for (const auto& [script, why] :
       {std::pair<std::string, std::string>{ppcg_for("cu", "cu") + "echo no room\nexit 4\n", "4: no room"},
        {ppcg_for("cu", "cu") + "rm *_host.cu\n", "0: "},
        {ppcg_for("cu", "cu") + "rm *_kernel.cu\n", "0: "}}) {
    const StandIn ppcg("ppcg", script);
    CHECK(failure() == "ppcg ended with status " + why);
  }
  course.why_no_loops = "there are none";
  CHECK(test::message([&] { (void)make_ppcg_on(Target::cuda)->make(course, {"", ""}); }) == "there are none");
}

TEST_CASE("compare: what is not on the PATH is said to be missing") {
  const Scratch nothing;
  const Variable path("PATH", nothing.path().string());
  CHECK(make_ppcg_on(Target::opencl)->missing() ==
        "ppcg is not on the PATH; it comes from github.com/Meinersbur/ppcg");
  CHECK(make_ppcg()->missing() == "ppcg is not on the PATH; it comes from github.com/Meinersbur/ppcg");
  CHECK(make_pluto()->missing() == "polycc is not on the PATH; it comes from github.com/bondhugula/pluto");
}

TEST_CASE("compare: who makes loops for processors makes no kernels for devices") {
  const auto names = [](const std::string& name, Target target) {
    std::vector<std::string> all;
    for (const auto& peer : make_peers(name, target)) all.push_back(peer->name());
    return all;
  };
  const auto refusal = [](const std::string& name, Target target) {
    return test::message([&] { (void)make_peers(name, target); });
  };
  CHECK(names("ppcg", Target::openmp) == std::vector<std::string>{"ppcg"});
  CHECK(names("ppcg", Target::cuda) == std::vector<std::string>{"ppcg"});
  CHECK(has(make_peers("ppcg", Target::cuda)[0]->what(), "ppcg --target=cuda"));
  CHECK(has(make_peers("ppcg", Target::openmp)[0]->what(), "ppcg --target=c "));
  CHECK(names("polly", Target::openmp).size() == 1);
  CHECK(refusal("polly", Target::cuda) ==
        "--with polly --backend cuda: polly makes loops for processors; for devices there is ppcg");
  const std::string all = "there are plain, polly, graphite, isl, pluto, ppcg";
  CHECK(refusal("poly", Target::cuda) == "--with poly: nobody of that name; did you mean polly?; " + all);
  CHECK(refusal("somebody else altogether", Target::openmp) ==
        "--with somebody else altogether: nobody of that name; " + all);
}

}  // namespace lift::compare_tools_test
