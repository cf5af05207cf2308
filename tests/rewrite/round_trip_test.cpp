// Parsing what is printed gives the same expression: of every pattern, at every step of derivations, of the
// rules' sides and of random expressions.
#include <doctest/doctest.h>

#include <set>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/space/space.hpp"
#include "tests/rewrite/instances.hpp"

using namespace lift;
using namespace lift::test;

namespace round_trip_test {
namespace {

/// Each expression once; how many there were.
class RoundTrips {
 public:
  void expression(const Expr& e) {
    if (!seen_.insert(e.id()).second) return;
    const Names names = names_of(e);
    for (const std::string& text : {str(e), pretty(e)})
      check(text, e, [&] { return parse_expression(text, names); });
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

/// The pattern with its first choices, and with each other value of each choice; boundary conditions and
/// types take turns.
std::vector<Program> variants(const Pattern& pattern) {
  static const std::vector<std::string> boundaries{"ghost",   "periodic", "dirichlet", "dirichlet-value",
                                                   "neumann", "clamp",    "mirror",    "constant"};
  std::vector<std::map<std::string, std::string>> choices(1);
  for (const auto& [name, values] : pattern.choices)
    for (std::size_t i = 1; i < values.size(); ++i) choices.push_back({{name, values[i]}});
  std::vector<Program> programs;
  for (std::size_t turn = 0; turn < std::max(choices.size(), boundaries.size()); ++turn) {
    Problem p;
    p.box = 6, p.boxes = 2, p.choices = choices[turn % choices.size()],
    p.boundary = boundaries[turn % boundaries.size()], p.type = turn % 2 ? f32 : f64;
    try {
      programs.push_back(pattern.build(p));
    } catch (const UserError&) {  // some combinations do not exist
    }
  }
  return programs;
}

/// Two sweeps in one expression: the analysis of what they may do in place takes seconds.
bool is_two_sweeps(const Program& p) {
  int updates = 0;
  visit(p.body, [&](const Expr& e) { updates += e.is(Op::Update); });
  return updates > 1;
}

}  // namespace

TEST_CASE("round trip: every pattern, choice, boundary condition and type") {
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
    for (std::size_t i = 0; i < programs.size(); i += 3) {
      const Program& p = programs[i];
      if (is_two_sweeps(p)) continue;
      for (const Target target : {Target::openmp, Target::opencl}) {
        SpaceOptions o;
        o.target = target, o.threads = 2, o.vector_bytes = 16;
        const Space s(p, o);
        for (const Configuration& c : s.seeds()) {
          if (!structures
                   .insert(std::string(target == Target::opencl ? "opencl " : "openmp ") + s.structure(c) +
                           s.layout(c))
                   .second)
            continue;
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
  for (const auto& group :
       {map_generators(), split_generators(), drop_and_pad_generators(), slide_generators(),
        rank_generators(), block_generators(), scan_generators(), lowering_generators()})
    for (const auto& [name, instance] : group) {
      Gen gen(3);
      for (int i = 0; i < 12; ++i) {
        const Instance x = instance(gen);
        r.expression(x.e);
        const Program before = whole_program(x.e);
        if (const auto after = apply(find_rule(name), before, x.place, x.arguments))
          r.expression(after->body);
      }
    }
  CHECK(r.count() >= 800);
}

}  // namespace round_trip_test
