// How the sweeps of a program, or its stored stages, follow one another: each over all cells before the next
// begins, or all of them together along axes of the arrays (in_step), each some iterations behind the one
// before, so that what one has computed is in a cache when the next reads it. AxisSizes, outer to inner: the
// iterations of a step.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kRowsOfStep[] = {8, 16, 32, 64};

/// Along the outermost axis a plane a step, or several; and tiles of rows, skewed, around planes.
std::vector<AxisSizes> along(const std::vector<std::string>& axes) {
  std::vector<AxisSizes> r;
  if (axes.empty()) return r;
  const AxisSize plane{axes[0], 1};
  r.push_back({{plane}});
  for (const std::int64_t rows : kRowsOfStep)
    r.push_back(axes.size() > 1 ? AxisSizes{{{axes[1], rows}, plane}} : AxisSizes{{{axes[0], rows}}});
  return r;
}
/// With rings, the outermost axis alone.
std::vector<AxisSizes> with_rings(const NestFacts& f) {
  if (f.lines && f.rings) return {{{{f.axes[0].name, 1}}}};
  return f.rings ? along({f.axes[f.above_update].name}) : std::vector<AxisSizes>{};
}
/// Of stages whose loops differ: a plane a step, or several; skewed tiles of rows that go through all planes.
std::vector<AxisSizes> schedules_of_stages(const NestFacts& f) {
  std::vector<AxisSizes> r{{}};
  for (const std::int64_t width : {1, 4, 16}) r.push_back({{{*f.chain.steps, width}}});
  for (const std::int64_t rows : kRowsOfStep)
    if (f.chain.rows) r.push_back({{{*f.chain.rows, rows}, {*f.chain.steps, 1}}});
  return r;
}
std::vector<AxisSizes> schedules(const NestFacts& f) {
  if (f.inside == Inside::stages) return schedules_of_stages(f);
  std::vector<AxisSizes> r;
  if (f.steps.empty() && !f.rings) return r;
  r.emplace_back();
  if (f.on_grid()) {  // a plane a step
    if (!group_tiles(f).empty()) r.push_back({{{f.axes[f.above_update].name, 1}}});
    return r;
  }
  for (const AxisSizes& s : along(f.steps)) r.push_back(s);
  for (const AxisSizes& s : with_rings(f))
    if (std::find(r.begin(), r.end(), s) == r.end()) r.push_back(s);
  return r;
}

bool admits_schedule(const NestFacts& f, const Configuration& c, const AxisSizes& schedule) {
  if (schedule.empty() || f.inside == Inside::stages) return true;
  const bool in_place = is_in_place(f, c), plain = c[key::tile].empty() && c[key::block] == Blocks::none &&
                                                   !c[key::buffer] && c[key::order] == orders(f).front();
  const bool of_stored = f.stages_go_in_step && f.may_be_fused;
  if (!plain || c[key::stages] != (of_stored ? Stages::work : Stages::fused)) return false;
  if (!in_place && c[key::layout].index != kCallerLayout) return false;
  const auto is_among = [&](const std::vector<AxisSizes>& some) {
    return std::find(some.begin(), some.end(), schedule) != some.end();
  };
  if (in_place || f.two_arrays)
    if (is_among(along(f.steps))) return true;
  return !in_place && is_among(with_rings(f));
}

constexpr std::int64_t kVectorsOfRow = 64;  ///< in fewer, the elements before the first aligned one count

/// Long rows of rings begin so that the same column of each lies as whole vectors do: what stencils load
/// above and below, and what they store, is then in one line of the cache.
void align_rings(NestDeriver& d, const NestFacts& f) {
  const Chain chain = chain_of(d.program());
  const std::size_t axes = f.axes.size() - f.above_update;
  for (std::size_t s = 0; s < chain.stages.size(); ++s) {
    const Expr stage = d.part(chain.stages[s].place);
    if (!stage.is(Op::Ring)) continue;
    std::optional<std::int64_t> row = shape_of(stage.type()).back().constant();
    std::int64_t lead = 0;
    for (const Band& tile : chain.going(Band::overlapped))
      if (tile.axis + 1 == axes) row = tile.width, lead = tile.shifts.at(s);  // of whole vectors
    if (row && *row >= kVectorsOfRow * f.lanes)
      d.step("in-layout", {key::layout.words[kRowsLayout], f.lanes, lead % f.lanes},
             content_of(chain.stages[s].place));
  }
}

void take_schedule(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place& given) {
  if (c[key::time].empty() && c[key::phases].empty()) return;
  Place at = given;
  for (std::size_t a = 0; a < f.above_update; ++a) share_loops(d, at), at = body_of(at);
  if (c[key::rings])
    d.step("rings", {});
  else if (f.two_arrays || (!c[key::phases].empty() && !f.phases_in_place))
    d.step("two-arrays", {});
  const auto along = [&](const char* rule, const AxisSizes& sizes) {
    for (const AxisSize& s : sizes.list) {
      std::size_t axis = 0;
      while (f.axes[axis].name != s.axis) ++axis;
      d.step(rule, {axis - f.above_update, s.size}, {});
    }
  };
  along("in-tiles", c[key::strips]);
  along("in-phases", c[key::phases]);
  if (f.lines) return;
  if (c[key::rings] && c[key::inner] == Inner::vec && !f.on_grid()) align_rings(d, f);
  along("in-step", c[key::time]);
}

std::string schedule_words(const NestFacts& f, const Configuration& c) {
  std::string s;
  if (f.lines) return s;
  for (const AxisSize& step : c[key::time].list) s += (s.empty() ? "in step along " : " and ") + step.axis;
  return s;
}

}  // namespace

void share_loops(NestDeriver& d, const Place& at) {
  if (!d.part(at).is(Op::Let)) return;
  share_loops(d, let_body(at));
  d.step("let-of-maps", at);
}

namespace decisions {

const Decision& time() {
  static const auto& d = *new Decision(decide(key::time)
                                           .offers(schedules)
                                           .of_stored_stages_too()
                                           .admitted(admits_schedule)
                                           .taken(take_schedule)
                                           .said(schedule_words));
  return d;
}

}  // namespace decisions
}  // namespace lift
