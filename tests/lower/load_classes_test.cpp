// Which of the loads of a value are of elements that loops reach anyway, and what stands for all of them.
#include "lower/analyses/load_classes.hpp"

#include <doctest/doctest.h>

namespace lift::load_classes_test {
namespace {

const Nat i = Nat::fresh("i", 0, 31), j = Nat::fresh("j", 0, 31);

Term load(const std::string& array, const std::vector<Nat>& at, Scalar s = f64) {
  return load_term(array, at, s);
}
Term number(double v, Scalar s) { return constant_term(v, s); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, a->type, {a, b}); }
LoadClasses classes(const std::vector<Term>& loads, const std::vector<Nat>& centre = {}) {
  LoadClasses r(centre);
  for (const Term& l : loads) r.add(l);
  return r;
}

}  // namespace

TEST_CASE("load classes: one load stands for those at a loop's steps from it, the nearest to the centre") {
  struct Case {
    std::string name;
    std::vector<Term> loads;
    std::vector<Nat> centre;
    std::vector<Term> stand;
  };
  const std::vector<Case> cases{
      {"neighbours", {load("x", {i + 1}), load("x", {i - 1}), load("x", {i})}, {}, {load("x", {i})}},
      {"neighbours of the centre",
       {load("x", {i}), load("x", {i + 2}), load("x", {i + 3})},
       {i + 3},
       {load("x", {i + 3})}},
      {"a centre of other dimensions",
       {load("x", {i + 2}), load("x", {i + 3})},
       {i, j + 3},
       {load("x", {i + 2})}},
      {"every other one", {load("x", {2 * i}), load("x", {2 * i + 2})}, {}, {load("x", {2 * i})}},
      {"even and odd ones",
       {load("x", {2 * i}), load("x", {2 * i - 1}), load("x", {2 * i + 1})},
       {},
       {load("x", {2 * i}), load("x", {2 * i - 1})}},
      {"columns of a row",
       {load("x", {i, 0}), load("x", {i + 1, 0}), load("x", {i, 1})},
       {},
       {load("x", {i, 0}), load("x", {i, 1})}},
      {"two arrays", {load("x", {i}), load("y", {i})}, {}, {load("x", {i}), load("y", {i})}},
      {"beside a boundary", {load("x", {i}), load("x", {max(i - 1, 0)})}, {}, {load("x", {i})}},
      {"beside a boundary only", {load("x", {max(i - 1, 0)})}, {}, {load("x", {max(i - 1, 0)})}},
      {"beside another array's boundary",
       {load("x", {i}), load("y", {max(i - 1, 0)})},
       {},
       {load("x", {i}), load("y", {max(i - 1, 0)})}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::vector<Term> found = classes(c.loads, c.centre).loads();
    CHECK(found.size() == c.stand.size());
    for (const Term& t : c.stand) CHECK(std::count(found.begin(), found.end(), t) == 1);
  }
}

TEST_CASE("load classes: their mean, or their sum where there are no fractions") {
  const Term x = load("x", {i}), y = load("y", {i}), w = load("w", {i}, i32), u = load("u", {i}, u8),
             c = load("c", {i}, boolean);
  const auto cast = [](Scalar s, const Term& t) { return apply_term(Op::Cast, s, {t}); };
  // Of nothing: a value that is stored all the same.
  CHECK(classes({}).mean(f64) == number(1, f64));
  CHECK(classes({}).mean(i32) == number(1, i32));
  CHECK(classes({}).mean(boolean) == number(1, boolean));
  CHECK(classes({x}).mean(f64) == x);
  CHECK(classes({w}).mean(f64) == cast(f64, w));
  CHECK(classes({x, y}).mean(f64) == apply_term(Op::Mul, f64, {sum(x, y), number(0.5, f64)}));
  CHECK(classes({w, u}).mean(i32) == sum(cast(i32, u), w));
  CHECK(classes({x}).mean(i32) == cast(i32, x));
  // Of a truth value, whether the mean of numbers is below 1.
  for (const Term& other : {w, c}) {
    const Term mean = classes({x, other}).mean(boolean);
    CHECK(mean->type == boolean);
    CHECK(mean->op == Op::Lt);
    for (const Term& t : {x, other}) {
      bool found = false;
      visit(mean, [&](const Term& part) { found |= part == t; });
      CHECK(found);
    }
  }
}

}  // namespace lift::load_classes_test
