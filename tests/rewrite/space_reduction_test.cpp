// The space of reductions: parts in parallel, accumulators side by side.
#include <doctest/doctest.h>

#include "ir/expr/reduction.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_reduction_test {
namespace {

Expr flat(Expr x) {
  while (rank_of(x.type()) > 1) x = join(x);
  return x;
}
Expr cells(const std::string& name, const std::vector<Nat>& shape) { return param(name, array(shape, f64)); }

Program largest(const std::vector<Nat>& shape) {
  const Expr x = cells("x", shape), f = fun({Type(f64), Type(f64)}, [](Expr a, Expr e) { return max(a, e); });
  return {"largest", {x}, reduce(f, literal(0, f64), map([](Expr e) { return abs(e); }, flat(x))), {}};
}
/// Of the interiors of boxes with ghost zones.
Program product(std::int64_t boxes, std::int64_t n) {
  const std::vector<Nat> shape{boxes, n + 2, n + 2, n + 2};
  const Expr x = cells("x", shape), y = cells("y", shape);
  const auto inside = [](Expr a) { return flat(map([](Expr box) { return box | drop3(1, 1); }, a)); };
  return {"product",
          {x, y},
          sqrt(zip({inside(x), inside(y)}) | map([](Expr a, Expr b) { return a * b; }) | sum()),
          {}};
}
/// Box by box, plane by plane, row by row.
Program nested(const std::vector<Nat>& shape) {
  const std::function<Expr(Expr)> total = [&](Expr x) -> Expr {
    return rank_of(x.type()) == 1 ? x | sum() : map(total, x) | sum();
  };
  const Expr x = cells("x", shape);
  const int rank = static_cast<int>(shape.size());
  return {"nested",
          {x},
          total(map_n(
              rank, [](Expr e) { return e * e; }, x)),
          {}};
}
Program compensated(std::int64_t n) {
  const Expr x = cells("x", {Nat(n)}), zero = literal(0, f64);
  const Expr pairs = map([&](Expr e) { return tuple({e, zero}); }, x);
  return {"compensated",
          {x},
          let(reduce(two_sum(f64), tuple({zero, zero}), pairs), [](Expr s) { return get(0, s) + get(1, s); }),
          {}};
}

/// Two reductions in one result.
Program ratio(std::int64_t n) {
  const Expr x = cells("x", {Nat(n)}), y = cells("y", {Nat(n)});
  return {"ratio", {x, y}, sqrt(x | sum()) / (1.0 + (y | sum())), {}};
}

/// All values of all parameters keep the meaning but for rounding.
void check_all(const Program& p, std::size_t at_least, const SpaceOptions& o = options()) {
  const Space s(p, o);
  const auto values = values_of(p, 1);
  const Value expected = interpret(p.body, values);
  std::size_t n = 0;
  for (const std::string& parts : s.allowed_texts({}, "parts"))
    for (const std::string& group : s.allowed_texts({{"parts", parts}}, "group"))
      for (const std::string& lanes : s.allowed_texts({{"parts", parts}, {"group", group}}, "lanes")) {
        const Derivation d = s.derive({{"parts", parts}, {"group", group}, {"lanes", lanes}});
        const Program q = replay(p, parse_derivation(str(d)));
        CHECK_MESSAGE(difference(interpret(q.body, values), expected) < 1e-12, str(d));
        ++n;
      }
  CHECK(n >= at_least);
}

}  // namespace

TEST_CASE("space: a reduction over boxes") {
  const Space s(product(64, 30), options());
  CHECK(s.allowed_texts({}, "parts") == Values{"box", "box k", "box k j", "none"});
  CHECK(s.allowed_texts({}, "lanes") == Values{"1", "2", "4", "8"});
  CHECK(Space(product(1, 30), options()).allowed_texts({}, "parts") == Values{"k j", "k", "none"});
  const auto seeds = s.seeds();
  CHECK(seeds[0].at("parts") == "box");
  CHECK(seeds[0].at("lanes") == "4");
  CHECK(s.structure(seeds[0]) == "parts of box, lanes, seq");
  const Derivation d = s.derive(seeds[0]);
  CHECK(count(d, "map-par") == 1);
  CHECK(count(d, "to-global") == 1);
  CHECK(count(d, "reduce-lanes") == 1);
  CHECK(count(d, "reduce-of-join") == 3);
  CHECK(count(d, "reduce-rest") == 1);  // 30 is no multiple of 4
}

TEST_CASE("space: nested reductions") {
  const Space s(nested({Nat(8), Nat(32), Nat(32), Nat(32)}), options());
  CHECK(s.allowed_texts({}, "parts") == Values{"box k", "box", "box k j", "none"});
  const Derivation d = s.derive({{"parts", "box k"}, {"lanes", "4"}});
  CHECK(count(d, "reduce-joined") == 2);  // of the parts, and of rows that go through the same accumulators
  CHECK(count(d, "split-of-rows") == 1);
  CHECK(count(d, "reduce-of-join") == 0);
  CHECK(count(d, "reduce-seq") == 2);
  const Derivation apart = s.derive({{"parts", "box k j"}, {"lanes", "4"}});  // each row is a part
  CHECK(count(apart, "split-of-rows") == 0);
}

TEST_CASE("space: a long array is reduced in chunks") {
  const Space s(largest({Nat(1 << 20)}), options());
  CHECK(s.allowed_texts({}, "parts") == Values{"i65536", "i16384", "i4096", "i1024", "none"});
  CHECK(Space(largest({Nat(1), Nat(100)}), options()).allowed_texts({}, "parts") == Values{"i50", "none"});
}

TEST_CASE("space: on a GPU, the items of a group share a part, and one group has their results") {
  const Space s(product(64, 64), options(Target::cuda));
  CHECK(s.allowed_texts({}, "parts") ==
        Values{"i16384", "i65536", "i4096", "i1024", "box k", "box", "box k j", "none"});
  CHECK(s.allowed_texts({{"parts", "none"}}, "group") == Values{"none"});
  CHECK(s.allowed_texts({{"parts", "box k j"}}, "group") == Values{"none"});
  const Configuration c = s.seeds()[0];
  CHECK(c.at("group") == "256");
  CHECK(c.at("lanes") == "4");
  CHECK(s.structure(c) == "grid none, parts of i, by groups in local memory, lanes, seq");
  const Derivation d = s.derive(c);
  CHECK(count(d, "reduce-of-join") == 0);  // neighbours of rows and planes alike
  CHECK(count(d, "reduce-rest") == 0);
  CHECK(count(d, "reduce-columns") == 4);
  CHECK(count(d, "reduce-lanes") == 2);
  CHECK(count(d, "map-wrg") == 2);
  CHECK(count(d, "map-lcl") == 4);
  CHECK(count(d, "to-local") == 4);
  CHECK(count(d, "at-of-map") == 1);  // the root is taken by the group that has the sum
}

TEST_CASE("space: reductions by groups keep their meaning") {
  const SpaceOptions gpu = options(Target::opencl);
  check_all(largest({Nat(5000)}), 6, gpu);
  check_all(largest({Nat(40), Nat(131)}), 6, gpu);
  check_all(product(2, 12), 8, gpu);
  check_all(compensated(4099), 6, gpu);
  check_all(nested({Nat(8), Nat(16), Nat(16), Nat(2)}), 9, gpu);
  check_all(ratio(4200), 6, gpu);
}

TEST_CASE("space: reductions keep their meaning") {
  check_all(largest({Nat(101)}), 6);
  check_all(largest({Nat(1), Nat(67)}), 6);
  check_all(largest({Nat(7), Nat(9)}), 6);
  check_all(largest({Nat(3), Nat(4), Nat(5)}), 8);
  check_all(product(2, 4), 9);
  check_all(product(1, 5), 6);
  check_all(compensated(77), 6);
  check_all(nested({Nat(2), Nat(3), Nat(4), Nat(5)}), 9);
  check_all(nested({Nat(1), Nat(67)}), 6);
  check_all(nested({Nat(5), Nat(8)}), 6);
}

}  // namespace space_reduction_test
