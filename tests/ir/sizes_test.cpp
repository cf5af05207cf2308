// Sizes: numbers for symbolic lengths, given or solved from arrays.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/sizes.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::message;

namespace sizes_test {
namespace {

const Nat n = Nat::size("n"), m = Nat::size("m");

int line_of_slide = 0;

Program blur() {
  const Expr xs = param("xs", array(f64, n));
  line_of_slide = __LINE__ + 1;
  return {"blur", {xs}, xs | slide(3, 1) | map([](Expr w) { return w[0] + w[1] + w[2]; }), {}};
}

}  // namespace

TEST_CASE("a program over symbolic lengths becomes one over numbers") {
  CHECK(sizes_of(blur()).size() == 1);
  const Program p = with_sizes(blur(), {{"n", 10}});
  CHECK(p.arguments[0].type() == array({10}, f64));
  CHECK(p.body.type() == array({8}, f64));
  CHECK(sizes_of(p).empty());
}

TEST_CASE("sizes that are missing, unknown or impossible") {
  CHECK(message([] { with_sizes(blur(), {}); }) ==
        "blur: the size 'n' has no value; give a number for each of n");
  CHECK(message([] {
          with_sizes(blur(), {{"n", 4}, {"k", 4}});
        }) == "blur: there is no size 'k'; its sizes are n");
  CHECK(message([] {
          with_sizes(blur(), {{"n", 0}});
        }) == "blur: n = 0, but n is at least 1; choose another size");
  const std::string small = message([] { with_sizes(blur(), {{"n", 2}}); });
  CHECK(small.find("blur with n = 2: slide: window of 3 is longer than the length 2") == 0);
  CHECK(small.find("sizes_test.cpp:" + std::to_string(line_of_slide) + "]") != std::string::npos);
  const Program even{"even",
                     {param("xs", array(f64, Nat::size("e", 2, 2, 0)))},
                     param("xs", array(f64, Nat::size("e", 2, 2, 0))),
                     {}};
  CHECK(message([&] {
          with_sizes(even, {{"e", 5}});
        }) == "even: e = 5, but e leaves 0 when divided by 2; choose another size");
}

TEST_CASE("sizes are solved from lengths") {
  CHECK(solve_sizes({{2 * n + 1, 9, "a"}}) == Sizes{{"n", 4}});
  CHECK(solve_sizes({{n * m, 12, "a"}, {m, 3, "b"}}) == Sizes{{"m", 3}, {"n", 4}});
  CHECK(solve_sizes({{n * n, 144, "a"}}) == Sizes{{"n", 12}});
  CHECK(solve_sizes({{n * n * (n + 1), 150, "a"}}) == Sizes{{"n", 5}});
  CHECK(solve_sizes({{n * m, 12, "a"}}).empty());  // not determined
  CHECK(message([] { solve_sizes({{n * n, 145, "xs"}}); }) == "xs has length 145, which cannot be n*n");
  CHECK(message([] {
          solve_sizes({{n, 4, "xs"}, {n + 1, 4, "ys"}});
        }) == "ys has length 4, expected n + 1 = 5 with n = 4");
}

}  // namespace sizes_test
