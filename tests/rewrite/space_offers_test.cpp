// What a space offers can be derived, and computes what the program does: of programs of which it could not.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/space/facts.hpp"
#include "tests/rewrite/space_check.hpp"

namespace lift::space_offers_test {
namespace {

using namespace test;

/// Sums are of whole numbers, which may be added in any order.
const std::string kTotal = "def total(r) = r |> reduce(add, 0)\n";

const std::string kPair =
    "def both(r) = r |> map(\\x. {x, x * x}) |> reduce(\\p q. {p.0 + q.0, p.1 + q.1}, {0, 0})\n";

}  // namespace

TEST_CASE("space: everything that is offered can be derived") {
  for (
      const std::string& text : {
          // cells that are arrays, which no map makes
          std::string("param u : 6.f64\nparam w : 4.f64\nresult r = u |> map(\\x. w)\n"),
          std::string("param v : 6.3.f64\nresult r = v |> map2(\\y. v |> take(2))\n"),
          std::string("param u : 23.47.f64\nresult d = u |> map2(\\x. generate(3, \\i. x * f64(i)))\n"),
          // updates by what is no map, below maps; where a join makes one array of them
          std::string(
              "param u, v : 3.2.5.f64\nresult a, b = zip2(u, v) |> map2(\\(x, y). update(zip(x, y), 1, "
              "zip(y |> drop(1, 2), x |> drop(2, 1))))\n"),
          std::string(
              "param u, v : 3.2.5.f64\nresult a, b = zip(u, v) |> map(\\(a, b). zip(a, b) |> map(\\(x, y). "
              "update(zip(x, y), 1, zip(y |> drop(1, 2), x |> drop(2, 1))))) |> join\n"),
          // sweeps that are updates by no loop
          std::string("param u, v : 5.6.f64\ndef sweep(x) = update(x, 1, x |> take(1))\n"
                      "result a, b = let a = zip2(u, v) |> map(sweep) in a |> map(sweep)\n"),
          // stages in two phases, where they are stored only
          std::string(
              "param u : 32.4.f64\ndef sweep(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> "
              "map2(\\w. w[0, 1] + w[2, 1])\nresult r = let a = sweep(u) in let b = sweep(a) in sweep(b)\n"),
          // sums that go over other axes than the first, or are of a part of each row
          kTotal + "param x : 4.5.6.i32\nparam y : 64.i32\nresult q = total(x |> join |> join) + total(y)\n",
          kTotal + "param x : 64.i32\nparam y : 20.3.i32\nresult q = total(x) + total(y |> map(total))\n",
          kTotal + "param x : 64.i32\nparam y : 20.30.i32\nresult q = total(x |> split(4) |> join) + total(y "
                   "|> map(total)) + total(y |> join)\n",
          kTotal + "param x : 200000.i32\nparam y : 300.i32\nresult q = total(x) + total(y)\n",
          // of numbers side by side, before and after one of numbers
          kTotal + kPair + "param x : 300.i32\nresult q = let p = both(x) in total(x) + p.0 * p.1\n",
          kTotal + kPair +
              "param x : 300.i32\nresult q = let t = total(x) in let p = both(x) in p.0 * p.1 + t\n",
          // within a loop over time, of a part of each row
          kTotal +
              "param x : 6.12.34.i32\nparam u : 600.i32\nresult q = let s = x |> map(\\p. p |> drop(1, 1) |> "
              "map(total) |> total) |> total in u |> iterate(9, \\v. v |> pad(1, 1, clamp) |> slide(3, 1) "
              "|> map(\\w. w[0] - w[2] + s))\n",
          // no loops
          std::string("param a, b : f64\nresult q = a * b + 1.0\n"),
          // a join of fewer axes than cells have
          std::string("param u : 5.4.f64\nresult r = u |> map2(\\x. u |> take(2) |> map2(\\y. x + y)) |> "
                      "join\n"),
          kTotal + "param x : 6.12.34.i32\nresult q = x |> map(\\p. p |> drop(1, 1) |> map(\\r. r |> "
                   "map(\\x. x * x) "
                   "|> total) |> total) |> total\n",
      }) {
    CAPTURE(text);
    const Program p = parse_program(text);
    for (const Target target : {Target::openmp, Target::opencl, Target::cuda}) {
      CAPTURE(static_cast<int>(target));
      check_space(p, options(target), 12, 1);
    }
  }
}

TEST_CASE("space: arrays that a join puts side by side are no block of numbers") {
  const auto blocks = [](const std::string& cell) {
    const NestFacts f =
        cell_facts(parse_program("param u, v : 6.4.5.f64\nresult r = zip(u, v) |> map(\\(a, b). zip(a, b) |> "
                                 "map(\\(x, y). " +
                                 cell + ")) |> join\n"),
                   options());
    return f.block.size();
  };
  CHECK(blocks("x[1] + y[2]") == 1);
  CHECK(blocks("update(x, 1, y |> drop(1, 2))") == 0);
}

TEST_CASE("space: nothing is decided about a sum whose length is not known, beside one that is") {
  const Program p = parse_program(kTotal +
                                  "size n where n >= 50\nparam x : 64.f64\nparam y : n.f64\n"
                                  "result q = total(x) + total(y)\n");
  for (const Target target : {Target::openmp, Target::opencl}) {
    const Space s(p, options(target));
    for (const Configuration& c : s.seeds()) {
      const Derivation d = s.derive(c);
      CHECK(replay(p, d).body.type() == p.body.type());
      CHECK(count(d, "reduce-rest") == 0);
    }
  }
}

TEST_CASE("space: a loop over rows is none over numbers, also where it is alone on a grid") {
  SpaceOptions o = options(Target::opencl);
  o.cpu = true, o.threads = 4;
  const Program p = parse_program(
      "param image : 8.20.30.f64\n"
      "def blurred(x) = let a = x |> map(\\r. r |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])) "
      "in "
      "zip(x, a) |> map(\\(x, a). zip(x, a) |> slide(3, 1) |> map(\\w. let s = w[1] in let q = w[2] in s.0 - "
      "q.1 * "
      "s.1))\n"
      "result out = let b = image |> map(blurred) in b |> iterate(100, \\v. v |> pad3(1, 1, clamp) |> "
      "slide3(3, 1) |> "
      "map3(\\w. w[0, 0, 0] - w[1, 2, 0]))\n");
  const Space s(p, o);
  CHECK(str(replay(p, s.derive(s.seeds().front())).body).find("image |> map_seq") == std::string::npos);
}

TEST_CASE("space: steps that overwrite components of one array need names of these") {
  const Program p = parse_program(
      "param u, v : 40.f64\nresult p, q = zip(u, v) |> map(\\(a, b). {a * 2, b + 1}) |> unzip |> iterate(25, "
      "\\t. {update(t.0, 1, t.0 |> drop(1, 1) |> map(\\e. e * 2)), t.1 |> map(\\e. e + 1)})\n");
  const Space s(p, options());
  std::size_t refused = 0;
  for (const Configuration& c : s.seeds()) try {
      const Derivation d = s.derive(c);
      CHECK(replay(p, d).body.type() == p.body.type());
    } catch (const UserError& e) {
      CHECK(std::string(e.what()).find("has no name; name its parts") != std::string::npos);
      ++refused;
    }
  CHECK(refused > 0);
  CHECK(refused < s.seeds().size());
}

}  // namespace lift::space_offers_test
