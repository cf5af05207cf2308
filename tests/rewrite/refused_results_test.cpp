// What rules would make that cannot be: decisions inside or around others, updates in place out of order,
// stages that are not what a rule takes them for. Refused with a reason, and what is close to it is taken.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/rewrite/space_check.hpp"

namespace lift::refused_results_test {

using test::values_of;

namespace {

Program read(const std::string& text) { return parse_program("program p\n" + text, "p.lift"); }

/// All places of nodes of an op, outermost first.
std::vector<Place> places_of(const Expr& e, Op op, const Place& at = {}) {
  std::vector<Place> all;
  if (e.is(op)) all.push_back(at);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    Place below = at;
    below.push_back(static_cast<int>(i));
    for (Place& p : places_of(e.child(i), op, below)) all.push_back(std::move(p));
  }
  return all;
}
/// Why a rule does not hold; "" where it does, and the meaning stays.
std::string refusal(const Program& p, const std::string& rule, const Place& at = {},
                    const Arguments& arguments = {}) {
  const auto q = apply(find_rule(rule), p, at, arguments);
  if (!q) return q.reason();
  const auto values = values_of(p, 1);
  CHECK(q->body.type() == p.body.type());
  CHECK_MESSAGE(identical(interpret(p.body, values), interpret(q->body, values)), str(q->body));
  return "";
}
bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("refused results: decisions about loops inside and around others") {
  struct Case {
    std::string body;
    std::vector<std::pair<std::string, Arguments>> rules;
    std::string why;
  };
  const std::vector<std::pair<std::string, Arguments>> any{
      {"map-seq", {}}, {"map-par", {}}, {"map-unroll", {3}}, {"map-vec", {4}}, {"map-glb", {0}}};
  const Case cases[] = {
      {"x |> map(\\v. let t = y |> map_seq(\\u. u * v) in t[3] + t[4])",
       {{"map-vec", {4}}},
       "inside map_vec"},
      {"x |> map_vec<4>(\\v. let t = y |> map(\\u. u * v) in t[3] + t[4])", any, "inside map_vec"},
      {"x |> map(\\v. [v, v] |> map_par(\\u. u * 2.0) |> reduce(add, 0.0))",
       {{"map-vec", {4}}},
       "inside map_vec"},
      {"b |> map(\\r. let t = r |> map_vec<4>(\\v. v + 1.0) in t[0] + t[3])",
       {{"map-vec", {4}}},
       "inside map_vec"},
      {"{x |> map_glb<0>(\\v. v + 1.0), y |> map(\\v. v * 2.0)}", {{"map-par", {}}}, "one-machine"},
      {"{x |> map_par(\\v. v + 1.0), y |> map(\\v. v * 2.0)}", {{"map-glb", {0}}}, "one-machine"},
      {"b |> map(\\r. r |> map_par(\\v. v + 1.0))", {{"map-glb", {0}}}, "one-machine"},
      {"b |> map(\\r. r |> map_glb<0>(\\v. v + 1.0))", {{"map-par", {}}, {"map-wrg", {0}}}, ""},
      {"b |> map(\\r. r |> map_wrg<0>(\\v. v + 1.0))", {{"map-glb", {0}}}, "inside a work-item"},
      {"c |> map_wrg<0>(\\p. p |> map(\\r. r |> map_wrg<1>(\\v. v + 1.0)))",
       {{"map-lcl", {0}}},
       "inside a work-item"},
      {"c |> map(\\r. r |> map_glb2<0>(\\v. v + 1.0))",
       {{"map-glb", {0}}, {"map-glb", {1}}},
       "same dimension"},
      {"c |> map2(\\r. r |> map_glb<1>(\\v. v + 1.0))",
       {{"map-glb", {0}}, {"map-glb", {1}}},
       "same dimension"},
      {"c |> map2(\\r. r |> map_wrg<1>(\\v. v + 1.0))", {{"map-wrg", {0}}}, "same dimension"},
  };
  for (const Case& c : cases) {
    const Program p =
        read("param x : 9.f64\nparam y : 9.f64\nparam b : 4.4.f64\nparam c : 2.3.4.f64\nresult = " + c.body);
    std::vector<Place> at = places_of(p.body, Op::Map);
    REQUIRE(at.size() == 1);
    for (const auto& [rule, arguments] : c.rules) {
      CAPTURE(c.body);
      CAPTURE(rule);
      const std::string why = refusal(p, rule, at[0], arguments);
      CHECK(why != "");
      CHECK_MESSAGE(
          (c.why.empty() || mentions(why, c.why) || mentions(why, "work-item") || mentions(why, "nested")),
          why);
    }
  }
}

TEST_CASE("refused results: decisions that may be there stay allowed") {
  const std::pair<std::string, std::pair<std::string, Arguments>> cases[] = {
      {"x |> map_vec<4>(\\v. let t = y |> map(\\u. u * v) in t[3] + t[4])", {"map-unroll", {9}}},
      {"b |> map(\\r. r |> map_vec<4>(\\v. v + 1.0))", {"map-par", {}}},
      {"b |> map(\\r. r |> map_glb<0>(\\v. v + 1.0))", {"map-glb", {1}}},
      {"c |> map(\\r. r |> map_glb2<0>(\\v. v + 1.0))", {"map-glb", {2}}},
      {"c |> map_wrg<0>(\\p. p |> map(\\r. r |> map_seq(\\v. v + 1.0)))", {"map-lcl", {0}}},
      {"c |> map_wrg<0>(\\p. p |> map(\\r. r |> map_lcl<0>(\\v. v + 1.0)))", {"map-lcl", {1}}},
  };
  for (const auto& [body, use] : cases) {
    CAPTURE(body);
    const Program p =
        read("param x : 9.f64\nparam y : 9.f64\nparam b : 4.4.f64\nparam c : 2.3.4.f64\nresult = " + body);
    CHECK(refusal(p, use.first, places_of(p.body, Op::Map).at(0), use.second) == "");
  }
}

TEST_CASE("refused results: what is read before an update in place is not computed after it") {
  const Program p = read(
      "param x : 8.f64\noverwrite x\nresult = let p = x |> map(\\v. v * 2.0) in let y = update_in_place(x, "
      "0, x |> "
      "map(\\v. v + 1.0)) in zip(p, y) |> map(\\(a, b). a + b)");
  int refused = 0;
  for (const Rule& r : all_rules())
    for (const Place& at : {Place{}, Place{1, 0}}) {
      if (!r.parameters.empty()) continue;
      const std::string why = refusal(p, r.name, at);
      refused += mentions(why, "has been overwritten before it is read") ? 1 : 0;
    }
  CHECK(refused >= 2);
  CHECK(mentions(refusal(p, "let-inline"), "has been overwritten before it is read"));
}

TEST_CASE("refused results: steps do not overwrite what the caller needs") {
  const std::string steps =
      "result = {a, b} |> iterate(3, \\(a, b). let c = update(a, 1, a |> drop(1, 1) |> map(\\v. v + 1.0)) in "
      "{c, b})";
  for (const bool free : {false, true}) {
    const Program p =
        read("param a : 6.f64\nparam b : 6.f64\n" + std::string(free ? "overwrite a\n" : "") + steps);
    const std::string why = refusal(p, "overwrite-bases", {0, 0});
    CHECK_MESSAGE((free ? why.empty() : mentions(why, "the caller needs a afterwards")), why);
  }
}

TEST_CASE("refused results: an update in place lies where its base lies, whatever it is looked at by") {
  const std::string bases[] = {"x |> pad(1, 0, clamp) |> drop(1, 0)",
                               "x |> drop(1, 0) |> pad(1, 0, undefined)", "x |> pad(0, 0, clamp)",
                               "x |> reverse |> reverse", "x"};
  for (const std::string& base : bases) {
    CAPTURE(base);
    const Program p = read("param x : 6.f64\noverwrite x\nresult = update(" + base +
                           ", 1, x |> drop(1, 1) |> map(\\v. v + 1.0))");
    const auto q = apply(find_rule("update-in-place"), p, {}, {});
    REQUIRE_MESSAGE(q, q.reason());
    CHECK(q->body.is(Op::UpdateInPlace));
    const Program in_place = *q;
    for (const char* memory : {"to-private", "to-local"}) CHECK(refusal(in_place, memory) != "");
  }
}

TEST_CASE("refused results: tiles of an array that is read as a whole beside its blocks") {
  const auto of = [](const std::string& more) {
    return read(
        "param x : 8.f64\nresult = let r = x |> map(\\v. v * 2.0) in {r, r |> split(2) |> map(\\b. b[0] + " +
        more + ")}");
  };
  CHECK(refusal(of("r[3]"), "let-tile", {}, {2}) != "");
  CHECK(refusal(of("b[1]"), "let-tile", {}, {2}) == "");
}

TEST_CASE("refused results: two arrays take turns for a chain whose result is its last stage") {
  const auto of = [](const std::string& chain) {
    return read(
        "def s(x) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])\nparam x : 8.f64\nresult = "
        "let "
        "a = s(x) in let b = s(a) in let c = s(b) in " +
        chain);
  };
  CHECK(mentions(refusal(of("a"), "two-arrays"), "its result is not what the last stage makes"));
  CHECK(mentions(refusal(of("let d = s(c) in b"), "two-arrays"),
                 "its result is not what the last stage makes"));
  CHECK(refusal(of("let d = s(c) in {c, reduce(add, 0.0, c)}"), "two-arrays") != "");
  CHECK(refusal(of("reduce(add, 0.0, a)"), "two-arrays") != "");
  CHECK(refusal(of("s(c)"), "two-arrays") == "");
}

TEST_CASE("refused results: a space of stages after the result keeps the meaning") {
  const Program p = read(
      "param x : 12.12.f64\ndef s(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\\w. w[0, 1] + w[2, "
      "1])\nresult "
      "= let a = s(x) in let b = s(a) in let c = s(b) in let d = s(c) in let e = s(d) in b");
  test::check_space(p, test::options(), 5, 1);
}

}  // namespace lift::refused_results_test
