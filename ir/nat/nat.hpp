// Symbolic integers: array lengths, tile sizes, loop indices and the index arithmetic between them.
//
// Meaning. A `Nat` denotes an integer once every variable in it has a value. Lengths are >= 0; intermediate
// terms (an index minus a halo, say) may be negative. Division and modulo are Euclidean on a positive
// divisor:
//     a = m * floordiv(a, m) + mod(a, m),   0 <= mod(a, m) < m.
//
// Form. A Nat is a polynomial with integer coefficients over *atoms*: variables, floordiv, mod, min, max.
// It is canonical by construction (monomials sorted, like terms collected, atoms simplified) and interned, so
// that equality is identity. Variables carry an inclusive range, which may be symbolic (0 <= i <= n - 1), and
// a congruence (i = r mod m). What else is known on a path (a guard, a loop's split range) is kept in
// `Facts`.
//
// Thread safety: interning is protected by a mutex; handles are immutable and may be shared.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/nat/interval.hpp"
#include "ir/region.hpp"

namespace lift {

struct NatNode;

class Nat {
 public:
  Nat(std::int64_t constant = 0);  // NOLINT: integers are naturals
  Nat(int constant) : Nat(static_cast<std::int64_t>(constant)) {}

  /// A size variable such as "n": one variable per name and range; two calls give the same Nat. The least
  /// value may be made of sizes that there are.
  static Nat size(const std::string& name, const Nat& lower, std::int64_t modulus = 1,
                  std::int64_t residue = 0);
  static Nat size(const std::string& name) { return size(name, 1); }
  /// A new variable, different from all others, with inclusive bounds; `name` is a hint for printing.
  static Nat fresh(const std::string& name, const Nat& lower, const Nat& upper, std::int64_t modulus = 1,
                   std::int64_t residue = 0);
  /// A new variable for an integer that a program computes, as the position of a gather is, with inclusive
  /// bounds. Nothing else is known of it: it changes with whatever varies.
  static Nat computed(const std::string& name, const Nat& lower, const Nat& upper);

  std::optional<std::int64_t> constant() const;
  bool is_constant() const { return constant().has_value(); }
  bool is_variable() const;  ///< exactly one variable, coefficient 1
  std::uint32_t id() const;  ///< of no other Nat that there is or was in the process
  std::string str() const;   ///< readable, e.g. "64*k + i + 1", "(j + k) mod 2", "(n + 3) / 4"
  const NatNode* node() const { return node_; }

  friend bool operator==(const Nat& a, const Nat& b) { return a.node_ == b.node_; }
  friend bool operator!=(const Nat& a, const Nat& b) { return a.node_ != b.node_; }

 private:
  explicit Nat(const NatNode* node) : node_(node) {}
  friend struct NatNode;
  friend struct NatFactory;
  const NatNode* node_;
};

Nat operator+(const Nat& a, const Nat& b);
Nat operator-(const Nat& a, const Nat& b);
Nat operator*(const Nat& a, const Nat& b);
Nat operator-(const Nat& a);
Nat floordiv(const Nat& a,
             const Nat& b);  ///< Euclidean; b must be positive (throws std::domain_error on constant b <= 0)
Nat mod(const Nat& a, const Nat& b);
Nat min(const Nat& a, const Nat& b);
Nat max(const Nat& a, const Nat& b);
Nat ceildiv(const Nat& a, const Nat& b);  ///< floordiv(a + b - 1, b)

/// What an atom is. Var: no operands; the others have two.
enum class AtomKind : std::uint8_t { Var, FloorDiv, Mod, Min, Max };

/// One factor of a monomial.
struct NatAtom;
struct NatFactor {
  const NatAtom* atom;
  int power;
  friend bool operator==(const NatFactor&, const NatFactor&) = default;
};
/// A product of powers of atoms, sorted by their ids, interned: a handle, equality is identity. Without
/// factors it is 1.
class NatMonomial {
 public:
  NatMonomial() = default;
  NatMonomial(std::initializer_list<NatFactor> factors) : NatMonomial(std::span(factors)) {}
  explicit NatMonomial(std::span<const NatFactor> factors);

  const NatFactor* begin() const { return node_ ? node_->factors.data() : nullptr; }
  const NatFactor* end() const { return begin() + size(); }
  std::size_t size() const { return node_ ? node_->factors.size() : 0; }
  bool empty() const { return node_ == nullptr; }
  const NatFactor& operator[](std::size_t i) const { return node_->factors[i]; }
  int degree() const { return node_ ? node_->degree : 0; }  ///< the sum of the powers
  const void* identity() const { return node_; }
  friend bool operator==(const NatMonomial&, const NatMonomial&) = default;

 private:
  struct Node {
    std::uint32_t id = 0;
    std::vector<NatFactor> factors;
    int degree = 0;
    detail::Stays stays;
  };
  friend struct NatFactory;
  friend struct NatTables;
  const Node* node_ = nullptr;
};
struct NatTerm {
  std::int64_t coefficient;
  NatMonomial factors;  ///< none: the constant term
  friend bool operator==(const NatTerm&, const NatTerm&) = default;
};
struct NatAtom {
  AtomKind kind = AtomKind::Var;
  std::uint32_t id = 0;
  std::string name;  ///< Var
  Nat lower, upper;  ///< Var: inclusive bounds; `bounded_above` false means no upper bound is known
  bool bounded_above = false;
  std::int64_t modulus = 1, residue = 0;  ///< Var: value = residue mod modulus
  bool computed = false;                  ///< Var: see Nat::computed
  Nat a, b;                               ///< operands of the other kinds
  bool exact = false;                     ///< FloorDiv: b is a number, and divides a
  NatInterval interval;
  Nat alone;  ///< the polynomial that is just this atom
  detail::Stays stays;
};
struct NatNode {
  std::uint32_t id = 0;
  std::vector<NatTerm> terms;  ///< canonical order; empty is 0
  NatInterval interval;
  std::vector<const NatAtom*> variables;  ///< also those inside atoms' operands; sorted by id
  detail::Stays stays;
};
/// What n is made of, and n, stay at least so long; while all tables are locked.
void raise(const Nat& n, detail::Stay stay);
void raise(const NatAtom& atom, detail::Stay stay);
/// A Nat that was remembered, and is found again: outside of scopes it stays for ever.
Nat met(const Nat& n);

std::span<const NatTerm> terms(const Nat& n);
Nat atom_nat(const NatAtom& atom);  ///< the Nat that is just this atom
const std::vector<const NatAtom*>& variables(
    const Nat& n);               ///< all variables, also those inside atoms' operands; sorted by id
bool is_computed(const Nat& n);  ///< some variable of n is; see Nat::computed
/// Whether n may change with the variable: what is computed may change with each.
bool mentions(const Nat& n, const Nat& variable);
std::int64_t constant_part(const Nat& n);  ///< the term without factors; 0 when there is none
Nat substitute(const Nat& n, const Nat& variable, const Nat& value);
Nat substitute(const Nat& n, const std::map<const NatAtom*, Nat>& values);
/// n = coefficient * variable + rest, with both free of `variable`; nothing when n is not affine in it
/// (for example when it occurs inside a mod, or something in n is computed).
struct Affine {
  Nat coefficient, rest;
};
std::optional<Affine> affine_in(const Nat& n, const Nat& variable);
/// Value under an assignment of the variables; throws std::out_of_range for a missing one,
/// std::domain_error for a division by zero or a negative divisor.
std::int64_t evaluate(const Nat& n, const std::function<std::int64_t(const NatAtom&)>& value_of);

/// A condition on integers. `a >= 0`, `a == 0`, `a != 0`; conjunctions are lists, see Facts.
struct NatCond {
  enum class Kind : std::uint8_t { NonNegative, Zero, NonZero } kind;
  Nat a;
  friend bool operator==(const NatCond&, const NatCond&) = default;
};
NatCond less(const Nat& a, const Nat& b);        ///< a < b
NatCond less_equal(const Nat& a, const Nat& b);  ///< a <= b
NatCond equal(const Nat& a, const Nat& b);
NatCond negate(const NatCond& c);
std::string str(const NatCond& c);
NatCond substitute(const NatCond& c, const Nat& variable, const Nat& value);

/// What is known on a path: guards that hold here, in addition to every variable's own range and congruence.
class Facts {
 public:
  Facts() = default;
  Facts with(const NatCond& c) const;  ///< a copy that also assumes c
  std::span<const NatCond> conditions() const { return conditions_; }

  bool proves(const NatCond& c) const;  ///< true only if c holds for all values allowed
  bool refutes(const NatCond& c) const { return proves(negate(c)); }
  bool proves_nonnegative(const Nat& n) const { return proves({NatCond::Kind::NonNegative, n}); }
  using Interval = NatInterval;
  Interval bounds(const Nat& n) const;  ///< constant bounds; absent = unknown
  /// Rewrites n, using ranges, congruences and the conditions known here, to an equal (under these facts),
  /// simpler Nat: floordiv/mod/min/max that can be decided disappear. Idempotent.
  Nat simplify(const Nat& n) const;

 private:
  std::vector<NatCond> conditions_;
};

/// `n` simplified from variable ranges and congruences alone.
Nat simplify(const Nat& n);

}  // namespace lift
