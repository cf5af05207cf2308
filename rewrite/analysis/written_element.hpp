// The element that a program writes, symbolically: its position, the term it is computed from, and the
// condition under which it changes. What footprints and the in-place analysis start from.
#pragma once

#include "ir/expr/program.hpp"
#include "ir/expr/term.hpp"

namespace lift {

struct WrittenElement {
  std::vector<Nat> index;     ///< one variable a dimension of the result, ranging over what is written
  std::vector<Nat> position;  ///< of the written element in the result, in these variables
  Term value;  ///< the new value; where an update selects between it and the old element, the former
  std::vector<NatCond>
      guard;  ///< conditions of that select on indices: elsewhere the element keeps its old value
  std::vector<Term> tests;  ///< conditions of that select on data; their loads happen whatever the guard says
  std::vector<NatCond>
      boundary;              ///< tests that pads and updates could not decide; all hold away from boundaries
  std::vector<Nat> reduced;  ///< of each reduction that is looked at by one of its elements: the innermost
                             ///< index of that element in the arrays that are joined for it
  std::string
      updated;  ///< the argument that an update replaces an element of at its own position; else empty
  bool update = false;  ///< the result is an update
};

/// What becomes of a reduction over many elements, or over a number of them that is not known.
enum class Reductions : std::uint8_t {
  written_out,    ///< it is in the value with all its elements; UserError where they are too many
  by_an_element,  ///< what it does with one of its elements, at any index: all that it loads, but not its
                  ///< value
  loops_by_an_element  ///< the same of all that are loops, however short
};

/// What becomes of a scan.
enum class Scans : std::uint8_t {
  refused,       ///< UserError: its element is no formula of its position
  by_an_element  ///< an element as if the one before it were any: all that it loads by itself, but not its
                 ///< value. UserError of scans that go backwards
};

/// Descends through maps, lets and updates to the scalar that is written; of a program that returns a tuple
/// of arrays, or an array of such tuples, in component `result`. UserError when that is no array of scalars.
WrittenElement written_element(const Program& program, std::size_t result = 0,
                               Reductions reductions = Reductions::written_out, Scans scans = Scans::refused);

/// Distinct loads in a term.
std::vector<Term> loads_of(const Term& t);

}  // namespace lift
