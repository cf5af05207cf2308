#include "patterns/grid.hpp"

#include <cmath>

#include "ir/error.hpp"
#include "patterns/thesis_forms.hpp"

namespace lift {

Type Grid::cells() const {
  std::vector<Nat> shape = each(n() + 2 * ghost_depth(p));
  shape.insert(shape.begin(), p.boxes);
  return array(shape, p.type);
}

Type Grid::faces(int axis) const {
  if (has_ghost_zone(p)) return cells();
  std::vector<Nat> shape = each(n());
  shape[static_cast<std::size_t>(axis)] = n() + 1;
  shape.insert(shape.begin(), p.boxes);
  return array(shape, p.type);
}

Expr Grid::inside(const Expr& cells) const { return has_ghost_zone(p) ? cells | drop_n(dim, p.ghost, p.ghost) : cells; }

Expr Grid::around(const Expr& cells, std::int64_t low, std::int64_t high) const {
  if (!has_ghost_zone(p)) return cells | pad_n(dim, low, high, pad_of(p));
  return p.ghost == low && p.ghost == high ? cells : cells | drop_n(dim, p.ghost - low, p.ghost - high);
}

Expr Grid::inside_faces(int axis, const Expr& faces) const {
  if (!has_ghost_zone(p)) return faces;
  std::vector<Nat> high = each(p.ghost);
  high[static_cast<std::size_t>(axis)] = p.ghost - 1;
  return drop(each(p.ghost), high, faces);
}

void fill_grid(const Grid& fine, const HostArray& a) {
  host::with_float(fine.p.type, [&]<class T>(T) {
    auto* to = static_cast<T*>(a.data);
    if (a.name == "weights") {
      for (const double w : thesis::linear_weights(fine.dim)) *to++ = static_cast<T>(w);
      return;
    }
    const auto lengths = host::lengths(a.type);
    const double n = static_cast<double>(a.name == "coarse" ? fine.coarser().n() : fine.n());
    host::parallel_for(host::count(a.type), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t x = begin; x < end; ++x) {
        double v = a.name == "coarse" ? 0.7 : 1;
        std::int64_t rest = x;
        for (std::size_t d = lengths.size(); d-- > 0; rest /= lengths[d])
          v *= std::sin(static_cast<double>(rest % lengths[d]) * 6.0 / n + 0.3 * static_cast<double>(d) + 0.2);
        to[x] = static_cast<T>(v);
      }
    });
  });
}

void check_two_levels(const Problem& p, bool reaches_out) {
  check_box_problem(p);
  if (p.box % 2 != 0)
    throw UserError("--box " + std::to_string(p.box) + ": the coarse grid has half as many cells a dimension; use an even --box");
  if (reaches_out && p.boundary != "ghost" && p.boundary != "neumann") pad_of(p);
}

}  // namespace lift
