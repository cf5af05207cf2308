// Values as C: numbers, conditions, operators by how tightly they bind. What depends on the language, vectors
// above all, is the backend's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "emit/c_like.hpp"
#include "ir/error.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"
#include "ir/number_text.hpp"

namespace lift {
namespace {

/// Whether C computes this i32 as a long: an index, or what is computed with one.
bool may_be_long(const Term& x) {
  if (x->width > 1 || x->kind == TermKind::Index) return x->width == 1;
  return x->kind == TermKind::Apply && x->op != Op::Cast && x->type == i32 &&
         std::any_of(x->args.begin(), x->args.end(), may_be_long);
}

/// The number that a whole number of a program is, if it is one above 0; else 0.
std::int64_t positive_number(const Term& x) {
  return x->kind == TermKind::Constant && x->number > 0 ? static_cast<std::int64_t>(x->number) : 0;
}

/// Whether a whole number is 0 or more whatever is loaded: C's quotient of it is the one rounded down. A
/// dozen levels of operations are looked through.
bool is_nonnegative(const Term& x, int levels = 12) {
  const auto of = [&](std::size_t a) { return is_nonnegative(x->args[a], levels - 1); };
  if (x->type == u8 || x->type == u16) return true;
  if (x->kind == TermKind::Constant) return x->number >= 0;
  if (x->kind == TermKind::Index) return Facts().proves_nonnegative(x->nats[0]);
  if (x->kind != TermKind::Apply || levels == 0) return false;
  switch (x->op) {
    case Op::Cast:
      return x->args[0]->type == u8 || x->args[0]->type == boolean || (is_integer(x->args[0]->type) && of(0));
    case Op::Add:
    case Op::Mul:
    case Op::Min:
      return of(0) && of(1);
    case Op::Max:
      return of(0) || of(1);
    case Op::Div:
    case Op::Mod:
      return positive_number(x->args[1]) > 0 && (x->op == Op::Mod || of(0));
    default:
      return false;
  }
}

}  // namespace

Text CLike::nat(const Nat& n) {
  return index_text(
      n, [this](const NatAtom& a) { return name(a); }, helpers_);
}

Text CLike::condition(const NatCond& c) {
  Nat left = 0, right = 0;  // what is subtracted goes to the other side
  for (const NatTerm& t : terms(c.a)) {
    Nat one = t.coefficient;
    for (const NatFactor& f : t.factors)
      for (int i = 0; i < f.power; ++i) one = one * atom_nat(*f.atom);
    (t.coefficient > 0 ? left : right) = (t.coefficient > 0 ? left + one : right - one);
  }
  const char* const relation[] = {" >= ", " == ", " != "};
  std::string r = relation[static_cast<int>(c.kind)];
  if (left.is_constant() && !right.is_constant()) {
    std::swap(left, right);
    if (c.kind == NatCond::Kind::NonNegative) r = " <= ";
  }
  return {nat(left).in(5) + r + nat(right).in(5), 4};
}

std::string CLike::infinity(Scalar) { return *helpers_.insert("INFINITY").first; }
std::string CLike::not_a_number(Scalar) { return *helpers_.insert("NAN").first; }

std::string CLike::floating(double v, Scalar s) {
  if (s == f32) v = static_cast<double>(static_cast<float>(v));
  if (std::isinf(v)) return (v < 0 ? "-" : "") + infinity(s);
  if (std::isnan(v)) return not_a_number(s);
  std::string r = s == f32 ? exact_text(static_cast<float>(v)) : exact_text(v);
  if (r.find_first_of(".e") == std::string::npos) r += ".0";
  return r + (s == f32 ? "f" : "");
}

Text CLike::term(const Term& t) {
  const int w = t->width;
  const auto vec =
      [&](const Term& x,
          int minimum) -> std::string {  // an operand of vector arithmetic where a vector is needed
    const Text e = term(x);
    return x->width == w ? e.in(minimum) : splat(x->type, w, e.s);
  };
  switch (t->kind) {
    case TermKind::Constant:
      if (is_float(t->type))
        return {floating(t->number, t->type), std::signbit(t->number) && !std::isnan(t->number) ? 8 : 9};
      return {std::to_string(static_cast<long long>(t->number)) + (t->type == i64 ? "L" : ""),
              t->number < 0 ? 8 : 9};
    case TermKind::Index:
      return nat(t->nats[0]);
    case TermKind::Load:
      mentioned_.insert(t->name);
      return {load(t->name, element(t->nats), t->type, w), 9};
    case TermKind::Argument:
      return {*mentioned_.insert(t->name).first, 9};
    case TermKind::Local:
      return {local(t), 9};
    case TermKind::Compare:
      return condition(t->conds[0]);
    case TermKind::Lanes: {
      std::vector<std::string> lanes;
      for (const NatCond& c : t->conds)
        lanes.push_back(c.a.is_constant() ? (Facts().proves(c) ? "-1" : "0") : "-(" + condition(c).s + ")");
      return {vector_literal(boolean, w, lanes), 9};
    }
    case TermKind::LaneIndex: {
      std::vector<std::string> lanes;
      for (int l = 0; l < w; ++l) {
        const Nat n = t->nats[0] + l * t->nats[1];
        lanes.push_back(is_float(t->type) && n.is_constant()
                            ? floating(static_cast<double>(*n.constant()), t->type)
                            : "(" + c_type(t->type) + ")(" + nat(n).s + ")");
      }
      return {vector_literal(t->type, w, lanes), 9};
    }
    case TermKind::Shuffle: {
      if (t->args[0]->width > 1) return {shuffle(t), 9};
      if (t->args.size() == 1) return {splat(t->type, w, term(t->args[0]).s), 9};
      std::vector<std::string> lanes;
      for (const int l : t->lanes) {
        const std::string element = term(t->args[static_cast<std::size_t>(l)]).s;
        lanes.push_back(t->type == boolean ? "-(" + element + ")" : element);  // lanes that hold are -1
      }
      return {vector_literal(t->type, w, lanes), 9};
    }
    case TermKind::Call: {
      std::vector<std::string> args;
      for (const Term& a : t->args)
        args.push_back(w > 1 && a->width == 1 ? splat(a->type, w, term(a).s) : term(a).s);
      return {user_call(t, args), 9};
    }
    case TermKind::Apply:
      break;
  }
  const auto binary = [&](const char* op, int precedence, bool commutes) -> Text {
    const auto operand = [&](const Term& x,
                             int minimum) {  // beside a vector of integers, an index is one too
      if (w > 1 && x->width == 1 && x->type == boolean) return splat(boolean, w, term(x).s);
      return w > 1 && may_be_long(x) ? "(" + c_type(x->type) + ")" + term(x).in(9) : term(x).in(minimum);
    };
    return {operand(t->args[0], precedence) + op + operand(t->args[1], precedence + (commutes ? 0 : 1)),
            precedence};
  };
  const auto compared = [&](const char* op) -> Text {
    const Text c = binary(op, 5, false);
    return w > 1 ? Text{mask(t->args[t->args[0]->width > 1 ? 0 : 1]->type, w, c.s), 9} : Text{c.s, 4};
  };
  const auto called = [&]() -> Text {
    std::vector<std::string> args;
    for (const Term& a : t->args)  // an index may be long, and functions of all types know no mixture
      args.push_back(a->kind == TermKind::Index && a->width == 1 && w == 1
                         ? "(" + c_type(a->type) + ")" + term(a).in(9)
                         : vec(a, 1));
    return {math(t->op, t->type, w, args), 9};
  };
  const auto either = [&]() -> Text {  // && within || in parentheses, as compilers ask for
    const auto operand = [&](const Term& x) {
      return term(x).in(x->kind == TermKind::Apply && x->op == Op::Or ? 2 : 4);
    };
    return {operand(t->args[0]) + " || " + operand(t->args[1]), 2};
  };
  switch (t->op) {
    case Op::Add:
      return binary(" + ", 6, false);
    case Op::Sub:
      return binary(" - ", 6, false);
    case Op::Mul:
      return binary(" * ", 7, false);
    case Op::Div: {
      if (is_float(t->type)) return binary(" / ", 7, false);
      const std::int64_t m = positive_number(t->args[1]);
      if (m > 0 && (m & (m - 1)) == 0 && !(w == 1 && may_be_long(t->args[0])))
        return {"(" + term(t->args[0]).in(7) + " >> " +
                    std::to_string(std::countr_zero(static_cast<std::uint64_t>(m))) + ")",
                9};
      if (m > 0 && !may_be_long(t->args[0]) && is_nonnegative(t->args[0])) return binary(" / ", 7, false);
      const auto s = m > 0 && w > 1 && t->type == i32 ? quotient(term(t->args[0]).in(8), m, w) : std::nullopt;
      return s ? Text{*s, 9} : called();
    }
    case Op::Lt:
      return compared(" < ");
    case Op::Le:
      return compared(" <= ");
    case Op::Eq:
      return compared(" == ");
    case Op::Ne:
      return compared(" != ");
    case Op::And:
      return w > 1 ? Text{"(" + vec(t->args[0], 8) + " & " + vec(t->args[1], 8) + ")", 9}
                   : binary(" && ", 3, true);
    case Op::Or:
      return w > 1 ? Text{"(" + vec(t->args[0], 8) + " | " + vec(t->args[1], 8) + ")", 9} : either();
    case Op::Not:
      return {(w > 1 ? "~" : "!") + term(t->args[0]).in(8), 8};
    case Op::Neg:
      return {"-" + term(t->args[0]).in(9), 8};
    case Op::Select:
      if (t->args[0]->width > 1)
        return {blend(t->type, w, term(t->args[0]).s, vec(t->args[1], 1), vec(t->args[2], 1)), 9};
      if (w > 1) return {term(t->args[0]).in(2) + " ? " + vec(t->args[1], 2) + " : " + vec(t->args[2], 2), 1};
      return {term(t->args[0]).in(2) + " ? " + term(t->args[1]).in(2) + " : " + term(t->args[2]).in(1), 1};
    case Op::Cast:
      if (t->type == boolean)
        return w > 1 ? Text{mask(t->args[0]->type, w, term(t->args[0]).in(5) + " != 0"), 9}
                     : Text{term(t->args[0]).in(5) + " != 0", 4};
      if (w > 1 && t->args[0]->type == boolean)
        return {convert(boolean, t->type, w, "-" + term(t->args[0]).in(8)),
                9};  // lanes that hold are -1; others 0, not -0
      if (w > 1) return {convert(t->args[0]->type, t->type, w, term(t->args[0]).s), 9};
      return {"(" + c_type(t->type) + ")" + term(t->args[0]).in(9), 8};
    case Op::Mod: {  // never negative
      const std::int64_t m = positive_number(t->args[1]);
      if (!is_integer(t->type) || m <= 0) return called();
      if ((m & (m - 1)) == 0)
        return {
            "(" + term(t->args[0]).in(6) + " & " + std::to_string(m - 1) + (t->type == i64 ? "L" : "") + ")",
            9};
      if (!may_be_long(t->args[0]) && is_nonnegative(t->args[0])) return binary(" % ", 7, false);
      const auto s = w > 1 && t->type == i32 ? remainder(term(t->args[0]).in(8), m, w) : std::nullopt;
      return s ? Text{*s, 9} : called();
    }
    case Op::Min:
    case Op::Max:
    case Op::Abs:
      return called();
    default:
      if (elementary(t->op) != nullptr) return called();
      throw InternalError("emit: no spelling of " + std::string(text(t->op)));
  }
}

std::string CLike::conditions(const std::vector<Term>& cs) {
  std::string s;
  for (const Term& c : cs) s += (s.empty() ? "" : " && ") + term(c).in(cs.size() > 1 ? 4 : 0);
  return s;
}

}  // namespace lift
