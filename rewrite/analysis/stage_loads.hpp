// What one stage loads, case by case, and how far from what it writes.
#pragma once

#include <memory>

#include "rewrite/analysis/cases.hpp"
#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

/// One load of a stage in one case of its pads.
struct LoadCase {
  std::string array;
  PositionCase at;
  std::string load;  ///< its position as text, before the case was taken
};

/// An array of tuples as one of numbers that are made of all components: it loads what they do.
Expr of_all_components(const Expr& value);

/// What is loaded to write an element.
struct ElementLoads {
  WrittenElement by;
  std::vector<LoadCase> all;
};
/// Of the element that a program writes; then, where that is one of an update's block, of one of the base,
/// which is left as it is there, unless the base is an array that is copied.
std::vector<ElementLoads> element_loads(Program p, Scans scans = Scans::refused);

/// What is known of a stage's expression. Arrays have their names in it.
struct StageElement {
  WrittenElement written;
  std::vector<ElementLoads> loads;
  bool in_place = false;  ///< it is an update that may overwrite its base, as far as it is concerned
  std::string unknown;    ///< why nothing else is known; else empty
};
/// Remembered for every expression.
std::shared_ptr<const StageElement> stage_element(const Expr& value);

/// How many elements of what is loaded one step of the written position is: 2 for a restriction's loads, 1/2
/// for an interpolation's. Nothing where the position does not depend on it alone.
struct Slope {
  std::int64_t numerator = 1, denominator = 1;
};
std::optional<Slope> slope_of(const LoadCase& load, const WrittenElement& w, std::size_t axis);

/// read_scale * read position - write_scale * written position along an axis, of one load.
Distance distance_of(const LoadCase& load, const WrittenElement& w, std::size_t axis, std::int64_t read_scale,
                     std::int64_t write_scale);
/// The interval that holds both.
Distance hull(const Distance& a, const Distance& b);

}  // namespace lift
