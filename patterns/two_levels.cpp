#include "patterns/two_levels.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "patterns/box_fill.hpp"
#include "patterns/host_data.hpp"
#include "patterns/thesis_forms.hpp"

namespace lift {

void check_two_levels(const Problem& p, int radius) {
  check_box_problem(p, radius);
  if (has_odd_side(p))
    throw UserError("--box " + box_text(p) +
                    ": the coarse grid has half as many cells a dimension; use an even --box");
}

namespace {

Nat coarse_cells(const Problem& p) { return Nat::size("n_coarse", has_ghost_zone(p) ? 1 : 2); }

}  // namespace

BoxProblem fine_grid(const Problem& p, int dim) {
  BoxProblem fine(p, dim);
  if (p.symbolic) std::fill(fine.cells.begin(), fine.cells.end(), 2 * coarse_cells(p));
  return fine;
}

BoxProblem coarser(BoxProblem p) {
  p.box /= 2;
  for (std::int64_t& side : p.sides) side /= 2;
  for (int d = 0; d < p.dim; ++d)
    p.cells[static_cast<std::size_t>(d)] = p.symbolic ? coarse_cells(p) : Nat(cells_along(p, d));
  return p;
}

void fill_transfer_argument(const BoxProblem& p, int face_axis, const HostArray& a) {
  if (a.name == "fine") return fill_wave(p, ghost_depth(p), a, phi_wave, face_axis);
  if (a.name == "coarse") return fill_wave(coarser(p), ghost_depth(p), a, rhs_wave, face_axis);
  if (a.name != "weights") return fill_box_argument(p, a);
  host::with_float(p.type, [&]<class T>(T) {
    auto* to = static_cast<T*>(a.data);
    for (const double w : thesis::linear_weights(p.dim)) *to++ = static_cast<T>(w);
  });
}

}  // namespace lift
