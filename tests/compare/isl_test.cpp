// What isl makes of loops computes what they compute.
#include <doctest/doctest.h>

#include <fstream>

#include "patterns/operators.hpp"
#include "tests/compare/trials.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/lift_problem.hpp"

namespace lift::compare_isl_test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Problem small(const std::map<std::string, std::string>& choices, int sweeps = 1) {
  Problem p;
  p.box = 12, p.boxes = 2, p.sweeps = sweeps, p.ghost = sweeps, p.choices = choices;
  return p;
}

/// With all these settings; the codes.
std::vector<std::string> check(const Pattern& pattern, const Problem& problem,
                               const std::vector<PeerSettings>& settings,
                               std::unique_ptr<Peer> (*make)() = make_isl) {
  CAPTURE(pattern.name);
  std::vector<std::string> codes;
  const std::unique_ptr<Peer> isl = make();
  const std::vector<Trial> trials = test::trials_of(pattern, problem, [&](const Course& course) {
    std::vector<Job> jobs;
    for (const PeerSettings& s : settings)
      jobs.push_back(isl->make(course, s)), codes.push_back(jobs.back().code);
    return jobs;
  });
  for (std::size_t i = 0; i < trials.size(); ++i) {
    CAPTURE(describe(isl->choices({}), settings[i]));
    CAPTURE(trials[i].message);
    CHECK(std::string(text(trials[i].status)) == "ok");
    if (trials[i].status != Status::ok) MESSAGE(codes[i]);
  }
  return codes;
}

}  // namespace

TEST_CASE("compare: isl's schedules, in tiles and as they are, keep all dependences") {
  if (!make_isl()->missing().empty()) return;
  const std::vector<PeerSettings> some{{"", "4", "8"}, {"stages apart", "8", ""}};
  const auto codes = check(smooth3d(), small({}, 2), some);
  REQUIRE(codes.size() == 2);
  CHECK(has(codes[0], "#pragma omp parallel for"));
  check(smooth3d(), small({{"smoother", "jacobi"}}, 2), some);
  check(find_pattern("residual_restriction3d"), small({{"keep", "yes"}}), some);
  check(find_pattern("prolongation3d"), small({}), some);
}

TEST_CASE("compare: isl tiles the time loop of a user's iteration, in wavefronts") {
  if (!make_isl()->missing().empty()) return;
  for (const char* name : {"nine_point", "leg_of_cycle"}) {
    const PatternProblem p =
        load_lift_file(std::string(LIFTGEN_SOURCE_DIR "/examples/gallery/") + name + ".lift", {{"n", 41}});
    check(p.pattern, p.problem, {{"", "4", "16"}});
  }
}

TEST_CASE("compare: tiles in time keep all dependences, red-black too") {
  if (!make_isl()->missing().empty()) return;
  const std::vector<PeerSettings> some{
      {"diamonds", "4", "4"}, {"diamonds", "8", ""}, {"parallelograms", "4", "4"}};
  check(smooth3d(), small({}, 4), some, make_isl_in_time);
  Problem box = small({{"smoother", "jacobi"}}, 3);
  box.boxes = 1;
  const auto codes = check(smooth3d(), box, some, make_isl_in_time);
  CHECK(has(codes[0], "#pragma omp parallel for"));
  // The eight children of a cell are stored one after the other, and are no chain.
  const Pattern& prolongation = find_pattern("prolongation3d");
  const auto in_time = [](const Pattern& p, const Problem& q) {
    return make_isl_in_time()->applies(course_of(p, q, p.build(q), 2));
  };
  CHECK_FALSE(in_time(prolongation, small({})));
  CHECK_FALSE(in_time(smooth3d(), small({})));
  CHECK(in_time(smooth3d(), small({}, 2)));
  // Stages that read two cells away are skewed by two cells each.
  Problem wide = small({{"smoother", "jacobi"}, {"coefficients", "constant"}, {"stencil", "wide"}}, 3);
  wide.ghost = 6;
  check(smooth3d(), wide, {some.front()}, make_isl_in_time);
  for (const char* name : {"nine_point", "heat_chain"}) {
    const PatternProblem p =
        load_lift_file(std::string(LIFTGEN_SOURCE_DIR "/examples/gallery/") + name + ".lift", {{"n", 41}});
    check(p.pattern, p.problem, {some.front()}, make_isl_in_time);
  }
}

TEST_CASE("compare: tiles in time are refused where vectors would meet, an element being made of the last") {
  if (!make_isl()->missing().empty()) return;
  const Type t = array({Nat(16), Nat(16)}, f64);
  const auto course = [&](bool carries) {
    Course c;
    c.loops.name = "k", c.loops.results = {"a", "out"};
    for (const char* name : {"x", "a", "out"})
      c.loops.arguments.push_back({name, t, Layout({}, t), std::string(name) != "x", true, {}});
    const auto stage = [&](const char* to, const std::function<Term(const Nat& j, const Nat& i)>& value) {
      For j, i;
      j.var = Nat::fresh("j", 1, 15), j.lower = 1, j.upper = 16;
      i.var = Nat::fresh("i", 1, 15), i.lower = 1, i.upper = 16;
      i.body = {{Store{to, {j.var, i.var}, value(j.var, i.var), false}}};
      j.body = {{i}};
      c.loops.body.push_back({j});
    };
    const auto sum = [](const Term& p, const Term& q) { return apply_term(Op::Add, f64, {p, q}); };
    stage("a", [&](const Nat& j, const Nat& i) {
      return sum(load_term("x", {j, i}, f64), load_term(carries ? "a" : "x", {j, i - 1}, f64));
    });
    stage("out", [&](const Nat& j, const Nat& i) {
      return sum(load_term("a", {j - 1, i - 1}, f64), load_term("a", {j, i}, f64));
    });
    return c;
  };
  const auto isl = make_isl_in_time();
  for (const char* form : {"diamonds", "parallelograms"}) {
    CHECK_NOTHROW((void)isl->make(course(false), {form, "8", ""}));
    CHECK(test::message([&] {
            (void)isl->make(course(true), {form, "8", ""});
          }).find("would meet") != std::string::npos);
  }
}

TEST_CASE("compare: isl's schedules of rows, and of loops that can only be one within the other") {
  if (!make_isl()->missing().empty()) return;
  const test::Scratch folder;
  const auto written = [&](const std::string& text) {
    const auto file = folder.path() / "rows.lift";
    std::ofstream(file) << text;
    return load_lift_file(file);
  };
  const std::vector<PeerSettings> some{{"", "4", ""}, {"", "", ""}, {"", "", "8"}};
  const PatternProblem row = written(R"(program row
param x : 37.f64 = wave
result y : 37.f64 = x |> map(\v. 2 * v + 1))");
  for (const std::string& code : check(row.pattern, row.problem, {{"", "4", ""}, {"", "", ""}}))
    CHECK(has(code, "#pragma omp parallel for"));
  // Each element is made of one from the other end of the row before: rows and columns are no tiles together,
  // and rows wait for one another.
  const PatternProblem turned = written(R"(program turned
param x : 9.37.f64 = wave
param first : 37.f64 = wave
result y : 9.37.f64 = x |> scan(\above row.
  zip(above |> reverse, row) |> map(\(a, b). 0.5 * a + b), first))");
  for (const std::string& code : check(turned.pattern, turned.problem, some)) {
    const std::string rows = code.substr(code.rfind("\n    for "));
    CHECK(has(rows, "#pragma GCC ivdep"));
    CHECK(rows.find("#pragma omp parallel for") > rows.find("for (int c1 = "));
  }
  // Tiles as large as all there is leave nothing to go in wavefronts; without tiles there is isl's order.
  const PatternProblem nine =
      load_lift_file(LIFTGEN_SOURCE_DIR "/examples/gallery/nine_point.lift", {{"n", 21}});
  check(nine.pattern, nine.problem, {{"", "64", ""}, {"", "", ""}, {"", "1", "8"}});
}

TEST_CASE("compare: isl makes nothing of loops that there are not") {
  if (!make_isl()->missing().empty()) return;
  Course none;
  none.why_no_loops = "there are none";
  CHECK(test::message([&] { (void)make_isl()->make(none, {"", "4", "8"}); }) == "there are none");
  CHECK_FALSE(make_isl_in_time()->applies(none));
}

namespace {

/// Loops over arrays of 16 elements.
Course course_over(Block body, std::vector<Nat> shape_of_b = {Nat(16)}) {
  Course c;
  c.loops.name = "k", c.loops.results = {"c"}, c.loops.body = std::move(body);
  for (const char* name : {"x", "a", "b", "c"}) {
    const Type t = array(name == std::string("b") ? shape_of_b : std::vector<Nat>{Nat(16)}, f64);
    c.loops.arguments.push_back({name, t, Layout({}, t), std::string(name) != "x", true, {}});
  }
  return c;
}
Stmt over(const Nat& lower, const Nat& upper, const std::function<Block(Nat)>& body) {
  For f;
  f.var = Nat::fresh("v", lower, upper - 1), f.lower = lower, f.upper = upper, f.body = body(f.var);
  return {f};
}
Stmt set(const char* to, const std::vector<Nat>& at, const Term& value) {
  return {Store{to, at, value, false}};
}
Term element(const char* of, const Nat& i) { return load_term(of, {i}, f64); }
Term twice(const Term& t) { return apply_term(Op::Add, f64, {t, t}); }
/// to[i] = 2 * from[i], or from[i] as it is.
Stmt stage(const char* to, const char* from, bool copy = false) {
  return over(0, 16, [=](const Nat& i) {
    return Block{set(to, {i}, copy ? element(from, i) : twice(element(from, i)))};
  });
}

}  // namespace

TEST_CASE("compare: what is no chain of stages that meet has no tiles in time") {
  if (!make_isl()->missing().empty()) return;
  const auto why_not = [](const Course& c) {
    return test::message([&] { (void)make_isl_in_time()->make(c, {"diamonds", "4", ""}); }, "made");
  };
  const auto applies = [](const Course& c) { return make_isl_in_time()->applies(c); };
  const std::string one = "there is one stage only: nothing to tile in time",
                    apart = "its stages meet in no dimension";
  const Course single = course_over({stage("a", "x")}),
               copies = course_over({stage("a", "x", true), stage("c", "a", true)});
  CHECK(why_not(single) == one);
  CHECK(why_not(copies) == one);
  CHECK_FALSE(applies(single));
  CHECK_FALSE(applies(copies));
  CHECK(why_not(course_over({stage("a", "x"), stage("c", "a")})) == apart);
  CHECK(applies(course_over({stage("a", "x"), stage("c", "a")})));
  // Two stages of one copy hand nothing on.
  CHECK_FALSE(applies(course_over({stage("b", "x", true), stage("a", "b"), stage("c", "b")})));
  const auto square = [](const Nat& j) {
    return Block{over(0, 16, [&](const Nat& i) { return Block{set("b", {j, i}, twice(element("x", i)))}; })};
  };
  CHECK(why_not(course_over({over(0, 16, square), stage("a", "x"), stage("c", "a")}, {Nat(16), Nat(16)})) ==
        "its stages write arrays of different dimensions");
  // A loop that says nothing of where is written is one over time, by as many steps as it has iterations.
  const auto in_time = [](const Nat& first, const Nat& end) {
    return course_over({over(first, end, [](const Nat&) { return Block{stage("a", "a")}; })});
  };
  CHECK(why_not(in_time(0, 1)) == one);
  CHECK(why_not(in_time(0, 2)) == apart);
  const Nat n = Nat::size("compare_isl_n", 1);
  for (Course c : {in_time(0, n), in_time(n, n + 4), in_time(n, 9)}) {
    c.loops.arguments.push_back({n.str(), i32, {}, false, true, {1, 4}});
    CHECK(why_not(c) == "how many steps there are in time is no number");
    CHECK_FALSE(applies(c));
  }
  // c1 is no part of c10: so many loops around it, of which the second has two iterations.
  std::function<Block(int)> nest = [&](int depth) {
    if (depth == 10) return Block{stage("a", "a")};
    return Block{over(0, depth == 1 ? 2 : 1, [&](const Nat&) { return nest(depth + 1); })};
  };
  CHECK(why_not(course_over(nest(0))) == apart);
}

TEST_CASE("compare: tiles in time of rows, beside copies of deeper arrays") {
  if (!make_isl()->missing().empty()) return;
  const test::Scratch folder;
  const auto file = folder.path() / "chain.lift";
  std::ofstream(file) << R"(program chain
param x : 41.f64 = wave
param w : 3.4.5.f64 = wave
def sweep(u) = u |> pad(1, 1, clamp) |> slide(3, 1) |> map(\v. 0.25 * v[0] + 0.5 * v[1] + 0.25 * v[2])
result y, z : {41.f64, 3.4.5.f64} = {x |> iterate(6, sweep), w})";
  const PatternProblem p = load_lift_file(file);
  const auto codes = check(
      p.pattern, p.problem,
      {{"diamonds", "4", "4"}, {"parallelograms", "4", "4"}, {"parallelograms", "4", ""}}, make_isl_in_time);
  CHECK(has(codes[0], "#pragma omp parallel for"));
}

}  // namespace lift::compare_isl_test
