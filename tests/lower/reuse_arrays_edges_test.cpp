// Work arrays that lie in others: stores in loops that begin where it is known when the kernel runs.
#include <doctest/doctest.h>

#include "lower/loops/verify.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/loops_by_hand.hpp"

namespace lift::reuse_arrays_edges_test {
namespace {

using namespace test::loops_by_hand;

const std::int64_t kElements = 8;

/// v is 2 a; w is v and one more at 2 t + i + 2, in loops over t and over i from `first` to 0; out is w,
/// where that has been stored. For n below 4. Whether w lies in v; out is the same in any case.
bool reused(const std::function<Nat(const Nat& n)>& first) {
  const Nat n = Nat::size("n");
  const auto met = [&](const std::function<Block(const Nat& at)>& body) {
    const For loops = loop(0, 3, [&](const Nat& t) {
      return Block{{loop(first(n), 1, [&](const Nat& i) { return body(2 * t + i + 2); })}};
    });
    return Stmt{If{{compare_term(less(n, 4))}, {{loops}}}};
  };
  const Block body{
      {loop(0, kElements,
            [](const Nat& i) { return Block{put("v", {i}, plus(at("a", {i}), at("a", {i})))}; })},
      met([](const Nat& x) { return Block{put("w", {x}, plus(at("v", {x}), constant_term(1, f64)))}; }),
      met([](const Nat& x) { return Block{put("out", {x}, at("w", {x}))}; })};
  const Type row = array({kElements}, f64);
  Kernel k = kernel(body, row, row);
  k.sizes = {"n"};
  verify(k, Form::Positions, "the test");
  const std::vector<double> before = out_of(k, {{"n", 3}});
  reuse_arrays(k);
  INFO(str(k));
  verify(k, Form::Positions, "reuse-arrays");
  CHECK(out_of(k, {{"n", 3}}) == before);
  return !has_w(k);
}

}  // namespace

TEST_CASE("reuse-arrays: loops of which it is not known where they begin may store an element twice") {
  CHECK(reused([](const Nat&) { return 0; }));
  CHECK(reused([](const Nat&) { return -1; }));
  CHECK_FALSE(reused([](const Nat&) { return -2; }));  // elements 2 and 4 in two iterations
  CHECK_FALSE(reused([](const Nat& n) { return 1 - n; }));
}

}  // namespace lift::reuse_arrays_edges_test
