// From a grid to a coarser one, and back.
//
// Each axis has a step of its own: it keeps its cells (semicoarsening), or joins two or three of them to one.
// An odd number of cells by two gives (n + 1) / 2 cells of a slightly smaller spacing than two: these overlap
// the fine cells, and everything below weighs by how much. Cells of all grids lie in the same region, their
// faces on the region's faces.
#pragma once

#include "gmg/operators.hpp"

namespace lift::gmg {

/// How many cells become one, by dimension: 1, 2 or 3.
using Ratios = std::vector<int>;

/// Cells of the coarser grid. UserError for another ratio, and for cells that are no multiple of 3.
std::vector<std::int64_t> coarser(const std::vector<std::int64_t>& cells, const Ratios& ratios);

/// A grid and the next coarser one.
class Transfer {
 public:
  Transfer(Grid fine, const Ratios& ratios);
  const Grid& fine() const { return fine_; }
  const Grid& coarse() const { return coarse_; }

  /// Means over what a coarse cell covers: of an array at cells.
  Expr restricted(const Expr& fine) const;
  /// Of one on faces: across, means; along the axis, the value at the coarse face.
  Expr restricted(const Coefficient& c, const Expr& fine) const;
  /// `fine` plus linear interpolation between the centres of coarse cells; beyond faces as the conditions,
  /// homogeneous, say.
  Expr corrected(const Expr& fine, const Expr& coarse) const;

 private:
  /// What is done along one dimension.
  struct Along {
    enum class Kind : std::uint8_t { keep, pairs, threes, odd } kind = Kind::keep;
    std::int64_t fine = 1, coarse = 1;  ///< cells
    int ratio() const { return kind == Kind::keep ? 1 : kind == Kind::threes ? 3 : 2; }
  };
  /// A sum over windows of `array`, those of one dimension having these weights.
  struct Window {
    int size, step, before, after;  ///< cells of a pad before and after, which weigh 0
  };
  Expr weighted_sums(
      const Expr& array, const std::vector<Window>& windows,
      const std::function<Expr(std::size_t dimension, int tap, const Expr& index)>& weight) const;
  Window mean_window(std::size_t d) const;
  Expr mean_weight(std::size_t d, int tap, const Expr& index) const;
  /// Of a child of a coarse cell (its number along the dimension, i32): the factor of a tap.
  Expr child_weight(std::size_t d, int tap, const Expr& child, const Expr& index) const;

  Grid fine_, coarse_;
  std::vector<Along> along_;
};

/// coarse = restriction of f - A u; arguments of the residual, result of the coarse grid's shape.
Program residual_restriction_program(const Transfer& t);
/// coarse = restriction of `fine`, an array at cells, or of a coefficient by its name.
Program restriction_program(const Transfer& t);
Program restriction_program(const Transfer& t, const Coefficient& c);
/// u plus the interpolation of `coarse`, in place.
Program correction_program(const Transfer& t);

}  // namespace lift::gmg
