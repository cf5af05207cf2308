#include "lower/passes/place_barriers.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/error.hpp"
#include "lower/analyses/shared_accesses.hpp"

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

class Placer {
 public:
  Placer(std::map<std::string, bool> shared, std::set<std::string> results, std::vector<int> dims)
      : shared_(std::move(shared)), results_(std::move(results)), dims_(std::move(dims)) {}

  Block block(const Block& b) {
    std::vector<Access> pending;
    return sequence(b, pending);
  }

 private:
  std::map<std::string, bool> shared_;  ///< arrays; whether in global memory
  std::set<std::string> results_;       ///< of these, in which only writes meet
  std::vector<int> dims_;               ///< of the group, those of more than one item
  std::vector<NatCond> conditions_;     ///< around the statement, decided alike by all items

  bool conflict(const Access& a, const Access& b) const {
    if (a.array != b.array || (!a.write && !b.write)) return false;
    if ((!a.write || !b.write) && results_.contains(a.array)) return false;
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
        if (conflict(a, b)) r = Barrier{(r && r->global) || shared_.at(a.array), (r && r->copies) || a.async};
    return r;
  }
  /// What is still pending behind a barrier: asynchronous copies, unless it waits for them.
  static void pass(const Barrier& barrier, std::vector<Access>& pending) {
    if (barrier.copies)
      pending.clear();
    else
      std::erase_if(pending, [](const Access& a) { return !a.async; });
  }

  static bool is_wait_for_copies(const Stmt& s) {
    const auto* barrier = std::get_if<Barrier>(&s.v);
    return barrier && barrier->copies;
  }
  /// Whatever it decides.
  static bool surely_waits_for_copies(const Block& b) {
    return std::any_of(b.begin(), b.end(), is_wait_for_copies);
  }
  /// Two barriers with nothing in between are one.
  static void append(Block& to, Stmt s) {
    const auto* barrier = std::get_if<Barrier>(&s.v);
    auto* last = barrier && !to.empty() ? std::get_if<Barrier>(&to.back().v) : nullptr;
    if (last)
      last->global |= barrier->global, last->copies |= barrier->copies;
    else
      to.push_back(std::move(s));
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
      if (const auto* barrier = std::get_if<Barrier>(&s.v)) {
        pass(*barrier, pending);
        append(r, s);
      } else if (f && at_group_level(*f) && holds_items(f->body)) {
        for (Stmt& x : group_loop(*f, pending)) append(r, std::move(x));
      } else if (i && uniform(*i) && holds_items(i->body)) {
        for (Stmt& x : condition(*i, pending)) append(r, std::move(x));
      } else {
        leaf(s, pending, r);
      }
    }
    return r;
  }

  /// Names and arrays of a work-item's own, which statements behind a barrier may use.
  static bool defines(const Block& b) {
    return std::any_of(b.begin(), b.end(), [](const Stmt& s) {
      const auto* a = std::get_if<Allocate>(&s.v);
      return std::holds_alternative<Let>(s.v) || std::holds_alternative<Declare>(s.v) ||
             (a && a->space != AddressSpace::Local);
    });
  }

  /// All may wait for one another whatever they decide: barriers stand outside the condition, which is asked
  /// again behind each. (Besides, compilers of OpenCL C have trouble with barriers under conditions.)
  Block condition(const If& i, std::vector<Access>& pending) {
    const std::size_t outer = conditions_.size();
    for (const Term& c : i.conditions)
      if (c->kind == TermKind::Compare) conditions_.push_back(c->conds[0]);
    std::vector<Access> taken = pending;
    Block body = sequence(i.body, taken);
    conditions_.resize(outer);
    Block r;
    const bool whole = defines(body);
    for (Stmt& s : body) {
      if (const auto* barrier = std::get_if<Barrier>(&s.v); barrier && (!whole || r.empty()))
        pass(*barrier, pending), append(r, std::move(s));
      else if (r.empty() || !std::holds_alternative<If>(r.back().v))
        r.push_back({If{i.conditions, {std::move(s)}}});
      else
        std::get<If>(r.back().v).body.push_back(std::move(s));
    }
    add_new(pending, taken);
    return r;
  }

  static void add_new(std::vector<Access>& to, const std::vector<Access>& from) {
    for (const Access& a : from)
      if (std::find(to.begin(), to.end(), a) == to.end()) to.push_back(a);
  }

  void leaf(const Stmt& s, std::vector<Access>& pending, Block& r) {
    const std::vector<Access> here = accesses(s);
    check(here);
    if (const auto barrier = needed(pending, here)) {
      append(r, {*barrier});
      pass(*barrier, pending);
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
    for (Access& a : here.all) a.conditions = conditions_;
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

  /// The statements of an iteration are independent, as stages of a step are that a team goes through: a
  /// barrier an iteration, in front of them.
  Block team_loop(const For& f, std::vector<Access>& pending) {
    For copy = f;
    copy.body.clear();
    std::vector<Access> all;
    for (const Stmt& s : f.body) {
      std::vector<Access> own;
      for (Stmt& x : sequence({s}, own)) copy.body.push_back(std::move(x));
      all.insert(all.end(), own.begin(), own.end());
    }
    std::vector<Access> before = of_another(f, all, another(f));
    before.insert(before.end(), pending.begin(), pending.end());
    if (const auto barrier = needed(before, all)) copy.body.insert(copy.body.begin(), {*barrier});
    pending = std::move(before);
    return {{std::move(copy)}};
  }

  /// A loop whose iterations copy asynchronously what later ones read: a barrier in front of each iteration
  /// waits for what the one before has copied, and for nothing else; those within the iteration do not wait
  /// for what it copies itself. Nothing where an iteration needs its own copies.
  std::optional<Block> loop_that_copies_ahead(const For& f, std::vector<Access>& pending) {
    const bool copies = holds(f.body, [](const Stmt& s) {
      const auto* x = std::get_if<Store>(&s.v);
      return x && x->async;
    });
    if (!copies || holds(f.body, [](const Stmt& s) { return std::holds_alternative<Barrier>(s.v); }))
      return std::nullopt;
    For copy = f;
    std::vector<Access> own;
    copy.body = sequence(f.body, own);
    if (holds(copy.body, is_wait_for_copies)) return std::nullopt;
    std::vector<Access> all;
    before_first_barrier(f.body, all);
    std::vector<Access> before = of_another(f, all, another(f));
    before.insert(before.end(), pending.begin(), pending.end());
    if (!needed(before, all)) return std::nullopt;
    Barrier barrier{false, true};
    for (const Access& a : all) barrier.global |= shared_.at(a.array);
    copy.body.insert(copy.body.begin(), {barrier});
    pending = std::move(before);
    return Block{{std::move(copy)}};
  }

  /// A barrier that only the first iteration needs stands before the loop.
  Block group_loop(const For& f, std::vector<Access>& pending) {
    if (f.team) return team_loop(f, pending);
    For copy = f;
    // A group may have no iteration, and wait for nothing.
    const bool of_groups = f.kind == LoopKind::Wrg;
    if (of_groups && f.items == 0) {  // no iteration follows another in a group
      std::vector<Access> within = pending;
      copy.body = sequence(f.body, within);
      add_new(pending, within);
      return {{std::move(copy)}};
    }
    if (!of_groups)
      if (auto r = loop_that_copies_ahead(f, pending)) return *std::move(r);
    std::vector<Access> around;
    copy.body = sequence(f.body, around);
    const bool next =
        waits(copy.body);        // with a barrier in every iteration, one that follows is the next one
    std::vector<Access> copied;  // perhaps in an iteration long before, if none waits for them
    if (!surely_waits_for_copies(copy.body))
      std::copy_if(around.begin(), around.end(), std::back_inserter(copied),
                   [](const Access& a) { return a.async; });
    around = of_another(f, std::move(around), next && !of_groups ? f.var - f.step : another(f));
    for (Access& a : of_another(f, std::move(copied), another(f))) around.push_back(std::move(a));
    copy.body = sequence(copy.body, around);
    Block r;
    std::vector<Access> first;
    const bool passes = before_first_barrier(copy.body, first);
    if (const auto barrier = needed(pending, passes || of_groups ? first : of_another(f, first, f.lower))) {
      r.push_back({*barrier});
      pass(*barrier, pending);
    }
    if (!passes && !of_groups && Facts().proves(less(f.lower, f.upper)))
      pass({false, surely_waits_for_copies(copy.body)}, pending);
    for (Access& a : of_another(f, std::move(around), another(f))) pending.push_back(std::move(a));
    r.push_back({std::move(copy)});
    return r;
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
        if (!before_first_barrier(f->body, to) && f->kind != LoopKind::Wrg &&
            Facts().proves(less(f->lower, f->upper)))
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

Block place_barriers(const Block& b, const std::vector<SharedArray>& global) {
  Block r;
  for (const Stmt& s : b) {
    if (const auto* f = std::get_if<For>(&s.v); f && f->kind == LoopKind::Host) {
      For loop = *f;
      loop.body = place_barriers(f->body, global);
      r.push_back({std::move(loop)});
      continue;
    }
    std::map<std::string, bool> shared;
    for (const std::string& a : local_arrays({s})) shared[a] = false;
    std::set<std::string> results;
    for (const SharedArray& a : global) {
      shared[a.name] = true;
      if (!a.work) results.insert(a.name);
    }
    const auto dims = group_dimensions(s);
    if (!dims || dims->empty()) {  // nobody to wait for, and nobody waits
      r.push_back(rebuild({s}, [](Stmt x) -> Block {
                    if (auto* store = std::get_if<Store>(&x.v)) store->async = false;
                    return {std::move(x)};
                  }).front());
      continue;
    }
    for (Stmt& x : Placer(std::move(shared), std::move(results), *dims).block({s})) r.push_back(std::move(x));
  }
  return r;
}

}  // namespace lift
