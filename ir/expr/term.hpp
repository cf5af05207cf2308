// Scalar terms: what one element of a result is computed from. Arrays have disappeared; what is left are
// loads at symbolic positions and scalar operations on them. Terms are interned, so a shared subexpression is
// one term.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/expr/expr.hpp"

namespace lift {

enum class TermKind : std::uint8_t {
  Constant,  ///< number
  Index,     ///< the integer `nats[0]`, as an i32
  Load,  ///< `name`[nats...]; one Nat a dimension (logical position), or one flat index after linearisation;
         ///< args: what the computed variables among them stand for, see position_of
  Argument,   ///< scalar argument `name`
  Local,      ///< let-bound scalar or accumulator `name`
  Apply,      ///< scalar op `op` on args (Add ... Select, Cast)
  Compare,    ///< the condition `cond`, as a bool
  Call,       ///< user function described by `user` on args
  Lanes,      ///< vector of the conditions `conds`, one a lane: a mask
  LaneIndex,  ///< vector nats[0] + lane * nats[1], as numbers
  Shuffle,    ///< vector whose lane l is element lanes[l] of the args laid side by side: all scalars, or
              ///< vectors of its width; of width 1: of one vector
};

struct TermNode;

class Term {
 public:
  Term() = default;
  explicit operator bool() const { return node_ != nullptr; }
  const TermNode* operator->() const { return node_; }
  friend bool operator==(const Term& a, const Term& b) { return a.node_ == b.node_; }

 private:
  explicit Term(const TermNode* n) : node_(n) {}
  friend Term intern(TermNode);
  const TermNode* node_ = nullptr;
};

struct TermNode {
  TermKind kind = TermKind::Constant;
  Scalar type = f64;
  int width = 1;               ///< lanes; 1 is a scalar
  Op op = Op::Add;             ///< Apply
  double number = 0;           ///< Constant
  std::string name;            ///< Load, Argument, Local
  std::vector<Nat> nats;       ///< Index, Load, LaneIndex
  std::vector<NatCond> conds;  ///< Compare (one), Lanes (one a lane)
  std::vector<Term> args;      ///< Apply, Call, Shuffle; of others: the values of computed variables
  std::vector<int> lanes;      ///< Shuffle
  Attr user;                   ///< Call: the user function's attributes
  std::uint32_t id = 0;        ///< assigned by interning
  std::size_t hash = 0;        ///< assigned by interning
  detail::Stays stays;         ///< assigned by interning
};
/// Stays at least so long; see ir/region.hpp.
void raise(const Term& t, detail::Stay stay);

Term intern(TermNode node);

Term constant_term(double v, Scalar type);
Term index_term(const Nat& n);
/// An i32 as a position, 0 to length - 1, which it must be among: a variable that stands for the term, unless
/// the term is index arithmetic itself. A term whose positions, conditions or index have such a variable has
/// the term among its arguments, so that whoever visits, rewrites or substitutes meets it.
Nat position_of(const Term& t, const Nat& length);
/// What such a variable stands for.
Term computed_term(const NatAtom& variable);
Term load_term(const std::string& array, std::vector<Nat> position, Scalar type, int width = 1);
Term argument_term(const std::string& name, Scalar type);
Term local_term(const std::string& name, Scalar type, int width = 1);
Term compare_term(const NatCond& c);
/// A scalar operation; integer arithmetic on indices stays symbolic, decided conditions disappear.
Term apply_term(Op op, Scalar type, std::vector<Term> args);
Term call_term(const Attr& user, std::vector<Term> args);
/// Lanes of vectors put together anew; see TermKind::Shuffle. Shuffles of shuffles become one where two
/// vectors suffice.
Term shuffle_term(std::vector<Term> args, const std::vector<int>& lanes);
/// `value` in each of `width` lanes.
Term broadcast(const Term& value, int width);
/// t with other arguments, simplified again.
Term with_args(const Term& t, std::vector<Term> args);

/// Visits every distinct subterm once, arguments first.
void visit(const Term& t, const std::function<void(const Term&)>& f);
/// Rebuilds bottom-up: f sees each node with its arguments already rebuilt.
Term rewrite(const Term& t, const std::function<Term(const Term&)>& f);
/// Replaces a variable in every Nat.
Term substitute(const Term& t, const Nat& variable, const Nat& value);
Term map_nats(const Term& t, const std::function<Nat(const Nat&)>& f);
bool mentions(const Term& t, const Nat& variable);
/// Decides conditions and simplifies indices that `facts` settle.
Term simplify(const Term& t, const Facts& facts);
std::string str(const Term& t);

}  // namespace lift
