// One level of a grid in 1, 2 or 3 dimensions: boxes of n cells a dimension as a problem stores them.
#pragma once

#include <array>

#include "ir/build.hpp"
#include "patterns/box_problem.hpp"
#include "patterns/host_data.hpp"

namespace lift {

struct Grid {
  Problem p;         ///< with `box` the cells a dimension of this level
  int dim;

  Grid(Problem problem, int dimensions) : p(std::move(problem)), dim(dimensions) {}
  std::int64_t n() const { return p.box; }
  Grid coarser() const {
    Problem q = p;
    q.box = p.box / 2;
    return {q, dim};
  }
  std::vector<Nat> each(const Nat& x) const { return std::vector<Nat>(static_cast<std::size_t>(dim), x); }

  Type cells() const;               ///< boxes.(n + 2 ghost)^dim.T
  Type faces(int axis) const;       ///< normal to `axis` (0 is the outermost): one more along it when there is no ghost zone
  Type scalar() const { return p.type; }

  /// From one box's array to n^dim: the cells themselves.
  Expr inside(const Expr& cells) const;
  /// To (n + low + high)^dim: also cells outside the box, from the ghost zone or by a pad.
  Expr around(const Expr& cells, std::int64_t low, std::int64_t high) const;
  /// To n^dim with n + 1 faces along `axis`.
  Expr inside_faces(int axis, const Expr& faces) const;
  /// One box's array with its interior replaced by `block`.
  Expr with_inside(const Expr& cells, const Expr& block) const { return update(cells, each(ghost_depth(p)), block); }
};

/// Fills fine and coarse grids with a smooth function, weights with those of linear interpolation.
void fill_grid(const Grid& fine, const HostArray& a);

/// UserError unless the problem is one that operators between two levels can be built for.
void check_two_levels(const Problem& p, bool reaches_out);

/// A box's cells in plain C++, in 1 to 3 dimensions: coordinates (k, j, i) count interior cells, those of missing dimensions
/// are 0.
template <class T>
class GridData {
 public:
  using Position = std::array<std::int64_t, 3>;

  GridData(const Grid& grid, const HostArray& a) : data_(static_cast<T*>(a.data)), boundary_(grid.p.boundary) {
    const auto stored = host::lengths(a.type);
    boxes = stored.at(0);
    for (int d = 0; d < grid.dim; ++d) {
      const auto at = static_cast<std::size_t>(3 - grid.dim + d);
      stored_[at] = stored.at(static_cast<std::size_t>(d) + 1), ghost_[at] = ghost_depth(grid.p), n[at] = grid.n();
    }
  }
  T& operator()(std::int64_t box, const Position& x) const {
    std::int64_t at = box;
    for (std::size_t d = 0; d < 3; ++d) at = at * stored_[d] + x[d] + ghost_[d];
    return data_[at];
  }
  /// The value at a position that may lie outside the box by no more than its side.
  std::remove_const_t<T> anywhere(std::int64_t box, Position x) const {
    std::remove_const_t<T> factor = 1;
    if (boundary_ != "ghost")
      for (std::size_t d = 0; d < 3; ++d) {
        if (x[d] >= 0 && x[d] < n[d]) continue;
        if (boundary_ == "periodic") x[d] = (x[d] + n[d]) % n[d];
        else x[d] = x[d] < 0 ? -1 - x[d] : 2 * n[d] - 1 - x[d];
        if (boundary_ == "dirichlet") factor = -factor;
      }
    return factor * (*this)(box, x);
  }
  /// Calls f(box, position) for all cells, in parallel over boxes and the outermost dimension; `extra` lengthens a dimension.
  template <class F>
  void for_cells(const F& f, Position extra = {0, 0, 0}) const {
    const Position m{n[0] + extra[0], n[1] + extra[1], n[2] + extra[2]};
    host::parallel_for(boxes * m[0], [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t plane = begin; plane < end; ++plane)
        for (std::int64_t j = 0; j < m[1]; ++j)
          for (std::int64_t i = 0; i < m[2]; ++i) f(plane / m[0], Position{plane % m[0], j, i});
    });
  }

  std::int64_t boxes;
  Position n{1, 1, 1};  ///< interior cells

 private:
  T* data_;
  std::string boundary_;
  Position stored_{1, 1, 1}, ghost_{0, 0, 0};
};

}  // namespace lift
