#include "lower/analyses/value_ranges.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "ir/nat/nat_atoms.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

using Wide = __int128;

bool is_whole(Scalar s) { return !is_float(s); }

/// A range of exact results; nothing where the type does not hold them all.
std::optional<ValueRange> held(Scalar type, Wide lower, Wide upper) {
  const ValueRange all = range_of(type);
  if (lower < all.lower || upper > all.upper) return std::nullopt;
  return ValueRange{static_cast<std::int64_t>(lower), static_cast<std::int64_t>(upper)};
}

std::optional<ValueRange> product(Scalar type, const ValueRange& a, const ValueRange& b) {
  const Wide corners[] = {Wide{a.lower} * b.lower, Wide{a.lower} * b.upper, Wide{a.upper} * b.lower,
                          Wide{a.upper} * b.upper};
  return held(type, *std::min_element(std::begin(corners), std::end(corners)),
              *std::max_element(std::begin(corners), std::end(corners)));
}

}  // namespace

ValueRange joined(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

ValueRange range_of(Scalar type) {
  switch (type) {
    case Scalar::u8:
      return {0, 255};
    case Scalar::u16:
      return {0, 65535};
    case Scalar::i16:
      return {-32768, 32767};
    case Scalar::i32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case Scalar::boolean:
      return {0, 1};
    default:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

ValueRange ValueRanges::of(const Term& t) const {
  Memo memo;
  return of(t, memo);
}

ValueRange ValueRanges::of(const Term& t, Memo& memo) const {
  if (const auto it = memo.find(t->id); it != memo.end()) return it->second;
  const ValueRange r = is_whole(t->type) ? computed(t, memo) : range_of(t->type);
  memo.emplace(t->id, r);
  return r;
}

ValueRange ValueRanges::computed(const Term& t, Memo& memo) const {
  const ValueRange all = range_of(t->type);
  const auto among = [&](const std::optional<ValueRange>& r) { return r.value_or(all); };
  switch (t->kind) {
    case TermKind::Constant:
      return among(held(t->type, static_cast<std::int64_t>(t->number), static_cast<std::int64_t>(t->number)));
    case TermKind::Index: {
      const auto bounds = Facts().bounds(t->nats[0]);
      return bounds.lower && bounds.upper ? among(held(t->type, *bounds.lower, *bounds.upper)) : all;
    }
    case TermKind::Load: {
      const auto it = arrays_.find(t->name);
      return it != arrays_.end() && it->second.within(all) ? it->second : all;
    }
    case TermKind::Local: {
      const auto it = locals_.find(t->id);
      return it != locals_.end() ? it->second : all;
    }
    case TermKind::Shuffle: {
      ValueRange r = of(t->args.at(0), memo);
      for (const Term& a : t->args) r = joined(r, of(a, memo));
      return r;
    }
    case TermKind::Apply:
      break;
    default:
      return all;
  }
  for (const Term& a : t->args)
    if (!is_whole(a->type)) return all;
  const auto arg = [&](std::size_t i) { return of(t->args.at(i), memo); };
  switch (t->op) {
    case Op::Cast: {
      const ValueRange a = arg(0);
      if (t->type == boolean) return all;
      return among(held(t->type, a.lower, a.upper));
    }
    case Op::Add:
      return among(held(t->type, Wide{arg(0).lower} + arg(1).lower, Wide{arg(0).upper} + arg(1).upper));
    case Op::Sub:
      return among(held(t->type, Wide{arg(0).lower} - arg(1).upper, Wide{arg(0).upper} - arg(1).lower));
    case Op::Mul:
      return among(product(t->type, arg(0), arg(1)));
    case Op::Neg:
      return among(held(t->type, -Wide{arg(0).upper}, -Wide{arg(0).lower}));
    case Op::Abs: {
      const ValueRange a = arg(0);
      const Wide most = std::max(-Wide{a.lower}, Wide{a.upper});
      const bool both = a.lower <= 0 && a.upper >= 0;
      return among(
          held(t->type, both ? 0 : std::min(a.lower < 0 ? -Wide{a.upper} : Wide{a.lower}, most), most));
    }
    case Op::Min:
      return {std::min(arg(0).lower, arg(1).lower), std::min(arg(0).upper, arg(1).upper)};
    case Op::Max:
      return {std::max(arg(0).lower, arg(1).lower), std::max(arg(0).upper, arg(1).upper)};
    case Op::Select:
      return joined(arg(1), arg(2));
    case Op::Div: {
      const ValueRange a = arg(0), b = arg(1);
      if (b.lower != b.upper || b.lower <= 0) return all;
      return {detail::floor_div(a.lower, b.lower), detail::floor_div(a.upper, b.lower)};
    }
    case Op::Mod: {
      const ValueRange a = arg(0), b = arg(1);
      if (b.lower != b.upper || b.lower <= 0) return all;
      return a.lower >= 0 && a.upper < b.lower ? a : ValueRange{0, b.lower - 1};
    }
    default:
      return all;
  }
}

bool ValueRanges::add_stores(const Block& b, bool widen) {
  bool grown = false;
  for (const Stmt& s : b) {
    if (const auto* l = std::get_if<Let>(&s.v); l && is_whole(l->value->type)) {
      const ValueRange now = of(l->value);  // a name may have been another value's before
      const auto [it, added] = locals_.try_emplace(l->local->id, now);
      if (!added) it->second = joined(it->second, now);
    }
    if (const auto* d = std::get_if<Declare>(&s.v))
      locals_.insert_or_assign(d->local->id, range_of(d->local->type));
    if (const auto* x = std::get_if<Store>(&s.v))
      if (const auto it = arrays_.find(x->array); it != arrays_.end()) {
        const ValueRange now = joined(it->second, of(x->value));
        if (!(now == it->second)) it->second = widen ? range_of(x->value->type) : now, grown = true;
      }
    if (const Block* inside = body_of(s)) grown |= add_stores(*inside, widen);
  }
  return grown;
}

ValueRanges::ValueRanges(const Kernel& k) {
  constexpr int kRounds = 8;  // of values that are stored and loaded again, before any value is expected
  const auto add = [&](const std::string& name, const Type& t) {
    if (element_of(t).is_scalar() && is_whole(element_of(t).scalar()))
      arrays_.emplace(name, ValueRange{0, 0});
  };
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array() && (a.work || a.made)) add(a.name, a.type);
  visit(k.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) add(a->name, a->type);
  });
  visit(k.body, [&](const Stmt& s) {
    if (const auto* c = std::get_if<CopyRow>(&s.v)) arrays_.erase(c->to);
  });
  for (int round = 0; add_stores(k.body, round >= kRounds); ++round) locals_.clear();
  locals_.clear();
}

}  // namespace lift
