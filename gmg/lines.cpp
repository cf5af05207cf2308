#include "gmg/lines.hpp"

#include <algorithm>

#include "gmg/level.hpp"
#include "ir/error.hpp"
#include "patterns/box_views.hpp"
#include "patterns/columns.hpp"

namespace lift::gmg {
namespace {

constexpr const char* kSides[] = {"below", "at", "above"};

/// The dimension last, and the order that undoes it.
std::pair<std::vector<int>, std::vector<int>> orders(int rank, std::size_t dimension) {
  std::vector<int> there, back(static_cast<std::size_t>(rank));
  for (int d = 0; d < rank; ++d)
    if (d != static_cast<int>(dimension)) there.push_back(d);
  there.push_back(static_cast<int>(dimension));
  for (int d = 0; d < rank; ++d) back[static_cast<std::size_t>(there[static_cast<std::size_t>(d)])] = d;
  return {there, back};
}

}  // namespace

void check_lines(const Equation& equation, std::size_t dimension) {
  const Domain& domain = equation.domain();
  const std::string smoother = "gmg: the smoother lines-" + domain.name_of(dimension);
  if (domain.dimensions() == 1)
    throw UserError(smoother + " solves all of a domain of one dimension; use gauss-seidel");
  if (domain.is_periodic(dimension))
    throw UserError(smoother +
                    " needs faces at the lines' ends, but that axis is periodic; use gauss-seidel, " +
                    "which keeps the cells of strongly coupled axes alone coarser");
  for (const Offset& o : equation.footprint())
    if (std::abs(o[dimension]) > 1)
      throw UserError(smoother + " has tridiagonal systems, but A reads " +
                      std::to_string(std::abs(o[dimension])) +
                      " cells away along that axis; use lines along another one, or gauss-seidel");
}

Program line_matrix_program(const Grid& g, std::size_t dimension, int side) {
  const std::int64_t n = g.domain().cells()[dimension];
  const Expr body = g.for_cells(
      {},
      [&](const CellView& cell, const Offset& o) {
        Expr x;
        if (side == 0)
          x = own_image(g, cell, dimension, o[dimension]);
        else if (o[dimension] != side)
          x = literal(0, g.type());
        else
          x = select(
              side < 0 ? nat_value(0) < cell.index(dimension) : cell.index(dimension) < nat_value(n - 1),
              literal(1, g.type()), literal(0, g.type()));
        for (std::size_t d = 0; d < o.size(); ++d)
          if (d != dimension) x = x * own_image(g, cell, d, o[d]);
        return x;
      },
      [&](const CellView& c) { return c.a_of_u; });
  return program_of(g, std::string("line_") + kSides[side + 1], g.coefficients(), body);
}

Program line_solution_program(const Grid& g, std::size_t dimension) {
  std::vector<Expr> arrays;
  for (const char* name : {"below", "at", "above", "r"}) arrays.push_back(g.cells(name));
  const auto [there, back] = orders(g.rank(), dimension);
  const auto row = [](const Expr& x) { return TridiagonalRow{get(0, x), get(1, x), get(2, x), get(3, x)}; };
  const Expr lines = transpose(there, zip_n(g.rank(), arrays));
  const Expr solved = map_over(g.rank() - 1, {lines}, [&](Parts at) {
    return solve_column(at[0], g.type(), row, [](const Expr& x) { return x; });
  });
  return program_of(g, "line_solution", arrays, transpose(back, solved));
}

Program line_update_program(const Grid& g, const Colours& colours) {
  const Expr u = g.cells("u"), e = g.cells("e"), weight = param("weight", g.type());
  std::vector<Expr> numbers;
  for (std::size_t r = 0; r < colours.rows.size(); ++r)
    numbers.push_back(index_param("color" + std::to_string(r), 0, colours.modulus - 1));
  const Expr block = map_over(g.rank(), {positions(g.shape()), u, e}, [&](Parts at) {
    const Expr relaxed = at[1] + weight * at[2];
    const Expr guard =
        is_of_colour(colours, numbers, [&](std::size_t d) { return get(static_cast<int>(d), at[0]); });
    return guard ? select(guard, relaxed, at[1]) : relaxed;
  });
  return program_of(g, "line_update", {u, e}, update(u, std::vector<Nat>(g.domain().dimensions(), 0), block),
                    {"u"});
}

LineSmoother::LineSmoother(const Grid& grid, std::size_t dimension)
    : grid_(grid), colours_(line_colours(grid.equation(), grid.domain(), dimension)) {
  check_lines(grid.equation(), dimension);
  const auto cells = static_cast<std::size_t>(grid_.domain().count());
  for (const char* name : {"below", "at", "above", "r", "e"}) arrays_[name] = Buffer(cells * sizeof(double));
  for (std::size_t r = 0; r < colours_.rows.size(); ++r) indices_["color" + std::to_string(r)] = 0;
  for (int side = -1; side <= 1; ++side)
    matrix_[side + 1] =
        LaterKernel([this, dimension, side] { return line_matrix_program(grid_, dimension, side); });
  residual_ = LaterKernel([this] { return residual_program(grid_); });
  solution_ = LaterKernel([this, dimension] { return line_solution_program(grid_, dimension); });
  update_ = LaterKernel([this] { return line_update_program(grid_, colours_); });
  bytes_of_sweep_ = static_cast<double>(colours_.count()) *
                    (compulsory_bytes(residual_program(grid_)) + 8 * static_cast<double>(cells) * (6 + 3));
}

void LineSmoother::add_needed(std::vector<LaterKernel*>& to) {
  for (LaterKernel* k : {&matrix_[0], &matrix_[1], &matrix_[2], &residual_, &solution_, &update_})
    to.push_back(k);
}

void LineSmoother::add_sweeps(int sweeps, std::vector<CycleKernel>& to) {
  const double times = sweeps * static_cast<double>(colours_.count());
  for (LaterKernel* k : {&residual_, &solution_, &update_})
    add_kernel(*k, times * compulsory_bytes(k->program()), grid_, to);
}

void LineSmoother::refresh(const Arguments& level) {
  for (int side = 0; side < 3; ++side) matrix_[side].get().bind(level, arrays_.at(kSides[side]).data())();
  Arguments a = level;
  for (auto& [name, buffer] : arrays_) a.arrays[name] = buffer.data();
  for (const auto& [name, x] : indices_) a.indices[name] = &x;
  bound_residual_ = residual_.get().bind(a, arrays_.at("r").data());
  bound_solution_ = solution_.get().bind(a, arrays_.at("e").data());
  bound_update_ = update_.get().bind(a);
}

void LineSmoother::smooth(int sweeps) {
  for (int s = 0; s < sweeps; ++s)
    for (std::size_t c = 0; c < colours_.count(); ++c) {
      const auto numbers = colours_.numbers(c);
      for (std::size_t r = 0; r < numbers.size(); ++r)
        indices_.at("color" + std::to_string(r)) = static_cast<std::int32_t>(numbers[r]);
      (*bound_residual_)(), (*bound_solution_)(), (*bound_update_)();
    }
}

}  // namespace lift::gmg
