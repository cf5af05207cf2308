// Where a value goes: the acceptors of the translation. A place for an array is a function of the index, so
// that a structural primitive on the way to the result is arithmetic on that index, and nothing is stored
// twice.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ir/expr/view.hpp"

namespace lift {

struct Acceptor;
/// For a scalar.
struct Cell {
  std::string array;
  std::vector<Nat> position;
  std::vector<NatCond> guards;  ///< the cell is written only where they hold
  bool stream = false;
  bool async = false;
};
/// For an array.
struct ArrayPlace {
  std::string hint;  ///< name of the loop variable over this dimension
  std::function<Acceptor(const Nat&)> at;
};
/// A cell for a scalar, a part for each component of a tuple, a function of the index for an array.
struct Acceptor {
  std::variant<Cell, std::vector<Acceptor>, ArrayPlace> v;
  Acceptor operator[](const Nat& i) const { return std::get<ArrayPlace>(v).at(i); }
  const std::string& hint() const { return std::get<ArrayPlace>(v).hint; }
};

Acceptor array_place(std::string hint, std::function<Acceptor(const Nat&)> at);
/// Names of `rank` loop variables, outermost first: ..., b, k, j, i.
std::vector<std::string> dimension_names(std::size_t rank);
/// The elements of the arrays named, one for each scalar component of `t` (see results_of), below `position`.
/// A scalar lies in the first element.
Acceptor array_places(std::span<const std::string> arrays, const Type& t,
                      const std::vector<Nat>& position = {});
/// What is stored at a place.
View view_of(const Acceptor& p, const Type& t);
/// Where the elements of a view are stored; nothing when one of them is no plain element of an array.
std::optional<Acceptor> place_of(const View& v, const Type& t);

Acceptor access(Acceptor p, std::span<const Nat> position);
/// Names of the first `rank` dimensions.
std::vector<std::string> hints(Acceptor p, std::size_t rank);
/// A place below `names.size()` further dimensions, whose indices are collected first.
Acceptor collect(const std::vector<std::string>& names,
                 const std::function<Acceptor(const std::vector<Nat>&)>& f,
                 const std::vector<Nat>& position = {});
/// The arrays that the cells below a place belong to.
std::set<std::string> arrays_at(const Acceptor& p);
/// A structural primitive of one argument as an acceptor: where its argument's value goes, when that of e
/// goes `to`. Nothing for all other expressions.
std::optional<Acceptor> accept(const Expr& e, const Acceptor& to);
/// Applies f to every cell below a place.
Acceptor map_cells(const Acceptor& p, const std::function<Cell(Cell)>& f);
/// The guards that all cells have, whatever the position.
std::vector<NatCond> common_guards(const Acceptor& p);
/// Whether what is stored at a place is found there again: no cell below it is left out by a guard.
bool is_readable(const Acceptor& p, const Type& t);

}  // namespace lift
