// Chains in bands where parts of stages are empty, where one step does not repeat another, and where an
// update has another array than its base: what is computed is what the program says.
#include "tests/lower/in_step_chains.hpp"

namespace lift::bands_kept_test {

using in_step_test::check_same;
using in_step_test::stepped;
using in_step_test::u;

namespace {

struct Use {
  std::string rule;
  Arguments arguments = {};
};
/// The program after the rules, or why one of them does not hold.
Result<Program> after(Program p, const std::vector<Use>& rules) {
  for (const Use& use : rules) {
    const auto q = apply(find_rule(use.rule), p, {}, use.arguments);
    if (!q) return Failure{use.rule + ": " + q.reason()};
    p = *q;
  }
  return p;
}
/// Refused, or the same numbers; how many of them were taken.
int check_if_taken(const Program& p, const std::vector<std::vector<Use>>& ways) {
  int taken = 0;
  for (const auto& rules : ways) {
    const auto q = after(p, rules);
    if (!q) continue;
    check_same(p, *q);
    ++taken;
  }
  return taken;
}
std::string refusal(const Program& p, const std::vector<Use>& rules) {
  const auto q = after(p, rules);
  return q ? "" : q.reason();
}
Program read(const std::string& text) { return parse_program("program chain\n" + text, "chain.lift"); }

}  // namespace

TEST_CASE("bands: steps of a tile are those of the arrays where a stage has nothing to do in it") {
  const Program p = read(
      "param x : 12.f64\nparam y : 6.f64\n"
      "result = let a = update(x, 6, y |> map(\\v. v + 1.0)) in\n"
      "{y |> slide(3, 3) |> map(\\w. w[0] + w[2]), a |> drop(0, 8) |> map(\\v. v + a[3])}");
  std::vector<std::vector<Use>> ways;
  for (const int width : {7, 8, 9, 12})
    for (const int step : {1, 2, 5}) ways.push_back({{"in-phases", {0, width}}, {"in-step", {0, step}}});
  CHECK(check_if_taken(p, ways) > 0);
}

TEST_CASE("bands: rings of rows repeat themselves from step to step where rows are made in pairs") {
  const Program p = read(
      "param u : 6.12.f64\n"
      "result = let xs = u |> map(\\row. row |> split(2) |> map(\\p. p |> map(\\x. x * 2.0)) |> join) in\n"
      "xs |> map2(\\x. x + 1.0)");
  for (const int width : {1, 2, 3, 4, 5, 6}) {
    CAPTURE(width);
    const int taken =
        check_if_taken(p, {{{"rings-in-turns", {width}}, {"in-step", {1, width}}, {"in-step", {0, 1}}}});
    CHECK(taken == (width % 2 == 0 ? 1 : 0));
  }
}

TEST_CASE("bands: an update copies a component of what a stage makes only where that is there") {
  const Program p = read(
      "param u : 12.4.f64\n"
      "result = let xs = u |> map2(\\x. {x * 2.0, x + 1.0}) in\n"
      "update2((xs |> unzip2).0, (1, 0), zip2((xs |> unzip2).0 |> drop2(0, (2, 0)), (xs |> unzip2).1 |> "
      "drop2((1, 0), "
      "(1, 0))) |> map2(\\(x, y). x + y))");
  for (const Use& use :
       {Use{"in-step", {0, 1}}, Use{"in-step", {0, 2}}, Use{"in-step", {1, 1}}, Use{"in-phases", {0, 6}}}) {
    CAPTURE(use.rule);
    CHECK(refusal(p, {use}).find("copies") != std::string::npos);
    check_if_taken(p, {{{"overwrite-dead"}, use}});
  }
  check_if_taken(p, {{{"rings"}, {"in-step", {0, 1}}}, {{"rings"}, {"in-step", {0, 2}}}});
}

TEST_CASE(
    "bands: what a guard keeps is written in its turn where an update has another array than its base") {
  const std::string coloured =
      "update(A, 1, zip(generate(10, \\i. i), A |> slide(3, 1)) |> map(\\(i, w). select(i % 2 == 0, w[0] + "
      "w[2], w[1])))";
  const auto of = [&](const std::string& array) {
    std::string s = coloured;
    for (std::size_t i; (i = s.find('A')) != std::string::npos;) s.replace(i, 1, array);
    return s;
  };
  const Program p = read("param x : 12.f64\noverwrite x\nresult = let a = " + of("x") + " in " + of("a"));
  std::vector<std::vector<Use>> ways;
  for (const int width : {1, 2, 3})
    for (const char* rule : {"in-step", "in-phases"}) {
      ways.push_back({{rule, {0, width}}});
      ways.push_back({{"rings"}, {rule, {0, width}}});
      ways.push_back({{"overwrite-dead"}, {rule, {0, width}}});
    }
  CHECK(check_if_taken(p, ways) >= 6);
}

TEST_CASE("bands: what a guard keeps is there when it is copied, though nothing else is read of it") {
  const Program p = read(
      "param x : 12.f64\nparam y : 13.f64\nparam w : 10.f64\noverwrite x\n"
      "result = let z = y |> map(\\v. v * 2.0) in\n"
      "let a = update(x, 1, zip(generate(9, \\i. i), x |> drop(1, 2), z |> drop(4, 0)) |> map(\\(i, v, z). "
      "select(i % 2 "
      "== 0, z, v))) in\n"
      "update(a, 1, zip(generate(10, \\i. i), w, a |> drop(1, 1)) |> map(\\(i, w, v). select(i % 2 == 1, w, "
      "v)))");
  std::vector<std::vector<Use>> ways;
  for (const int width : {1, 2, 3, 8})
    for (const char* rule : {"in-step", "in-phases"}) {
      ways.push_back({{rule, {0, width}}});
      ways.push_back({{"overwrite-dead"}, {rule, {0, width}}});
    }
  CHECK(check_if_taken(p, ways) >= 4);
}

TEST_CASE("bands: elements of a base that is computed of another stage are made when that is there") {
  for (const int first : {0, 2, 3}) {
    CAPTURE(first);
    const Program p = read(
        "param u : 12.5.f64\nparam y : 6.5.f64\n"
        "result = let a = u |> map2(\\x. x * 2.0) in update(a |> map2(\\x. x + 1.0) |> drop(2, 1), " +
        std::to_string(first) + ", y |> map2(\\x. x - 3.0))");
    std::vector<std::vector<Use>> ways;
    for (const int width : {1, 2, 5, 16})
      for (const char* rule : {"in-step", "in-phases"}) ways.push_back({{rule, {0, width}}});
    for (const int width : {1, 3}) ways.push_back({{"in-step", {0, width}}, {"in-step", {1, 1}}});
    CHECK(check_if_taken(p, ways) >= 4);
    CHECK(check_if_taken(p, {{{"rings"}, {"in-step", {0, 2}}}}) == 1);
  }
}

TEST_CASE("bands: what copies a ring plane by plane makes the whole of its array in steps") {
  const Program p = read(
      "param u : 6.8.f64\n"
      "result = let xs = u |> map2(\\x. x + 1.0) in\n"
      "let ys = update2(xs, (1, 2), xs |> drop2((1, 2), (1, 2)) |> map2(\\x. x * 2.0)) in\n"
      "update2(ys, (0, 1), ys |> drop2((0, 1), (0, 1)) |> map2(\\x. x * 3.0))");
  CHECK(refusal(p, {{"rings-in-turns", {2}}, {"in-step", {1, 2}}, {"in-step", {0, 2}}}).find("copies") !=
        std::string::npos);
  check_if_taken(p,
                 {{{"rings"}, {"in-step", {0, 1}}}, {{"rings"}, {"in-step", {1, 2}}, {"in-step", {0, 2}}}});
}

TEST_CASE("bands: a stage that another one overwrites is no ring") {
  const Program p = read(
      "param z : 10.6.f64\n"
      "result = let xs = z |> map2(\\x. x * 2.0) |> to_global in\n"
      "let ys = update_in_place2(xs, 1, zip2(generate(8, 4, \\j i. {j, i}), z |> drop2((2, 0), (0, "
      "2)), xs |> "
      "drop2(1, 1)) |> map2(\\((j, i), z, xs). select((j + i) % 3 == 0, z + 1.0, xs))) in\n"
      "let zs = ys |> map2(\\x. x + 1.0) in ys |> map(\\us. us |> map(\\x. x + 1.0))");
  for (const Use& use : {Use{"rings"}, Use{"rings-in-turns", {2}}}) {
    CAPTURE(use.rule);
    const auto q = after(p, {use});
    if (q) CHECK(q->body.child(0).is(Op::ToGlobal));
  }
}

}  // namespace lift::bands_kept_test
