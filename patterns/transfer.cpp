#include "patterns/transfer.hpp"

#include <cmath>

namespace lift {
namespace {

std::vector<Nat> each(int dim, const Nat& n) { return std::vector<Nat>(static_cast<std::size_t>(dim), n); }

/// Calls f with every position of a box of the given lengths, in row-major order.
void for_positions(const std::vector<std::int64_t>& lengths,
                   const std::function<void(const std::vector<std::int64_t>&)>& f) {
  std::vector<std::int64_t> at(lengths.size(), 0);
  for (;;) {
    f(at);
    std::size_t d = lengths.size();
    while (d > 0 && ++at[d - 1] == lengths[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

Expr element(const Expr& window, const std::vector<std::int64_t>& at) {
  return lift::at(std::vector<Nat>(at.begin(), at.end()), window);
}

/// The sum over a window's positions of term(element, position), in row-major order.
Expr sum_over(int dim, const Expr& window,
              const std::function<Expr(const Expr&, const std::vector<std::int64_t>&)>& term) {
  std::vector<std::int64_t> lengths;
  for (const Nat& n : shape_of(window.type(), dim)) lengths.push_back(n.constant().value());
  Expr sum;
  for_positions(lengths, [&](const std::vector<std::int64_t>& at) {
    const Expr t = term(element(window, at), at);
    sum = sum ? sum + t : t;
  });
  return sum;
}

/// The sum of a window with one weight an axis and position: products of them.
Expr weighted_sum(int dim, const std::vector<double>& weights, const Expr& window) {
  return sum_over(dim, window, [&](const Expr& x, const std::vector<std::int64_t>& at) {
    double w = 1;
    for (const auto i : at) w *= weights.at(static_cast<std::size_t>(i));
    return w * x;
  });
}

/// Linear interpolation at the child of parities `parity` from the 2^dim coarse cells about it. Along each
/// axis the child's own coarse cell is the upper of the two for parity 0 and the lower for parity 1; it
/// weighs 3/4, the other 1/4.
Expr interpolated(int dim, const Expr& parity, const Expr& corners) {
  const Scalar type = element_of(corners.type()).scalar();
  return sum_over(dim, corners, [&](const Expr& x, const std::vector<std::int64_t>& corner) {
    Expr weight;
    for (int d = 0; d < dim; ++d) {
      const Expr along = select(eq(get(d, parity), corner[static_cast<std::size_t>(d)]), literal(0.25, type),
                                literal(0.75, type));
      weight = weight ? weight * along : along;
    }
    return weight * x;
  });
}

/// The parities of a coarse cell's children: 2^dim.{i32, ...}.
Expr parities(int dim) { return positions(each(dim, 2)); }
/// For each child of a coarse cell the 2^dim coarse cells about it: 2^dim.2^dim.T from the cell's window
/// 3^dim.T.
Expr corners_of_children(int dim, const Expr& window) { return window | slide_n(dim, 2, 1); }
/// A coarse cell's value for each of its children: 2^dim.T.
Expr repeated(int dim, const Expr& value) {
  std::vector<Expr> parity;
  for (int d = 0; d < dim; ++d) parity.push_back(fresh_param("p", Type(i32)));
  return generate(each(dim, 2), lambda(parity, value));
}

}  // namespace

Expr sum_of(int dim, const Expr& window) {
  return sum_over(dim, window, [](const Expr& x, const std::vector<std::int64_t>&) { return x; });
}

Expr restrict_average(int dim, const Expr& fine) {
  return map_n(
      dim, [=](Expr cells) { return std::ldexp(1.0, -dim) * sum_of(dim, cells); }, split(each(dim, 2), fine));
}

Expr restrict_full_weighting(int dim, const Expr& low_padded) {
  return low_padded | slide_n(dim, 3, 2) | map_n(dim, [=](Expr window) {
           return weighted_sum(dim, {0.25, 0.5, 0.25}, window);
         });
}

Expr restrict_linear(int dim, const Expr& padded) {
  return padded | slide_n(dim, 4, 2) | map_n(dim, [=](Expr window) {
           return weighted_sum(dim, {0.125, 0.375, 0.375, 0.125}, window);
         });
}

Expr restrict_faces(int dim, int axis, const Expr& faces) {
  std::vector<Nat> size = each(dim, 2);
  size[static_cast<std::size_t>(axis)] = 1;
  return map_n(
      dim, [=](Expr window) { return std::ldexp(1.0, 1 - dim) * sum_of(dim, window); },
      slide(size, each(dim, 2), faces));
}

Expr prolong_constant(int dim, const Expr& coarse) {
  return join_n(dim, coarse | map_n(dim, [=](Expr cell) {
                       return map_n(
                           dim, [](Expr x) { return x; }, repeated(dim, cell));
                     }));
}

Expr prolong_linear(int dim, const Expr& padded) {
  const auto child = [=](Expr parity, Expr corners) { return interpolated(dim, parity, corners); };
  return join_n(dim,
                padded | slide_n(dim, 3, 1) | map_n(dim, [=](Expr window) {
                  return map_n(dim, child, zip_n(dim, {parities(dim), corners_of_children(dim, window)}));
                }));
}

Expr add_prolonged_constant(int dim, const Expr& coarse, const Expr& fine) {
  const auto child = [](Expr x, Expr correction) { return x + correction; };
  return join_n(dim,
                zip_n(dim, {coarse, split(each(dim, 2), fine)}) | map_n(dim, [=](Expr cell, Expr children) {
                  return map_n(dim, child, zip_n(dim, {children, repeated(dim, cell)}));
                }));
}

Expr add_prolonged_linear(int dim, const Expr& padded, const Expr& fine) {
  const auto child = [=](Expr x, Expr parity, Expr corners) {
    return x + interpolated(dim, parity, corners);
  };
  return join_n(
      dim,
      zip_n(dim, {padded | slide_n(dim, 3, 1), split(each(dim, 2), fine)}) |
          map_n(dim, [=](Expr window, Expr children) {
            return map_n(dim, child, zip_n(dim, {children, parities(dim), corners_of_children(dim, window)}));
          }));
}

}  // namespace lift
