#include "ir/expr/verify.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/verify_check.hpp"

namespace lift {
namespace verifier {
namespace {

constexpr std::size_t kLongest = 160;  ///< characters of an expression in a message

// ---- nodes by themselves

void no_holes(const Check& c, const Expr& e) {
  if (e.is(Op::Hole) || mentions_any(e.type())) c.broken(e.is(Op::Hole) ? "hole" : "an unknown type in", e);
}

void closed(const Check& c, const Expr& e) {
  const auto& arguments = c.program.arguments;
  if (e.is(Op::Param) && std::find(arguments.begin(), arguments.end(), e) == arguments.end())
    c.broken("not an argument: " + param_name(e) + " of type " + e.type().str());
}

void types(const Check& c, const Expr& e) {
  try {
    if (const Type t = row(e.op()).type(e.op(), e.children(), e.attr()); !(t == e.type()))
      c.broken(e.type().str() + " instead of " + t.str() + " for", e);
  } catch (const TypeError& error) {
    c.broken(error.what());
  }
}

void loops(const Check& c, const Expr& e) {
  if (!is_map(e.op()) && loop_options(e.op()).empty()) return;
  const std::int64_t rank = op_rank(e), last = loop_option(e, LoopOption::Dimension) + rank - 1;
  if (rank < 1) c.broken("rank " + std::to_string(rank) + " of", e);
  for (const LoopOptionRow& o : loop_options(e.op()))
    if (const auto n = loop_option(e, o.option); n != o.neutral && (n < o.least || n > o.most))
      c.broken(std::string(option_name(o.option)) + " " + std::to_string(n) + " of", e);
  if (const auto* o = find_option(e.op(), LoopOption::Dimension); o && last > o->most)
    c.broken("dimension " + std::to_string(last) + " of", e);
  if (has_stray_options(e)) c.broken("numbers of no option of", e);
}

constexpr std::array of_nodes = std::to_array<OfNodes>({
    {{"no-holes", "nothing is left to be filled in, neither a term nor a type"}, no_holes},
    {{"closed", "every free variable is an argument of the program"}, closed},
    {{"types", "each node has the type that its typing rule gives"}, types},
    {{"loop-options", "rank and options of loops lie in their ranges"}, loops, true},
});

// ---- programs

void arguments(const Check& c) {
  std::set<std::string> names;
  for (const Expr& a : c.program.arguments) {
    if (!a.is(Op::Param)) c.broken("not a param:", a);
    if (!names.insert(param_name(a)).second) c.broken("two arguments are named " + param_name(a));
  }
  for (const std::string& name : c.program.overwritable)
    if (std::none_of(c.program.arguments.begin(), c.program.arguments.end(),
                     [&](const Expr& a) { return param_name(a) == name && a.type().is_array(); }))
      c.broken("overwritable " + name + " is not an array among them");
}

void one_machine(const Check& c) {
  std::optional<Expr> threads, items;
  visit(c.program.body, [&](const Expr& e) {
    if (e.is(Op::MapPar)) threads = e;
    if (is_map_on_grid(e.op())) items = e;
  });
  if (threads && items) c.broken("beside " + std::string(text(items->op())) + " there is", *threads);
}

constexpr std::array of_programs = std::to_array<OfPrograms>({
    {{"arguments", "params with names of their own; what may be overwritten is an array among them"},
     arguments},
    {{"binders", "every bound variable has a binder, which declares it with the type that it has"}, binders},
    {{"one-machine", "threads (map_par) and work-items (map_glb, map_wrg, map_lcl) do not mix"},
     one_machine,
     true},
    {{"update_in_place",
      "the base is an argument declared with overwrite, or an element of one, or an array of the program's "
      "own, and "
      "nothing reads it afterwards"},
     update_in_place,
     true},
});

}  // namespace

void Check::broken(const std::string& what) const {
  if (asked) throw UserError(what + " (" + std::string(rule.name) + ": " + std::string(rule.holds) + ")");
  if (written)
    throw UserError("a decision that cannot be here: " + what + " (" + std::string(rule.name) + ": " +
                    std::string(rule.holds) + "); move it, or write map or update and leave it to liftgen");
  throw InternalError("verify" + (after.empty() ? std::string() : " after " + std::string(after)) + ": " +
                      program.name + " breaks the rule " + std::string(rule.name) + ": " + what);
}
void Check::broken(const std::string& what, const Expr& where) const {
  std::string s = str(where);
  if (s.size() > kLongest) s = s.substr(0, kLongest) + " ...";
  broken(what + " " + s);
}

}  // namespace verifier

namespace {

void check(verifier::Check c) {
  visit(c.program.body, [&](const Expr& e) {
    for (const verifier::OfNodes& r : verifier::of_nodes)
      if (r.of_decisions || !c.written) c.rule = r, r.check(c, e);
  });
  for (const verifier::OfPrograms& r : verifier::of_programs)
    if (r.of_decisions || !c.written) c.rule = r, r.check(c);
  verifier::check_nesting(c, c.program.body);
}

/// What the check says of a program that is asked about.
std::string answer(const Program& program, const std::function<void(verifier::Check&)>& check) {
  verifier::Check c{.program = program, .after = "a rule", .asked = true};
  try {
    check(c);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
void check(verifier::Check& c, std::string_view rule) {
  for (const verifier::OfPrograms& r : verifier::of_programs)
    if (r.name == rule) c.rule = r, r.check(c);
}

}  // namespace

std::string why_not_in_place_there(const Program& program) {
  return answer(program, [](verifier::Check& c) { check(c, "update_in_place"); });
}
std::string why_not_inside(const Program& program, std::span<const Expr> around, const Expr& before,
                           const Expr& map) {
  return answer(program, [&](verifier::Check& c) {
    verifier::check_nesting(c, map, verifier::surroundings(around, before));
    if (map.is(Op::MapPar) || is_map_on_grid(map.op())) check(c, "one-machine");
  });
}

void verify(const Program& program, std::string_view after) { check({program, after}); }
void check_decisions(const Program& program) { check({.program = program, .written = true}); }

std::vector<VerifierRule> verifier_rules() {
  std::vector<VerifierRule> all(verifier::of_nodes.begin(), verifier::of_nodes.end());
  all.insert(all.end(), verifier::of_programs.begin(), verifier::of_programs.end());
  const auto nesting = verifier::rules_of_nesting();
  all.insert(all.end(), nesting.begin(), nesting.end());
  return all;
}

}  // namespace lift
