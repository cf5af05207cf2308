// Pluto and PPCG, by programs of their names that look at how they are called and give C back.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "compare/table.hpp"
#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/compare/trials.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"

namespace lift::compare_tools_test {
namespace {

using test::Scratch;
using test::Variable;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A folder with a stand-in, first on the PATH.
class StandIn {
 public:
  StandIn(const std::string& name, const std::string& script)
      : path_("PATH", folder_.path().string() + ":" + ::getenv("PATH")) {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file) << "#!/bin/sh\ncalls=" << (folder_.path() / "calls").string() << "\n" << script;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  std::string calls() const { return read_file(folder_.path() / "calls"); }

 private:
  Scratch folder_;
  Variable path_;
};

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

}  // namespace lift::compare_tools_test
