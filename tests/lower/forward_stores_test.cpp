// Values that an iteration has stored are at hand: which loads become values.
#include <doctest/doctest.h>

#include "ir/nat/nat.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

using namespace lift;

namespace forward_stores_test {
namespace {

const Nat& index() {
  static const auto& i = *new Nat(Nat::fresh("i", 0, 7));
  return i;
}
Stmt store(const std::string& array, const Nat& at, Term value) {
  return {Store{array, {at}, std::move(value), false}};
}
Term load(const std::string& array, const Nat& at, Scalar type = f64) { return load_term(array, {at}, type); }

/// Loads of `a` that are left in a loop with such a body.
int left(Block body, LoopKind kind = LoopKind::Seq) {
  For f;
  f.var = index(), f.lower = 0, f.upper = 8, f.kind = kind, f.body = std::move(body);
  int n = 0;
  visit(forward_stores({{f}}), [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) { n += !a.store && a.array == "a"; });
  });
  return n;
}

}  // namespace

TEST_CASE("forward-stores: loads of what was stored before are the value") {
  const Nat i = index();
  const Term x = load("x", i);
  CHECK(left({store("a", i, x), store("b", i, load("a", i))}) == 0);
  CHECK(left({store("a", i, x), store("b", i, load("a", i)), store("c", i, load("a", i))}, LoopKind::Vec) ==
        0);
  CHECK(left({store("b", i, load("a", i)), store("a", i, x)}) == 1);       // before
  CHECK(left({store("a", i, x), store("b", i, load("a", i + 1))}) == 1);   // another element
  CHECK(left({store("a", i, x), store("b", i, load("a", i, f32))}) == 1);  // another type
  CHECK(left({store("a", i, x), store("a", i + 1, x), store("b", i, load("a", i))}) == 0);
  CHECK(left({store("a", i, x), store("a", 6 - i, load("x", 0)), store("b", i, load("a", i))}) == 1);
  CHECK(left({store("a", i, x), {Barrier{}}, store("b", i, load("a", i))}) == 1);
}

TEST_CASE("forward-stores: statements outside of loops stay") {
  const Block two{store("a", 0, load("x", 0)), store("b", 0, load("a", 0))};
  CHECK(forward_stores(two).size() == 2);
}

}  // namespace forward_stores_test
