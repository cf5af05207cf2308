// Cells that reduce many elements, as loops: every access within its array, no races, the interpreter's
// result, at sizes that tiles, lanes, blocks and parts do not divide; accumulators are in one array, and
// columns are read by rows.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/space/space.hpp"
#include "run_program.hpp"

using namespace lift;
using namespace lift::test;

namespace folds_test {
namespace {

const std::string kDot = "def dot(x, y) = zip(x, y) |> map(\\(x, y). x * y) |> reduce(add, 0)\n";

SpaceOptions options() {
  SpaceOptions o;
  o.threads = 2, o.vector_bytes = 32;
  return o;
}

/// First guesses and random configurations; how many kernels.
int check(const std::string& text, int random_ones) {
  const Program p = parse_program(text, "folds.lift");
  const Space s(p, options());
  std::vector<Configuration> all = s.seeds();
  std::mt19937 random(3);
  for (int i = 0; i < random_ones; ++i) {
    Configuration c;
    for (const Parameter& d : s.parameters()) {
      const Settings allowed = s.allowed(c, *d.key);
      c.set(*d.key, allowed[random() % allowed.size()]);
    }
    all.push_back(c);
  }
  for (const Configuration& c : all) {
    INFO(str(s.derive(c)));
    run(replay(p, s.derive(c)));
  }
  return static_cast<int>(all.size());
}

}  // namespace

TEST_CASE("folds: rows and columns of matrices") {
  CHECK(check("param a : 45.67.f64\nparam p : 67.f64\n" + kDot +
                  "result q = a |> map(\\r. 2.0 * dot(r, p) + 1.0)",
              20) > 20);
  CHECK(check("param a : 67.45.f64\nparam p : 67.f64\n" + kDot +
                  "result q = a |> transpose |> map(\\c. dot(c, p))",
              60) > 60);
  check("param a : 7.40.f64\nparam b : 40.19.f64\n" + kDot +
            "result q = a |> map(\\r. b |> transpose |> map(\\c. dot(r, c)))",
        30);
  check("param a : 35.3.f64\nresult q = a |> transpose |> map(\\c. c |> reduce(add, 0))",
        10);  // fewer than lanes
}
TEST_CASE("folds: what follows sums is computed of arrays, too") {
  check(
      "param a : 9.67.f64\nresult q = a |> map(\\r. let big = r |> reduce(\\x y. max(x, y), -100.0) in\n"
      "let s = r |> map(\\x. x - big) |> reduce(add, 0) in r |> map(\\x. x - big + 2.0 * s))",
      20);
  check(
      "param a : 67.21.f64\nresult q = a |> transpose |> map(\\c. let s = 1.0 + (c |> map(\\x. x * x) |> "
      "reduce(add, 0)) in "
      "c |> map(\\x. x + s)) |> transpose",
      60);
}
TEST_CASE("folds: windows and planes") {
  check("param a : 15.23.f64\nresult q = a |> slide2(7, 1) |> map2(\\w. 0.5 * (w |> join |> reduce(add, 0)))",
        40);
  check(
      "param a : 15.13.f64\nresult q = a |> pad2(3, 3, clamp) |> slide2(7, 1) |> map2(\\w. w |> join |> "
      "reduce(add, 0))",
      20);
  check(
      "param a : 141.f64\nparam w : 70.f64\n" + kDot + "result q = a |> slide(70, 1) |> map(\\x. dot(x, w))",
      40);
  check(
      "param a : 5.6.41.f64\nresult q = a |> map(\\p. p |> map(\\r. r |> reduce(add, 0)) |> reduce(add, 0))",
      20);
  check("param a : 6.41.23.f64\nresult q = a |> map(\\p. p |> transpose |> map(\\c. c |> reduce(add, 0)))",
        30);
}
TEST_CASE("folds: several results") {
  check("param a : 67.45.f64\nparam p : 45.f64\nparam r : 67.f64\n" + kDot +
            "result q, s = {a |> map(\\row. dot(row, p)), a |> transpose |> map(\\c. dot(c, r))}",
        20);
  check("param a : 67.45.f64\nparam p : 45.f64\n" + kDot +
            "result s = let t = a |> map(\\row. dot(row, p)) in a |> transpose |> map(\\c. dot(c, t))",
        20);
}

TEST_CASE("folds: rows of accumulators are not copied, and columns are read by rows") {
  const Program p =
      parse_program("param a : 66.40.f64\nresult q = a |> transpose |> map(\\c. 2.0 * (c |> reduce(add, 0)))",
                    "folds.lift");
  const Space s(p, options());
  const Kernel k =
      run(replay(p, s.derive({{"order", "k i"}, {"inner", "vec"}, {"tile", "i8"}, {"unroll", "4"}})));
  CHECK(count<Allocate>(k.body) == 1);  // the 64 elements of blocks and the two that are left are one array's
}

}  // namespace folds_test
