// Loops outside the main nest follow its decisions: the outermost of more than one iteration is shared among
// threads, the innermost is a loop over vectors where the main one is.
#include <algorithm>
#include <optional>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/derive.hpp"

namespace lift {
namespace {

bool in_parallel(const Program& p, const Place& place) {
  Expr e = p.body;
  for (const int i : place) {
    if (e.is(Op::MapPar) && i == 0) return true;
    e = e.child(static_cast<std::size_t>(i));
  }
  return false;
}

/// Vectors are tried where the function returns numbers; the rule says whether they are possible.
void derive_inner(Deriver& d, const SpaceFacts& f, const Configuration& c, const Place& p,
                  std::int64_t trips) {
  const std::string width = chosen(c, "width", std::to_string(f.lanes));
  const bool vectors = f.lanes > 1 && (f.axes.empty() || is_vector(c)) && trips >= std::stoll(width);
  if (!vectors || !d.try_step("map-vec", {width}, p)) d.step("map-seq", {}, p);
}

/// What a loop on a grid has around it.
struct Around {
  std::vector<bool> taken =
      std::vector<bool>(4, false);     ///< dimensions of the grid, a fourth shares the third
  bool groups = false, items = false;  ///< loops over work-groups, over single items
  bool open = true;  ///< nothing but loops over the grid and of one iteration: more may follow
};
Around around(const Program& p, const Place& place) {
  Around r;
  Expr e = p.body;
  for (const int i : place) {
    if (e.is(Op::ToPrivate) || e.is(Op::ToLocal)) r.open = false;  // of an item, of a group
    if (is_map(e.op()) && i == 0) {
      const bool grid = e.is(Op::MapGlb) || e.is(Op::MapWrg);
      if (grid) r.taken.at(static_cast<std::size_t>(loop_option(e, LoopOption::Dimension))) = true;
      r.groups = r.groups || e.is(Op::MapWrg), r.items = r.items || e.is(Op::MapGlb);
      r.open = r.open && (grid || shape_of(e.type(), 1)[0] == Nat(1));
    }
    e = e.child(static_cast<std::size_t>(i));
  }
  return r;
}

/// The loops of a nest without decisions, outer to inner: maps in each other's functions.
std::vector<Place> nest_at(Deriver& d, Place at) {
  std::vector<Place> loops;
  for (;;) {
    Expr e = d.part(at);
    if (!e.is(Op::Map)) return loops;
    if (op_rank(e) > 1) d.step("map-nest", {}, at), e = d.part(at);
    loops.push_back(at);
    if (!e.child(0).is(Op::Lambda)) return loops;
    at.insert(at.end(), {0, 0});
  }
}

/// A nest on the grid: on processors the outer loops, a work-group of one item each; else the inner loops, an
/// item each.
void derive_on_grid(Deriver& d, const SpaceFacts& f, const Configuration& c, const Place& at) {
  const Around outside = around(d.program(), at);
  const std::vector<Place> loops = nest_at(d, at);
  const auto trips = [&](std::size_t i) {
    return shape_of(d.part(loops[i]).type(), 1)[0].constant().value_or(1 << 20);
  };
  const bool row = loops.size() == 1 &&
                   element_of(d.part(loops[0]).type()).is_scalar();  // one loop alone, nothing follows inside
  const bool solo =
      outside.groups || (!outside.items && !(row && trips(0) > 4096) && (is_solo(c) || f.options.cpu));
  std::vector<int> free;
  for (int dim = 0; dim < 3; ++dim)
    if (outside.open && !outside.taken[static_cast<std::size_t>(dim)]) free.push_back(dim);
  std::vector<std::size_t> chosen_loops;  // inner to outer
  if (solo) {
    std::int64_t groups = 1;
    for (std::size_t i = 0;
         i + 1 < loops.size() && chosen_loops.size() < free.size() && groups < 32 * f.options.threads; ++i)
      if (trips(i) > 1) groups *= trips(i), chosen_loops.insert(chosen_loops.begin(), i);
    if (loops.size() == 1 && trips(0) > 1 && !row && !free.empty()) chosen_loops.push_back(0);
  } else {
    for (std::size_t i = loops.size(); i-- > 0 && chosen_loops.size() < free.size();)
      if (trips(i) > 1) chosen_loops.push_back(i);
  }
  for (std::size_t n = 0; n < chosen_loops.size(); ++n)
    d.step(solo ? "map-wrg" : "map-glb", {std::to_string(free[n])}, loops[chosen_loops[n]]);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (std::find(chosen_loops.begin(), chosen_loops.end(), i) != chosen_loops.end()) continue;
    if (i + 1 == loops.size() && solo)
      derive_inner(d, f, c, loops[i], trips(i));
    else
      d.step("map-seq", {}, loops[i]);
  }
}

}  // namespace

void derive_other_nests(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  const bool parallel =
      f.axes.empty() || chosen(c, "parallel", "none") != "none";  // without axes nothing was decided
  for (;;) {
    const Program& now = d.program();
    const std::vector<Place> all = loop_places(now.body);
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const Place& p) { return part_at(now.body, p).is(Op::Map); });
    if (it == all.end()) return;
    if (is_grid(f.options.target)) {
      derive_on_grid(d, f, c, *it);
      continue;
    }
    const Expr e = part_at(now.body, *it);
    const int rank = op_rank(e);
    const std::int64_t trips = shape_of(e.type(), 1)[0].constant().value_or(1 << 20);
    if (rank > 1)
      d.step("map-nest", {}, *it);
    else if (rank_of(e.type()) == 1 && element_of(e.type()).is_scalar())
      derive_inner(d, f, c, *it, trips);
    else
      d.step(parallel && trips > 1 && !in_parallel(now, *it) ? "map-par" : "map-seq", {}, *it);
  }
}

}  // namespace lift
