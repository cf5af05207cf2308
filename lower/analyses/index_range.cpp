#include "lower/analyses/index_range.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

struct Range {
  std::int64_t lower, upper;
  std::int64_t magnitude() const { return std::max(std::abs(lower), std::abs(upper)); }
};
using MaybeRange = std::optional<Range>;

/// Ranges of the variables known so far, and whether all that was looked at fits.
class Ranges {
 public:
  explicit Ranges(const Kernel& k) {
    for (const KernelArgument& a : k.arguments)
      if (a.range.size() == 2)
        if (const auto lower = a.range[0].constant(), upper = a.range[1].constant(); lower && upper)
          arguments_[a.name] = {*lower, *upper};
    block(k.body);
  }
  bool fit() const { return fit_; }

 private:
  void block(const Block& b) {
    for (const Stmt& s : b) {
      const auto* l = std::get_if<Let>(&s.v);
      if (l && l->local->kind == TermKind::Index)
        define(l->local->nats[0], of(l->value->nats[0]));
      else
        visit_values(s, [&](const Term& t) { term(t); });
      if (const auto* x = std::get_if<Store>(&s.v)) need(x->position.at(0));
      if (const auto* x = std::get_if<Prefetch>(&s.v)) need(x->position.at(0));
      if (const auto* f = std::get_if<For>(&s.v)) loop(*f);
      if (const auto* i = std::get_if<If>(&s.v)) block(i->body);
    }
  }
  void loop(const For& f) {
    const MaybeRange lower = of(f.lower), upper = of(f.upper), step = of(f.step);
    if (!lower || !upper || !step) return;
    // Its last value is beyond the upper bound, by a step or by all items.
    need_value(upper->upper + step->magnitude() + f.items);
    define(f.var, Range{lower->lower, std::max(lower->lower, upper->upper - 1)});
    block(f.body);
  }
  void define(const Nat& variable, const MaybeRange& r) {
    if (r) known_[variables(variable).at(0)] = *r;
  }
  void term(const Term& t) {
    visit(t, [&](const Term& x) {
      for (const Nat& n : x->nats) need(n);
      for (const NatCond& c : x->conds) need(c.a);
      if (x->kind == TermKind::LaneIndex) need(x->nats[0] + x->width * x->nats[1]);
    });
  }
  void need(const Nat& n) { of(n); }
  void need_value(std::int64_t v) { fit_ &= v <= kLargest; }

  MaybeRange unknown() {
    fit_ = false;
    return std::nullopt;
  }
  /// The range of n. What is computed on the way is at most the sum of its terms' magnitudes.
  MaybeRange of(const Nat& n) {
    Range sum{0, 0};
    std::int64_t magnitude = 0;
    for (const NatTerm& t : terms(n)) {
      Range product{t.coefficient, t.coefficient};
      for (const NatFactor& f : t.factors)
        for (int p = 0; p < f.power; ++p) {
          const MaybeRange x = of(*f.atom);
          if (!x) return std::nullopt;
          const std::int64_t a = product.lower * x->lower, b = product.lower * x->upper,
                             c = product.upper * x->lower, d = product.upper * x->upper;
          product = {std::min({a, b, c, d}), std::max({a, b, c, d})};
          if (product.magnitude() > kLargest) return unknown();
        }
      magnitude += product.magnitude();
      if (product.magnitude() > kLargest || magnitude > kLargest) return unknown();
      sum.lower += product.lower, sum.upper += product.upper;
    }
    return sum;
  }
  MaybeRange of(const NatAtom& a) {
    if (a.kind == AtomKind::Var) return variable(a);
    const MaybeRange x = of(a.a), m = of(a.b);
    if (!x || !m) return std::nullopt;
    switch (a.kind) {
      case AtomKind::Min:
        return Range{std::min(x->lower, m->lower), std::min(x->upper, m->upper)};
      case AtomKind::Max:
        return Range{std::max(x->lower, m->lower), std::max(x->upper, m->upper)};
      case AtomKind::Mod:
        return Range{0, std::max<std::int64_t>(m->upper - 1, 0)};
      default:
        break;
    }
    const std::int64_t divisor =
        std::max<std::int64_t>(m->lower, 1);  // rounded down: at least (lower - m + 1) / m
    need_value(x->magnitude() + m->upper);
    return Range{std::min<std::int64_t>(0, x->lower / divisor - 1),
                 std::max<std::int64_t>(0, x->upper / divisor)};
  }
  MaybeRange variable(const NatAtom& a) {
    if (const auto it = known_.find(&a); it != known_.end()) return it->second;
    if (const auto it = arguments_.find(a.name); it != arguments_.end()) return it->second;
    const auto bounds = Facts().bounds(atom_nat(a));
    if (!bounds.lower || !bounds.upper ||
        std::max(std::abs(*bounds.lower), std::abs(*bounds.upper)) > kLargest)
      return unknown();
    return Range{*bounds.lower, *bounds.upper};
  }

  std::map<const NatAtom*, Range> known_;
  std::map<std::string, Range> arguments_;
  bool fit_ = true;
};

}  // namespace

bool indices_fit_int(const Kernel& k) { return Ranges(k).fit(); }

}  // namespace lift
