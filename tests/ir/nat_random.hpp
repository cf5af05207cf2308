// Random integer terms with an evaluation of their own, for checking symbolic arithmetic by brute force.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ir/nat/nat.hpp"

namespace lift::test {

/// A term as it was written, never simplified.
struct Ast {
  enum class Kind { Constant, Variable, Add, Sub, Mul, Div, Mod, Min, Max } kind = Kind::Constant;
  std::int64_t value = 0;  ///< Constant; Variable: index into World::variables
  std::shared_ptr<const Ast> a, b;
};
using AstPtr = std::shared_ptr<const Ast>;

/// Variables with ranges that may depend on earlier ones.
struct World {
  struct Variable {
    Nat nat;
    AstPtr lower, upper;  ///< inclusive
    std::int64_t modulus = 1, residue = 0;
  };
  std::vector<Variable> variables;
};
using Assignment = std::vector<std::int64_t>;

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

/// Nothing when a divisor is not positive.
inline std::optional<std::int64_t> value(const AstPtr& t, const Assignment& at) {
  if (t->kind == Ast::Kind::Constant) return t->value;
  if (t->kind == Ast::Kind::Variable) return at[static_cast<std::size_t>(t->value)];
  const auto a = value(t->a, at), b = value(t->b, at);
  if (!a || !b) return std::nullopt;
  switch (t->kind) {
    case Ast::Kind::Add:
      return *a + *b;
    case Ast::Kind::Sub:
      return *a - *b;
    case Ast::Kind::Mul:
      return *a * *b;
    case Ast::Kind::Div:
      return *b > 0 ? std::optional(floor_div(*a, *b)) : std::nullopt;
    case Ast::Kind::Mod:
      return *b > 0 ? std::optional(*a - *b * floor_div(*a, *b)) : std::nullopt;
    case Ast::Kind::Min:
      return std::min(*a, *b);
    default:
      return std::max(*a, *b);
  }
}

/// How the two operators under test are built; a test replaces one to see whether the checker notices.
struct Builders {
  Nat (*div)(const Nat&, const Nat&) = floordiv;
  Nat (*rem)(const Nat&, const Nat&) = mod;
};

inline Nat build(const AstPtr& t, const World& w, const Builders& how = {}) {
  if (t->kind == Ast::Kind::Constant) return t->value;
  if (t->kind == Ast::Kind::Variable) return w.variables[static_cast<std::size_t>(t->value)].nat;
  const Nat a = build(t->a, w, how), b = build(t->b, w, how);
  switch (t->kind) {
    case Ast::Kind::Add:
      return a + b;
    case Ast::Kind::Sub:
      return a - b;
    case Ast::Kind::Mul:
      return a * b;
    case Ast::Kind::Div:
      return how.div(a, b);
    case Ast::Kind::Mod:
      return how.rem(a, b);
    case Ast::Kind::Min:
      return min(a, b);
    default:
      return max(a, b);
  }
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  std::int64_t between(std::int64_t a, std::int64_t b) {
    return std::uniform_int_distribution<std::int64_t>(a, b)(random_);
  }
  bool one_in(int n) { return between(1, n) == 1; }

  static AstPtr constant(std::int64_t v) {
    Ast t;
    t.value = v;
    return std::make_shared<const Ast>(t);
  }
  static AstPtr variable(std::size_t i) {
    Ast t;
    t.kind = Ast::Kind::Variable, t.value = static_cast<std::int64_t>(i);
    return std::make_shared<const Ast>(t);
  }
  static AstPtr node(Ast::Kind k, AstPtr a, AstPtr b) {
    Ast t;
    t.kind = k, t.a = std::move(a), t.b = std::move(b);
    return std::make_shared<const Ast>(t);
  }

  /// A size n >= 1, and indices with constant and symbolic ranges, some with a congruence.
  World world() {
    World w;
    const std::int64_t top = between(1, 6);
    w.variables.push_back({Nat::fresh("n", 1, top), constant(1), constant(top), 1, 0});
    const auto count = between(1, 3);
    for (std::int64_t v = 0; v < count; ++v) {
      World::Variable x;
      const bool symbolic = one_in(2);
      const std::int64_t low = symbolic ? between(0, 1) : between(-3, 2), high = low + between(0, 4);
      x.lower = constant(low);
      x.upper = symbolic
                    ? node(Ast::Kind::Add, variable(one_in(3) && v > 0 ? static_cast<std::size_t>(v) : 0),
                           constant(between(-1, 1)))
                    : constant(high);
      if (one_in(4)) x.modulus = between(2, 4), x.residue = between(0, x.modulus - 1);
      x.nat = Nat::fresh(std::string(1, static_cast<char>('i' + v)), low, build(x.upper, w), x.modulus,
                         x.residue);
      w.variables.push_back(std::move(x));
    }
    return w;
  }
  AstPtr term(const World& w, int depth) {
    if (depth == 0 || one_in(6)) {
      if (one_in(3)) return constant(between(-4, 6));
      return variable(
          static_cast<std::size_t>(between(0, static_cast<std::int64_t>(w.variables.size()) - 1)));
    }
    const auto sub = [&] { return term(w, depth - 1); };
    const auto divisor = [&]() -> AstPtr { return one_in(4) ? variable(0) : constant(between(1, 5)); };
    switch (between(0, 9)) {
      case 0:
      case 1:
        return node(Ast::Kind::Add, sub(), sub());
      case 2:
        return node(Ast::Kind::Sub, sub(), sub());
      case 3:
        return node(Ast::Kind::Mul, constant(between(-3, 4)), sub());
      case 4:
        return node(Ast::Kind::Mul, variable(0), sub());
      case 5:
        return node(Ast::Kind::Div, sub(), divisor());
      case 6:
      case 7:
        return node(Ast::Kind::Mod, sub(), divisor());
      case 8:
        return node(Ast::Kind::Min, sub(), sub());
      default:
        return node(Ast::Kind::Max, sub(), sub());
    }
  }

 private:
  std::mt19937_64 random_;
};

/// Calls f for every assignment that the ranges and congruences admit.
template <class F>
void assignments(const World& w, const F& f, Assignment at = {}) {
  if (at.size() == w.variables.size()) return f(at);
  const World::Variable& v = w.variables[at.size()];
  const auto low = value(v.lower, at), high = value(v.upper, at);
  for (std::int64_t x = *low; x <= *high; ++x) {
    if (x - v.modulus * floor_div(x, v.modulus) != v.residue) continue;
    at.push_back(x);
    assignments(w, f, at);
    at.pop_back();
  }
}

inline std::int64_t value(const Nat& n, const World& w, const Assignment& at) {
  return evaluate(n, [&](const NatAtom& a) {
    for (std::size_t v = 0; v < w.variables.size(); ++v)
      if (variables(w.variables[v].nat)[0] == &a) return at[v];
    throw std::out_of_range(a.name);
  });
}

inline bool holds(const NatCond& c, const World& w, const Assignment& at) {
  const std::int64_t x = value(c.a, w, at);
  return c.kind == NatCond::Kind::NonNegative ? x >= 0 : (x == 0) == (c.kind == NatCond::Kind::Zero);
}

}  // namespace lift::test
