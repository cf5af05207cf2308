// Steps of derivations at their edges: updates in place that a rule of one's own makes, verification that is
// asked for or not, what LIFTGEN_TRACE prints, sentences that end with a percent sign.
#include <doctest/doctest.h>

#include <sstream>

#include "ir/expr/build.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/engine/derivation.hpp"
#include "rewrite/own/read_rules.hpp"
#include "rewrite/rules/rules.hpp"
#include "runtime/process.hpp"
#include "tests/message.hpp"
#include "tests/rewrite/space_check.hpp"
#include "tests/spelled.hpp"

namespace lift::engine_edges_test {
namespace {

using test::message;
using test::values_of;

Program read(const std::string& text) { return parse_program("program p\n" + text, "p.lift"); }

/// Two maps of which one can be made.
Program two_maps() {
  return read("param a : 8.f64\nresult y = a |> map(\\x. sqrt(x)) |> map(\\x. x + 2.0)\n");
}
Program one_map() { return read("param a : 8.f64\nresult y = a |> map(\\x. sqrt(x) + 2.0)\n"); }

/// The lines that a trace has printed.
std::vector<std::string> traced(const std::vector<std::string>& variables) {
  const ProcessResult child =
      run_process({"/proc/self/exe", "--no-skip", "--test-case=engine edges child: three applications"},
                  {.timeout_seconds = 120, .variables = variables});
  CHECK_MESSAGE(child.status == 0, child.output);
  std::vector<std::string> all;
  std::istringstream lines(child.output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("-- ")) all.push_back(line);
  return all;
}

}  // namespace

TEST_CASE("engine edges: an update in place that a rule makes is refused where its base is needed") {
  const Rule in_place =
      parse_rules(
          "own: update(xs, (0), xs |> map(f) |> map(g)) = update_in_place(xs, (0), xs |> map(f |> g))")
          .at(0);
  const std::string updated = "update(a, (0), a |> map(\\x. x + 1.0) |> map(\\x. x * 2.0))";
  struct Case {
    std::string text;
    Place at;
    std::string why;  ///< "": it may be there
  };
  const Case cases[] = {
      {"overwrite a\nresult = " + updated, {}, ""},
      {"overwrite a\nresult = let u = " + updated + " in u |> map(\\x. x * 3.0)", {0}, ""},
      {"result = " + updated, {}, "the caller needs a afterwards"},
      {"overwrite a\nresult = let u = " + updated + " in zip(u, a) |> map(\\(x, y). x * y)",
       {0},
       "a has been overwritten before it is read"},
      {"overwrite a\nresult = let b = a |> map(\\x. x * 5.0) in "
       "update(b, (0), b |> map(\\x. x + 1.0) |> map(\\x. x * 2.0))",
       {1, 0},
       "the base is computed, it is no argument"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const Program p = read("param a : 8.f64\n" + c.text + "\n");
    const auto q = apply(in_place, p, c.at);
    CHECK(static_cast<bool>(q) == c.why.empty());
    if (q) {
      const auto values = values_of(p, 1);
      CHECK(identical(interpret(p.body, values), interpret(q->body, values)));
      CHECK(str(q->body).find("update_in_place(a") != std::string::npos);
    } else {
      CHECK_MESSAGE(q.reason().find(c.why) != std::string::npos, q.reason());
    }
  }
}

TEST_CASE("engine edges: what a rule makes is verified where steps are, and only there") {
  const Rule forgets =
      program_rule("forgets", "p = p, but for its arguments", [](const Program& p, const Arguments&) {
        Program q = p;
        q.arguments.clear();
        return Result<Program>(q);
      });
  const Program p = two_maps();
  set_verify_steps(true);
  CHECK(message<InternalError>([&] {
          (void)apply(forgets, p, Place{});
        }).starts_with("verify after rule forgets at body: p breaks the rule closed: not an argument: a"));
  const test::Unverified unverified;
  const auto q = apply(forgets, p, Place{});
  REQUIRE(q);
  CHECK(q->arguments.empty());
  CHECK(q->body == p.body);
}

TEST_CASE("engine edges child: three applications" * doctest::skip()) {
  const Program p = two_maps();
  const auto made = apply(find_rule("map-fusion"), p, Place{});
  REQUIRE(made);
  CHECK(made->body == one_map().body);
  CHECK_FALSE(apply(find_rule("map-fusion"), one_map(), Place{}));
  CHECK_FALSE(apply(find_rule("join-of-split"), p, Place{1}));
}
TEST_CASE("engine edges: LIFTGEN_TRACE prints what becomes of the rules that it names, and of no other") {
  const std::string made = "-- map-fusion at body: " + pretty(one_map().body);
  const std::string refused = "-- map-fusion at body: no: the expression is not of the form of the left side",
                    other = "-- join-of-split at 1: no: the expression is not of the form of the left side";
  struct Case {
    std::string names;
    bool fusion, join;
  };
  for (const auto& [names, fusion, join] : {Case{"map-fusion", true, false},
                                            {"join-of-split", false, true},
                                            {"join-of-split,map-fusion", true, true},
                                            {"all", true, true},
                                            {"map-fusions,fusion,map", false, false},
                                            {"", false, false}}) {
    CAPTURE(names);
    const std::vector<std::string> lines = traced({"LIFTGEN_TRACE=" + names});
    REQUIRE(lines.size() == (fusion ? 2U : 0U) + (join ? 1U : 0U));
    if (fusion) {
      CHECK(lines[0] == made);
      CHECK_MESSAGE(lines[1].starts_with(refused), lines[1]);
    }
    if (join) CHECK_MESSAGE(lines.back().starts_with(other), lines.back());
  }
}

TEST_CASE("engine edges: a sentence may end with a percent sign") {
  const Expr f = hole("f"), g = hole("g"), xs = hole("xs");
  const auto kept = [&](const char* name, const char* sentence) {
    keep_rules({rule(name, map(f, map(g, xs)), map(compose(f, g), xs))
                    .takes("share", "of the arrays")
                    .says(sentence)});
    return prose(Step{name, {"50"}, {}});
  };
  CHECK(kept("own-ends-in-percent", "saves 50 %") == "saves 50 %");
  CHECK(kept("own-argument-in-percent", "saves %1 %") == "saves 50 %");
  CHECK(kept("own-percent-alone", "%") == "%");
  CHECK(kept("own-argument-at-end", "saves %1") == "saves 50");
}

}  // namespace lift::engine_edges_test
