// The innermost loop: scalar or vectors, every element or only those that a guard admits.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

bool may_be_split(const NestFacts& f) {
  const auto& only = f.options.only_layout;
  return !only || only->kind == LayoutRequest::Kind::Split;
}

/// Rows of arrays that have to be split by colours are gone through a colour after the other, where no guard
/// takes one of them.
bool takes_colours_in_turn(const NestFacts& f) {
  return f.modulus < 2 && f.on_processors() && f.options.only_layout && may_be_split(f);
}

/// Of points, where the levels go around them; of a chain's stages, whose loops all run alike.
std::vector<Inner> inners_of_others(const NestFacts& f) {
  if (f.inside == Inside::stages)
    return f.lanes > 1 ? std::vector{Inner::vec, Inner::seq, Inner::strided_vec} : std::vector{Inner::seq};
  const bool can =
      f.inside == Inside::scans || (f.folds.across && f.folds.outside && *f.axes.back().extent >= f.lanes);
  return f.lanes > 1 && can ? std::vector{Inner::seq, Inner::vec} : std::vector{Inner::seq};
}

std::vector<Inner> inners(const NestFacts& f) {
  if (f.inside != Inside::cells) return inners_of_others(f);
  const bool in_turn = takes_colours_in_turn(f);
  std::vector<Inner> r{Inner::seq};
  if ((f.modulus > 1 && f.in_place) || in_turn) r.push_back(Inner::strided);
  if (f.lanes > 1 && f.vectors) {
    r.push_back(Inner::vec);
    if ((f.parity_axes > 0 && f.in_place && may_be_split(f)) || in_turn) r.push_back(Inner::strided_vec);
  }
  return r;
}

/// Whether there is a work-item for each cell that a guard admits. In the caller's layout these would be
/// apart in memory, and a warp would touch as many sectors as with an item for every cell.
bool are_items_strided(const NestFacts& f, const Configuration& c) {
  return is_split(c) && f.modulus > 1 && is_in_place(f, c) && !goes_in_groups(f, c) &&
         !goes_in_one_group(f, c) && !is_by_groups(c) && !is_solo(c);
}

bool admits_inner(const NestFacts& f, const Configuration& c, const Inner& inner) {
  if (f.has_levels()) return inner == Inner::seq || (!is_by_levels(c) && points(f, c) >= f.lanes);
  const bool split = is_split(c), columns = is_by_columns(f, c);
  if (f.inside == Inside::stages) return (inner == Inner::strided_vec) == split;
  if (inner == Inner::seq) return !split || f.options.only_layout;
  if (!inner_is_loop(f, c)) return inner == Inner::strided && are_items_strided(f, c);
  const bool neighbours = shared_cells(c).neighbours;  // with a loop within, over cells of both colours
  const bool guarded = f.modulus > 1 && !neighbours && is_in_place(f, c) &&
                       (!columns || f.parity_axes >= static_cast<std::int64_t>(f.inner_rank));
  const bool stride = guarded || (takes_colours_in_turn(f) && !columns);
  if (inner == Inner::strided) return stride;
  const bool vectors = f.lanes > 1 && !columns && f.vectors &&
                       inner_trips(f, c, 1 << 30) >= f.lanes * (split ? inner_stride(f) : 1);
  return inner == Inner::vec ? vectors && !split : vectors && split && stride;
}

void take_inner(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place& loop) {
  if (is_vector(c))
    d.step("map-vec", {c[key::width]}, loop);
  else
    d.step("map-seq", loop);
  const Inner inner = c[key::inner];
  if (inner == Inner::strided || inner == Inner::strided_vec) d.step("strided", {inner_stride(f)}, loop);
}

std::string inner_words(const NestFacts& f, const Configuration& c) {
  const Inner inner = c[key::inner];
  return inner == Inner::vec && f.modulus > 1 && is_in_place(f, c) ? "masked vec"
                                                                   : key::inner.text(setting_of(inner));
}

}  // namespace

std::int64_t inner_trips(const NestFacts& f, const Configuration& c, std::int64_t unknown) {
  if (f.has_levels()) return points(f, c);
  if (f.inside == Inside::stages) return unknown;
  const LoopNest loops = loops_of(f, c);
  return loops[loops.inner()].trips.value_or(unknown);
}

namespace decisions {

const Decision& inner() {
  static const auto& d = *new Decision(
      decide(key::inner).offers(inners).admitted(admits_inner).taken(take_inner).said(inner_words));
  return d;
}

}  // namespace decisions
}  // namespace lift
