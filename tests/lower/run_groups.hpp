// Runs the work-items of a group side by side, on loops before linearisation: what two of them do to one
// element between two barriers is a race.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lower/loops/visit.hpp"
#include "lower/passes/place_barriers.hpp"

namespace lift::test {

/// One group after the other, on logical positions; arrays in local memory and work arrays are looked at.
class GroupsRun {
 public:
  std::set<std::string> races;  ///< the arrays
  std::map<std::string, std::int64_t> numbers;

  explicit GroupsRun(const Kernel& k) {
    for (const KernelArgument& a : k.arguments)
      if (a.work) watched_.insert(a.name);
    for (const std::string& a : local_arrays(k.body)) watched_.insert(a);
    std::int64_t groups = 1;
    visit(k.body, [&](const Stmt& s) {
      if (const auto* f = std::get_if<For>(&s.v); f && f->kind == LoopKind::Wrg && f->dim == 0)
        groups = std::max(groups, *(f->upper - f->lower).constant());
    });
    body_ = k.body, groups_ = groups;
  }
  void run() {
    for (group_ = 0; group_ < groups_; ++group_) pending_.clear(), block(body_);
  }

 private:
  struct Seen {
    std::string array;
    std::vector<std::int64_t> at;
    std::int64_t item;  ///< -1: all of them
    bool write, async;
  };
  std::set<std::string> watched_;
  Block body_;
  std::int64_t groups_ = 1, group_ = 0, item_ = -1;
  std::map<const NatAtom*, std::int64_t> values_;
  std::vector<Seen> pending_;

  std::int64_t nat(const Nat& n) {
    return evaluate(n, [&](const NatAtom& a) {
      const auto it = values_.find(&a);
      return it != values_.end() ? it->second : numbers.at(a.name);
    });
  }
  bool holds(const Term& t) {  // what asks memory is taken to hold
    if (t->kind == TermKind::Constant) return t->number != 0;
    if (t->kind == TermKind::Apply && t->op == Op::And) return holds(t->args[0]) && holds(t->args[1]);
    if (t->kind != TermKind::Compare) return true;
    const auto v = nat(t->conds[0].a);
    return t->conds[0].kind == NatCond::Kind::NonNegative
               ? v >= 0
               : (v == 0) == (t->conds[0].kind == NatCond::Kind::Zero);
  }
  void block(const Block& b) {
    for (const Stmt& s : b) statement(s);
  }
  void statement(const Stmt& s) {
    const auto* store = std::get_if<Store>(&s.v);
    visit_accesses(s, [&](const ElementAccess& a) {
      if (watched_.count(a.array) == 0) return;
      Seen now{a.array, {}, store && item_ < 0 ? 0 : item_, a.store, a.store && store->async};
      for (const Nat& n : a.position) now.at.push_back(nat(n));
      for (const Seen& x : pending_)
        if (x.array == now.array && x.at == now.at && (x.write || now.write) &&
            (x.item != now.item || x.async || x.item < 0))
          races.insert(x.array);
      pending_.push_back(std::move(now));
    });
    if (const auto* barrier = std::get_if<Barrier>(&s.v)) {
      REQUIRE(item_ == -1);
      std::erase_if(pending_, [&](const Seen& x) { return barrier->copies || !x.async; });
    }
    if (const auto* i = std::get_if<If>(&s.v))
      if (std::all_of(i->conditions.begin(), i->conditions.end(), [&](const Term& c) { return holds(c); }))
        block(i->body);
    if (const auto* f = std::get_if<For>(&s.v)) loop(*f);
  }
  void loop(const For& f) {
    const NatAtom* v = variables(f.var)[0];
    const std::int64_t lower = nat(f.lower), upper = nat(f.upper), outer = item_;
    for (std::int64_t i = lower; i < upper; i += nat(f.step)) {
      const std::int64_t own = f.items > 0 ? (i - lower) % f.items : i - lower;
      if (f.kind == LoopKind::Wrg && f.dim == 0 && own != group_) continue;
      if (f.kind == LoopKind::Lcl) item_ = own;
      values_[v] = i;
      block(f.body);
      values_.erase(v);
    }
    item_ = outer;
  }
};

}  // namespace lift::test
