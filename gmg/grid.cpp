#include "gmg/grid.hpp"

#include <algorithm>
#include <utility>

#include "patterns/box_views.hpp"

namespace lift::gmg {
namespace {

std::vector<Nat> each(int rank, const Nat& n) { return std::vector<Nat>(static_cast<std::size_t>(rank), n); }

/// What a pad does there.
Boundary pad_at(const Condition& c) {
  switch (c.kind) {
    case Condition::Kind::periodic:
      return Boundary::wrap;
    case Condition::Kind::dirichlet:
      return Boundary::odd;
    default:
      return Boundary::mirror;
  }
}

std::function<Expr(std::size_t)> index_in(const Expr& positions) {
  return [=](std::size_t d) { return get(static_cast<int>(d), positions); };
}

}  // namespace

Grid::Grid(Equation equation, Domain domain, Scalar type)
    : equation_(std::move(equation)), domain_(std::move(domain)), type_(type) {}

std::vector<Nat> Grid::shape() const { return {domain_.cells().begin(), domain_.cells().end()}; }

std::vector<std::int64_t> Grid::shape_of(const Coefficient& c) const {
  std::vector<std::int64_t> shape = domain_.cells();
  if (c.faces) ++shape[domain_.dimension_of(*c.faces)];
  return shape;
}

Expr Grid::cells(const std::string& name) const { return param(name, array(shape(), type_)); }

std::vector<Expr> Grid::coefficients() const {
  std::vector<Expr> all;
  for (const Coefficient& c : equation_.coefficients()) {
    const std::vector<std::int64_t> lengths = shape_of(c);
    all.push_back(param(c.name, array({lengths.begin(), lengths.end()}, type_)));
  }
  return all;
}

std::vector<Expr> Grid::numbers_in(const Expr& value) const {
  std::vector<Expr> found;
  for (const Expr& p : params_of(value))
    if (p.type() == Type(type_)) found.push_back(p);
  std::sort(found.begin(), found.end(),
            [](const Expr& a, const Expr& b) { return param_name(a) < param_name(b); });
  return found;
}

std::map<std::string, double> Grid::numbers() const {
  std::map<std::string, double> all = equation_.numbers();
  for (std::size_t d = 0; d < domain_.dimensions(); ++d) {
    all["per_h_" + domain_.name_of(d)] = 1 / domain_.spacing(d);
    for (const bool high : {false, true})
      if (domain_.condition(d, high).kind == Condition::Kind::robin)
        all[param_name(robin_scale(d, high))] = domain_.ghost_scale(d, high);
  }
  return all;
}

Expr Grid::robin_scale(std::size_t dimension, bool high) const {
  return param("robin_" + domain_.name_of(dimension) + (high ? "_high" : "_low"), type_);
}

Expr Grid::surrounded(const Expr& array, int width) const {
  if (width == 0) return array;
  Expr x = array;
  const auto rank = domain_.dimensions();
  // One pad for all sides of a kind. The order does not matter: a cell beyond two faces is reflected in both.
  for (const Boundary kind : {Boundary::wrap, Boundary::mirror, Boundary::odd}) {
    std::vector<Nat> low(rank, 0), high(rank, 0);
    bool any = false;
    for (std::size_t d = 0; d < rank; ++d)
      for (const bool side : {false, true})
        if (pad_at(domain_.condition(d, side)) == kind) (side ? high : low)[d] = width, any = true;
    if (any) x = pad(low, high, kind, x);
  }
  return scaled_beyond_robin(x, width);
}

Expr Grid::scaled_beyond_robin(const Expr& padded, int width) const {
  std::vector<std::pair<std::size_t, bool>> faces;
  for (std::size_t d = 0; d < domain_.dimensions(); ++d)
    for (const bool high : {false, true})
      if (domain_.condition(d, high).kind == Condition::Kind::robin) faces.emplace_back(d, high);
  if (faces.empty()) return padded;
  const std::vector<Expr> arrays{positions(lift::shape_of(padded.type(), rank())), padded};
  return map_over(rank(), arrays, [&](std::span<const Expr> at) {
    Expr x = at[1];
    for (const auto& [d, high] : faces) {
      const Expr index = get(static_cast<int>(d), at[0]), scaled = robin_scale(d, high) * x;
      const Nat last = domain_.cells()[d] + width - 1;
      x = high ? select(nat_value(last) < index, scaled, x) : select(index < nat_value(width), scaled, x);
    }
    return x;
  });
}

std::vector<Expr> Grid::coefficient_views() const {
  std::vector<Expr> views = coefficients();
  for (std::size_t c = 0; c < views.size(); ++c) {
    const Coefficient& coefficient = equation_.coefficients()[c];
    if (!coefficient.faces) continue;
    std::vector<Nat> size = each(rank(), 1);
    size[domain_.dimension_of(*coefficient.faces)] = 2;
    views[c] = slide(size, each(rank(), 1), views[c]);
  }
  return views;
}

Expr Grid::a_of(std::span<const Expr> coefficients, const std::function<Expr(const Offset&)>& unknown) const {
  const Reads reads{unknown,
                    [&](const Coefficient& c, int upper) {
                      const auto which = static_cast<std::size_t>(&c - equation_.coefficients().data());
                      if (!c.faces) return coefficients[which];
                      std::vector<Nat> at = each(rank(), 0);
                      at[domain_.dimension_of(*c.faces)] = upper;
                      return lift::at(at, coefficients[which]);
                    },
                    [&](const std::string& name) { return param(name, type_); },
                    [&](std::size_t d) { return param("per_h_" + domain_.name_of(d), type_); }};
  return equation_.at(reads);
}

Expr Grid::for_cells(const std::vector<Expr>& arrays, const Expr& around, const CellFunction& f) const {
  std::vector<Expr> views{positions(shape())};
  views.insert(views.end(), arrays.begin(), arrays.end());
  const int radius = equation_.radius();
  const std::size_t window = views.size();
  views.push_back(slide(each(rank(), 2 * radius + 1), each(rank(), 1), around));
  for (const Expr& v : coefficient_views()) views.push_back(v);
  return map_over(rank(), views, [&](std::span<const Expr> at) {
    const auto unknown = [&](const Offset& o) {
      std::vector<Nat> position;
      for (const int x : o) position.emplace_back(radius + x);
      return lift::at(position, at[window]);
    };
    return f({at.subspan(1, arrays.size()), index_in(at[0]),
              unknown(Offset(static_cast<std::size_t>(rank()), 0)), a_of(at.subspan(window + 1), unknown)});
  });
}

Expr Grid::for_cells(const std::vector<Expr>& arrays,
                     const std::function<Expr(const CellView&, const Offset&)>& unknown,
                     const CellFunction& f) const {
  std::vector<Expr> views{positions(shape())};
  views.insert(views.end(), arrays.begin(), arrays.end());
  for (const Expr& v : coefficient_views()) views.push_back(v);
  return map_over(rank(), views, [&](std::span<const Expr> at) {
    CellView cell{at.subspan(1, arrays.size()), index_in(at[0]), {}, {}};
    cell.a_of_u = a_of(at.subspan(1 + arrays.size()), [&](const Offset& o) { return unknown(cell, o); });
    return f(cell);
  });
}

}  // namespace lift::gmg
