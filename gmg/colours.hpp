// Colours of cells, so that A reads at no cell another one of its colour: all cells of a colour can be
// relaxed at once, in place.
#pragma once

#include <optional>

#include "gmg/equation.hpp"

namespace lift::gmg {

/// The colour of a cell is one number a row: the sum of its indices along the row's dimensions, modulo
/// `modulus`. Red-black is one row with all dimensions, modulo 2.
struct Colours {
  std::int64_t modulus = 2;
  std::vector<std::vector<bool>> rows;  ///< by dimension: whether it counts
  std::size_t count() const;            ///< modulus to the number of rows
  /// The numbers of colour c, one a row.
  std::vector<std::int64_t> numbers(std::size_t colour) const;
  friend bool operator==(const Colours&, const Colours&) = default;
};
std::string str(const Colours& c);  ///< "red-black", "4 colours"

/// The fewest colours that A's footprint admits on a grid: 2, else 3, 4, 8 ...; across faces, where a
/// reflection may end in another cell than the offset says, and around a periodic axis, too. None: a periodic
/// axis whose cells are no multiple of the modulus, or a footprint for which nothing of this form will do.
std::optional<Colours> colours_of(const Equation& equation, const Domain& grid);

/// The same for lines along a dimension: A reads at no cell of a line another line of its colour. Without
/// rows, as one colour, where there are none.
Colours line_colours(const Equation& equation, const Domain& grid, std::size_t dimension);

}  // namespace lift::gmg
