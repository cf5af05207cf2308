// Rules about whole programs that mark arguments, on at least 200 random programs each: the meaning stays,
// and the arrays that are marked are those that the rule says.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/rewrite/instances.hpp"

using namespace lift;
using namespace lift::test;

namespace program_rules_fuzz_test {
namespace {

/// A body from any of the other generators, over its arrays and one more, some of which may be overwritten.
Program random_program(Gen& g) {
  static const std::vector<Generators> all{map_generators(), slide_generators(), scan_generators(),
                                           reduce_generators(), block_generators()};
  const Generators& some = all[static_cast<std::size_t>(g.n(0, static_cast<int>(all.size()) - 1))];
  auto it = some.begin();
  std::advance(it, g.n(0, static_cast<int>(some.size()) - 1));
  Program p{"test", {}, it->second(g).e, {}, {}};
  std::vector<std::string> names;
  visit(p.body, [&](const Expr& e) {
    if (e.is(Op::Param) && std::find(names.begin(), names.end(), param_name(e)) == names.end())
      names.push_back(param_name(e)), p.arguments.push_back(e);
  });
  for (const Expr& a : p.arguments)
    if (a.type().is_array() && g.n(0, 2) == 0) p.overwritable.push_back(param_name(a));
  return p;
}

bool may_be_overwritten(const Program& p, const Expr& a) {
  return std::find(p.overwritable.begin(), p.overwritable.end(), param_name(a)) != p.overwritable.end();
}

struct Marks {
  int accepted = 0, refused = 0, wrong = 0, misplaced = 0;
  std::string first_wrong;
};

Marks check_marks(const char* rule, Op op) {
  Marks m;
  Gen g(5);
  for (int tried = 0; m.accepted < 250 && tried < 2000; ++tried) {
    const Program p = random_program(g);
    const bool possible = std::any_of(p.arguments.begin(), p.arguments.end(), [&](const Expr& a) {
      return a.type().is_array() && !may_be_overwritten(p, a);
    });
    const auto q = apply(find_rule(rule), p, {});
    if (!q) {
      ++m.refused;
      m.misplaced += possible;
      continue;
    }
    ++m.accepted;
    int bare = 0, marked = 0;  // arrays that may not be overwritten have a mark around them, and no others
    visit(q->body, [&](const Expr& e) {
      if (e.is(op))
        marked +=
            e.child(0).is(Op::Param) && e.child(0).type().is_array() && !may_be_overwritten(p, e.child(0))
                ? 1
                : 100000;
      if (e.is(op)) return;
      for (const Expr& c : e.children())
        bare += c.is(Op::Param) && c.type().is_array() && !may_be_overwritten(p, c);
    });
    m.misplaced += bare != 0 || marked == 0 || marked >= 100000 || !possible;
    std::map<std::string, Value> values;
    for (const Expr& a : p.arguments) values[param_name(a)] = g.value(a.type());
    const Value before = interpret(p.body, values), after = interpret(q->body, values);
    if (!(q->body.type() == p.body.type() && identical(before, after)) && m.wrong++ == 0)
      m.first_wrong = str(p.body) + "\n becomes " + str(q->body);
    if (apply(find_rule(rule), *q, {})) ++m.wrong;  // once
  }
  return m;
}

}  // namespace

TEST_CASE("rules that say how arguments may be read keep the meaning") {
  for (const auto& [rule, op] : {std::pair{"read-only", Op::ReadOnly}, {"may-alias", Op::MayAlias}}) {
    const Marks m = check_marks(rule, op);
    CAPTURE(rule);
    CAPTURE(m.first_wrong);
    CHECK(m.accepted >= 200);
    CHECK(m.refused > 10);  // programs in which every array may be overwritten, or without arrays
    CHECK(m.wrong == 0);
    CHECK(m.misplaced == 0);
  }
}

}  // namespace program_rules_fuzz_test
