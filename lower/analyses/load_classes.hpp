// Which loads reach the same elements of an array, in different iterations.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/expr/term.hpp"

namespace lift {

/// Whether an index is more than a polynomial of loops' variables: a minimum, a remainder, as pads make them.
bool has_choices(const std::vector<Nat>& position);

/// Loads of one class differ by a multiple of the step with which the loops go through the array. One of them
/// stands for the class: the one nearest to the centre, by default where all loops begin. Where an array is
/// also loaded without boundary arithmetic, its loads with some are of elements that the others reach.
class LoadClasses {
 public:
  LoadClasses() = default;
  /// The centre is what is written, where that has as many dimensions.
  explicit LoadClasses(std::vector<Nat> centre) : centre_(std::move(centre)) {}
  void add(const Term& load);
  void add_all_of(const Term& value);
  /// One load a class.
  std::vector<Term> loads() const;
  /// As a value of this type, made of all of them: 1 when there are none, a comparison where it is a truth
  /// value.
  Term mean(Scalar type) const;

 private:
  std::vector<Nat> centre_;
  std::map<std::vector<std::int64_t>, std::pair<std::int64_t, Term>> nearest_;
  std::map<std::string, int> plain_;  // loads without boundary arithmetic, by array
};

}  // namespace lift
