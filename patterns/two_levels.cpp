#include "patterns/two_levels.hpp"

#include "ir/error.hpp"
#include "patterns/box_fill.hpp"
#include "patterns/host_data.hpp"
#include "patterns/thesis_forms.hpp"

namespace lift {

void check_two_levels(const Problem& p, int radius) {
  check_box_problem(p, radius);
  if (p.box % 2 != 0)
    throw UserError("--box " + std::to_string(p.box) +
                    ": the coarse grid has half as many cells a dimension; use an even --box");
}

namespace {

Nat coarse_cells(const Problem& p) { return Nat::size("n_coarse", has_ghost_zone(p) ? 1 : 2); }

}  // namespace

BoxProblem fine_grid(const Problem& p, int dim) {
  BoxProblem fine(p, dim);
  if (p.symbolic) fine.cells = 2 * coarse_cells(p);
  return fine;
}

BoxProblem coarser(BoxProblem p) {
  p.box /= 2;
  p.cells = p.symbolic ? coarse_cells(p) : Nat(p.box);
  return p;
}

void fill_transfer_argument(const BoxProblem& p, int face_axis, const HostArray& a) {
  if (a.name == "fine") return fill_wave(p.box, ghost_depth(p), a, phi_wave, face_axis);
  if (a.name == "coarse") return fill_wave(p.box / 2, ghost_depth(p), a, rhs_wave, face_axis);
  if (a.name != "weights") return fill_box_argument(p, a);
  host::with_float(p.type, [&]<class T>(T) {
    auto* to = static_cast<T*>(a.data);
    for (const double w : thesis::linear_weights(p.dim)) *to++ = static_cast<T>(w);
  });
}

}  // namespace lift
