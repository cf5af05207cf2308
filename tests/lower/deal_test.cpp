// The decision deal: work-items that each go through several iterations of the grid's outermost loop.
#include <doctest/doctest.h>

#include <algorithm>

#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_kernel.hpp"

using namespace lift;

namespace deal_test {
using lift::test::run_loops;

TEST_CASE("deal: fewer items compute every iteration once") {
  Problem p;
  p.box = 8, p.boxes = 4;
  const Program program = find_pattern("smooth3d").build(p);
  SpaceOptions on_grid;
  on_grid.target = Target::cuda;
  const Space space(program, on_grid);
  const auto expected = run_loops(lower(replay(program, Space(program, {}).derive({}))), 1);
  int dealt = 0;
  for (const std::string& grid : space.allowed_texts({}, "grid"))
    for (const std::string& share : space.allowed_texts({{"grid", grid}}, "deal")) {
      const Configuration c{{"grid", grid}, {"deal", share}};
      const Derivation d = space.derive(c);
      CAPTURE(str(d));
      const auto items = std::find_if(d.begin(), d.end(), [](const Step& s) { return s.rule == "items"; });
      REQUIRE((items != d.end()) == (share != "1"));
      if (items != d.end()) {
        const std::int64_t trips = grid.starts_with("box") ? 4 : 8;
        CHECK(items->parameters.at(0).number() == trips / std::stoll(share));
        CHECK(space.structure(c).find("dealt to fewer items") != std::string::npos);
        ++dealt;
      }
      const auto got = run_loops(lower(replay(program, d)), 1);
      CHECK(got.results == expected.results);
      CHECK(got.races.empty());
    }
  CHECK(dealt >= 4);
}

TEST_CASE("deal: only where every item is one of its own, and nothing else runs inside") {
  Problem p;
  p.box = 64, p.boxes = 2;
  const Program program = find_pattern("smooth3d").build(p);
  SpaceOptions on_grid;
  on_grid.target = Target::cuda;
  const Space space(program, on_grid);
  using Texts = std::vector<std::string>;
  CHECK(space.allowed_texts({{"grid", "k j i"}}, "deal") == Texts{"1", "2", "4"});
  CHECK(space.allowed_texts({{"tile", "j8 i32"}, {"grid", "groups"}}, "deal") == Texts{"1"});
  CHECK(space.allowed_texts({{"grid", "solo box k"}}, "deal") == Texts{"1"});
  CHECK(space.allowed_texts({{"in_place", "no"}, {"grid", "box k j i"}}, "deal") == Texts{"1"});
  on_grid.cpu = true;
  const Space on_processors(program, on_grid);
  for (const Parameter& x : on_processors.parameters()) CHECK(x.name() != "deal");
}

}  // namespace deal_test
