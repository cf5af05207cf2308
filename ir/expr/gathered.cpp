#include "ir/expr/gathered.hpp"

#include <algorithm>

#include "ir/error.hpp"

namespace lift {
namespace {

/// Of i32, or of i64 where the position is one.
Term whole(Op op, const Term& a, const Term& b) { return apply_term(op, a->type, {a, b}); }
Term length_term(const Nat& n, Scalar type) {
  const Term t = index_term(n);
  return type == i32 ? t : apply_term(Op::Cast, type, {t});
}

/// Proofs that an i32 or i64 is at least, or at most, a number that may be symbolic.
class Bounds {
 public:
  Bounds(const Facts& facts, const Definition& definition) : facts_(facts), definition_(definition) {}

  bool at_least(const Term& t, const Nat& n) const { return holds(t, n, false); }
  bool at_most(const Term& t, const Nat& n) const { return holds(t, n, true); }

 private:
  std::optional<Nat> nat_of(const Term& t) const {
    if (t->kind == TermKind::Index) return t->nats[0];
    if (t->kind == TermKind::Constant) return Nat(static_cast<std::int64_t>(t->number));
    if (t->kind == TermKind::Apply && t->op == Op::Cast && t->type == i64 && t->args[0]->type == i32)
      return nat_of(t->args[0]);
    return std::nullopt;
  }
  bool holds(const Term& t, const Nat& n, bool most) const {
    if (const auto i = nat_of(t)) return facts_.proves(most ? less_equal(*i, n) : less_equal(n, *i));
    if (t->kind == TermKind::Local || t->kind == TermKind::Load) return holds_of_values(t, n, most);
    if (t->kind != TermKind::Apply || !is_integer(t->type)) return false;
    const auto of = [&](std::size_t a) { return holds(t->args[a], n, most); };
    switch (t->op) {
      case Op::Min:
        return most ? of(0) || of(1) : of(0) && of(1);
      case Op::Max:
        return most ? of(0) && of(1) : of(0) || of(1);
      case Op::Select:
        return of(1) && of(2);
      case Op::Mod: {  // of the divisor's sign
        const auto m = nat_of(t->args[1]);
        if (!m || !facts_.proves(less(0, *m))) return false;
        return facts_.proves(most ? less_equal(*m - 1, n) : less_equal(n, 0));
      }
      case Op::Add:
        for (const std::size_t a : {0U, 1U})
          if (const auto c = nat_of(t->args[1 - a])) return holds(t->args[a], n - *c, most);
        return false;
      case Op::Sub:
        if (const auto c = nat_of(t->args[1])) return holds(t->args[0], n + *c, most);
        if (const auto c = nat_of(t->args[0])) return holds(t->args[1], *c - n, !most);
        return false;
      case Op::Cast: {
        const Scalar from = t->args[0]->type;
        if (from == i32 && t->type == i64) return of(0);
        if (from != boolean && from != u8) return false;
        return facts_.proves(most ? less_equal(from == u8 ? 255 : 1, n) : less_equal(n, 0));
      }
      default:
        return false;
    }
  }

  /// An array of which an element is made of others of the same is not followed.
  bool holds_of_values(const Term& t, const Nat& n, bool most) const {
    if (std::find(open_.begin(), open_.end(), t->name) != open_.end()) return false;
    const std::vector<Term> values = definition_(t);
    open_.push_back(t->name);
    const bool r = !values.empty() && std::all_of(values.begin(), values.end(),
                                                  [&](const Term& v) { return holds(v, n, most); });
    open_.pop_back();
    return r;
  }

  const Facts& facts_;
  const Definition& definition_;
  mutable std::vector<std::string> open_;  ///< names that are being looked at
};

}  // namespace

bool is_within(const Term& i, const Nat& length, const Facts& facts, const Definition& definition) {
  const Bounds b(facts, definition);
  return b.at_least(i, 0) && b.at_most(i, length - 1);
}

Term position_term(const Term& i) {
  if (i->type == i32) return i;
  const bool widened = i->kind == TermKind::Apply && i->op == Op::Cast && i->args[0]->type == i32;
  return widened ? i->args[0] : apply_term(Op::Cast, i32, {i});
}

Term within(Boundary b, const Term& i, const Nat& length) {
  const auto of = [&](const Nat& n) { return length_term(n, i->type); };
  switch (b) {
    case Boundary::clamp:
    case Boundary::constant:
      return whole(Op::Max, whole(Op::Min, i, of(length - 1)), of(0));
    case Boundary::wrap:
      return whole(Op::Mod, i, of(length));
    case Boundary::mirror: {  // 0 1 2 2 1 0 and again
      const Term m = whole(Op::Mod, i, of(2 * length));
      return whole(Op::Min, m, whole(Op::Sub, of(2 * length - 1), m));
    }
    case Boundary::reflect: {  // 0 1 2 1 and again; of one element, that one
      const Term m = whole(Op::Mod, i, of(max(2 * length - 2, 1)));
      return whole(Op::Min, m, whole(Op::Sub, of(2 * length - 2), m));
    }
    default:
      throw InternalError(std::string("gather: no positions beyond the ends by ") + text(b));
  }
}

Term inside(const Term& i, const Nat& length) {
  return apply_term(Op::And, boolean,
                    {apply_term(Op::Le, boolean, {length_term(0, i->type), i}),
                     apply_term(Op::Lt, boolean, {i, length_term(length, i->type)})});
}

}  // namespace lift
