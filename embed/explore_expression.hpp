// Exploring an expression of a C++ program: the best of its variants at given sizes.
#pragma once

#include <chrono>

#include "tuning/explore.hpp"
#include "tuning/expression_problem.hpp"

namespace lift {

struct ExpressionOptions {
  Sizes sizes = {};                                                 ///< a number for each symbolic length
  std::chrono::duration<double> budget = std::chrono::seconds(60);  ///< wall time of everything
  std::string name = {};                                            ///< of the kernel, as in CompileOptions
  std::vector<std::string> names = {};                              ///< of a function's arguments
  std::vector<std::string> overwrites =
      {};  ///< arguments whose old contents nobody needs: updates may be in place
  std::map<std::string, ArgumentData> data = {};  ///< by argument; pseudo-random for those not named
  /// That all arrays are in; nothing: whichever is fastest. Kernels of another layout than the caller's take
  /// lift::stored_array.
  std::optional<LayoutRequest> layout = kCallersLayout;
  ExploreOptions more = {};  ///< threads, search, limits; the budget and the layout above count
  /// What was found for just this (expression, sizes, machine, compiler) is taken as it is, without
  /// searching.
  bool unless_known = false;
  std::filesystem::path database =
      {};  ///< that remembers what is found; empty: the user's, see default_database
};

/// What was found: the program with its arguments named, all that was measured, and the derivation of the
/// fastest variant in the layout asked for.
struct ExploredExpression {
  Program program;
  ExploreResult report;
  Derivation derivation;
  LayoutRequest layout;   ///< of its arrays
  double ms = 0;          ///< of one application; 0: nothing was measured
  double convert_ms = 0;  ///< all arguments there and the result back
  std::string source;     ///< its C text
  std::string origin;  ///< with unless_known, what was taken from the database; "" when it was searched for
};

/// `program`'s body may be a function; its arguments are then named by the options. UserError: sizes, names
/// or data that do not fit the program; no variant could be verified. EnvironmentError: no compiler. What is
/// found is stored in the database, and a later exploration begins with it; a database that cannot be used is
/// said on standard error, once, and is no error.
ExploredExpression explore_expression(const Program& program, const ExpressionOptions& options,
                                      std::source_location where);

}  // namespace lift
