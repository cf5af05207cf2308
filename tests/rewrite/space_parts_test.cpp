// The space of programs of parts whose loops differ, and the form in which everything that is stored has
// loops.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "rewrite/space/class_keys.hpp"
#include "rewrite/space/stage_form.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_parts_test {
namespace {

Program of(const std::string& text) { return parse_program(text); }

std::string rows_and_columns(const std::string& shape) {
  return "param u : " + shape +
         ".f64\n"
         "def solve(r) = r |> scan(\\c x. 0.5 * c + x, 0.0)\n"
         "result out =\n"
         "let a = u |> map(solve) in\n"
         "a |> transpose |> map(solve) |> transpose\n";
}

}  // namespace

TEST_CASE("space: each part has the decisions of its own loops, and shares them with parts that are alike") {
  const Program p = of(rows_and_columns("32.48"));
  const Space s(p, options());
  CHECK(find(s, "order") != nullptr);    // of the rows
  CHECK(find(s, "order 2") != nullptr);  // of the columns
  CHECK(s.derive({{"order", "k i"}}) != s.derive({{"order", "i k"}}));
  CHECK(s.derive({{"order 2", "k i"}}) != s.derive({{"order 2", "i k"}}));
  check_space(p, options(), 8, 3);
  const Space alike(of("param u : 37.41.f64\ndef solve(r) = r |> scan(\\c x. 0.5 * c + x, 0.0)\n"
                       "result out = let a = u |> map(solve) in a |> map(solve)\n"),
                    options());
  CHECK(find(alike, "order") != nullptr);
  CHECK(find(alike, "order 2") == nullptr);
}

TEST_CASE("space: a part overwrites the array that its base is a view of") {
  check_space(
      of("param p : 4.3.f64\nparam q : 4.3.i64\nparam r : 1.3.2.f64\noverwrite p\n"
         "result = {update(zip2(p, q) |> map2(\\(p, q). p), 2, r |> map2(\\xs. 1.0)), "
         "generate(2, \\i. f32(i)) |> map(\\x. generate(1, \\i. 1) |> map(\\y. generate(3, \\i. f64(i))) |> "
         "pad(2, 1, wrap))}"),
      options(), 4, 4);
}

TEST_CASE("space: scans and reductions beside cells leave no part to one thread") {
  for (const std::string& text : std::vector<std::string>{
           rows_and_columns("37.41"),  // primes: no tiles
           "param u, f : 64.70.f64\nresult r, s =\n"
           "let r = zip2(u |> pad2(1, 1, constant 0) |> slide2(3, 1), f) |> map2(\\(w, f). f - w[0, 1]) in\n"
           "{r, r |> join |> map(\\x. x * x) |> reduce(add, 0)}\n",
           "param u : 64.70.f64\nresult s, r =\n"
           "let v = u |> map(\\r. r |> scan(add, 0)) |> join |> reduce(add, 0) in\n"
           "{v, u |> map2(\\x. 2 * x)}\n",
           "param u : 64.70.f64\nresult s, r =\n"
           "{u |> map(\\r. r |> scan(add, 0)) |> join |> reduce(add, 0), u |> map2(\\x. 2 * x)}\n",
           "param u : 64.70.f64\nresult x =\n"
           "let m = u |> join |> reduce(add, 0) in u |> map2(\\v. v - m)\n"}) {
    CAPTURE(text);
    const Program p = of(text);
    const Space s(p, options());
    const Derivation d = s.derive(s.seeds().front());
    CHECK(count(d, "map-par") >= 2);
  }
}

TEST_CASE("space: what windows or rows read again is a stage, with a name or without") {
  const std::string start =
      "param u : 23.17.f64\ndef five(w) = w[0] + 4 * w[1] - w[2]\n"
      "def along(r) = r |> pad(1, 1, clamp) |> slide(3, 1) |> map(five)\n"
      "def around(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1)\n"
      "def cross(w) = w[0, 1] - w[1, 2] * w[2, 1]\nresult r = ";
  const auto stages = [&](const std::string& body) {
    const Program p = of(start + body);
    check_space(p, options(), 6, 1);
    const Space s(p, options());
    return count(s.derive(s.seeds().front()), "let-part");
  };
  CHECK(stages("u |> map(along) |> transpose |> map(along) |> transpose") == 1);
  CHECK(stages("around(around(u) |> map2(cross)) |> map2(cross)") == 1);
  CHECK(stages("around(zip2(u, around(u) |> map2(cross)) |> map2(\\(x, y). x - y)) |> map2(cross)") == 1);
  CHECK(stages("zip2(u, around(u) |> map2(cross)) |> map2(\\(x, y). x - y)") == 0);  // read once
  CHECK(stages("u |> map(\\r. r |> map(\\x. x * x)) |> map(\\r. r |> map(\\x. x + 1))") == 0);
}

TEST_CASE("space: keys of further classes are found by their names") {
  const Key* order = find_key("order");
  REQUIRE(order != nullptr);
  CHECK(find_key("order 2") == &key_of_class(*order, 2));
  CHECK(std::string(find_key("order 2")->name) == "order 2");
  CHECK(find_key("order 1") == nullptr);
  CHECK(find_key("nothing 2") == nullptr);
  CHECK(&key_of_class(*order, 1) == order);
}

TEST_CASE("space: tiles of columns are whole vectors where those divide them, else what does") {
  const Program p =
      of("param u : 9.38.f64\ndef solve(r) = r |> scan(\\c x. 0.5 * c + x, 0.0)\n"
         "result out = u |> transpose |> map(solve) |> transpose\n");
  const Space s(p, options());
  CHECK(has(s, "tile", "i2") == false);
  CHECK(has(s, "tile", "i19"));
  check_space(p, options(), 10, 3);
  const Space whole(of("param u : 9.40.f64\ndef solve(r) = r |> scan(\\c x. 0.5 * c + x, 0.0)\n"
                       "result out = u |> transpose |> map(solve) |> transpose\n"),
                    options(Target::openmp, 32));
  CHECK(has(whole, "tile", "i8"));
  CHECK(has(whole, "tile", "i20"));  // of vectors of four
}

TEST_CASE("space: stages that a periodic border keeps apart go in step where they wrap once, else not") {
  const auto chain = [](const std::string& border) {
    return of(
        "param x : 64.40.f64\n"
        "def around(x) = x |> pad2(1, 1, " +
        border +
        ") |> slide2(3, 1)\n"
        "def five(w) = w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]\n"
        "result a, b =\nlet c = around(x) |> map2(five) in let d = around(c) |> map2(five) in\n"
        "{d, zip2(around(d), c) |> map2(\\(w, c). five(w) + c)}\n");
  };
  const Space periodic(chain("wrap"), options()), closed(chain("clamp"), options());
  const Derivation once = periodic.derive(periodic.seeds().front());
  CHECK(count(once, "wrap-once") == 1);
  CHECK(count(once, "in-step") == 1);
  REQUIRE(find(closed, "time") != nullptr);
  CHECK(find(closed, "strips") != nullptr);  // though a result is read by another one
  const Derivation d = closed.derive(closed.seeds().front());
  CHECK(count(d, "in-tiles") + count(d, "map-par") > 0);
  const Derivation each = periodic.derive({{"wraps", "each"}});
  CHECK(count(each, "in-step") == 0);
  CHECK(count(each, "map-par") >= 3);
  check_space(chain("wrap"), options(), 6, 1);
  check_space(chain("clamp"), options(), 8, 1);
}

TEST_CASE("space: what is generated, or copied to a result, has loops that threads share") {
  for (const char* text :
       {"result y : 60.50.f64 = generate(60, 50, \\j i. f64(j) * f64(i))\n",
        "param x : 60.50.f64\nresult y = x |> transpose\n",
        "param x : 60.50.f64\nresult y, z = let y = x |> map2(\\v. v + 1) in {y, y |> reverse}\n"}) {
    CAPTURE(text);
    const Space s(of(text), options());
    const Derivation d = s.derive(s.seeds().front());
    CHECK(count(d, "identity-map") == 1);
    CHECK(count(d, "map-par") >= 1);
  }
}

TEST_CASE("space: stored stages below a loop of few iterations share loops within it") {
  const Program p =
      of("param image : 3.40.30.f64\n"
         "def blurred(x) = let a = x |> map(\\r. r |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + "
         "w[2])) in\n"
         "  zip2(x, a) |> map2(\\(x, a). x - a)\n"
         "result out = image |> map(blurred)\n");
  const Space s(p, options());
  const Configuration stored{{"stages", "work"}, {"parallel", "j"}, {"joined", "elements"}};
  CHECK(count(s.derive(stored), "join-loops") == 1);
  check_space(p, options(), 6, 1);
}

TEST_CASE("space: no vectors where an element is read by several neighbours") {
  const Program p =
      of("param x : 20.40.f64\nresult a, b =\nlet a = x |> map2(\\v. v + 1) in\n"
         "{a, a |> map(\\r. interleave(r, r) |> drop(0, 1))}\n");
  const Space s(p, options());
  for (const Configuration& c : s.seeds()) CHECK_NOTHROW(lower(replay(p, s.derive(c)), {.vector_bytes = 16}));
}

TEST_CASE("space: stages of one length may share their loops") {
  const Program p =
      of("param x, y : 30.20.f64\nresult a, b, c =\n"
         "let a = x |> map2(\\v. 2 * v) in let b = y |> map2(\\v. 3 * v) in\n"
         "{a, b, zip2(a, b) |> map2(\\(a, b). a + b)}\n");
  const Space s(p, options());
  for (const char* how : {"no", "rows", "elements"}) CHECK(has(s, "joined", how));
  CHECK(count(s.derive({{"joined", "elements"}}), "join-loops") == 1);
  CHECK(count(s.derive({{"joined", "no"}}), "join-loops") == 0);
  check_space(p, options(), 6, 1);
}

namespace {

/// How often a rule is applied to bring a result, of u : 23.17, into the form of stages.
int uses(const char* rule, const std::string& body, const std::string& results = "r") {
  const Program p = of("param u : 23.17.f64\nparam v : 4.5.6.f64\nresult " + results + " =\n" + body + "\n");
  CAPTURE(body);
  check_space(p, options(), 3, 1);
  return static_cast<int>(count(in_stage_form({p, {}}).steps, rule));
}

}  // namespace

TEST_CASE("space: named rows are computed where they are read, if each element is read once") {
  const auto inlined = [](const std::string& read) {
    return uses("let-inline", "u |> map(\\r. let m = r |> map(\\x. x + 1) in " + read + ")");
  };
  CHECK(inlined("m |> map(\\x. x * x)") == 1);
  CHECK(inlined("concat(r |> take(1), m |> reverse) |> map(\\x. x * x)") == 1);
  CHECK(inlined("interleave(m, m |> map(\\x. 2 * x))") == 0);
  CHECK(inlined("m |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])") == 0);
  CHECK(inlined("r |> map(\\x. x + m[0])") == 0);
  CHECK(uses("let-inline", "u |> map(\\r. let m = r |> scan(add, 0) in m |> map(\\x. x * x))") == 0);
  CHECK(uses("let-inline",
             "v |> map(\\p. let m = p |> map2(\\x. x + 1) in m |> map(\\r. r |> pad(1, 1, clamp) |> "
             "slide(3, 1) |> map(\\w. w[0] + w[2])))") == 0);
}

TEST_CASE("space: cells that one map reads one by one are computed in its loop, wherever it stands") {
  const auto together = [](const std::string& body, const std::string& results = "r") {
    return uses("let-of-maps", body, results);
  };
  const std::string a = "let a = u |> map2(\\x. x * x) in ",
                    pairs = "zip2(a, u) |> map2(\\(x, y). {x - y, x + y})";
  const std::string windows = "u |> slide2(3, 1)) |> map2(\\(a, w). a + w[0, 1] - w[2, 1])";
  CHECK(together(a + "zip2(a |> drop2(1, 1), " + windows) == 1);
  CHECK(together(a + "let b = u |> map2(\\x. x + 1) in zip2(a |> drop2(1, 1), b |> drop2(1, 1), " +
                 "b |> slide2(3, 1)) |> map2(\\(a, b, w). a + b + w[0, 1])") == 1);
  CHECK(together(a + pairs + " |> unzip2", "r, s") == 1);
  CHECK(together(a + "{" + pairs + " |> map2(\\(b, c). b), u |> transpose}", "r, s") == 1);
  CHECK(together(a + "{a, " + pairs + " |> map2(\\(b, c). b)}", "r, s") == 0);
  CHECK(together(a + "{" + pairs + " |> map2(\\(b, c). b), a}", "r, s") == 0);
  CHECK(together(a + "let b = zip2(a, u) |> map2(\\(x, y). x - y) in zip2(a, b) |> map2(\\(x, y). x - y)") ==
        2);
  CHECK(together(a + "zip2(a |> drop2(0, 1), a |> drop2(1, 0)) |> map2(\\(x, y). x - y)") == 0);
  CHECK(together(a + "zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), u) |> map2(\\(w, y). w[0, 1] - y)") == 0);
  CHECK(together(a + "zip2(a, u) |> map2(\\(x, y). x - y * a[0, 0])") == 0);
  CHECK(together(a + "zip2(a, u) |> map2(\\(x, y). {y, x}) |> slide2(3, 1) |> "
                     "map2(\\w. let p = w[0, 1] in let q = w[2, 1] in p.0 - q.1)") == 0);
  CHECK(together(a + "zip2(a |> transpose, u |> transpose) |> map2(\\(x, y). x - y)") == 0);
  CHECK(together("u |> map(\\r. let m = r |> slide(3, 1) |> map(\\w. w[0] * w[2]) in "
                 "zip(m, r |> slide(3, 1)) |> map(\\(x, w). x - w[1]))") == 1);
}

TEST_CASE("space: arrays that lie in one another, or border one another thinly, are one map") {
  const auto joined = [](const std::string& body) { return uses("identity-map", body); };
  const std::string twice = " |> map2(\\x. 2 * x)", more = " |> map2(\\x. x + 1)";
  CHECK(joined("concat(u |> take(4)" + twice + ", u" + more + ")") == 1);
  CHECK(joined("concat(u |> take(5)" + twice + ", u" + more + ")") == 0);
  CHECK(joined("interleave(u" + twice + ", u" + more + ")") == 1);
  CHECK(joined("interleave(u" + twice + ", u" + more + ") |> transpose") == 1);
  CHECK(joined("interleave(u" + twice + ", u |> map(\\r. r |> scan(add, 0)))") == 0);
}

TEST_CASE("space: what scans make of themselves alone is computed before all columns, in each stage") {
  const auto apart = [](const std::string& body) { return uses("scan-fission", body); };
  const std::string solve =
      "scan(\\(c, d) x. {1.0 / (4.0 - c), (x + d) / (4.0 - c)}, {0.0, 0.0}) |> map(\\(c, d). d)";
  CHECK(apart("u |> map(\\r. r |> " + solve + ")") == 1);
  CHECK(apart("let a = u |> map(\\r. r |> " + solve + ") in a |> transpose |> map(\\r. r |> " + solve +
              ") |> transpose") == 2);
  CHECK(apart("u |> map(\\r. r |> scan(\\(c, d) x. {1.0 / (4.0 - c), 2.0 * c}, {0.0, 0.0}) |> map(\\(c, d). "
              "d))") == 0);
  CHECK(apart("u |> map(\\r. r |> scan(\\(c, d) x. {x / (4.0 - c), (x + d) / (4.0 - c)}, {0.0, 0.0}) |> "
              "map(\\(c, d). "
              "d))") == 0);
}

}  // namespace space_parts_test
