// Decisions on work-groups: each configuration keeps the meaning, and does what it says.
#include <doctest/doctest.h>

#include <array>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "rewrite/space/keys.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_grid_test {
namespace {

/// out = a 7-point stencil of xs plus ys, written into the interior of `base`; in place when it is xs itself.
Program stencil(int boxes, std::array<int, 3> n, bool into_itself) {
  const Type grid = array({Nat(boxes), Nat(n[0] + 2), Nat(n[1] + 2), Nat(n[2] + 2)}, f64);
  const Expr xs = param("xs", grid), ys = param("ys", grid), out = param("out", grid);
  const auto cell = [](Expr w, Expr y) {
    return w[1][1][0] + w[1][1][2] + w[1][0][1] + w[1][2][1] + w[0][1][1] + w[2][1][1] - 6.0 * w[1][1][1] + y;
  };
  const Expr body = zip({xs, ys, out}) | map([&](Expr x, Expr y, Expr o) {
                      const std::vector<Nat> one(3, 1);
                      return update(into_itself ? x : o, one,
                                    zip_n(3, {slide({Nat(3), Nat(3), Nat(3)}, one, x), drop(one, one, y)}) |
                                        map_n(3, cell));
                    });
  return {"stencil", {xs, ys, out}, body, {"xs", "out"}, {}};
}

Program stencil(int boxes, int n, bool into_itself) { return stencil(boxes, {n, n, n}, into_itself); }

int count_of(const Expr& e, Op op) {
  int n = 0;
  visit(e, [&](const Expr& x) { n += x.is(op); });
  return n;
}
Program derived(const Space& s, const Configuration& c) { return replay(s.program(), s.derive(c)); }
bool allows(const Space& s, const Configuration& c, const std::string& name, const std::string& value) {
  const auto all = s.allowed_texts(c, name);
  return std::find(all.begin(), all.end(), value) != all.end();
}

}  // namespace

TEST_CASE(
    "space: tiles and planes in local memory, chunks gone along, several cells an item keep the meaning") {
  const Program p = stencil(2, 9, false);
  const Space s(p, options(Target::opencl));
  const auto values = values_of(p, 1);
  const Value expected = interpret(p.body, values);
  const Space large(stencil(2, 70, false), options(Target::cuda));
  const Configuration tile{{"tile", "k4 j4 i32"}, {"local", "tile"}},
      planes{{"tile", "k32 j8 i32"}, {"local", "planes"}},
      columns{{"tile", "k32 j8 i32"}, {"order", "j i k"}}, shared{{"tile", "j8 i32"}, {"items", "2"}};
  CHECK(count_of(derived(large, tile).body, Op::ToLocal) == 1);
  CHECK(count_of(derived(large, planes).body, Op::CircularBuffer) == 1);
  CHECK(count_of(derived(large, columns).body, Op::MapLcl) == 2);
  CHECK(count_of(derived(large, planes).body, Op::MapWrg) == 4);
  bool dealt = false;
  visit(derived(large, shared).body, [&](const Expr& e) {
    dealt = dealt || (e.is(Op::MapLcl) && loop_option(e, LoopOption::Items) == 4);
  });
  CHECK(dealt);
  const Configuration neighbours{{"tile", "j8 i32"}, {"items", "j4"}},
      columns_of_two{{"tile", "k32 j8 i32"}, {"order", "j i k"}, {"items", "j2"}};
  for (const Configuration& c : {neighbours, columns_of_two}) {
    const Program low = derived(large, c);
    CHECK(count_of(low.body, Op::MapUnroll) == 1);  // within the work-items of both dimensions
    CHECK(count_of(low.body, Op::MapLcl) == 2);
  }
  for (const Configuration& c : s.seeds()) check_configuration(s, c, expected, values);
  CHECK(large.structure(planes).find("planes in local memory") != std::string::npos);
}

TEST_CASE("space: groups of several cells an item keep the meaning where tiles stick out") {
  const Program p = stencil(1, {5, 9, 33}, false);
  const Space s(p, options(Target::cuda));
  const auto values = values_of(p, 1);
  const Value expected = interpret(p.body, values);
  int neighbours = 0;
  for (const Configuration& c : s.seeds()) {
    const AxisSizes& items = c[key::items];
    if (items.empty() || items.list[0].size == 1) continue;
    check_configuration(s, c, expected, values);
    neighbours += items.list[0].axis == "j";
  }
  CHECK(neighbours >= 3);
}

TEST_CASE("space: groups are no larger than the device allows, and local memory holds what is put there") {
  SpaceOptions small = options(Target::opencl);
  small.max_work_group = 128, small.local_bytes = 4096;
  const Space s(stencil(1, 70, false), small);
  CHECK_FALSE(allows(s, {}, "tile", "j8 i32"));
  CHECK(allows(s, {}, "tile", "j4 i32"));
  CHECK_FALSE(allows(s, {{"tile", "j4 i32"}, {"grid", "groups"}}, "local", "planes"));
  small.local_bytes = 48 * 1024;
  CHECK(allows(Space(stencil(1, 70, false), small), {{"tile", "j4 i32"}, {"grid", "groups"}}, "local",
               "planes"));
}

TEST_CASE("space: what is overwritten is not staged") {
  const Program p = stencil(1, 70, true);
  const Space s(p, options(Target::opencl));
  for (const Configuration& c : s.seeds()) {
    CHECK((c[key::local] == Local::none || !c[key::in_place]));
  }
}

}  // namespace space_grid_test
