// Chains around a period of which only the arguments wrap around: what is computed beyond the period is what
// the stages make around it.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/rewrite/space_check.hpp"

namespace lift::wrapped_once_test {

using test::values_of;

namespace {

Program read(const std::string& text) { return parse_program("program chain\n" + text, "chain.lift"); }

/// The rule has been applied, and nothing else is computed.
void check_wrapped(const Program& p, const std::string& rule, const Arguments& arguments = {}) {
  const auto q = apply(find_rule(rule), p, {}, arguments);
  REQUIRE_MESSAGE(q, q.reason());
  const auto values = values_of(p, 1);
  CHECK_MESSAGE(identical(interpret(p.body, values), interpret(q->body, values)), str(q->body));
}

}  // namespace

TEST_CASE("wrapped once: a stage that is padded otherwise along another axis alone wraps around the period") {
  for (const std::string walls : {"clamp", "mirror", "constant 5.0", "wrap"}) {
    CAPTURE(walls);
    check_wrapped(
        read("param x : 6.8.f64\n"
             "def s(x) = x |> pad2((1, 0), (1, 0), wrap) |> slide2((3, 1), 1) |> map2(\\w. w[0, 0] + "
             "2.0 * w[2, 0])\n"
             "def c(x) = x |> pad2((0, 1), (0, 1), " +
             walls +
             ") |> slide2((1, 3), 1) |> map2(\\w. w[0, 0] + 3.0 * w[0, 2])\n"
             "result = let a = c(x) in let b = s(a) in s(c(b))"),
        "wrap-once");
    check_wrapped(
        read("param x : 6.8.f64\n"
             "def s(x) = x |> pad2((0, 1), (0, 1), wrap) |> slide2((1, 3), 1) |> map2(\\w. w[0, 0] + "
             "2.0 * w[0, 2])\n"
             "def c(x) = x |> pad2((1, 0), (2, 0), " +
             walls +
             ") |> slide2((4, 1), 1) |> map2(\\w. w[0, 0] + 3.0 * w[3, 0])\n"
             "result = let a = c(x) in let b = s(a) in s(c(b))"),
        "wrap-once-along", {1});
    check_wrapped(read("param x : 6.f64\n"
                       "def s(x) = x |> pad(1, 1, wrap) |> slide(3, 1) |> map(\\w. w[0] + 2.0 * w[2])\n"
                       "result = let a = x |> pad(0, 0, " +
                       walls + ") |> slide(1, 1) |> map(\\w. w[0] + 1.0) in s(a)"),
                  "wrap-once");
  }
}

TEST_CASE("wrapped once: along an axis that a pad does not know, what it pads wraps around") {
  check_wrapped(
      read("param x : 6.8.f64\n"
           "def s(x) = x |> pad2((0, 1), (0, 1), wrap) |> slide2((1, 3), 1) |> map2(\\w. w[0, 0] + 2.0 * "
           "w[0, 2])\n"
           "result = let a = x |> pad(1, 1, wrap) |> slide2((3, 1), 1) |> map2(\\w. w[0, 0] + w[2, 0]) in "
           "s(a)"),
      "wrap-once-along", {1});
}

TEST_CASE("wrapped once: first guesses keep the meaning of walls beside a period") {
  const Program p = read(
      "param x : 12.10.f64\n"
      "def s(x) = x |> pad2((1, 0), (1, 0), wrap) |> slide2((3, 1), 1) |> map2(\\w. w[0, 0] + "
      "2.0 * w[2, 0])\n"
      "def c(x) = x |> pad2((0, 1), (0, 1), clamp) |> slide2((1, 3), 1) |> map2(\\w. w[0, 0] + "
      "3.0 * w[0, 2])\n"
      "result = x |> iterate(4, \\x. s(c(x)))");
  const Space space(p, test::options());
  const auto values = values_of(p, 1);
  const Value expected = interpret(p.body, values);
  bool wrapped = false;
  for (const Configuration& c : space.seeds()) {
    const Derivation d = space.derive(c);
    wrapped = wrapped || test::count(d, "wrap-once") > 0 || test::count(d, "wrap-once-along") > 0;
    CHECK_MESSAGE(identical(interpret(replay(p, d).body, values), expected), str(d));
  }
  CHECK(wrapped);
}

TEST_CASE("wrapped once: several arrays that an iteration makes have no planes beyond a period") {
  const Program p = read(
      "def s(x) = x |> pad(1, 1, wrap) |> slide(3, 1) |> map(\\w. w[0] + w[2])\n"
      "param x : 8.f64\n"
      "result = let t = iterate(2, \\(a, b). {a |> map(\\v. v + 1.0), b |> map(\\v. v + 2.0)}, "
      "{x, x}) in let b = s(t.0) in s(b)");
  const auto q = apply(find_rule("wrap-once"), p, {}, {});
  REQUIRE(!q);
  CHECK_MESSAGE(q.reason().find("several arrays as one") != std::string::npos, q.reason());
  CHECK(!q.failure().mistyped);
}

}  // namespace lift::wrapped_once_test
