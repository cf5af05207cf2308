#include "lower/passes/narrow_lanes.hpp"

#include <bit>

namespace lift {
namespace {

Term narrow_constant(std::int64_t v, Scalar lanes) {
  const std::int64_t values = std::int64_t{1} << (8 * size_of(lanes));
  std::int64_t low = ((v % values) + values) % values;
  if (lanes == i16 && low >= values / 2) low -= values;
  return constant_term(static_cast<double>(low), lanes);
}

/// The same bits, or the low ones of them, as other lanes.
Term cast(const Term& t, Scalar lanes) {
  if (t->type == lanes) return t;
  if (t->kind == TermKind::Constant) return narrow_constant(static_cast<std::int64_t>(t->number), lanes);
  if (t->kind == TermKind::Apply && t->op == Op::Cast && size_of(t->type) == 2) {
    const Scalar from = t->args[0]->type;
    if (from == lanes) return t->args[0];
    if (size_of(from) == 2) return cast(t->args[0], lanes);
  }
  return apply_term(Op::Cast, lanes, {t});
}

bool is_positive_number(const Term& t) { return t->kind == TermKind::Constant && t->number > 0; }

}  // namespace

std::optional<Scalar> NarrowLanes::least(const ValueRange& r) const {
  if (r.within(range_of(u8))) return u8;
  if (bytes_ < 2) return std::nullopt;
  if (r.within(range_of(i16))) return i16;  // machines without comparisons of unsigned lanes compare these
  if (r.within(range_of(u16))) return u16;
  return std::nullopt;
}

NarrowLanes::Maybe NarrowLanes::value(const Term& t) {
  if (t->width == 1) return t;
  if (t->type == boolean) return condition(t);
  return t->type == u8 ? bytes(t) : std::nullopt;
}

NarrowLanes::Maybe NarrowLanes::whole(const Term& t) {
  const auto lanes = least(ranges_.of(t));
  return lanes && t->type == i32 ? exact(t, *lanes) : std::nullopt;
}

NarrowLanes::Maybe NarrowLanes::exact(const Term& t, Scalar lanes) {
  if (t->width == 1) return scalar(t, lanes);
  const Maybe r = low(t, lanes == u8 ? u8 : u16);
  return r ? Maybe(cast(*r, lanes)) : r;
}

NarrowLanes::Maybe NarrowLanes::scalar(const Term& t, Scalar lanes) const {
  if (t->kind == TermKind::Constant) return narrow_constant(static_cast<std::int64_t>(t->number), lanes);
  if (t->type != i32) return std::nullopt;
  if (t->kind == TermKind::Apply && t->op == Op::Cast && t->args[0]->type == u8)
    return cast(t->args[0], lanes);
  return apply_term(Op::Cast, lanes, {t});
}

NarrowLanes::Maybe NarrowLanes::condition(const Term& t) {
  if (t->width == 1 || t->kind == TermKind::Load || t->kind == TermKind::Local || t->kind == TermKind::Lanes)
    return t;
  if (t->kind != TermKind::Apply) return std::nullopt;
  const auto by = [&](const Maybe& a, const Maybe& b) -> Maybe {
    return a && b ? Maybe(apply_term(t->op, boolean, {*a, *b})) : std::nullopt;
  };
  switch (t->op) {
    case Op::And:
    case Op::Or:
      return by(condition(t->args[0]), condition(t->args[1]));
    case Op::Not: {
      const Maybe a = condition(t->args[0]);
      return a ? Maybe(apply_term(Op::Not, boolean, {*a})) : a;
    }
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Ne: {
      const Term &a = t->args[0], &b = t->args[1];
      if (a->type != i32 || b->type != i32) return std::nullopt;
      const auto lanes = least(joined(ranges_.of(a), ranges_.of(b)));
      return lanes ? by(exact(a, *lanes), exact(b, *lanes)) : std::nullopt;
    }
    case Op::Cast: {
      const Maybe a = whole(t->args[0]);
      return a ? Maybe(apply_term(Op::Ne, boolean, {*a, narrow_constant(0, (*a)->type)})) : a;
    }
    default:
      return std::nullopt;
  }
}

NarrowLanes::Maybe NarrowLanes::bytes(const Term& t) {
  if (t->width == 1 || t->kind == TermKind::Load || t->kind == TermKind::Local ||
      t->kind == TermKind::Shuffle)
    return t;
  if (t->kind != TermKind::Apply) return std::nullopt;
  if (t->op == Op::Cast) return t->args[0]->type == i32 ? low(t->args[0], u8) : std::nullopt;
  if (t->op != Op::Select) return std::nullopt;
  const Maybe c = condition(t->args[0]), a = bytes(t->args[1]), b = bytes(t->args[2]);
  return c && a && b ? Maybe(apply_term(Op::Select, u8, {*c, *a, *b})) : std::nullopt;
}

/// A vector, the low bits of which are those of the i32 t; lanes without a sign, as these may wrap around.
NarrowLanes::Maybe NarrowLanes::low(const Term& t, Scalar lanes) {
  if (size_of(lanes) > static_cast<std::size_t>(bytes_)) return std::nullopt;
  if (t->width == 1) return scalar(t, lanes);
  const std::pair key{t->id, lanes};
  if (const auto it = memo_.find(key); it != memo_.end()) return it->second;
  const auto r = [&]() -> Maybe {
    if (t->kind != TermKind::Apply || t->type != i32) return std::nullopt;
    switch (t->op) {
      case Op::Cast:
        return converted(t->args[0], lanes);
      case Op::Mul:
        if (lanes == u8) {  // machines multiply 16 bits
          const Maybe words = low(t, u16);
          return words ? Maybe(cast(*words, u8)) : words;
        }
        [[fallthrough]];
      case Op::Add:
      case Op::Sub: {
        const Maybe a = low(t->args[0], lanes), b = low(t->args[1], lanes);
        return a && b ? Maybe(apply_term(t->op, lanes, {*a, *b})) : std::nullopt;
      }
      case Op::Neg: {
        const Maybe a = low(t->args[0], lanes);
        return a ? Maybe(apply_term(Op::Neg, lanes, {*a})) : a;
      }
      case Op::Select: {
        const Maybe c = condition(t->args[0]), a = low(t->args[1], lanes), b = low(t->args[2], lanes);
        return c && a && b ? Maybe(apply_term(Op::Select, lanes, {*c, *a, *b})) : std::nullopt;
      }
      case Op::Min:
      case Op::Max:
      case Op::Abs:
        return extremum(t, lanes);
      case Op::Div:
      case Op::Mod:
        return division(t, lanes);
      default:
        return std::nullopt;
    }
  }();
  return memo_[key] = r;
}

/// The i32 that t, of another type, becomes.
NarrowLanes::Maybe NarrowLanes::converted(const Term& t, Scalar lanes) {
  if (t->type == boolean) {
    const Maybe c = condition(t);
    return c ? Maybe(
                   apply_term(Op::Select, lanes, {*c, narrow_constant(1, lanes), narrow_constant(0, lanes)}))
             : c;
  }
  if (t->type == u16 || t->type == i16) return cast(t, lanes);  // a local
  if (t->type != u8) return std::nullopt;
  const Maybe a = bytes(t);
  return a ? Maybe(cast(*a, lanes)) : a;
}

NarrowLanes::Maybe NarrowLanes::extremum(const Term& t, Scalar lanes) {
  ValueRange r = ranges_.of(t);
  for (const Term& a : t->args) r = joined(r, ranges_.of(a));
  if (t->op == Op::Abs && r.lower >= 0) return low(t->args[0], lanes);
  const auto within = least(r);
  if (!within) return std::nullopt;
  const Maybe a = exact(t->args[0], *within);
  if (!a) return a;
  const Maybe b = t->op == Op::Abs ? Maybe(apply_term(Op::Neg, *within, {*a})) : exact(t->args[1], *within);
  if (!b) return b;
  return cast(apply_term(t->op == Op::Min ? Op::Min : Op::Max, *within, {*a, *b}), lanes);
}

/// By a number that stands there: a shift; else 16 bits without a sign, which compilers multiply by the
/// number's inverse.
NarrowLanes::Maybe NarrowLanes::division(const Term& t, Scalar lanes) {
  const Term& by = t->args[1];
  if (!is_positive_number(by)) return std::nullopt;
  const auto m = static_cast<std::int64_t>(by->number);
  const ValueRange r = joined(ranges_.of(t->args[0]), {0, m});
  auto within = least(r);
  if (within && !std::has_single_bit(static_cast<std::uint64_t>(m)))
    within = bytes_ >= 2 && r.within(range_of(u16)) ? std::optional(u16) : std::nullopt;
  if (!within) return std::nullopt;
  const Maybe a = exact(t->args[0], *within);
  return a ? Maybe(cast(apply_term(t->op, *within, {*a, narrow_constant(m, *within)}), lanes)) : a;
}

}  // namespace lift
