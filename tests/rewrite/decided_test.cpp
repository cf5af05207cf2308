// Programs with decisions in them, and the same without.
#include "rewrite/analysis/decided.hpp"

#include <doctest/doctest.h>

#include "ir/expr/interpret.hpp"
#include "ir/text/parse.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"

using namespace lift;

namespace decided_test {

TEST_CASE("decisions taken back give the program that was") {
  for (const auto& pattern : all_patterns()) {
    CAPTURE(pattern->name);
    Problem problem;
    problem.box = 64, problem.boxes = 2;
    const Program program = pattern->build(problem);
    CHECK(decision_in(program).empty());
    CHECK(undecided(program).body == program.body);
    for (const Target target : {Target::openmp, Target::cuda}) {
      const Space space(program, {target, 2, 32});
      const Configuration first = space.seeds().at(0);
      const Program decided = replay(program, space.derive(first));
      CHECK_FALSE(decision_in(decided).empty());
      const Program back = undecided(decided);
      CHECK(decision_in(back).empty());
      CHECK(back.body.type() == program.body.type());
    }
  }
}

TEST_CASE("decisions of every kind are taken back") {
  const auto without = [](const std::string& text) {
    return undecided(parse_program("size n = 64\nparam xs : n.f64\nresult = xs |> " + text)).body;
  };
  const auto plain = [](const std::string& text) {
    return parse_program("size n = 64\nparam xs : n.f64\nresult = xs |> " + text).body;
  };
  CHECK(without("split(8) |> map_wrg<0>(\\r. r |> to_local |> map_lcl<0, items 4>(\\x. 2 * x)) |> join") ==
        plain("split(8) |> map(\\r. r |> map(\\x. 2 * x)) |> join"));
  CHECK(without("map_vec<4, prefetch 16>(\\x. 2 * x)") == plain("map(\\x. 2 * x)"));
  CHECK(without("scan_seq<stored, unroll 4>(add, 0)") == plain("scan(add, 0)"));
  CHECK(without("scan_back_seq(add, 0)") == plain("scan_back(add, 0)"));
  CHECK(without("reduce_seq(add, 0)") == plain("reduce(add, 0)"));
}

}  // namespace decided_test
