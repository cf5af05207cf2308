#include "tuning/cost/kernel_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/expr/elementary.hpp"
#include "lower/loops/visit.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "runtime/machine.hpp"
#include "tuning/cost/footprint.hpp"

namespace lift {
namespace {

enum Cost : std::size_t {
  kStreams,
  kLast,
  kSecond,
  kJumps,
  kVectors,
  kScalars,
  kStarts,
  kRegions,
  kGroups,
  kBarriers,
  kAlone
};

constexpr double kRoom = 0.7;  ///< of a cache, that is there for what a loop uses again
constexpr double kThousand = 1e-3;

/// Scalar instructions of work-items side by side in a row, over those of a loop along it, on processors:
/// indices are computed anew by each.
constexpr double kOfItem = 2;

bool is_shared(LoopKind k) { return k == LoopKind::Par || k == LoopKind::Glb || k == LoopKind::Wrg; }
bool is_slow(Op op) { return op == Op::Div || elementary(op) != nullptr; }

/// Whether a compiler can compute several iterations of a loop with this body at once: nothing is
/// accumulated or fetched ahead, and nothing loaded that another iteration stores. Of conditions it makes
/// masks.
bool can_be_vectorised(const Block& b) {
  std::map<std::string, const std::vector<Nat>*> stored;
  bool can = !holds(b, [](const Stmt& s) {
    return std::holds_alternative<Assign>(s.v) || std::holds_alternative<Barrier>(s.v) ||
           std::holds_alternative<Prefetch>(s.v);
  });
  visit(b, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) stored[x->array] = &x->position;
  });
  visit(b, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) {
      const auto at = stored.find(a.array);
      can = can && (a.store || at == stored.end() || *at->second == a.position);
    });
  });
  return can;
}

double threads_of(const CostNest& nest) {
  double most = nest.threads;
  for (const auto& child : nest.children) most = std::max(most, threads_of(*child));
  return most;
}

class Count {
 public:
  Count(const Kernel& k, const CostMachine& m) : machine_(m), names_(named_indices(k.body)) {
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array())
        element_bytes_[a.name] = static_cast<double>(size_of(element_of(a.type).scalar()));
    tree_.trips = 1;
    block(k.body, tree_, 1, false);
    add_traffic();
  }
  KernelCosts costs{};

 private:
  double value(const Nat& n) const {
    try {
      return static_cast<double>(evaluate(n, [&](const NatAtom& a) {
        const auto at = at_.find(&a);
        return at != at_.end() ? at->second : a.lower.constant().value_or(0);
      }));
    } catch (const std::exception&) {
      return 0;  // a bound that depends on what is not known
    }
  }

  /// `straight`: of a loop of which a compiler computes several iterations at once.
  void block(const Block& b, CostNest& around, double times, bool straight) {
    for (const Stmt& s : b) {
      visit_accesses(s, [&](const ElementAccess& a) { access(a, around, s); });
      visit_values(s, [&](const Term& t) { term(t, times, straight); });
      if (const auto* x = std::get_if<Store>(&s.v)) memory(x->value->width, x->value->type, times, straight);
      if (const auto* x = std::get_if<For>(&s.v)) loop(*x, around, times);
      if (const auto* x = std::get_if<If>(&s.v))
        block(x->body, around, times * (straight ? 1 : admitted(*x)), straight);
      if (const auto* x = std::get_if<First>(&s.v)) block(x->body, around, times, straight);
      if (const auto* x = std::get_if<Launch>(&s.v)) launch(*x, around, times);
      if (std::holds_alternative<Barrier>(s.v)) costs[kBarriers] += kThousand * times;
      if (std::holds_alternative<Prefetch>(s.v)) costs[kScalars] += kThousand * times;
    }
  }

  /// The share of iterations that a condition lets through.
  static double admitted(const If& x) {
    double share = 1;
    for (const Term& c : x.conditions)
      if (c->kind == TermKind::Compare) share *= lift::admitted(c->conds[0]);
    return share;
  }

  void launch(const Launch& x, CostNest& around, double times) {
    double items = 1, local = 1;
    for (int d = 0; d < x.range.dims; ++d) {
      items *= static_cast<double>(x.range.global[static_cast<std::size_t>(d)]);
      local *= static_cast<double>(std::max<std::size_t>(1, x.range.local[static_cast<std::size_t>(d)]));
    }
    costs[kRegions] += kThousand * times;
    costs[kGroups] += kThousand * times * items / local;
    launched_ = true;
    block(x.body, around, times, false);
    launched_ = false;
  }

  void loop(const For& f, CostNest& around, double times) {
    const double begin = value(f.lower), end = value(f.upper), step = std::max(1.0, value(f.step)) * f.stride;
    double trips = std::max(0.0, std::ceil((end - begin) / step));
    CostNest& nest = *around.children.emplace_back(std::make_unique<CostNest>());
    const NatAtom* variable = variables(f.var).front();
    const bool begins_sharing = is_shared(f.kind) && !sharing_;
    nest.shared = begins_sharing;
    if (begins_sharing) {
      // Loops that threads share together are one space of iterations.
      const double all = trips * inner_shared(f, begin + step * std::floor(trips / 2), variable);
      const double threads = std::min<double>(machine_.threads, std::max(1.0, all));
      nest.threads = threads;
      const double busiest = std::ceil(all / threads) / std::max(1.0, all);
      if (f.kind == LoopKind::Par) costs[kRegions] += kThousand * times;
      trips *= busiest;
      sharing_ = true;
    }
    nest.trips = trips, nest.variable = variable, nest.begin = begin, nest.step = step;
    if (trips > 0) {
      at_[variable] = static_cast<std::int64_t>(begin + step * std::floor(trips / 2));
      path_.push_back(&nest);
      const bool straight = is_straight(f.body);
      constexpr double kOfRound = 2;  // the next index, and whether it is the end
      costs[kScalars] +=
          kThousand * kOfRound * times * trips / (straight && f.kind != LoopKind::Vec ? lanes_of(f.body) : 1);
      if (!has_loop(f.body)) costs[kStarts] += kThousand * times;
      const auto before = costs;
      const bool around_items = in_items_;
      in_items_ =
          in_items_ || ((f.kind == LoopKind::Glb || f.kind == LoopKind::Lcl) && goes_along_rows(f.body));
      block(f.body, nest, times * trips, straight);
      in_items_ = around_items;
      if (!sharing_ && machine_.threads > 1)
        for (const Cost c : {kVectors, kScalars})
          if (!has_loop(f.body)) costs[kAlone] += costs[c] - before[c];
      path_.pop_back();
      at_.erase(variable);
    }
    if (begins_sharing) sharing_ = false;
  }

  /// Of the loop that is last in the path: whether it can be vectorised, and goes through memory in steps as
  /// small as vectors can be made of. Within kernels over a grid compilers make vectors of what is written as
  /// such.
  bool is_straight(const Block& body) {
    if (launched_ || has_loop(body) || !can_be_vectorised(body)) return false;
    constexpr double kLargest = 1;  // elements
    bool small = true;
    visit(body, [&](const Stmt& s) {
      visit_accesses(s, [&](const ElementAccess& a) {
        if (a.position.size() == 1)
          small = small && std::abs(stride_along(expanded(a.position.front(), names_), *path_.back())) <=
                               kLargest * a.width * (a.width > 1 ? path_.back()->step : 1);
      });
    });
    return small;
  }
  /// Of the loop that is last in the path: whether one iteration's neighbour is the next element.
  bool goes_along_rows(const Block& body) {
    bool neighbour = false;
    visit(body, [&](const Stmt& s) {
      visit_accesses(s, [&](const ElementAccess& a) {
        if (a.position.size() == 1)
          neighbour =
              neighbour || std::abs(stride_along(expanded(a.position.front(), names_), *path_.back())) == 1;
      });
    });
    return neighbour;
  }
  double lanes_of(const Block& body) const {
    double bytes = 1;
    visit(body, [&](const Stmt& s) {
      if (const auto* x = std::get_if<Store>(&s.v))
        bytes = std::max(bytes, static_cast<double>(size_of(x->value->type)));
    });
    return std::max(1.0, machine_.vector_bytes / bytes);
  }
  /// In elements an iteration, on average over two: where only one colour is visited, an access alternates
  /// between two places; by how far is added to `alternates`.
  double stride_along(const Nat& position, const CostNest& loop, double* alternates = nullptr) {
    const auto here = at_.find(loop.variable);
    const auto middle = here->second, step = static_cast<std::int64_t>(loop.step);
    const double before = value(position);
    here->second = middle + step;
    const double next = value(position);
    here->second = middle + 2 * step;
    const double stride = (value(position) - before) / 2;
    here->second = middle;
    if (alternates != nullptr && *alternates == 0) *alternates = next - before - stride;
    return stride;
  }

  /// Iterations of the shared loops that follow directly, when the first one stands at `here`.
  double inner_shared(const For& f, double here, const NatAtom* variable) {
    at_[variable] = static_cast<std::int64_t>(here);
    double all = 1;
    int left = f.kind == LoopKind::Par ? f.collapse - 1 : 3;
    for (const Stmt& s : f.body)
      if (const auto* x = std::get_if<For>(&s.v); x != nullptr && left > 0 && x->kind == f.kind) {
        const double step = std::max(1.0, value(x->step)) * x->stride;
        all *= std::max(1.0, std::ceil((value(x->upper) - value(x->lower)) / step));
        For rest = *x;
        rest.collapse = left;
        all *= left > 1 ? inner_shared(rest, value(x->lower), variables(x->var).front()) : 1;
        break;
      }
    return all;
  }

  void term(const Term& all, double times, bool straight) {
    visit(all, [&](const Term& t) {
      if (t->kind == TermKind::Load) memory(t->width, t->type, times, straight);
      if (t->kind != TermKind::Apply && t->kind != TermKind::Shuffle && t->kind != TermKind::Lanes &&
          t->kind != TermKind::Call)
        return;
      const double bytes = static_cast<double>(size_of(t->type)) * t->width;
      const double vectors = std::max(1.0, bytes / machine_.vector_bytes);
      const double lanes = machine_.vector_bytes / static_cast<double>(size_of(t->type));
      constexpr double kOfSlow = 8;  // of one that is not
      const double n = t->kind == TermKind::Apply && is_slow(t->op) ? 1 + kOfSlow : 1;
      if (t->width > 1)
        costs[kVectors] += kThousand * times * n * vectors;
      else if (straight)
        costs[kVectors] += kThousand * times * n / lanes;
      else
        costs[kScalars] += kThousand * times * n * of_scalar();
    });
  }
  double of_scalar() const { return in_items_ ? kOfItem : 1; }
  void memory(int width, Scalar type, double times, bool straight) {
    const double bytes = static_cast<double>(size_of(type)) * width;
    const double lanes = machine_.vector_bytes / static_cast<double>(size_of(type));
    if (width > 1)
      costs[kVectors] += kThousand * times * std::max(1.0, bytes / machine_.vector_bytes);
    else if (straight)
      costs[kVectors] += kThousand * times / lanes;
    else
      costs[kScalars] += kThousand * times * of_scalar();
  }

  /// Its strides along the loops around it.
  void access(const ElementAccess& met, CostNest& around, const Stmt& s) {
    const auto bytes = element_bytes_.find(met.array);
    if (bytes == element_bytes_.end() || met.position.size() != 1) return;  // within the kernel
    const Nat position = expanded(met.position.front(), names_);
    ArrayUse a;
    a.array = met.array, a.bytes = bytes->second, a.width = met.width, a.stores = met.store;
    a.streams = met.store && std::get<Store>(s.v).stream;
    a.offset = value(position);
    double alternates = 0;
    for (const CostNest* l : path_)
      a.strides.push_back(l->trips > 1 ? stride_along(position, *l, &alternates) : 0);
    around.accesses.push_back(a);
    a.offset += alternates;
    if (alternates != 0) around.accesses.push_back(std::move(a));
  }

  void add_traffic() {
    const double threads = threads_of(tree_);
    const double first = kRoom * machine_.first_bytes, second = kRoom * machine_.second_bytes,
                 last = kRoom * machine_.last_bytes;
    costs[kSecond] = kThousand * lines_fetched(tree_, first);
    // Calls follow one another: of what half fills the last level altogether nothing is fetched again from
    // memory, and everything of what is half as much again as the room there.
    const double filled = threads * footprint(tree_) * kLineBytes / last;
    costs[kLast] = kThousand * (lines_fetched(tree_, second) +
                                lines_fetched(tree_, last / threads) * std::clamp(filled - 0.5, 0.0, 1.0));
    costs[kJumps] = kThousand * jumps(tree_, second);
    costs[kStreams] = kThousand * threads * lines_streamed(tree_);
  }

  const CostMachine machine_;
  const NamedIndices names_;
  std::map<std::string, double> element_bytes_;
  std::map<const NatAtom*, std::int64_t> at_;
  std::vector<CostNest*> path_;
  CostNest tree_;
  bool sharing_ = false, launched_ = false, in_items_ = false;
};

}  // namespace

CostMachine cost_machine(const Machine& machine, int threads) {
  CostMachine m;
  m.threads = std::max(1, threads);
  if (machine.vector_bytes > 0) m.vector_bytes = machine.vector_bytes;
  for (const CacheLevel& c : machine.caches) {
    if (c.level == 1) m.first_bytes = static_cast<double>(c.bytes);
    if (c.level == 2) m.second_bytes = static_cast<double>(c.bytes) / std::max(1, c.shared_by);
  }
  if (machine.last_level_bytes() > 0) m.last_bytes = static_cast<double>(machine.last_level_bytes());
  return m;
}

KernelCosts kernel_costs(const Kernel& kernel, const CostMachine& machine) {
  return Count(kernel, machine).costs;
}

}  // namespace lift
