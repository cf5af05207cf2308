// The words of the language: what names mean without a declaration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/expr/ops.hpp"

namespace lift {

/// A primitive and the rank its suffix gives: map3 is map of rank 3.
struct Primitive {
  Op op;
  int rank = 1;
};
/// Primitives that are written by their names: those of the op table that have no sign of their own.
std::optional<Primitive> primitive(const std::string& name);
/// The texts of all of them, without suffixes.
const std::vector<std::string>& primitive_names();
/// What a misspelt `name` may mean: all of them, after those with the suffix that ends it, as pad2 for padd2.
std::vector<std::string> names_like(const std::string& name);
/// What is written now for a primitive that had a name of its own; "" for other names.
std::string written_now(const std::string& name);
/// All names that are reserved, sorted, without suffixes.
std::vector<std::string> reserved_words();
/// A name that no variable can have unless it is quoted.
bool is_reserved(const std::string& name);
/// As it is written: between backquotes unless it is a plain name and not reserved.
std::string quoted(const std::string& name);

}  // namespace lift
