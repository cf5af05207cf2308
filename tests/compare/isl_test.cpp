// What isl makes of loops computes what they compute.
#include <doctest/doctest.h>

#include "patterns/operators.hpp"
#include "tests/compare/trials.hpp"
#include "tests/message.hpp"
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

}  // namespace lift::compare_isl_test
