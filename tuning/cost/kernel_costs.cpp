#include "tuning/cost/kernel_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/expr/elementary.hpp"
#include "lower/loops/visit.hpp"
#include "runtime/machine.hpp"
#include "tuning/cost/footprint.hpp"

namespace lift {
namespace {

enum Cost : std::size_t {
  kMemory,
  kThird,
  kSecond,
  kVectors,
  kScalars,
  kLoads,
  kSplits,
  kSlow,
  kRounds,
  kStarts,
  kRegions,
  kGroups,
  kBarriers,
  kAlone
};

constexpr double kRoom = 0.7;  ///< of a cache, that is there for what a loop uses again
constexpr double kThousand = 1e-3;

bool is_shared(LoopKind k) { return k == LoopKind::Par || k == LoopKind::Glb || k == LoopKind::Wrg; }
bool is_slow(Op op) { return op == Op::Div || elementary(op) != nullptr; }

/// Whether a compiler can compute several iterations of a loop with this body at once: nothing is
/// accumulated, and nothing loaded that another iteration stores.
bool can_be_vectorised(const Block& b) {
  std::map<std::string, const std::vector<Nat>*> stored;
  bool can = !holds(b, [](const Stmt& s) {
    return std::holds_alternative<If>(s.v) || std::holds_alternative<Assign>(s.v) ||
           std::holds_alternative<Barrier>(s.v);
  });
  for (const Stmt& s : b)
    if (const auto* x = std::get_if<Store>(&s.v)) stored[x->array] = &x->position;
  for (const Stmt& s : b)
    visit_accesses(s, [&](const ElementAccess& a) {
      const auto at = stored.find(a.array);
      can = can && (a.store || at == stored.end() || *at->second == a.position);
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
    block(k.body, tree_, 1);
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

  void block(const Block& b, CostNest& around, double times) {
    const bool innermost = !has_loop(b);
    const bool straight = innermost && !path_.empty() && can_be_vectorised(b);
    for (const Stmt& s : b) {
      visit_accesses(s, [&](const ElementAccess& a) { access(a, around, s); });
      visit_values(s, [&](const Term& t) { term(t, times, straight); });
      if (const auto* x = std::get_if<Store>(&s.v)) memory(x->value->width, x->value->type, times, straight);
      if (const auto* x = std::get_if<For>(&s.v)) loop(*x, around, times);
      if (const auto* x = std::get_if<If>(&s.v)) block(x->body, around, times);
      if (const auto* x = std::get_if<First>(&s.v)) block(x->body, around, times);
      if (const auto* x = std::get_if<Launch>(&s.v)) launch(*x, around, times);
      if (std::holds_alternative<Barrier>(s.v)) costs[kBarriers] += kThousand * times;
      if (std::holds_alternative<Prefetch>(s.v)) costs[kLoads] += kThousand * times;
    }
  }

  void launch(const Launch& x, CostNest& around, double times) {
    double items = 1, local = 1;
    for (int d = 0; d < x.range.dims; ++d) {
      items *= static_cast<double>(x.range.global[static_cast<std::size_t>(d)]);
      local *= static_cast<double>(std::max<std::size_t>(1, x.range.local[static_cast<std::size_t>(d)]));
    }
    costs[kRegions] += kThousand * times;
    costs[kGroups] += kThousand * times * items / local;
    block(x.body, around, times);
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
      costs[kRounds] += kThousand * times * trips;
      if (!has_loop(f.body)) costs[kStarts] += kThousand * times;
      const auto before = costs;
      block(f.body, nest, times * trips);
      if (!sharing_ && machine_.threads > 1)
        for (const Cost c : {kVectors, kScalars, kLoads})
          if (!has_loop(f.body)) costs[kAlone] += costs[c] - before[c];
      path_.pop_back();
      at_.erase(variable);
    }
    if (begins_sharing) sharing_ = false;
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
      constexpr double kOfVectors = 0.25;  // of the time that a lane alone takes
      if (t->kind == TermKind::Apply && is_slow(t->op))
        costs[kSlow] += kThousand * times * t->width * (t->width > 1 || straight ? kOfVectors : 1);
      if (t->width > 1)
        costs[kVectors] += kThousand * times * vectors;
      else if (straight)
        costs[kVectors] += kThousand * times / lanes;
      else
        costs[kScalars] += kThousand * times;
    });
  }
  void memory(int width, Scalar type, double times, bool straight) {
    const double bytes = static_cast<double>(size_of(type)) * width;
    const double lanes = machine_.vector_bytes / static_cast<double>(size_of(type));
    const bool by_compiler = width == 1 && straight;
    const double vectors = by_compiler ? 1 / lanes : std::max(1.0, bytes / machine_.vector_bytes);
    costs[kLoads] += kThousand * times * vectors;
    if (width > 1 || by_compiler)
      costs[kSplits] += kThousand * times * vectors * std::min<double>(machine_.vector_bytes, 64) / 64;
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
    for (const CostNest* l : path_) {
      const auto here = at_.find(l->variable);
      const auto middle = here->second;
      here->second = middle + static_cast<std::int64_t>(l->step);
      a.strides.push_back(l->trips > 1 ? value(position) - a.offset : 0);
      here->second = middle;
    }
    around.accesses.push_back(std::move(a));
  }

  void add_traffic() {
    const double threads = threads_of(tree_);
    const double second = kRoom * machine_.first_bytes, third = kRoom * machine_.second_bytes,
                 last = kRoom * machine_.last_bytes / threads;
    costs[kSecond] = kThousand * lines_fetched(tree_, second);
    costs[kThird] = kThousand * lines_fetched(tree_, third);
    // Calls follow one another: what fits into the last level altogether is found there.
    const bool stays = threads * footprint(tree_) * kLineBytes <= kRoom * machine_.last_bytes;
    costs[kMemory] = kThousand * threads * (lines_streamed(tree_) + (stays ? 0 : lines_fetched(tree_, last)));
  }

  const CostMachine machine_;
  const NamedIndices names_;
  std::map<std::string, double> element_bytes_;
  std::map<const NatAtom*, std::int64_t> at_;
  std::vector<CostNest*> path_;
  CostNest tree_;
  bool sharing_ = false;
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
