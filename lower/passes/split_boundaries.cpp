#include <algorithm>

#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Text that one loop may become: where the loop within has become single iterations, pieces multiply.
constexpr std::size_t kMostStatements = 64;

/// Terms that the pieces of a loop may have together. Of larger ones only the largest piece is apart: a wide
/// stencil would have its text a dozen times, for elements of which there are a few a row.
constexpr std::size_t kMostTerms = 512;

/// Periods that a loop goes through where an index wraps around, one before the first among them: an array
/// of which more than one end wraps is longer than a period.
constexpr std::int64_t kMostPeriods = 4;

/// Where the sign of an affine a(v) = k*v + r changes: the first v on its other side.
std::optional<Nat> sign_change(const Nat& a, const Nat& v) {
  const auto x = affine_in(a, v);
  const auto k = x ? x->coefficient.constant() : std::nullopt;
  if (!k || *k == 0) return std::nullopt;
  return *k > 0 ? ceildiv(-x->rest, *k)        // k*v + r >= 0 from there on
                : floordiv(x->rest, -*k) + 1;  // r - |k|*v >= 0 up to the one before
}

/// Variables that tell work-items apart: their loops do not end together where a bound depends on one.
std::vector<Nat> item_variables(const Block& b) {
  std::vector<Nat> r;
  visit(b, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v); f && (f->kind == LoopKind::Glb || f->kind == LoopKind::Lcl))
      r.push_back(f->var);
  });
  return r;
}

struct Breaks {
  const For& f;
  const std::vector<Nat>& items;
  std::vector<Nat> at = {};
  void add(const Nat& a) {
    const auto p = sign_change(a, f.var);
    if (!p || std::any_of(items.begin(), items.end(), [&](const Nat& item) { return mentions(*p, item); }) ||
        std::find(at.begin(), at.end(), *p) != at.end())
      return;
    if (Facts().proves(less_equal(*p, f.lower)) || Facts().proves(less_equal(f.upper, *p))) return;
    at.push_back(*p);
  }
  void scan(const Nat& n) {
    for (const NatTerm& t : terms(n))
      for (const NatFactor& x : t.factors) {
        const NatAtom& a = *x.atom;
        if (a.kind == AtomKind::Var || !mentions(atom_nat(a), f.var)) continue;
        if (a.kind == AtomKind::Min || a.kind == AtomKind::Max) add(a.a - a.b);
        const bool wraps = a.kind == AtomKind::Mod || a.kind == AtomKind::FloorDiv;
        if (wraps && Facts().proves_nonnegative(a.a + a.b) &&
            Facts().proves(less(a.a, (kMostPeriods - 1) * a.b)))
          for (std::int64_t period = 0; period + 1 < kMostPeriods; ++period) add(a.a - period * a.b);
        scan(a.a), scan(a.b);
      }
  }
};

std::vector<Nat> breaks_of(const For& f, const std::vector<Nat>& items, bool positions_only = false) {
  Breaks breaks{f, items};
  visit_nats(f.body, [&](const Nat& n, bool position) {
    if (position || !positions_only) breaks.scan(n);
  });
  if (positions_only) return breaks.at;
  visit_terms(f.body, [&](const Term& x) {
    if (x->kind == TermKind::Compare && x->conds[0].kind == NatCond::Kind::NonNegative)
      breaks.add(x->conds[0].a);
  });
  return breaks.at;
}

/// The value of n where sizes are large and loops are at their start: decides an order that cannot be proved.
std::int64_t at_large_sizes(const Nat& n) {
  return evaluate(n, [](const NatAtom& v) {
    return v.bounded_above ? at_large_sizes(v.lower) : (std::int64_t{1} << 20) * v.modulus + v.residue;
  });
}

/// In the order in which they lie, proved where possible, else as it is for large sizes.
std::vector<Nat> ordered(std::vector<Nat> points) {
  std::sort(points.begin(), points.end(),
            [](const Nat& p, const Nat& q) { return at_large_sizes(p) < at_large_sizes(q); });
  for (std::size_t i = 1; i < points.size(); ++i)  // a proved order holds for all sizes
    for (std::size_t j = i; j > 0 && Facts().proves(less(points[j], points[j - 1])); --j)
      std::swap(points[j], points[j - 1]);
  return points;
}

/// The points at both ends of the largest piece.
std::vector<Nat> around_largest(const For& f, const std::vector<Nat>& points) {
  std::vector<Nat> all{f.lower};
  all.insert(all.end(), points.begin(), points.end());
  all.push_back(f.upper);
  std::size_t largest = 0;
  const auto length = [&](std::size_t i) { return at_large_sizes(all[i + 1]) - at_large_sizes(all[i]); };
  for (std::size_t i = 1; i + 1 < all.size(); ++i)
    if (length(i) > length(largest)) largest = i;
  std::vector<Nat> r;
  if (largest > 0) r.push_back(all[largest]);
  if (largest + 2 < all.size()) r.push_back(all[largest + 1]);
  return r;
}

/// Consecutive pieces of a loop. Where a size may be so small that the order of two points turns round, the
/// piece between them is empty, and the next one begins where the last one ended.
Block pieces_of(const For& f, const std::vector<Nat>& points, const std::vector<Nat>& items) {
  Block pieces;
  Nat start = f.lower;
  for (std::size_t i = 0; i <= points.size(); ++i) {
    const Nat end = i == points.size() ? f.upper
                                       : min(max(points[i], f.lower),
                                             f.upper);  // in a tile, a point may lie outside the loop
    const bool certain = std::all_of(
        points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const Nat& p) { return i == points.size() || Facts().proves(less_equal(p, points[i])); });
    const Nat stop = certain ? end : max(start, end);
    for (Stmt& piece : make_loop(f, start, end)) {
      auto* loop = std::get_if<For>(&piece.v);
      if (loop && loop->kind == LoopKind::Vec &&
          !breaks_of(*loop, items, true).empty())  // no vectors of what still asks where to load
        loop->kind = LoopKind::Seq, loop->width = 1, loop->late_store = false;
      if (loop && !certain) loop->upper = stop;  // the variable keeps the range of a piece that is not empty
      pieces.push_back(std::move(piece));
    }
    start = stop;
  }
  return pieces;
}

/// Where the loop is a vector, whole vectors, and a vector: all points lie in the first one or in the last
/// one. Of a boundary at one end only, there is no vector of its own at the other. Empty: it cannot be so.
std::vector<Nat> edges_of(const For& f, const std::vector<Nat>& points) {
  if (f.kind != LoopKind::Vec || f.width < 2 || f.stride != 1 || !(f.step == Nat(1)) ||
      !Facts().proves(less_equal(2 * f.width, f.upper - f.lower)))
    return {};
  bool low = false, high = false;
  const auto within = [&](const Nat& distance) {
    const auto d = distance.constant();
    return d && *d > 0 && *d <= f.width;
  };
  for (const Nat& p : points)
    if (within(p - f.lower))
      low = true;
    else if (within(f.upper - p))
      high = true;
    else
      return {};
  std::vector<Nat> r;
  if (low) r.push_back(f.lower + f.width);
  if (high) r.push_back(f.upper - f.width);
  return r;
}

Block with_edges(const For& f, const std::vector<Nat>& at) {
  Block all;
  Nat start = f.lower;
  for (std::size_t i = 0; i <= at.size(); ++i) {
    const Nat end = i == at.size() ? f.upper : at[i];
    for (Stmt& piece : make_loop(f, start, end)) {
      auto* loop = std::get_if<For>(&piece.v);
      if (loop && loop->kind == LoopKind::Vec && (end - start).constant() == f.width)
        loop->edge = true, loop->late_store = false, loop->prefetch = 0;
      all.push_back(std::move(piece));
    }
    start = end;
  }
  return all;
}

}  // namespace

Block split_boundaries(const Block& b, bool vector_edges) {
  const std::vector<Nat> items = item_variables(b);
  return distinct_names(rebuild(b, [&](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f || has_loop(f->body) || f->kind >= LoopKind::Glb) return {std::move(s)};
    const std::vector<Nat> breaks = breaks_of(*f, items);
    std::size_t statements = 0;
    visit(f->body, [&](const Stmt&) { ++statements; });
    if (breaks.empty() || statements * (breaks.size() + 1) > kMostStatements) return {std::move(s)};
    if (vector_edges)
      if (const std::vector<Nat> at = edges_of(*f, breaks); !at.empty()) return with_edges(*f, at);
    const std::vector<Nat> points = ordered(breaks);
    std::size_t all_terms = 0;
    visit_terms(f->body, [&](const Term&) { ++all_terms; });
    const bool large = points.size() > 2 && all_terms * (points.size() + 1) > kMostTerms;
    return pieces_of(*f, large ? around_largest(*f, points) : points, items);
  }));
}

}  // namespace lift
