// What derived programs are compared with: matrices that are put together cell by cell in plain C++, from the
// formulas of the conditions and of A, and programs computed by the interpreter.
#pragma once

#include <cmath>
#include <functional>
#include <random>

#include "gmg/grid.hpp"
#include "ir/expr/interpret.hpp"

namespace lift::testing {

using Position = std::vector<std::int64_t>;
using Field = std::vector<double>;
using Fields = std::map<std::string, Field>;

/// All positions of a box, row-major.
inline void for_positions(const Position& shape, const std::function<void(const Position&)>& f) {
  Position at(shape.size(), 0);
  while (true) {
    f(at);
    std::size_t d = shape.size();
    while (d > 0 && ++at[d - 1] == shape[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}
inline std::size_t flat(const Position& shape, const Position& at) {
  std::int64_t x = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) x = x * shape[d] + at[d];
  return static_cast<std::size_t>(x);
}
inline std::int64_t count(const Position& shape) {
  std::int64_t n = 1;
  for (const auto x : shape) n *= x;
  return n;
}

/// Where a position beyond the faces is found again, times what, plus what.
struct Image {
  Position at;
  double scale = 1, shift = 0;
};
/// From the meaning of the conditions: value (ghost + cell) / 2 + slope (ghost - cell) / h = g.
inline Image image(const gmg::Domain& domain, Position at) {
  Image r{at};
  for (std::size_t d = 0; d < at.size(); ++d) {
    const std::int64_t n = domain.cells()[d];
    std::int64_t& x = r.at[d];
    if (domain.is_periodic(d)) {
      x = ((x % n) + n) % n;
      continue;
    }
    while (x < 0 || x >= n) {
      const bool high = x >= n;
      const gmg::Condition& c = domain.condition(d, high);
      const double h = domain.spacing(d), below = c.value * h + 2 * c.slope;
      r.shift += r.scale * 2 * h * c.g / below;
      r.scale *= (2 * c.slope - c.value * h) / below;
      x = high ? 2 * n - 1 - x : -1 - x;
    }
  }
  return r;
}

/// The factors of u in A at a cell, by offset.
using Stencil = std::function<std::vector<std::pair<gmg::Offset, double>>(const Position& cell)>;

struct Dense {
  std::size_t n = 0;
  Field a;      ///< n x n
  Field shift;  ///< what the conditions' g add
  double& operator()(std::size_t r, std::size_t c) { return a[r * n + c]; }
  double operator()(std::size_t r, std::size_t c) const { return a[r * n + c]; }
  Field times(const Field& x) const {
    Field y(n, 0);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) y[r] += a[r * n + c] * x[c];
    return y;
  }
};
inline Dense dense(const gmg::Domain& domain, const Stencil& stencil) {
  Dense m{static_cast<std::size_t>(domain.count()), {}, {}};
  m.a.assign(m.n * m.n, 0), m.shift.assign(m.n, 0);
  for_positions(domain.cells(), [&](const Position& x) {
    const std::size_t row = flat(domain.cells(), x);
    for (const auto& [offset, weight] : stencil(x)) {
      Position at = x;
      for (std::size_t d = 0; d < at.size(); ++d) at[d] += offset[d];
      const Image i = image(domain, at);
      m(row, flat(domain.cells(), i.at)) += weight * i.scale;
      m.shift[row] += weight * i.shift;
    }
  });
  return m;
}

inline Field random_field(std::mt19937& random, std::int64_t n, double low = -1, double high = 1) {
  std::uniform_real_distribution<double> x(low, high);
  Field f(static_cast<std::size_t>(n));
  for (double& v : f) v = x(random);
  return f;
}

/// The result of a program of a grid: `arrays` by name, numbers as the grid has them unless `numbers` says
/// otherwise, indices likewise.
inline Field interpreted(const Program& p, const gmg::Grid& g, const Fields& arrays,
                         const std::map<std::string, double>& numbers = {}) {
  std::map<std::string, Value> params;
  std::map<std::string, double> all = g.numbers();
  for (const auto& [name, x] : numbers) all[name] = x;
  for (const Expr& a : p.arguments) {
    const std::string& name = param_name(a);
    if (a.type().is_array())
      params[name] = make_array(arrays.at(name), a.type());
    else if (a.type() == Type(i32))
      params[name] = Value{static_cast<std::int64_t>(all.at(name))};
    else
      params[name] = Value{all.at(name)};
  }
  return flatten(interpret(p.body, params));
}

inline double largest_difference(const Field& a, const Field& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]) / (1 + std::abs(b[i]));
    most = d <= most ? most : d;  // NaN counts
    if (std::isnan(d)) return INFINITY;
  }
  return most;
}

}  // namespace lift::testing
