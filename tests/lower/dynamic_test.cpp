// The decision dynamic: threads take iterations of what they share a few at a time.
#include <doctest/doctest.h>

#include <algorithm>

#include "emit/emit.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_kernel.hpp"

using namespace lift;

namespace dynamic_test {
using lift::test::run_loops;
using Texts = std::vector<std::string>;

Space space_of(const Program& program, int threads) {
  SpaceOptions options;
  options.threads = threads;
  return Space(program, options);
}

TEST_CASE("dynamic: the outermost shared loop hands out chunks, and computes the same") {
  Problem p;
  p.box = 16, p.boxes = 4;
  for (const char* name : {"smooth3d", "restriction3d", "prolongation3d", "residual3d"}) {
    CAPTURE(name);
    const Program program = find_pattern(name).build(p);
    const Space space = space_of(program, 2);
    const auto expected = run_loops(lower(replay(program, space.derive({}))), 1);
    int handed_out = 0;
    for (const std::string& parallel : space.allowed_texts({}, "parallel"))
      for (const std::string& chunk : space.allowed_texts({{"parallel", parallel}}, "dynamic")) {
        const Configuration c{{"parallel", parallel}, {"dynamic", chunk}};
        const Derivation d = space.derive(c);
        CAPTURE(str(d));
        LowerOptions for_threads;
        for_threads.target = Target::openmp;
        const std::string text = emit_openmp(lower(replay(program, d), for_threads));
        const std::string handed = "schedule(dynamic, " + chunk + ")";
        CHECK((text.find(handed) != std::string::npos) == (chunk != "0"));
        CHECK((space.structure(c).find("dynamic") != std::string::npos) == (chunk != "0"));
        handed_out += chunk != "0";
        const auto got = run_loops(lower(replay(program, d)), 1);
        CHECK(got.results == expected.results);
        CHECK(got.races.empty());
      }
    CHECK(handed_out >= 2);
  }
}

TEST_CASE("dynamic: only where threads share many more iterations than they are, outside of steps in time") {
  Problem p;
  p.box = 64, p.boxes = 1;
  const Program program = find_pattern("restriction3d").build(p);
  const Space space = space_of(program, 2);
  CHECK(space.allowed_texts({{"parallel", "k"}}, "dynamic") == Texts{"0", "1", "4"});  // 32 planes
  CHECK(space.allowed_texts({{"parallel", "k j"}}, "dynamic") == Texts{"0", "1", "4", "16"});
  CHECK(space.allowed_texts({{"parallel", ""}}, "dynamic") == Texts{"0"});
  const Space alone = space_of(program, 1);
  for (const Parameter& x : alone.parameters()) CHECK(x.name() != "dynamic");
  p.box = 16, p.boxes = 32, p.sweeps = 2, p.ghost = 2;
  const Program chain = find_pattern("smooth3d").build(p);
  const Space chains = space_of(chain, 2);
  int in_step = 0;
  for (const char* time : {"k", "j8 k"})
    for (const std::string& parallel : chains.allowed_texts({{"time", time}}, "parallel")) {
      CAPTURE(parallel);
      CHECK(chains.allowed_texts({{"time", time}, {"parallel", parallel}}, "dynamic") == Texts{"0"});
      in_step += parallel != "none";
    }
  CHECK(in_step > 0);  // boxes are shared, enough of them to be handed out
}

TEST_CASE("dynamic: loops that each thread goes through are around those that are handed out") {
  Problem p;
  p.box = 16, p.boxes = 4;
  const Program program = find_pattern("smooth3d").build(p);
  const Space space = space_of(program, 2);
  int inside = 0;
  for (const std::string& parallel : space.allowed_texts({{"in_place", "no"}}, "parallel")) {
    const Configuration c{{"in_place", "no"}, {"parallel", parallel}, {"dynamic", "1"}};
    if (parallel == "none" || space.allowed_texts(c, "dynamic") == Texts{"0"}) continue;
    CAPTURE(parallel);
    LowerOptions for_threads;
    for_threads.target = Target::openmp;
    const std::string text = emit_openmp(lower(replay(program, space.derive(c)), for_threads));
    CHECK(text.find("schedule(dynamic, 1)") != std::string::npos);
    inside += text.find("for (") < text.find("schedule(dynamic, 1)");
  }
  CHECK(inside > 0);
}

}  // namespace dynamic_test
