// Rules at places of programs that are written as text: what is refused, what is made.
#pragma once

#include <doctest/doctest.h>

#include <sstream>

#include "ir/expr/interpret.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/sizes.hpp"
#include "ir/expr/verify.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/engine/derivation.hpp"
#include "tests/rewrite/fuzz.hpp"

namespace lift::test {

struct RuleCase {
  std::string rule;  ///< and its arguments
  std::string at;    ///< the first op of this name on the way from the root; none: the body; "step": of the
                     ///< first iteration; "named": of a let at the root
  std::string text;  ///< declarations and the result
  std::string says;  ///< a part of why it is refused, or of what is made
  std::string after = "";  ///< steps before

  Program program() const {
    return replay(parse_program("program p\n" + text, "p.lift"), parse_derivation(after));
  }
};

/// The way to the first op of that name; false: there is none.
inline bool find_op(const Expr& e, const std::string& name, Place& at) {
  if (text(e.op()) == name) return true;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    if (find_op(e.child(i), name, at)) return true;
    at.pop_back();
  }
  return false;
}

inline Result<Program> applied(const RuleCase& c, const Program& p) {
  Place at;
  const std::string op = c.at == "step" ? "iterate" : c.at == "named" ? "" : c.at;
  if (!op.empty()) REQUIRE_MESSAGE(find_op(p.body, op, at), op << " in " << str(p.body));
  if (c.at == "step") at.insert(at.end(), {0, 0});
  if (c.at == "named") at = {1, 0};
  std::istringstream in(c.rule);
  std::string rule, word;
  in >> rule;
  Arguments arguments;
  while (in >> word) arguments.emplace_back(word);
  return apply(find_rule(rule), p, at, arguments);
}

/// A rule refuses a program by its guard, not by the type of what it makes.
inline void check_refused(const RuleCase& c, const Program& p) {
  INFO(c.rule << " of " << str(p.body));
  const Result<Program> q = applied(c, p);
  REQUIRE_MESSAGE(!q, "made " << str(q->body));
  INFO(q.reason());
  CHECK(q.reason().find(c.says) != std::string::npos);
  CHECK(!q.failure().mistyped);
}
inline void check_refused(std::initializer_list<RuleCase> cases) {
  for (const RuleCase& c : cases) check_refused(c, c.program());
}

/// What it makes has the type and the value of what it was given, and is well-formed; sizes
/// that are not known are 8.
inline Program check_made(const RuleCase& c, const Program& p) {
  INFO(c.rule << " of " << str(p.body));
  const Result<Program> q = applied(c, p);
  REQUIRE_MESSAGE(q, q.reason());
  INFO("makes " << str(q->body));
  verify(*q, "the rule");
  Gen g(3);
  std::map<std::string, Value> values;
  std::map<std::string, std::int64_t> sizes;
  for (const Nat& n : sizes_of(p)) sizes[n.str()] = 8;
  const Program before = with_sizes(p, sizes), made = with_sizes(*q, sizes);
  for (const Expr& a : before.arguments) values[param_name(a)] = g.value(a.type());
  CHECK(q->body.type() == p.body.type());
  CHECK(difference(interpret(before.body, values), interpret(made.body, values)) < 1e-12);
  CHECK(str(q->body).find(c.says) != std::string::npos);
  return *q;
}
inline void check_made(std::initializer_list<RuleCase> cases) {
  for (const RuleCase& c : cases) check_made(c, c.program());
}

}  // namespace lift::test
