#include "patterns/helmholtz.hpp"

#include "patterns/box_problem.hpp"

namespace lift {

Neighbours neighbours(const Expr& w) {
  return {.centre = w[1][1][1],
          .west = w[1][1][0], .east = w[1][1][2],
          .south = w[1][0][1], .north = w[1][2][1],
          .down = w[0][1][1], .up = w[2][1][1]};
}

Faces faces(const Expr& beta_i, const Expr& beta_j, const Expr& beta_k) {
  return {.west = beta_i[0][0][0], .east = beta_i[0][0][1],
          .south = beta_j[0][0][0], .north = beta_j[0][1][0],
          .down = beta_k[0][0][0], .up = beta_k[1][0][0]};
}

Expr helmholtz(const Expr& a, const Expr& b_h2inv, const Expr& alpha, const Faces& beta, const Neighbours& phi) {
  const Expr& c = phi.centre;
  return a * alpha * c - b_h2inv * (beta.east * (phi.east - c) - beta.west * (c - phi.west)
                                  + beta.north * (phi.north - c) - beta.south * (c - phi.south)
                                  + beta.up * (phi.up - c) - beta.down * (c - phi.down));
}

Expr interior(const Problem& p, const Expr& cells) {
  return has_ghost_zone(p) ? cells | drop3(p.ghost, p.ghost) : cells;
}

Expr cell_windows(const Problem& p, const Expr& cells) {
  if (!has_ghost_zone(p)) return cells | pad3(1, 1, pad_of(p)) | slide3(3, 1);
  return (p.ghost == 1 ? cells : cells | drop3(p.ghost - 1, p.ghost - 1)) | slide3(3, 1);
}

Expr face_windows(const Problem& p, int axis, const Expr& faces) {
  std::vector<Nat> size{1, 1, 1}, low(3, p.ghost), high(3, p.ghost);
  size[static_cast<std::size_t>(axis)] = 2;
  high[static_cast<std::size_t>(axis)] = p.ghost - 1;
  return slide(size, {1, 1, 1}, has_ghost_zone(p) ? drop(low, high, faces) : faces);
}

}  // namespace lift
