// How many registers a work-item needs at least.
#include "lower/analyses/registers.hpp"

#include <doctest/doctest.h>

using namespace lift;

namespace registers_test {
namespace {

Term load(int i, Scalar s = f64) { return load_term("x", {Nat(i)}, s); }
Term local(const std::string& name) { return local_term(name, f64); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
Stmt let(const std::string& name, const Term& value) { return {Let{local(name), value}}; }
Stmt store(const Term& value) { return {Store{"y", {Nat(0)}, value, false}}; }
int registers(Block b) {
  Kernel k;
  k.body = std::move(b);
  return least_registers(k);
}

}  // namespace

TEST_CASE("registers: values count from where they are made to where they are used last") {
  CHECK(registers({let("a", load(0)), let("b", load(1)), store(sum(local("a"), local("b")))}) == 4);
  CHECK(registers({let("a", load(0)), store(local("a")), let("b", load(1)), store(local("b"))}) == 2);
  CHECK(registers({let("a", load(0)), let("b", load(1)), let("c", load(2)),
                   store(sum(local("a"), sum(local("b"), local("c"))))}) == 6);
}

TEST_CASE("registers: 32 bits each") {
  const Term a = local_term("a", f32), v = local_term("v", f32, 4);
  CHECK(registers({{Let{a, load(0, f32)}}, store(a)}) == 1);
  CHECK(registers({{Let{v, load_term("x", {Nat(0)}, f32, 4)}}, store(v)}) == 4);
}

TEST_CASE("registers: expressions are computed in the order that takes fewest") {
  // ((0 + 1) + 2) + 3 keeps one sum; a balanced tree keeps one sum while the other is made.
  CHECK(registers({store(sum(sum(sum(load(0), load(1)), load(2)), load(3)))}) == 2);
  const Term balanced =
      sum(apply_term(Op::Mul, f64, {load(0), load(1)}), apply_term(Op::Mul, f64, {load(2), load(3)}));
  CHECK(registers({store(balanced)}) == 4);
}

TEST_CASE("registers: what the next iteration needs stays alive throughout a loop") {
  const Nat k = Nat::fresh("k", 0, 8);
  const Stmt swap{Assign{local("before"), local("now")}};
  const Block body{let("now", load(0)), let("other", load(1)),
                   store(sum(local("before"), sum(local("now"), local("other")))), swap};
  For loop;
  loop.var = k, loop.lower = 0, loop.upper = 9, loop.body = body;
  CHECK(registers({{Declare{local("before"), load(0)}}, {loop}}) == 6);
  CHECK(registers(
            {let("after", load(5)), {Declare{local("before"), load(0)}}, {loop}, store(local("after"))}) ==
        8);
}

}  // namespace registers_test
