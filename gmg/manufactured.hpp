// A problem whose solution is known: to show what a solver does, and that it is right.
#pragma once

#include "gmg/domain.hpp"

namespace lift::gmg {

/// Of a u - div(beta grad u) = f with u the product over the axes of sin(w x + 1/2), x from 0 at the low face
/// and in units of the region's longest side; w is 2 pi over the side where the axis is periodic, else 2.
/// At cell centres, row-major.
struct Manufactured {
  std::vector<double> f, u;
};

/// beta: 1, or where it varies 1 + 0.3 sin(2 pi x + 0.3), x along the axis i in units of the region's side
/// there.
double manufactured_beta(const Domain& domain, bool variable, double x);

/// Gives the faces of `domain` the values that u has there, whatever their kind; periodic ones have none.
Manufactured manufactured(Domain& domain, double a, bool variable);

}  // namespace lift::gmg
