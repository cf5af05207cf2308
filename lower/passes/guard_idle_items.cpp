// What only some work-items of a launch have to do: where no loop over the grid tells them apart along an
// axis, all would do the same stores, and the first does them for all.
#include <functional>
#include <map>
#include <set>
#include <string>

#include "lower/loops/visit.hpp"
#include "lower/passes/grids.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

using Axes = std::set<GridAxis>;

bool is_over_grid(const For& f) { return f.kind >= LoopKind::Glb; }

/// Calls f with each store within s, and the axes that loops within s tell apart there.
void visit_stores(const Stmt& s, Axes told, const std::function<void(const Store&, const Axes&)>& f) {
  if (const auto* x = std::get_if<Store>(&s.v)) f(*x, told);
  if (const auto* x = std::get_if<For>(&s.v); x && is_over_grid(*x)) told.insert({x->kind, x->dim});
  if (const Block* body = body_of(s))
    for (const Stmt& x : *body) visit_stores(x, told, f);
}

class Guards {
 public:
  explicit Guards(const Launch& l) : axes_(axes_of(l)) {
    visit(l.body, [&](const Stmt& s) {
      if (const auto* a = std::get_if<Allocate>(&s.v)) spaces_[a->name] = a->space;
    });
  }

  /// `told`: the axes that loops around, or guards, tell apart.
  Block block(const Block& b, const Axes& told) const {
    Block r;
    for (Stmt s : b) {
      const std::vector<GridAxis> idle = idle_axes(s, told);
      Axes within = told;
      within.insert(idle.begin(), idle.end());
      if (const auto* f = std::get_if<For>(&s.v); f && is_over_grid(*f)) within.insert({f->kind, f->dim});
      if (Block* body = body_of(s)) *body = block(*body, within);
      if (idle.empty())
        r.push_back(std::move(s));
      else
        r.push_back({First{idle, {std::move(s)}}});
    }
    return r;
  }

 private:
  /// Along which all work-items would do the same stores.
  std::vector<GridAxis> idle_axes(const Stmt& s, const Axes& told) const {
    std::vector<GridAxis> idle;
    for (const GridAxis& a : axes_)
      if (!told.count(a)) idle.push_back(a);
    const auto waits = [](const Stmt& x) { return std::holds_alternative<Barrier>(x.v); };
    if (idle.empty() || holds({s}, waits)) return {};
    bool stores = false;
    visit_stores(s, {}, [&](const Store& x, const Axes& within) {
      const auto it = spaces_.find(x.array);
      if (it != spaces_.end() && it->second == AddressSpace::Private) return;
      const bool of_group = it != spaces_.end();  // allocated: a kernel for a grid has no other
      stores = true;
      std::erase_if(idle, [&](const GridAxis& a) {
        return within.count(a) > 0 || (of_group && a.kind != LoopKind::Lcl);
      });
    });
    return stores ? idle : std::vector<GridAxis>{};
  }

  std::vector<GridAxis> axes_;                  ///< those longer than 1
  std::map<std::string, AddressSpace> spaces_;  ///< of arrays that are not everybody's
};

}  // namespace

Block guard_idle_items(const Launch& l) { return Guards(l).block(l.body, {}); }

}  // namespace lift
