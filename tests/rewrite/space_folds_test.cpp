// The space of cells that reduce many elements: which vectors go along what, and that all variants mean the
// same.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/space/keys.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_folds_test {
namespace {

const std::string kDot = "def dot(x, y) = zip(x, y) |> map(\\(x, y). x * y) |> reduce(add, 0)\n";

Program rows(int n, int m) {
  const std::string size = std::to_string(n) + "." + std::to_string(m);
  return parse_program("param a : " + size + ".f64\nparam p : " + std::to_string(m) + ".f64\n" + kDot +
                           "result q = a |> map(\\row. 2.0 * dot(row, p) + 1.0)",
                       "rows.lift");
}
Program columns(int n, int m) {
  const std::string size = std::to_string(n) + "." + std::to_string(m);
  return parse_program("param a : " + size + ".f64\nparam p : " + std::to_string(n) + ".f64\n" + kDot +
                           "result q = a |> transpose |> map(\\column. dot(column, p))",
                       "columns.lift");
}
/// The rest of the cells of tiles, of the elements of blocks, parts and lanes are all there.
constexpr int kMany = 67, kCells = 45;

/// Random configurations keep the meaning but for rounding.
void check_meaning(const Program& p, int random_ones, const SpaceOptions& o = options()) {
  const Space s(p, o);
  const auto values = values_of(p, 1);
  const Value expected = interpret(p.body, values);
  std::mt19937 random(7);
  std::vector<Configuration> all = s.seeds();
  for (int i = 0; i < random_ones; ++i) all.push_back(random_configuration(s, random));
  for (const Configuration& c : all) {
    const Derivation d = s.derive(c);
    const Program q = replay(p, parse_derivation(str(d)));
    CHECK_MESSAGE(difference(interpret(q.body, values), expected) < 1e-12, str(d));
  }
}

}  // namespace

TEST_CASE("space: rows are reduced by vectors of their elements, several rows together") {
  const Space s(rows(kCells, kMany), options());
  CHECK(has(s, "lanes", "8"));
  CHECK_FALSE(has(s, "inner", "vec"));
  const Configuration first = s.seeds().front();
  CHECK(first[key::tile] == "i4"_sizes);
  CHECK(first[key::lanes] == 4);
  const Derivation d = s.derive(first);
  CHECK(count(d, "reduce-lanes") == 2);  // of the rows in tiles, and of the one that is left
  CHECK(count(d, "map-of-reduce") >= 2);
}

TEST_CASE("space: columns are reduced side by side in vectors, in parts or tiles that threads share") {
  const Space s(columns(kMany, kCells), options());
  CHECK_FALSE(has(s, "lanes", "2"));
  CHECK(has(s, "inner", "vec"));
  CHECK(s.seeds().front()[key::inner] == Inner::vec);
  CHECK(s.seeds().front()[key::parts] == "k33"_sizes);
  // Of many, whole blocks.
  CHECK(Space(columns(4011, kCells), options()).seeds().front()[key::parts] == "k2000"_sizes);
  SpaceOptions alone = options();
  alone.threads = 1;
  CHECK(find(Space(columns(kMany, kCells), alone), "parts") == nullptr);
}

TEST_CASE("space: what lies next to each other decides, not what is transposed") {
  // The columns of a transposed array are rows in memory.
  const Program p = parse_program(
      "param a : 45.67.f64\nresult q = a |> transpose |> transpose |> map(\\r. r |> reduce(add, 0))",
      "twice.lift");
  const Space s(p, options());
  CHECK(has(s, "lanes", "8"));
  CHECK_FALSE(has(s, "inner", "vec"));
}

TEST_CASE("space: sums whose order matters keep it") {
  const Program p =
      parse_program("param a : 45.67.f64\nresult q = a |> map(\\r. r |> reduce(\\acc x. 0.5 * acc + x, 0.0))",
                    "folds.lift");
  const Space s(p, options());
  CHECK(find(s, "lanes") == nullptr);
  CHECK(has(s, "tile", "i4"));
  check_space(p, options(), 20, 2);  // to the bit
}

TEST_CASE("space: variants of rows, columns, windows and what follows a sum mean the same") {
  check_meaning(rows(kCells, kMany), 30);
  check_meaning(columns(kMany, kCells), 60);
  const auto of = [](const std::string& text) { return parse_program(text, "folds.lift"); };
  check_meaning(
      of("param a : 9.67.f64\nresult q = a |> map(\\r. let big = r |> reduce(\\x y. max(x, y), -100.0) in\n"
         "let s = r |> map(\\x. x - big) |> reduce(add, 0) in r |> map(\\x. (x - big) / s))"),
      20);
  check_meaning(
      of("param a : 67.21.f64\nresult q = a |> transpose |> map(\\c. let s = 1.0 + (c |> map(\\x. x * x) |> "
         "reduce(add, 0)) in c |> map(\\x. x / s)) |> transpose"),
      40);
  check_meaning(of("param a : 15.23.f64\nresult q = a |> slide2(7, 1) |> map2(\\w. 0.5 * (w |> join |> "
                   "reduce(add, 0)))"),
                40);
  check_meaning(of("param a : 7.40.f64\nparam b : 40.19.f64\n" + kDot +
                   "result q = a |> map(\\r. b |> transpose |> map(\\c. dot(r, c)))"),
                40);
  check_meaning(of("param a : 5.6.41.f64\nresult q = a |> map(\\p. p |> map(\\r. r |> reduce(add, 0)) |> "
                   "reduce(add, 0))"),
                20);
  check_meaning(of("param a : 6.41.23.f64\nresult q = a |> map(\\p. p |> transpose |> map(\\c. c |> "
                   "reduce(add, 0) |> sqrt))"),
                30);
}

TEST_CASE("space: each result has the decisions of its own loops") {
  const Program p =
      parse_program("param a : 67.45.f64\nparam p : 45.f64\nparam r : 67.f64\n" + kDot +
                        "result q, s = {a |> map(\\row. dot(row, p)), a |> transpose |> map(\\c. dot(c, r))}",
                    "bicg.lift");
  const Space s(p, options());
  CHECK(has(s, "lanes", "4"));
  CHECK(find(s, "order 2") != nullptr);
  check_meaning(p, 20);
}

}  // namespace space_folds_test
