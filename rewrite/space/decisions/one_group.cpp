// Sweeps over small boxes on a grid: a work-group takes a box, and its items share each sweep in turn,
// waiting for one another in between. So all sweeps are one launch, whatever they read of one another (boxes
// that are periodic, too), with one barrier a sweep; arrays stay in a cache of the group's.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kCells = std::int64_t{1} << 12;  ///< of a box: 16^3
constexpr std::int64_t kItems = 512;                    ///< registers last for them

/// Work-items along each axis of a box, outer to inner: as long rows of them as there are cells, as long as
/// they last.
std::vector<std::int64_t> items_of(const NestFacts& f) {
  std::int64_t left = std::min(kItems, static_cast<std::int64_t>(f.options.max_work_group));
  std::vector<std::int64_t> r(f.axes.size() - f.above_update);
  for (std::size_t a = r.size(); a-- > 0; left /= r[a])
    r[a] = std::max<std::int64_t>(1, std::min(f.axes[f.above_update + a].extent.value_or(1), left));
  return r;
}

/// Cells of a box, where they are known.
std::optional<std::int64_t> cells_of(const NestFacts& f) {
  std::int64_t n = 1;
  for (std::size_t a = f.above_update; a < f.axes.size(); ++a) {
    if (!f.axes[a].extent) return std::nullopt;
    n *= *f.axes[a].extent;
  }
  return n;
}

bool may_be(const NestFacts& f) {
  const std::size_t axes = f.axes.size() - f.above_update;
  const auto cells = cells_of(f);
  return f.on_grid() && f.sweeps > 1 && f.block.empty() && f.above_update > 0 && f.above_update <= 3 &&
         axes >= 1 && axes <= 3 && cells && *cells <= kCells;
}

bool admits(const NestFacts& f, const Configuration& c, bool one) {
  if (!one) return true;
  // Of an array that is not overwritten, borders would be copied by one item.
  return is_in_place(f, c) && c[key::layout].index == kCallerLayout && c[key::tile].empty() &&
         c[key::block] == Blocks::none && !c[key::buffer] && c[key::order] == orders(f).front() &&
         is_fused(c) && c[key::time].empty() && !c[key::rings];
}

}  // namespace

bool goes_in_one_group(const NestFacts& f, const Configuration& c) {
  return f.on_grid() && c[key::one_group];
}

void derive_in_one_group(NestDeriver& d, const NestFacts& f, const Configuration& c) {
  take(decisions::readonly(), d, f, c);
  if (!f.overwrites) d.step("update-in-place", {});
  Place at;
  for (std::size_t a = 0; a < f.above_update; ++a, at = body_of(at)) {
    share_loops(d, at);
    d.step("map-wrg", {f.above_update - 1 - a}, at);
  }
  const std::vector<std::int64_t> items = items_of(f);
  for (const ChainStage& s : chain_of(d.program()).stages) {
    Place loop = main_nest(d.part({}), s.place).levels.at(0).place;
    for (std::size_t a = 0; a < items.size(); ++a, loop = body_of(loop)) {
      if (op_rank(d.part(loop)) > 1) d.step("map-nest", loop);
      d.step("map-lcl", {items.size() - 1 - a}, loop);
      d.step("items", {items[a]}, loop);
    }
  }
}

bool is_worth_one_group(const NestFacts& f) {
  std::int64_t boxes = 1;
  for (std::size_t a = 0; a < f.above_update; ++a) boxes *= f.axes[a].extent.value_or(1);
  return may_be(f) && boxes <= std::max<std::int64_t>(1, f.options.compute_units);
}

namespace decisions {

const Decision& one_group() {
  static const auto& d =
      *new Decision(decide(key::one_group)
                        .offers([](const NestFacts& f) {
                          return may_be(f) ? std::vector<bool>{false, true} : std::vector<bool>{};
                        })
                        .admitted(admits)
                        .said([](const NestFacts& f, const Configuration& c) -> std::string {
                          return goes_in_one_group(f, c) ? "a box a work-group, a barrier a sweep" : "";
                        }));
  return d;
}

}  // namespace decisions
}  // namespace lift
