// A program: one expression over named arguments, as it becomes a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/expr/expr.hpp"

namespace lift {

/// `body` computes the results from `arguments` (params: arrays, f32/f64 scalars, index params). The kernel
/// takes the arguments in this order and then the results that are not written into one of them; see
/// results_of. `overwritable` names the arguments whose old contents nobody needs afterwards: only these may
/// be written in place.
struct Program {
  std::string name;
  std::vector<Expr> arguments;
  Expr body;
  std::vector<std::string> overwritable = {};
  std::vector<std::string> results =
      {};  ///< names of the results; none: "out", or "out0", "out1", ... for several
  /// Of a step of an iteration: the argument by which the next step knows each component of the result;
  /// empty for one that is a tuple itself. Other programs have none.
  std::vector<std::string> state = {};
};

/// One array that a program returns.
struct ProgramResult {
  std::string name;
  Type type;  ///< array of scalars
};
/// A value of type t as arrays of scalars: one for each scalar component, an array of tuples being as many
/// arrays, and a scalar an array of one element. UserError for functions.
std::vector<Type> component_arrays(const Type& t);
/// How many these are, of any type without functions.
std::size_t components_in(const Type& t);
/// The elements of all of them together; nothing when a length is not a number, or larger than 2^20.
std::optional<std::int64_t> scalars_in(const Type& t);
/// Values of at most so many scalars are kept in variables rather than in an array, and reductions over so
/// few elements become no loop.
inline constexpr std::int64_t kFewScalars = 32;
/// At most kFewScalars; not so when a length is not a number.
bool has_few_scalars(const Type& t);

/// What a program returns, as arrays of scalars: one for each scalar component of the body's type, an array
/// of tuples being as many arrays, and a scalar an array of one element. {n.f64, m.f64} and n.{f64, f32} are
/// two results each. UserError when the body is a function, or when `Program::results` has names for another
/// number of results.
std::vector<ProgramResult> results_of(const Program& program);

/// The size variables of a program (Nat::size), in the order in which the arguments' types, then the body
/// mention them. A kernel takes them before its arguments.
std::vector<Nat> sizes_of(const Program& program);

/// An i32 argument with a known inclusive range, usable in index arithmetic (a colour, a level): symbolically
/// it is a Nat variable.
Expr index_param(const std::string& name, std::int64_t lower, std::int64_t upper);

}  // namespace lift
