// Parsing what is printed gives the same expression: of every pattern, at every step of derivations, of the rules' sides and of
// random expressions.
#include <doctest/doctest.h>

#include <set>

#include "ir/error.hpp"
#include "ir/parse.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/space.hpp"
#include "tests/rewrite/instances.hpp"

using namespace lift;
using namespace lift::test;

namespace {

/// Each expression once; how many there were.
class RoundTrips {
 public:
  void expression(const Expr& e) {
    if (!seen_.insert(e.id()).second) return;
    const Names names = names_of(e);
    for (const std::string& text : {str(e), pretty(e)}) check(text, e, [&] { return parse_expression(text, names); });
  }
  void program(const Program& p) {
    const std::string text = print_program(p);
    CAPTURE(text);
    Program q;
    REQUIRE_NOTHROW(q = parse_program(text));
    CHECK(q.name == p.name);
    CHECK(q.arguments == p.arguments);
    CHECK(q.overwritable == p.overwritable);
    CHECK(q.results == p.results);
    CHECK(q.body == p.body);
    CHECK(print_program(q) == text);
    expression(p.body);
  }
  /// The program and every expression on the way to a low-level one.
  void derivation(Program p, const Derivation& d) {
    for (const Step& step : d) {
      const auto next = apply(find_rule(step.rule), p, step.place, step.parameters);
      REQUIRE(static_cast<bool>(next));
      p = *next;
      expression(p.body);
    }
  }
  std::size_t count() const { return seen_.size(); }

 private:
  template <class F>
  static void check(const std::string& text, const Expr& e, const F& parse) {
    CAPTURE(text);
    Expr p;
    REQUIRE_NOTHROW(p = parse());
    CHECK_MESSAGE(p == e, str(p));
  }
  std::set<std::uint32_t> seen_;
};

/// Every combination of choices, boundary conditions and types that a pattern can be built for.
std::vector<Program> variants(const Pattern& pattern) {
  std::vector<Problem> problems(1);
  problems[0].box = 6, problems[0].boxes = 2;
  const auto multiply = [&](const std::vector<std::string>& values, const std::function<void(Problem&, const std::string&)>& set) {
    std::vector<Problem> more;
    for (const Problem& p : problems)
      for (const std::string& v : values) more.push_back(p), set(more.back(), v);
    problems = std::move(more);
  };
  for (const auto& [name, values] : pattern.choices) multiply(values, [&, &key = name](Problem& p, const std::string& v) { p.choices[key] = v; });
  multiply({"ghost", "periodic", "dirichlet", "neumann"}, [](Problem& p, const std::string& v) { p.boundary = v; });
  multiply({"f32", "f64"}, [](Problem& p, const std::string& v) { p.type = v == "f32" ? f32 : f64; });
  std::vector<Program> programs;
  for (const Problem& p : problems) try {
      programs.push_back(pattern.build(p));
    } catch (const UserError&) {  // some combinations do not exist
    }
  return programs;
}

}  // namespace

TEST_CASE("round trip: every variant of every pattern") {
  RoundTrips r;
  for (const auto& pattern : all_patterns()) {
    const auto programs = variants(*pattern);
    CHECK_MESSAGE(!programs.empty(), pattern->name);
    for (const Program& p : programs) r.program(p);
  }
  CHECK(r.count() >= 16);
}

TEST_CASE("round trip: every step of the derivations that exploration starts from") {
  RoundTrips r;
  for (const auto& pattern : all_patterns()) {
    std::set<std::string> structures;
    const std::vector<Program> programs = variants(*pattern);
    const std::size_t every = std::max<std::size_t>(1, programs.size() / 6) | 1U;  // odd, so that f32 and f64 take turns
    for (std::size_t i = 0; i < programs.size(); i += every) {
      const Program& p = programs[i];
      for (const Target target : {Target::openmp, Target::opencl}) {
        SpaceOptions o;
        o.target = target, o.threads = 2, o.vector_bytes = 16;
        const Space s(p, o);
        for (const Configuration& c : s.seeds()) {
          if (!structures.insert(std::string(target == Target::opencl ? "opencl " : "openmp ") + s.structure(c) + s.layout(c)).second) continue;
          r.derivation(p, s.derive(c));
        }
      }
    }
  }
  CHECK(r.count() >= 60);
}

TEST_CASE("round trip: both sides of every rule") {
  RoundTrips r;
  for (const Rule& rule : all_rules())
    for (const Sides& s : rule.sides) r.expression(s.lhs), r.expression(s.rhs);
  CHECK(r.count() >= 60);
}

TEST_CASE("round trip: random expressions, before and after a rule") {
  RoundTrips r;
  for (const auto& group : {map_generators(), split_generators(), drop_and_pad_generators(), slide_generators(), rank_generators(), block_generators(), lowering_generators()})
    for (const auto& [name, instance] : group) {
      Gen gen(3);
      for (int i = 0; i < 12; ++i) {
        const Instance x = instance(gen);
        r.expression(x.e);
        if (const auto after = apply(find_rule(name), Program{"test", {}, x.e, {}}, x.place, x.arguments)) r.expression(after->body);
      }
    }
  CHECK(r.count() >= 800);
}
