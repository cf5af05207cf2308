// Patterns: expressions with holes, matching, and building the other side from what was matched.
//
// A hole stands for any expression; under a pattern's own binders it stands for one that does not use them. A
// hole applied to bound variables, f(x), stands for any term over them (a Miller pattern) and is bound to \x.
// term. A Nat hole stands for a length or another natural in an attribute. Types of patterns are open
// (Type::any()).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/expr/expr.hpp"

namespace lift {

Expr hole(const std::string& name);
Nat nat_hole(const std::string& name);
bool is_nat_hole(const NatAtom& atom);

/// Why a rule or a strategy did not apply; one line, on what.
struct Failure {
  std::string reason;
  /// The rule took it, but what it made has no type, or another: its guard lets through what it must not.
  bool mistyped = false;
};

/// A value, or why there is none.
template <class T>
class Result {
 public:
  Result(T value) : v_(std::move(value)) {}            // NOLINT: a value is a result
  Result(Failure failure) : v_(std::move(failure)) {}  // NOLINT
  explicit operator bool() const { return v_.index() == 0; }
  const T& operator*() const { return std::get<0>(v_); }
  const T* operator->() const { return &std::get<0>(v_); }
  const Failure& failure() const { return std::get<1>(v_); }
  const std::string& reason() const { return failure().reason; }

 private:
  std::variant<T, Failure> v_;
};

/// What the holes of a pattern stand for.
struct Match {
  std::map<std::string, Expr> exprs;
  std::map<const NatAtom*, Nat> nats;

  const Expr& operator[](const std::string& name) const;  ///< InternalError when the pattern has no such hole
  Nat nat(const std::string& name) const;
};

/// Matches a pattern against a term, which may be open (refer to binders around it).
std::optional<Match> match(const Expr& pattern, const Expr& term, Match known = {});
/// The pattern with its holes replaced, typed anew; throws TypeError when it does not fit.
Expr filled_in(const Expr& pattern, const Match& m);

/// How a hole is used where it is met first: below which op, and what a function is applied to.
struct HoleUse {
  Op of = Op::Count;  ///< Count: the whole pattern is the hole
  int rank = 1;       ///< of that op
  std::optional<std::vector<Type>> applied_to = {};
  std::optional<Type> returns = {};
};
/// The same of a pattern whose naturals are known, while other holes are bound to what `choose` says.
Expr filled_in(const Expr& pattern, Match& m,
               const std::function<Expr(const std::string& hole, const HoleUse&)>& choose);

/// The names of a pattern's holes (Nat holes too).
struct Holes {
  std::vector<std::string> exprs, nats;
};
Holes holes_of(const Expr& pattern);

/// \x... body(x...), for building terms in rules: unlike `fun` it makes the same nodes each time.
Expr function(const std::vector<Type>& parameters, const std::function<Expr(std::span<const Expr>)>& body);

}  // namespace lift
