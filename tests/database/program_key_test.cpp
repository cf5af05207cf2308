// By what a program is found again: never by its names, always by what it computes.
#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "ir/expr/build.hpp"
#include "patterns/operators.hpp"
#include "tests/database/sample.hpp"
#include "tuning/database/program_key.hpp"
#include "tuning/expression_problem.hpp"

using namespace lift;

namespace program_key_test {
namespace {

/// A blur over rows and columns with names and a factor.
Program blur(const std::string& n, const std::string& m, const std::string& image, const std::string& name,
             double factor = 0.25, std::int64_t least = 1) {
  const Expr xs = param(image, array({Nat::size(n, least) + Nat::size(m), Nat::size(m)}, f64));
  const auto pixel = [=](Expr w) { return (w[0][1] + w[1][0] + w[1][2] + w[2][1]) * factor; };
  return {name, {xs}, xs | pad2(1, 1, clamp) | slide2(3, 1) | map2(pixel), {}, {name + "_out"}};
}

}  // namespace

TEST_CASE("program key: names of sizes, arguments, results and programs do not count") {
  const std::string text = canonical_text(blur("n", "m", "image", "blur"));
  CHECK(canonical_text(blur("rows", "columns", "x", "soften")) == text);
  for (const char* name : {"image", "blur"}) CHECK(text.find(name) == std::string::npos);
}

TEST_CASE("program key: what is computed does") {
  const std::string text = canonical_text(blur("n", "m", "image", "blur"));
  CHECK(canonical_text(blur("n", "m", "image", "blur", 0.5)) != text);
  CHECK(canonical_text(blur("n", "n", "image", "blur")) != text);
  CHECK(canonical_text(blur("n", "m", "image", "blur", 0.25, 2)) != text);
  Program overwriting = blur("n", "m", "image", "blur");
  overwriting.overwritable = {"image"};
  CHECK(canonical_text(overwriting) != text);
}

TEST_CASE("program key: sizes are in the order in which the program has them, whatever their names") {
  const ProgramKey a = program_key(blur("n", "m", "x", "a"), {{"n", 100}, {"m", 200}}),
                   b = program_key(blur("z", "zz", "x", "b"), {{"z", 100}, {"zz", 200}});
  CHECK(a == b);
  CHECK_FALSE(a == program_key(blur("n", "m", "x", "a"), {{"n", 200}, {"m", 100}}));
  CHECK_THROWS_AS(program_key(blur("n", "m", "x", "a"), {{"n", 200}}), UserError);
}

TEST_CASE(
    "program key: every operator has one over its sizes, which other boxes share and other choices do not") {
  std::set<std::string> all;
  for (const auto& pattern : all_patterns()) {
    CAPTURE(pattern->name);
    Problem small, large;
    small.box = 8, small.boxes = 2, large.box = 16, large.boxes = 4;
    const ProgramKey a = program_key(*pattern, small), b = program_key(*pattern, large);
    CHECK(a.expression == b.expression);
    CHECK_FALSE(a.sizes.empty());
    CHECK(a.sizes != b.sizes);
    CHECK(all.insert(a.expression).second);
    small.type = f32;
    CHECK(program_key(*pattern, small).expression != a.expression);
  }
}

TEST_CASE("program key: an explored expression and one that is compiled have the same") {
  const Program p = blur("n", "m", "x", "a");
  const PatternProblem explored = pattern_of({p, {{"n", 10}, {"m", 20}}, {}, {}});
  CHECK(program_key(explored.pattern, explored.problem) == program_key(p, {{"n", 10}, {"m", 20}}));
}

namespace {

std::string keys_text() {
  std::string s;
  for (const auto& pattern : all_patterns()) s += program_key(*pattern, Problem{}).expression;
  // Sizes that are met together only.
  const Expr xs = param("xs", array({Nat::size("rows_here") + 2 * Nat::size("columns_here")}, f64));
  s += canonical_text({"twice", {xs}, xs | map([](Expr x) { return 2.0 * x; }), {}, {}});
  return s +
         program_key(blur("rows_here", "columns_here", "x", "a"), {{"rows_here", 10}, {"columns_here", 20}})
             .expression;
}

}  // namespace

TEST_CASE("helper: keys of a process that has met sizes in some order" * doctest::skip()) {
  const char* order = ::getenv("LIFTGEN_TEST_ORDER");
  if (order == nullptr) return;
  // Variables, and what is made of them, are numbered as a process meets them.
  std::istringstream names(order);
  for (std::string name; names >> name;) {
    const Nat size = Nat::size(name);
    (void)floordiv(size + 1, 2), (void)(size + Nat::size("q"));
  }
  std::printf("keys %s.\n", keys_text().c_str());
}

TEST_CASE("program key: it is the same in every process") {
  for (const char* order : {"rows_here columns_here boxes", "boxes columns_here rows_here"}) {
    Process other = test::helper("helper: keys of a process*", {std::string("LIFTGEN_TEST_ORDER=") + order});
    CHECK(test::finished(other).find("keys " + keys_text() + ".") != std::string::npos);
  }
}

}  // namespace program_key_test
