// References' view of the arrays of a box problem: cells by position, also those outside a box, found as the
// boundary condition says by nothing but its formula.
#pragma once

#include <array>
#include <type_traits>

#include "patterns/box_problem.hpp"
#include "patterns/host_data.hpp"

namespace lift::host {

/// k, j, i of a cell, counted from the first interior one; those of missing dimensions are 0.
using Position = std::array<std::int64_t, 3>;

template <class T>
class BoxCells {
 public:
  using Value = std::remove_const_t<T>;

  /// `a`: cells or faces of the problem's boxes. `boundary_value`: see lift::boundary_value.
  BoxCells(const BoxProblem& p, const HostArray& a, double boundary_value = 0)
      : data_(static_cast<T*>(a.data)), boundary_(p.boundary), value_(static_cast<Value>(boundary_value)) {
    const auto stored = lengths(a.type);
    boxes = stored.at(0);
    for (int d = 0; d < p.dim; ++d) {
      const int of_three = 3 - p.dim + d;
      const auto axis = static_cast<std::size_t>(of_three);
      stored_[axis] = stored.at(static_cast<std::size_t>(d) + 1), ghost_[axis] = ghost_depth(p),
      n[axis] = cells_along(p, d);
    }
  }

  T& operator()(std::int64_t box, const Position& x) const {
    std::int64_t at = box;
    for (std::size_t d = 0; d < 3; ++d) at = at * stored_[d] + x[d] + ghost_[d];
    return data_[at];
  }
  T& operator()(std::int64_t box, std::int64_t k, std::int64_t j, std::int64_t i) const {
    return (*this)(box, Position{k, j, i});
  }

  /// The value at a position that may lie outside the box, by no more than its side.
  Value anywhere(std::int64_t box, Position x) const {
    if (boundary_ == "ghost") return (*this)(box, x);
    int reflections = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (x[d] >= 0 && x[d] < n[d]) continue;
      if (boundary_ == "constant") return value_;
      ++reflections;
      if (boundary_ == "periodic")
        x[d] = (x[d] + n[d]) % n[d];
      else if (boundary_ == "clamp")
        x[d] = x[d] < 0 ? 0 : n[d] - 1;
      else
        x[d] = x[d] < 0 ? -1 - x[d] : 2 * n[d] - 1 - x[d];  // the cell as far on the near side of the face
    }
    // The mean of a cell and its odd reflection is the face's value; reflected twice, it is itself again.
    const Value inside = (*this)(box, x);
    if (reflections % 2 == 0) return inside;
    return boundary_ == "dirichlet" ? -inside : boundary_ == "dirichlet-value" ? 2 * value_ - inside : inside;
  }

  /// Calls f(box, position) for all interior cells, in parallel over boxes and the outermost dimension;
  /// `more` faces than cells.
  template <class F>
  void for_cells(const F& f, const Position& more = {0, 0, 0}) const {
    const Position m{n[0] + more[0], n[1] + more[1], n[2] + more[2]};
    parallel_for(boxes * m[0], [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t plane = begin; plane < end; ++plane)
        for (std::int64_t j = 0; j < m[1]; ++j)
          for (std::int64_t i = 0; i < m[2]; ++i) f(plane / m[0], Position{plane % m[0], j, i});
    });
  }

  std::int64_t boxes;
  Position n{1, 1, 1};  ///< interior cells; 1 in missing dimensions

 private:
  T* data_;
  std::string boundary_;
  Value value_;
  Position stored_{1, 1, 1}, ghost_{0, 0, 0};
};

}  // namespace lift::host
