// Loops outside the main nest follow its decisions: the outermost of more than one iteration is shared among threads, the
// innermost is a loop over vectors where the main one is.
#include <algorithm>
#include <optional>

#include "ir/ops.hpp"
#include "rewrite/derive.hpp"

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
void derive_inner(Deriver& d, const SpaceFacts& f, const Configuration& c, const Place& p, std::int64_t trips) {
  const std::string width = chosen(c, "width", std::to_string(f.lanes));
  const bool vectors = f.lanes > 1 && (f.axes.empty() || is_vector(c)) && trips >= std::stoll(width);
  if (!vectors || !d.try_step("map-vec", {width}, p)) d.step("map-seq", {}, p);
}

/// The next loop outside the main nest that nothing is decided about.
std::optional<Place> next_loop(const Expr& body) {
  const std::vector<Place> all = loop_places(body);
  const auto it = std::find_if(all.begin(), all.end(), [&](const Place& p) { return part_at(body, p).is(Op::Map); });
  return it == all.end() ? std::nullopt : std::optional(*it);
}

/// The axes of stages are dealt to work-items as those of the result are; each stage is a launch.
void derive_stages_on_grid(Deriver& d, const Configuration& c) {
  static const std::vector<std::string> axes{"i", "j", "k", "box"};
  const std::vector<std::string> names = words(chosen(c, "grid", "none"));
  while (const auto p = next_loop(d.program().body)) {
    const Expr e = d.part(*p);
    const auto axis = static_cast<std::size_t>(rank_of(e.type())) - 1;
    const auto it = axis < axes.size() ? std::find(names.begin(), names.end(), axes[axis]) : names.end();
    if (e.attr().ints[0] > 1) d.step("map-nest", {}, *p);
    else if (it == names.end() || !d.try_step("map-glb", {std::to_string(names.end() - it - 1)}, *p)) d.step("map-seq", {}, *p);
  }
}

}  // namespace

void derive_other_nests(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  if (is_grid(f.options.target)) {
    if (!is_fused(c)) derive_stages_on_grid(d, c);
    return;
  }
  const bool parallel = f.axes.empty() || chosen(c, "parallel", "none") != "none";  // without axes nothing was decided
  for (;;) {
    const Program& now = d.program();
    const std::optional<Place> it = next_loop(now.body);
    if (!it) return;
    const Expr e = part_at(now.body, *it);
    const int rank = static_cast<int>(e.attr().ints[0]);
    const std::int64_t trips = shape_of(e.type(), 1)[0].constant().value_or(1 << 20);
    if (rank > 1) d.step("map-nest", {}, *it);
    else if (rank_of(e.type()) == 1 && element_of(e.type()).is_scalar()) derive_inner(d, f, c, *it, trips);
    else d.step(parallel && trips > 1 && !in_parallel(now, *it) ? "map-par" : "map-seq", {}, *it);
  }
}

}  // namespace lift
