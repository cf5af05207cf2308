// The region that an equation is solved on: a box of equal cells in one to three dimensions, with a boundary
// condition on each of its faces.
//
// Arrays are [k][j][i], i of unit stride; in 2D [j][i], in 1D [i]. Unknowns are at the cells' centres. In
// code, a dimension is counted from the outermost: 0 is k in 3D, j in 2D. Users name axes, see Axis.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lift::gmg {

/// An axis, by how many dimensions of an array are within it.
enum class Axis : std::uint8_t { i, j, k };

struct Face {
  Axis axis = Axis::i;
  bool high = false;
};

/// What holds on a face: value * u + slope * du/dn = g, n pointing outwards; or that the axis is periodic.
struct Condition {
  enum class Kind : std::uint8_t { periodic, dirichlet, neumann, robin } kind = Kind::dirichlet;
  double value = 1, slope = 0;
  double g = 0;                     ///< everywhere on the face, unless there is
  std::vector<double> values = {};  ///< one g for each cell at the face, row-major over the other axes
};
Condition dirichlet(double g = 0);             ///< u = g
Condition dirichlet(std::vector<double> g);    ///< g at the centre of each cell's face
Condition neumann(double slope = 0);           ///< du/dn, in units of u over length
Condition neumann(std::vector<double> slope);  ///< likewise
/// value * u + slope * du/dn = g; of one sign, so that the problem is well posed.
Condition robin(double value, double slope, double g = 0);
Condition robin(double value, double slope, std::vector<double> g);
const char* text(Condition::Kind kind);

struct DomainOptions {
  double spacing = 0;                 ///< of cells along each axis; 0: 1 / the cells of the longest axis
  std::vector<double> spacings = {};  ///< one for each dimension, outermost first; instead of `spacing`
};

class Domain {
 public:
  /// `cells` along each of one to three dimensions, outermost first. Faces begin as dirichlet(0). UserError:
  /// no cells, more than three dimensions, a spacing that is not positive.
  explicit Domain(std::vector<std::int64_t> cells, const DomainOptions& options = {});

  std::size_t dimensions() const { return cells_.size(); }
  const std::vector<std::int64_t>& cells() const { return cells_; }
  std::int64_t count() const;  ///< of all cells
  double spacing(std::size_t dimension) const { return spacing_[dimension]; }

  /// UserError for an axis that the domain has not.
  Condition& face(Face f);
  const Condition& condition(std::size_t dimension, bool high) const { return faces_[dimension][high]; }
  void periodic(Axis axis);  ///< both faces
  bool is_periodic(std::size_t dimension) const;
  std::size_t dimension_of(Axis axis) const;
  std::string name_of(std::size_t dimension) const;  ///< "k", "j" or "i"

  /// What a cell beyond a face holds, so that the condition is met at the face to second order:
  /// scale * (the cell within) + shift. UserError where a Robin condition has no such cell.
  double ghost_scale(std::size_t dimension, bool high) const;
  /// Per unit of g.
  double ghost_shift(std::size_t dimension, bool high) const;

  /// UserError for faces that do not go together, and for as many values as a face has not.
  void check() const;
  /// The same region with other cells, its conditions homogeneous.
  Domain with_cells(std::vector<std::int64_t> cells) const;

 private:
  std::vector<std::int64_t> cells_;
  std::vector<double> spacing_;
  std::vector<std::array<Condition, 2>> faces_;
};

}  // namespace lift::gmg
