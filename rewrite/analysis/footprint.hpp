// Footprints: which elements of each argument one element of the result is computed from, derived from Views.
#pragma once

#include <map>
#include <set>

#include "ir/expr/program.hpp"
#include "ir/expr/term.hpp"

namespace lift {

/// The loads of one array: each a position in the result's index variables. Where a pad chooses what is read
/// near a boundary, a stencil's positions are those away from it.
struct ArrayFootprint {
  std::vector<std::vector<Nat>> positions;  ///< distinct, in the result's index variables
  std::vector<std::int64_t> low,
      high;              ///< constant offsets from the written position, a dimension; where known
  bool stencil = false;  ///< every position is written position + constant
};
struct Footprint {
  std::vector<Nat> index;      ///< variables of the result's dimensions, ranging over what is written
  std::vector<NatCond> guard;  ///< conditions under which the element is written (an update with a select)
  std::map<std::string, ArrayFootprint> reads;
  std::map<std::string, std::vector<Nat>> writes;  ///< written array -> position ("out" for a new array)
  int flops = 0;  ///< additions, subtractions, multiplications, divisions, min, max, elementary functions a
                  ///< written element; a user function counts the operators in its text
};
/// Floating-point operations of a value, each shared one once; see Footprint::flops.
int flops_of(const Term& value);
/// The share of indices that a condition on a residue admits: 1/m for x mod m == c where x takes all
/// residues; else 1.
double admitted(const NatCond& c);
/// UserError when the result is no array of scalars.
Footprint footprint(const Program& program);

/// Whether `update` at the end of the program may overwrite its base: every load of the base other than the
/// written element itself lies provably outside the set of written elements, whatever the boundary condition
/// makes of its position. Empty: safe; else the reason, one line. What cannot be proved counts as unsafe.
std::string why_not_in_place(const Program& program);

}  // namespace lift
