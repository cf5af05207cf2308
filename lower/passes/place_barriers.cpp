#include "lower/passes/place_barriers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/error.hpp"
#include "ir/nat/nat_atoms.hpp"
#include "lower/loops/visit.hpp"

namespace lift {

std::vector<std::string> local_arrays(const Block& b) {
  std::vector<std::string> all;
  visit(b, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v); a && a->space == AddressSpace::Local)
      all.push_back(a->name);
  });
  return all;
}

namespace {

/// A loop over work-items around an access.
struct ItemLoop {
  Nat var, lower, trips;
  std::int64_t items = 0;
};
struct Access {
  std::string array;
  std::vector<Nat> position;
  bool write = false;
  bool async = false;             ///< a write that is done when a barrier has waited for it
  std::map<int, ItemLoop> loops;  ///< by dimension
  std::vector<const NatAtom*>
      inner;  ///< variables of loops within the statement: differ between the two of a pair
};

/// A statement that all items of the group execute without waiting, or a part of one.
class Accesses {
 public:
  Accesses(const std::map<std::string, bool>& shared) : shared_(shared) {}
  std::vector<Access> all;
  std::vector<std::set<int>> stored;  ///< for each store: the dimensions whose items are told apart there

  void of(const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
    const auto* store = std::get_if<Store>(&s.v);
    visit_accesses(s, [&](const ElementAccess& a) {
      if (shared_.count(a.array))
        all.push_back({a.array, a.position, a.store, a.store && store && store->async, loops_, inner_});
    });
    if (const auto* i = std::get_if<If>(&s.v))
      for (const Stmt& x : i->body) of(x);
    if (std::holds_alternative<Store>(s.v)) {
      stored.emplace_back();
      for (const auto& [dim, l] : loops_) stored.back().insert(dim);
    }
  }

 private:
  const std::map<std::string, bool>& shared_;
  std::map<int, ItemLoop> loops_;
  std::vector<const NatAtom*> inner_;

  void loop(const For& f) {
    const auto outer = loops_;
    if (f.kind == LoopKind::Lcl) loops_[f.dim] = {f.var, f.lower, f.upper - f.lower, f.items};
    inner_.push_back(variables(f.var).at(0));
    for (const Stmt& s : f.body) of(s);
    inner_.pop_back();
    loops_ = outer;
  }
};

bool mentions_any(const Nat& n, const std::vector<const NatAtom*>& vs) {
  const auto mine = variables(n);
  return std::any_of(mine.begin(), mine.end(),
                     [&](const NatAtom* a) { return std::find(vs.begin(), vs.end(), a) != vs.end(); });
}

/// The work-item along one dimension that executes an iteration is given by the iteration in the same way.
bool dealt_alike(const ItemLoop& a, const ItemLoop& b) {
  if (!(a.lower == b.lower)) return false;
  const auto one_each = [](const ItemLoop& x, std::int64_t items) {
    return x.items == 0 || (x.items == items && Facts().proves(less_equal(x.trips, items)));
  };
  if (a.items == b.items || (one_each(a, b.items) && one_each(b, a.items))) return true;
  return (a.items == 0 && Facts().proves(less_equal(a.trips, b.items))) ||
         (b.items == 0 && Facts().proves(less_equal(b.trips, a.items)));
}

/// One index of a position as coefficient * iteration + fixed + varying, where 0 <= varying < coefficient.
struct Digit {
  std::int64_t coefficient = 0;
  Nat fixed;
};
std::optional<Digit> digit(const Nat& index, const Nat& var, const std::vector<const NatAtom*>& inner) {
  const auto x = affine_in(index, var);
  const auto k = x ? x->coefficient.constant() : std::nullopt;
  if (!k || *k <= 0) return std::nullopt;
  Nat fixed = 0, varying = 0;
  for (const NatTerm& t : terms(x->rest)) {
    const Nat one = detail::from_terms({t});
    (mentions_any(one, inner) ? varying : fixed) = (mentions_any(one, inner) ? varying : fixed) + one;
  }
  if (!Facts().proves_nonnegative(varying) || !Facts().proves(less(varying, *k))) return std::nullopt;
  return Digit{*k, fixed};
}

/// Equal positions are accessed by the same item of the group, whose dimensions are given: along each of
/// them, some index of the position is the same function of the iteration in both, one to one.
bool same_item(const Access& a, Access b, std::vector<int> dims) {
  std::vector<const NatAtom*> inner = a.inner;
  inner.insert(inner.end(), b.inner.begin(), b.inner.end());
  for (bool progress = true; progress && !dims.empty();) {
    progress = false;
    for (const int dim : std::vector<int>(dims)) {
      const auto x = a.loops.find(dim);
      const auto y = std::as_const(b.loops).find(dim);
      if (x == a.loops.end() || y == b.loops.end()) return false;  // all items of the dimension take part
      bool same = x->second.trips == Nat(1) && y->second.trips == Nat(1);
      for (std::size_t c = 0; c < a.position.size() && !same && dealt_alike(x->second, y->second); ++c) {
        const auto p = digit(a.position[c], x->second.var, inner),
                   q = digit(b.position[c], y->second.var, inner);
        same = p && q && p->coefficient == q->coefficient && p->fixed == q->fixed;
      }
      if (!same) continue;
      for (Nat& p : b.position)
        p = substitute(p, y->second.var, x->second.var);  // from here on the two are one
      std::erase(inner, variables(x->second.var).at(0));
      std::erase(dims, dim), progress = true;
    }
  }
  return dims.empty();
}

/// The variables of loops within the statement renamed, so that those of two accesses are apart.
std::vector<Nat> apart(const Access& a) {
  std::map<const NatAtom*, Nat> fresh;
  for (const NatAtom* v : a.inner)
    fresh[v] = v->bounded_above
                   ? Nat::fresh(v->name, substitute(v->lower, fresh), substitute(v->upper, fresh))
                   : Nat::fresh(v->name, 0, std::int64_t{1} << 40);
  std::vector<Nat> r;
  for (const Nat& p : a.position) r.push_back(substitute(p, fresh));
  return r;
}

/// x of x mod m, where n is that.
std::optional<std::pair<Nat, std::int64_t>> remainder(const Nat& n) {
  const auto ts = terms(n);
  if (ts.size() != 1 || ts[0].coefficient != 1 || ts[0].factors.size() != 1 || ts[0].factors[0].power != 1)
    return std::nullopt;
  const NatAtom& atom = *ts[0].factors[0].atom;
  const auto m = atom.kind == AtomKind::Mod ? atom.b.constant() : std::nullopt;
  if (!m) return std::nullopt;
  return std::pair(atom.a, *m);
}
bool differ(const Nat& a, const Nat& b) {
  if (Facts().proves({NatCond::Kind::NonZero, a - b})) return true;
  const auto x = remainder(a), y = remainder(b);
  if (!x || !y || x->second != y->second) return false;
  const auto apart = (x->first - y->first).constant();
  return apart && *apart % x->second != 0;
}
bool disjoint(const Access& a, const Access& b) {
  const std::vector<Nat> other = apart(b);
  for (std::size_t c = 0; c < a.position.size(); ++c)
    if (differ(a.position[c], other[c])) return true;
  return false;
}

class Placer {
 public:
  Placer(std::map<std::string, bool> shared, std::vector<int> dims)
      : shared_(std::move(shared)), dims_(std::move(dims)) {}

  Block block(const Block& b) {
    std::vector<Access> pending;
    return sequence(b, pending);
  }

 private:
  std::map<std::string, bool> shared_;  ///< arrays; whether in global memory
  std::vector<int> dims_;               ///< of the group, those of more than one item

  bool conflict(const Access& a, const Access& b) const {
    if (a.array != b.array || (!a.write && !b.write)) return false;
    // What was copied asynchronously is there for the item itself only after it has waited; it is copied
    // again after it was read.
    if (((!a.async && !b.async) || (a.write && b.write)) && same_item(a, b, dims_)) return false;
    return !disjoint(a, b);
  }
  /// The kinds of memory in which accesses conflict.
  std::optional<Barrier> needed(const std::vector<Access>& before, const std::vector<Access>& after) const {
    std::optional<Barrier> r;
    for (const Access& b : after)
      for (const Access& a : before)
        if (conflict(a, b)) r = Barrier{(r && r->global) || shared_.at(a.array), false};
    if (r) r->copies = std::any_of(before.begin(), before.end(), [](const Access& a) { return a.async; });
    return r;
  }

  static bool at_group_level(const For& f) { return f.kind != LoopKind::Lcl && f.kind != LoopKind::Glb; }
  static bool holds_items(const Block& b) {
    return holds(b, [](const Stmt& s) {
      const auto* f = std::get_if<For>(&s.v);
      return f && f->kind == LoopKind::Lcl;
    });
  }
  /// All items of a group decide it alike: it asks indices at group level only.
  static bool uniform(const If& i) {
    return std::none_of(i.conditions.begin(), i.conditions.end(), [](const Term& c) {
      bool asks = false;
      visit(c, [&](const Term& x) { asks |= x->kind == TermKind::Load || x->kind == TermKind::Local; });
      return asks;
    });
  }

  /// `pending`: accesses that no barrier separates from what follows.
  Block sequence(const Block& b, std::vector<Access>& pending) {
    Block r;
    for (const Stmt& s : b) {
      const auto* f = std::get_if<For>(&s.v);
      const auto* i = std::get_if<If>(&s.v);
      if (std::holds_alternative<Barrier>(s.v)) {
        pending.clear();
        r.push_back(s);
      } else if (f && at_group_level(*f) && holds_items(f->body)) {
        for (Stmt& x : group_loop(*f, pending)) r.push_back(std::move(x));
      } else if (i && uniform(*i) && holds_items(i->body)) {
        std::vector<Access> taken = pending;
        If copy = *i;
        copy.body = sequence(i->body, taken);
        if (std::holds_alternative<Barrier>(
                copy.body.front().v)) {  // all may wait for one another before, whatever they decide
          r.push_back(copy.body.front());
          copy.body.erase(copy.body.begin());
          pending.clear();
        }
        pending.insert(pending.end(), taken.begin(), taken.end());
        r.push_back({std::move(copy)});
      } else {
        leaf(s, pending, r);
      }
    }
    return r;
  }

  void leaf(const Stmt& s, std::vector<Access>& pending, Block& r) {
    const std::vector<Access> here = accesses(s);
    check(here);
    if (const auto barrier = needed(pending, here)) {
      r.push_back({*barrier});
      pending.clear();
    }
    pending.insert(pending.end(), here.begin(), here.end());
    r.push_back(s);
  }
  /// What stores nothing along a dimension is executed by all items of that dimension, other statements by
  /// the first.
  std::vector<Access> accesses(const Stmt& s) const {
    Accesses here(shared_);
    here.of(s);
    for (const int dim : dims_) {
      if (here.stored.empty() || std::any_of(here.stored.begin(), here.stored.end(),
                                             [&](const std::set<int>& told) { return told.count(dim) > 0; }))
        continue;
      for (Access& a : here.all) a.loops[dim] = {Nat::fresh("first", 0, 0), 0, 1, 1};
    }
    return here.all;
  }
  /// Items cannot wait within a loop over items.
  void check(const std::vector<Access>& all) const {
    for (const Access& a : all)
      for (const Access& b : all)
        if (a.write && conflict(a, b)) refuse(a.array);
  }
  [[noreturn]] static void refuse(const std::string& array) {
    throw UserError("work-items share " + array +
                    ", elements of which one of them writes and others access in the same loop over "
                    "work-items, where they cannot wait for one another; "
                    "put to_local outside the map_lcl around it, or use to_private");
  }

  /// A barrier that only the first iteration needs stands before the loop.
  Block group_loop(const For& f, std::vector<Access>& pending) {
    For copy = f;
    if (f.kind == LoopKind::Wrg && f.items == 0) {  // no iteration follows another in a group
      copy.body = sequence(f.body, pending);
      return {{std::move(copy)}};
    }
    std::vector<Access> around;
    copy.body = sequence(f.body, around);
    const bool next =
        waits(copy.body);  // with a barrier in every iteration, one that follows is the next one
    around = of_another(f, std::move(around), next ? f.var - f.step : another(f));
    copy.body = sequence(copy.body, around);
    Block r;
    std::vector<Access> first;
    const bool passes = before_first_barrier(copy.body, first);
    if (const auto barrier = needed(pending, passes ? first : of_another(f, first, f.lower))) {
      r.push_back({*barrier});
      pending.clear();
    }
    if (!passes && Facts().proves(less(f.lower, f.upper))) pending.clear();
    for (Access& a : of_another(f, std::move(around), another(f))) pending.push_back(std::move(a));
    r.push_back({std::move(copy)});
    return r;
  }

  static Nat another(const For& f) { return Nat::fresh(f.var.str(), f.lower, f.upper - 1); }
  /// The same accesses in another iteration.
  static std::vector<Access> of_another(const For& f, std::vector<Access> all, const Nat& iteration) {
    for (Access& a : all) {
      for (Nat& p : a.position) p = substitute(p, f.var, iteration);
      for (auto& [dim, l] : a.loops)
        l.lower = substitute(l.lower, f.var, iteration), l.trips = substitute(l.trips, f.var, iteration);
    }
    return all;
  }
  bool waits(const Block& b) const {
    std::vector<Access> unused;
    return !before_first_barrier(b, unused);
  }
  /// Collects the accesses that may come before any barrier of the block; false when none passes all of it
  /// without one.
  bool before_first_barrier(const Block& b, std::vector<Access>& to) const {
    for (const Stmt& s : b) {
      if (std::holds_alternative<Barrier>(s.v)) return false;
      const auto* f = std::get_if<For>(&s.v);
      const auto* i = std::get_if<If>(&s.v);
      if (f && at_group_level(*f)) {
        if (!before_first_barrier(f->body, to) &&
            (f->kind == LoopKind::Wrg || Facts().proves(less(f->lower, f->upper))))
          return false;
      } else if (i) {
        before_first_barrier(i->body, to);
      } else {
        for (Access& a : accesses(s)) to.push_back(std::move(a));
      }
    }
    return true;
  }
};

/// Dimensions of the group in which it has more than one item; nothing when there are no groups.
std::optional<std::vector<int>> group_dimensions(const Stmt& s) {
  std::set<int> dims;
  bool grouped = false;
  visit({s}, [&](const Stmt& x) {
    const auto* f = std::get_if<For>(&x.v);
    grouped |= f && f->kind >= LoopKind::Wrg;
    if (f && f->kind == LoopKind::Lcl && f->items != 1 && !(f->upper - f->lower == Nat(1)))
      dims.insert(f->dim);
  });
  if (!grouped) return std::nullopt;
  return std::vector<int>(dims.begin(), dims.end());
}

}  // namespace

Block place_barriers(const Block& b, const std::vector<std::string>& work) {
  Block r;
  for (const Stmt& s : b) {
    std::map<std::string, bool> shared;
    for (const std::string& a : local_arrays({s})) shared[a] = false;
    for (const std::string& a : work) shared[a] = true;
    const auto dims = group_dimensions(s);
    if (!dims || dims->empty()) {  // nobody to wait for, and nobody waits
      r.push_back(rebuild({s}, [](Stmt x) -> Block {
                    if (auto* store = std::get_if<Store>(&x.v)) store->async = false;
                    return {std::move(x)};
                  }).front());
      continue;
    }
    for (Stmt& x : Placer(std::move(shared), *dims).block({s})) r.push_back(std::move(x));
  }
  return r;
}

}  // namespace lift
