#include "rewrite/engine/rule.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/verify.hpp"
#include "ir/verify_mode.hpp"
#include "rewrite/engine/step_program.hpp"

namespace lift {

std::string str(const Place& place) {
  std::string s;
  for (const int i : place) s += (s.empty() ? "" : ".") + std::to_string(i);
  return s.empty() ? "body" : s;
}

Expr part_at(const Expr& root, const Place& place) {
  Expr e = root;
  for (const int i : place) {
    if (i < 0 || static_cast<std::size_t>(i) >= e.children().size())
      throw UserError("place " + str(place) + ": there is no child " + std::to_string(i) + " below " +
                      std::string(text(e.op())) + "; places are child indices from the program's body");
    e = e.child(static_cast<std::size_t>(i));
  }
  return e;
}

namespace {

Expr replaced_below(const Expr& root, const Place& place, std::size_t depth, const Expr& part) {
  if (depth == place.size()) return part;
  std::vector<Expr> children(root.children().begin(), root.children().end());
  Expr& child = children.at(static_cast<std::size_t>(place[depth]));
  child = replaced_below(child, place, depth + 1, part);
  return with_children(root, std::move(children));
}

/// c m floordiv(x, m) is c (x - mod(x, m)): lengths after a split differ from those before by such terms.
Nat without_quotients(const Nat& n) {
  Nat sum = n;
  for (const NatTerm& t : terms(n)) {
    if (t.factors.size() != 1 || t.factors[0].power != 1 || t.factors[0].atom->kind != AtomKind::FloorDiv)
      continue;
    const NatAtom& q = *t.factors[0].atom;
    const auto m = q.b.constant();
    if (m && t.coefficient % *m == 0)
      sum = sum + (q.a - mod(q.a, q.b)) * (t.coefficient / *m) - atom_nat(q) * t.coefficient;
  }
  return sum;
}
bool same_length(const Nat& a, const Nat& b) {
  return a == b || simplify(without_quotients(simplify(a - b))) == Nat(0);
}

bool same_type(const Type& a, const Type& b) {
  if (a == b) return true;
  if (a.kind() != b.kind() || a.is_scalar() || a.is_any()) return false;
  if (a.is_array()) return same_length(a.length(), b.length()) && same_type(a.element(), b.element());
  const bool parts =
      std::equal(a.parts().begin(), a.parts().end(), b.parts().begin(), b.parts().end(), same_type);
  return parts && (!a.is_function() || same_type(a.result(), b.result()));
}

/// "" or what is wrong with the arguments.
std::string wrong_arguments(const Rule& r, const Arguments& a) {
  const bool repeated = !r.parameters.empty() && r.parameters.back().repeated;
  if (repeated ? a.size() < r.parameters.size() : a.size() != r.parameters.size()) {
    std::string names;
    for (const RuleParameter& p : r.parameters) names += " " + p.name + (p.repeated ? "..." : "");
    return "takes " + (names.empty() ? std::string("no parameters") : "the parameters" + names) + ", got " +
           std::to_string(a.size());
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    const RuleParameter& p = r.parameters[std::min(i, r.parameters.size() - 1)];
    if (!p.word && (!a[i].is_number() || a[i].number() < 0))
      return "parameter " + p.name + " (" + p.meaning + ") is a natural number, got '" + a[i].str() + "'";
  }
  return "";
}

void check_sides(const Rule& r, const Sides& s) {
  const Holes left = holes_of(s.lhs), right = holes_of(s.rhs);
  const auto has = [](const std::vector<std::string>& names, const std::string& n) {
    return std::find(names.begin(), names.end(), n) != names.end();
  };
  for (const std::string& n : right.exprs)
    if (!has(left.exprs, n))
      throw InternalError("rule " + r.name + ": hole " + n +
                          " of the right side is not bound by the left side");
  for (const std::string& n : right.nats)
    if (!has(left.nats, n) && std::none_of(r.parameters.begin(), r.parameters.end(),
                                           [&](const RuleParameter& p) { return p.name == n; }))
      throw InternalError("rule " + r.name + ": natural " + n +
                          " of the right side is bound neither by the left side nor by a parameter");
}

Result<Expr> of_type(const Expr& before, const Expr& after) {
  if (same_type(after.type(), before.type())) return after;
  return Failure{"would change the type from " + before.type().str() + " to " + after.type().str(), true};
}

Result<Expr> rewrite_by_sides(const Rule& r, const Expr& e, const Match& known) {
  Failure why{"the expression is not of the form of the left side of " + r.maths + " (it is a " +
              std::string(text(e.op())) + ")"};
  for (const Sides& s : r.sides) {
    const auto m = match(s.lhs, e, known);
    if (!m) continue;
    if (r.guard)
      if (const std::string reason = r.guard(*m); !reason.empty()) {
        why = Failure{reason};
        continue;
      }
    try {
      Result<Expr> made = of_type(e, filled_in(s.rhs, *m));
      if (made) return made;
      why = made.failure();
    } catch (const TypeError& error) {  // sides that differ in the type of numbers may have one left side
      why = Failure{error.what(), true};
    }
  }
  return why;
}

}  // namespace

Expr replaced_at(const Expr& root, const Place& place, const Expr& part) {
  return replaced_below(root, place, 0, part);
}

std::int64_t number(const Arguments& a, std::size_t i) { return a.at(i).number(); }

Rule& Rule::with(Guard g, std::string condition) {
  guard = std::move(g), when = std::move(condition);
  return *this;
}
Rule& Rule::takes(std::string parameter, std::string meaning, bool repeated, bool word) {
  parameters.push_back({std::move(parameter), std::move(meaning), repeated, word});
  return *this;
}
Rule& Rule::from(std::vector<std::int64_t> choices) {
  if (parameters.empty())
    throw UserError("rule " + name + ": has no parameter to choose for; declare it with takes(...)");
  parameters.back().choices = std::move(choices);
  return *this;
}
Rule& Rule::reassociates() {
  exact = false;
  return *this;
}
Rule& Rule::says(std::string sentence) {
  prose = std::move(sentence);
  return *this;
}

std::string str(const Sides& s) {
  std::string text = str(s.lhs) + " = " + str(s.rhs);
  text.erase(std::remove(text.begin(), text.end(), '?'), text.end());
  return text;
}

Rule rule(std::string name, const Expr& lhs, const Expr& rhs) {
  return rule_of_rank(std::move(name), 1, 1, [&](int) { return Sides{lhs, rhs}; });
}

Rule rule_of_rank(std::string name, int lowest, int highest, const std::function<Sides(int)>& sides) {
  Rule r;
  r.name = std::move(name);
  for (int d = lowest; d <= highest; ++d) r.sides.push_back(sides(d));
  r.maths = str(r.sides.at(0));
  if (r.sides.size() > 1) r.maths += " (the first of " + std::to_string(r.sides.size()) + " forms)";
  for (const Sides& s : r.sides) {
    Rule named = r;  // naturals that are parameters are checked by the lint, when the rule is complete
    for (const std::string& n : holes_of(s.rhs).nats) named.parameters.push_back({n, "", false, false});
    check_sides(named, s);
  }
  return r;
}

Rule constructed(std::string name, std::string maths, Rule::Construct construct) {
  Rule r;
  r.name = std::move(name), r.maths = std::move(maths), r.construct = std::move(construct);
  return r;
}
Rule program_rule(std::string name, std::string maths, Rule::OnProgram f) {
  Rule r;
  r.name = std::move(name), r.maths = std::move(maths), r.on_program = std::move(f);
  return r;
}

Result<Expr> apply(const Rule& r, const Site& site, const Arguments& arguments) {
  if (r.on_program) return Failure{"applies to a whole program, not to an expression"};
  if (const std::string wrong = wrong_arguments(r, arguments); !wrong.empty()) return Failure{wrong};
  try {
    Result<Expr> after = Failure{""};
    if (r.construct) {
      after = r.construct(site, arguments);
    } else {
      Match known;
      for (std::size_t i = 0; i < r.parameters.size(); ++i)
        known.nats.emplace(variables(nat_hole(r.parameters[i].name))[0], Nat(number(arguments, i)));
      after = rewrite_by_sides(r, site.e, known);
    }
    return after ? of_type(site.e, *after) : after;
  } catch (const TypeError& e) {
    return Failure{e.what(), true};
  }
}

namespace {

/// LIFTGEN_TRACE=name,name (or all) prints what becomes of each application of these rules.
void trace(const Rule& r, const Place& place, const Result<Program>& outcome) {
  static const auto& wanted = *new std::string([] {
    const char* names = std::getenv("LIFTGEN_TRACE");
    return names ? "," + std::string(names) + "," : std::string();
  }());
  if (wanted.empty() ||
      (wanted.find(",all,") == std::string::npos && wanted.find("," + r.name + ",") == std::string::npos))
    return;
  std::cerr << "-- " << r.name << " at " << str(place) << ": "
            << (outcome ? pretty(outcome->body) : "no: " + outcome.reason()) << "\n";
}

bool updates_in_place(const Expr& e) {
  return contains(e, [](const Expr& x) { return x.is(Op::UpdateInPlace); });
}
/// Why what a rule made at a site may not be there, "" where it may: a decision about a loop inside or around
/// others, and updates in place, where more has changed than how a loop runs.
std::string why_not_there(const Program& made, const Site& site, const Expr& after) {
  const Expr& e = site.e;
  if (is_map(after.op()) && is_low_level(after.op()) && !is_low_level(e.op()))
    if (std::string why = why_not_inside(made, site.around, e, after); !why.empty()) return why;
  const bool decides =
      std::equal(e.children().begin(), e.children().end(), after.children().begin(), after.children().end());
  if (decides && e.is(Op::UpdateInPlace) == after.is(Op::UpdateInPlace)) return "";
  return updates_in_place(e) || updates_in_place(after) ? why_not_in_place_there(made) : "";
}
Result<Program> where_in_place(Result<Program> made) {
  if (made && updates_in_place(made->body))
    if (std::string why = why_not_in_place_there(*made); !why.empty()) return Failure{why};
  return made;
}

Result<Program> applied(const Rule& r, const Program& p, const Place& place, const Arguments& arguments) {
  if (const std::string wrong = wrong_arguments(r, arguments); !wrong.empty()) return Failure{wrong};
  if (r.on_program) {
    if (place.empty()) return where_in_place(r.on_program(p, arguments));
    if (is_step(p.body, place))
      return where_in_place(
          with_step(p, place, [&](const Program& step) { return r.on_program(step, arguments); }));
    return Failure{"applies to a whole program, or to a step of an iteration: its place is body, not " +
                   str(place)};
  }
  Site site{part_at(p.body, place), {}};
  Expr e = p.body;
  for (const int i : place) {
    site.around.push_back(e);
    e = e.child(static_cast<std::size_t>(i));
  }
  const auto after = apply(r, site, arguments);
  if (!after) return after.failure();
  try {
    Program q = p;
    q.body = replaced_at(p.body, place, *after);
    if (const std::string why = why_not_there(q, site, *after); !why.empty()) return Failure{why};
    return q;
  } catch (const TypeError& error) {
    return Failure{error.what(), true};
  }
}

}  // namespace

Result<Program> apply(const Rule& r, const Program& p, const Place& place, const Arguments& arguments) {
  Result<Program> outcome = applied(r, p, place, arguments);
  if (outcome && verify_steps()) verify(*outcome, "rule " + r.name + " at " + str(place));
  trace(r, place, outcome);
  return outcome;
}

}  // namespace lift
