// Vectors taken apart into scalars, statement by statement: what they compute stays the same.
#include "lower/passes/split_lanes.hpp"

#include <doctest/doctest.h>

#include "lower/loops/verify.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::split_lanes_test {
namespace {

constexpr std::int64_t kLength = 32;

Term x(const Nat& at, int width = 1) { return load_term("x", {at}, f64, width); }
Term lane(const Term& vector, int l) { return shuffle_term({vector}, {l}); }
Term apply(Op op, const Term& a, const Term& b) { return apply_term(op, a->type, {a, b}); }
Stmt put(const Nat& at, const Term& value) { return {Store{"y", {at}, value, false}}; }

std::vector<double> run(Block body) {
  Kernel k;
  k.name = "k", k.results = {"y"};
  for (const auto& [name, type] : {std::pair{"x", f64}, {"y", f64}, {"at", i32}}) {
    const Type t = array({Nat(kLength)}, type);
    k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  }
  k.body = std::move(body);
  INFO(str(k));
  verify(k, Form::Vectors, "split-lanes");
  test::LoopRunner loops;
  for (std::int64_t i = 0; i < kLength; ++i) {
    loops.arrays["x"].push_back(static_cast<double>(i * i % 37)), loops.arrays["y"].push_back(-1.0);
    loops.arrays["at"].push_back(static_cast<double>(i * 5 % 24));
  }
  loops.run(k);
  return loops.arrays.at("y");
}
/// The scalars that a block becomes, which do the same.
Block split(const Block& b) {
  const Block r = split_lanes(b);
  CHECK(run(r) == run(b));
  visit_terms(r, [](const Term& t) { CHECK(t->width == 1); });
  return r;
}
For vectors(const std::function<Block(const Nat&)>& body) {
  For f;
  f.kind = LoopKind::Vec, f.width = 4, f.lower = 0, f.upper = 16, f.step = 4;
  f.var = Nat::fresh("i", 0, 12, 4);
  f.body = body(f.var);
  return f;
}

}  // namespace

TEST_CASE("split-lanes: a number that is made of lanes, where one is stored, named or asked for") {
  const Term v = local_term("v", f64, 4), sum = local_term("sum", f64), most = local_term("most", f64);
  split({{Let{v, x(3, 4)}}, put(0, lane(v, 2)), put(1, apply(Op::Add, lane(v, 0), lane(v, 3)))});
  split({{Let{sum, apply(Op::Add, lane(x(5, 4), 1), lane(x(9, 4), 2))}}, put(2, sum)});
  split({{Declare{most, lane(x(0, 4), 3)}},
         {Assign{most, apply(Op::Max, most, lane(x(8, 4), 1))}},
         put(3, most),
         {If{{apply_term(Op::Lt, boolean, {lane(x(2, 4), 0), lane(x(2, 4), 1)})}, {put(4, most)}}},
         {If{{apply_term(Op::Lt, boolean, {lane(x(2, 4), 1), lane(x(2, 4), 0)})}, {put(5, most)}}},
         {If{{apply_term(Op::Lt, boolean, {x(1), x(2)})}, {put(6, x(7, 4))}}}});
}

TEST_CASE("split-lanes: loops over vectors are loops over as many elements, in turn") {
  const Block r = split({{vectors([](const Nat& i) {
    return Block{put(i, apply(Op::Mul, x(i, 4), shuffle_term({x(i + 1, 4)}, {3, 2, 1, 0})))};
  })}});
  const auto& f = std::get<For>(r.at(0).v);
  CHECK(f.kind == LoopKind::Seq);
  CHECK(f.width == 1);
  CHECK(f.body.size() == 4);
}

TEST_CASE("split-lanes: conditions about elements that other elements name, lane by lane") {
  // x[i + l] where at[..] + l < 9, a mask of a number that is computed.
  const Nat from = position_of(load_term("at", {Nat(2)}, i32), 24);
  TermNode mask;
  mask.kind = TermKind::Lanes, mask.type = boolean, mask.width = 4;
  for (int l = 0; l < 4; ++l) mask.conds.push_back(less(from + l, 12));
  TermNode indices;
  indices.kind = TermKind::LaneIndex, indices.type = i32, indices.width = 4, indices.nats = {from, 3};
  const Term chosen = intern(mask), numbers = apply_term(Op::Cast, f64, {intern(indices)});
  split({{vectors([&](const Nat& i) {
    return Block{put(i, apply_term(Op::Select, f64, {chosen, x(i, 4), numbers}))};
  })}});
  split({put(8, x(from, 4))});  // neighbours from such an element on
  // The element is named by a lane.
  const Term at = local_term("a", i32, 4);
  split({{Let{at, load_term("at", {Nat(1)}, i32, 4)}},
         put(0, x(position_of(lane(at, 2), 24))),
         put(1, x(position_of(lane(load_term("at", {Nat(4)}, i32, 4), 3), 24), 4))});
}

}  // namespace lift::split_lanes_test
