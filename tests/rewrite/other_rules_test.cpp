// Every rule at every place of what other rules are for: what is not its left side, or comes close to it, is
// refused with a reason; what it takes all the same keeps its meaning.
#include <doctest/doctest.h>

#include <optional>

#include "tests/rewrite/instances.hpp"

using namespace lift;
using namespace lift::test;

namespace other_rules_test {
namespace {

void visit_places(const Expr& e, Place& place, const std::function<void(const Place&)>& f) {
  f(place);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    place.push_back(static_cast<int>(i));
    visit_places(e.child(i), place, f);
    place.pop_back();
  }
}

/// Arguments that a rule might be given: the same number for each of its parameters; two where it takes
/// several.
std::vector<Arguments> arguments_of(const Rule& r, Gen& g) {
  std::vector<Arguments> all;
  for (const std::size_t more : {0, 1}) {
    Arguments a;
    bool several = false;
    for (const RuleParameter& p : r.parameters) {
      several |= p.repeated;
      for (std::size_t n = p.repeated ? 1 + more : 1; n > 0; --n)
        a.emplace_back(p.word ? "joined" : std::to_string(g.n(1, 4)));
    }
    if (more == 0 || several) all.push_back(a);
  }
  return all;
}

struct Found {
  int accepted = 0, refused = 0;
  std::string ill_formed;  ///< a program of which it makes what the verifier refuses, and why
};

void check(const Rule& r, const Program& before, const std::map<std::string, Value>& values,
           const Place& place, const Arguments& arguments, Found& found) {
  std::optional<Result<Program>> made;
  try {
    made = apply(r, before, place, arguments);
  } catch (const std::exception& e) {
    found.ill_formed = str(before.body) + ": " + e.what();
    return;
  }
  const Result<Program>& after = *made;
  if (!after) {
    ++found.refused;
    if (after.reason().empty()) FAIL_CHECK(r.name << " gives no reason");
    return;
  }
  ++found.accepted;
  const Value a = interpret(before.body, values), b = interpret(after->body, values);
  const bool same =
      after->body.type() == before.body.type() && (r.exact ? identical(a, b) : difference(a, b) < 1e-12);
  if (!same)
    FAIL_CHECK(r.name << " at " << str(place) << " of " << str(before.body) << "\n  makes "
                      << str(after->body));
}

void check_all(const Generators& generators) {
  std::map<std::string, Found> found;
  for (const auto& group : generators) {
    Gen g(7);
    for (int n = 0; n < 12; ++n) {
      const Expr e = group.second(g).e;
      const Program before = whole_program(e);
      std::map<std::string, Value> values;
      for (const Expr& p : params_of(e)) values[param_name(p)] = g.value(p.type());
      for (const Rule& r : all_rules())
        for (const Arguments& arguments : arguments_of(r, g)) {
          Place at;
          if (r.on_program)
            check(r, before, values, at, arguments, found[r.name]);
          else
            visit_places(e, at, [&](const Place& place) {
              check(r, before, values, place, arguments, found[r.name]);
            });
        }
    }
  }
  int refused = 0;
  for (const auto& [name, f] : found) {
    refused += f.refused;
    CHECK_MESSAGE(f.ill_formed == "", name << ": " << f.ill_formed);
  }
  CHECK(refused > 1000);
}

}  // namespace

TEST_CASE("other rules: at maps") { check_all(map_generators()); }
TEST_CASE("other rules: at reductions") { check_all(reduce_generators()); }
TEST_CASE("other rules: at split, join and transpose") { check_all(split_generators()); }
TEST_CASE("other rules: at drop, pad and zip") { check_all(drop_and_pad_generators()); }
TEST_CASE("other rules: at windows") { check_all(slide_generators()); }
TEST_CASE("other rules: at primitives of rank D") { check_all(rank_generators()); }
TEST_CASE("other rules: at blocks") { check_all(block_generators()); }
TEST_CASE("other rules: at scans") { check_all(scan_generators()); }
TEST_CASE("other rules: at iterations") { check_all(iterate_generators()); }
TEST_CASE("other rules: at decisions") { check_all(lowering_generators()); }
TEST_CASE("other rules: at decisions of grids") { check_all(grid_generators()); }

}  // namespace other_rules_test
