#include "lower/analyses/coalescing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

class CoalescedAccesses {
 public:
  explicit CoalescedAccesses(const Kernel& k) : names_(named_indices(k.body)) {
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array()) arrays_[a.name] = size_of(element_of(a.type).scalar());
    block(k.body);
  }
  std::vector<GridAccess> found;

 private:
  void block(const Block& b) {
    for (const Stmt& s : b) {
      visit_accesses(s, [&](const ElementAccess& a) { access(a); });
      if (const auto* f = std::get_if<For>(&s.v)) loop(*f);
      if (const auto* i = std::get_if<If>(&s.v)) block(i->body);
    }
  }
  /// Work-items of one dimension are told apart by the loop over them; items that share the iterations take
  /// neighbours, too.
  void loop(const For& f) {
    const auto outer = item_;
    if ((f.kind == LoopKind::Glb || f.kind == LoopKind::Lcl) && f.dim == 0) item_ = f.var;
    block(f.body);
    item_ = outer;
  }
  void access(const ElementAccess& met) {
    const auto it = arrays_.find(met.array);
    if (it == arrays_.end() || !item_) return;
    GridAccess a{met.array,    met.store,  expanded(met.position.at(0), names_),
                 std::nullopt, it->second, met.width};
    a.stride = stride(a.index);
    found.push_back(std::move(a));
  }

  /// From one work-item to the next; where that differs, from one to the next within a warp.
  std::optional<std::int64_t> stride(const Nat& index) const {
    if (const auto affine = affine_in(index, *item_)) return affine->coefficient.constant();
    constexpr std::int64_t kWarp = 32;
    const Nat warp = Nat::fresh("warp", 0, 1 << 20), lane = Nat::fresh("lane", 0, kWarp - 1);
    const auto affine = affine_in(substitute(index, *item_, kWarp * warp + lane), lane);
    return affine ? affine->coefficient.constant() : std::nullopt;
  }

  std::map<std::string, std::size_t> arrays_;
  NamedIndices names_;
  std::optional<Nat> item_;  ///< the variable of the loop over dimension 0
};

}  // namespace

std::vector<GridAccess> grid_accesses(const Kernel& k) { return CoalescedAccesses(k).found; }

double transaction_ratio(const Kernel& k) {
  constexpr double kTransaction = 32;
  const std::vector<GridAccess> all = grid_accesses(k);
  // Elements side by side, of work-items that lie further apart: what lies between is fetched for all of them
  // at once.
  std::map<std::pair<std::string, std::uint32_t>, std::set<std::int64_t>> cells;
  const auto family = [&](const GridAccess& a) -> std::set<std::int64_t>& {
    return cells[{a.array, (a.index - constant_part(a.index)).id()}];
  };
  for (const GridAccess& a : all)
    for (int lane = 0; lane < a.width; ++lane) family(a).insert(constant_part(a.index) + lane);
  double needed = 0, made = 0;
  for (const GridAccess& a : all) {
    if (a.stride == 0) continue;
    const double element = static_cast<double>(a.bytes), own = element * a.width;
    double apart = a.stride ? std::abs(static_cast<double>(*a.stride)) : kTransaction / element;
    if (a.stride && apart > 1) {
      const auto& near = family(a);
      const std::int64_t at = constant_part(a.index), reach = std::abs(*a.stride);
      const auto together =
          std::count_if(near.begin(), near.end(), [&](std::int64_t c) { return std::abs(c - at) < reach; });
      apart = std::max(1.0, apart / static_cast<double>(together));
    }
    needed += own, made += std::min(apart * own, std::max(kTransaction, own));
  }
  return needed > 0 ? made / needed : 1;
}

}  // namespace lift
