// Rules: equations between expressions, as values.
//
// Most rules are two sides that read like the maths (`sides`); one whose right side depends on attributes of
// any length is built by a function (`construct`), one about a whole program by `on_program`. Whatever a rule
// returns, the engine types anew and demands the type it started from (lengths equal after simplification).
#pragma once

#include "ir/expr/program.hpp"
#include "rewrite/engine/argument.hpp"
#include "rewrite/engine/match.hpp"

namespace lift {

/// Child indices from the root of an expression; empty is the root.
using Place = std::vector<int>;
std::string str(const Place& place);  ///< "0.1.0"; "body" for the root
/// The part at a place; UserError when there is none.
Expr part_at(const Expr& root, const Place& place);
/// `root` with another part at a place.
Expr replaced_at(const Expr& root, const Place& place, const Expr& part);

struct RuleParameter {
  std::string name;
  std::string meaning;
  bool repeated = false;                   ///< takes the rest of the arguments, at least one
  bool word = false;                       ///< else a natural number
  std::vector<std::int64_t> choices = {};  ///< that an exploration tries
};

/// Both sides of an equation; used from left to right.
struct Sides {
  Expr lhs, rhs;
};

/// What a constructed rule sees: the expression, and what encloses it, outermost first.
struct Site {
  Expr e;
  std::vector<Expr> around;
};

struct Rule {
  using Guard = std::function<std::string(const Match&)>;  ///< "" or why the rule does not hold here
  using Construct = std::function<Result<Expr>(const Site&, const Arguments&)>;
  using OnProgram = std::function<Result<Program>(const Program&, const Arguments&)>;

  std::string name;          ///< both sides in kebab-case
  std::string maths;         ///< one line: the first pair of sides, or what a function of its own does
  std::string when;          ///< the guard, one line; "" for none
  std::vector<Sides> sides;  ///< the same law for several ranks or boundaries
  Guard guard;
  Construct construct;
  OnProgram on_program;
  std::vector<RuleParameter> parameters;
  bool exact = true;  ///< bitwise; false: reassociates floating point
  std::string prose;  ///< sentence; %1, %2 are arguments, %* all of them

  Rule& with(Guard g, std::string condition);
  Rule& takes(std::string parameter, std::string meaning, bool repeated = false, bool word = false);
  /// What an exploration tries for the last parameter.
  Rule& from(std::vector<std::int64_t> choices);
  Rule& reassociates();
  Rule& says(std::string sentence);
};

/// Both sides as people read them: "map g (map f xs) = ...", with holes as plain names.
std::string str(const Sides& s);

/// A declarative rule; InternalError when a hole of the right side is bound neither by the left side nor,
/// later, by a parameter.
Rule rule(std::string name, const Expr& lhs, const Expr& rhs);
/// The same law for ranks 1 to `highest`.
Rule rule_of_rank(std::string name, int lowest, int highest, const std::function<Sides(int rank)>& sides);
/// `maths` says in one line what the function does.
Rule constructed(std::string name, std::string maths, Rule::Construct construct);
Rule program_rule(std::string name, std::string maths, Rule::OnProgram f);

/// Applies a rule at the root of an expression.
Result<Expr> apply(const Rule& r, const Site& site, const Arguments& arguments = {});
/// Applies a rule at a place of a program. Where steps are verified (`ir/verify_mode.hpp`), InternalError for
/// a rule that makes a program that breaks a rule of the verifier.
Result<Program> apply(const Rule& r, const Program& p, const Place& place, const Arguments& arguments = {});

std::int64_t number(const Arguments& a, std::size_t i);

}  // namespace lift
