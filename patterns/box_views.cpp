#include "patterns/box_views.hpp"

namespace lift {
Expr map_over(int rank, const std::vector<Expr>& arrays, const std::function<Expr(Parts)>& f) {
  if (arrays.size() == 1)
    return map_n(
        rank, [&](Expr x) { return f(std::vector{x}); }, arrays[0]);
  const auto taken_apart = [&](Expr t) {
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < arrays.size(); ++i) parts.push_back(get(static_cast<int>(i), t));
    return f(parts);
  };
  return map_n(rank, taken_apart, zip_n(rank, arrays));
}

Expr for_boxes(const std::vector<Expr>& arrays, const std::function<Expr(Parts)>& f) {
  return map_over(1, arrays, f);
}
Expr for_cells(const BoxProblem& p, const std::vector<Expr>& views, const std::function<Expr(Parts)>& f) {
  return map_over(p.dim, views, f);
}
Expr write_interior(const BoxProblem& p, const Expr& target, const Expr& block) {
  return update(target, interior_offset(p), block);
}

Expr interior(const BoxProblem& p, const Expr& cells) {
  return has_ghost_zone(p) ? cells | drop_n(p.dim, p.ghost, p.ghost) : cells;
}

Expr surrounded(const BoxProblem& p, std::int64_t low, std::int64_t high, const Expr& cells) {
  if (has_ghost_zone(p))
    return p.ghost == low && p.ghost == high ? cells : cells | drop_n(p.dim, p.ghost - low, p.ghost - high);
  if (low == 0 && high == 0) return cells;
  if (const auto value = boundary_value(p)) return cells | pad_n(p.dim, low, high, pad_of(p), *value);
  return cells | pad_n(p.dim, low, high, pad_of(p));
}

Expr cell_windows(const BoxProblem& p, int radius, const Expr& cells) {
  return surrounded(p, radius, radius, cells) | slide_n(p.dim, 2 * radius + 1, 1);
}

Expr interior_faces(const BoxProblem& p, int axis, const Expr& faces) {
  if (!has_ghost_zone(p)) return faces;
  const auto rank = static_cast<std::size_t>(p.dim);
  std::vector<Nat> low(rank, p.ghost), high(rank, p.ghost);
  high[static_cast<std::size_t>(axis)] = p.ghost - 1;
  return drop(low, high, faces);
}

Expr face_windows(const BoxProblem& p, int axis, const Expr& faces) {
  const auto rank = static_cast<std::size_t>(p.dim);
  std::vector<Nat> size(rank, 1);
  size[static_cast<std::size_t>(axis)] = 2;
  return slide(size, std::vector<Nat>(rank, 1), interior_faces(p, axis, faces));
}

Expr in_window(const Expr& window, int radius, const std::vector<int>& offset) {
  std::vector<Nat> position;
  for (const int o : offset) position.emplace_back(radius + o);
  return at(position, window);
}

Expr along(const BoxProblem& p, const Expr& window, int radius, int axis, int steps) {
  std::vector<int> offset(static_cast<std::size_t>(p.dim), 0);
  offset[static_cast<std::size_t>(axis)] = steps;
  return in_window(window, radius, offset);
}

Expr face(const BoxProblem& p, const Expr& window, int axis, int upper) {
  std::vector<Nat> position(static_cast<std::size_t>(p.dim), 0);
  position[static_cast<std::size_t>(axis)] = upper;
  return at(position, window);
}

}  // namespace lift
