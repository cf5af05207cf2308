// The arrays that the iterations of a loop store to, each iteration a row: along which dimension rows have
// elements of their own, and along which one their columns lie.
#pragma once

#include <map>
#include <set>

#include "lower/loops/loop.hpp"

namespace lift {

struct RowArray {
  bool own = false;                  ///< each row has one
  std::optional<std::size_t> row;    ///< the dimension along which rows have elements of their own
  std::int64_t direction = 1;        ///< from a row to the next one
  Nat rest;                          ///< what is added to that of a row where it stores
  std::optional<std::size_t> along;  ///< the dimension of columns
};
struct RowArrays {
  std::map<std::string, RowArray> by_name;
  std::set<const For*> columns;  ///< loops of the body that go along columns
};
/// UserError where rows store at places that others use, too, or go along an array in several ways.
RowArrays row_arrays(const For& rows);

/// n as a number of times a variable, and the rest; nothing where it is no such.
struct Along {
  std::int64_t times;
  Nat rest;
};
std::optional<Along> along(const Nat& n, const Nat& variable);
/// An element, for messages.
std::string element_text(const std::string& array, const std::vector<Nat>& position);

}  // namespace lift
