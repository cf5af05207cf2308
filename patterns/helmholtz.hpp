// The variable-coefficient operator of the 3D smoothers and residuals, second order, cell-centred:
//
//   L(phi) = a*alpha*phi - b/h^2 * (  beta_i[i+1]*(phi[i+1]-phi) - beta_i[i]*(phi-phi[i-1])
//                                   + beta_j[j+1]*(phi[j+1]-phi) - beta_j[j]*(phi-phi[j-1])
//                                   + beta_k[k+1]*(phi[k+1]-phi) - beta_k[k]*(phi-phi[k-1]) )
//
// as an expression over windows of the arrays. (miniGMG, apply_op.)
#pragma once

#include "ir/build.hpp"
#include "patterns/pattern.hpp"

namespace lift {

/// A cell and its six neighbours, or its six faces: west and east along i, south and north along j, down and up along k
/// (west, south and down have the lower index).
struct Neighbours {
  Expr centre, west, east, south, north, down, up;
};
struct Faces {
  Expr west, east, south, north, down, up;
};

/// From a 3.3.3.T window about the cell.
Neighbours neighbours(const Expr& window);
/// From windows of a face-centred array along its own axis: {lower face, upper face}; see face_windows.
Faces faces(const Expr& beta_i, const Expr& beta_j, const Expr& beta_k);

/// L(phi) at one cell; all arguments are scalars.
Expr helmholtz(const Expr& a, const Expr& b_h2inv, const Expr& alpha, const Faces& beta, const Neighbours& phi);

// From one box's arrays, as they are stored for the problem's boundary condition, to n.n.n arrays over its interior:

/// n.n.n.T: the cells themselves.
Expr interior(const Problem& p, const Expr& cells);
/// n.n.n.3.3.3.T: each cell's neighbourhood; cells outside the box come from the ghost zone or from a pad.
Expr cell_windows(const Problem& p, const Expr& cells);
/// n.n.n.1.1.2.T (for i): the two faces of each cell along `axis` (0, 1, 2: k, j, i).
Expr face_windows(const Problem& p, int axis, const Expr& faces);

}  // namespace lift
