// Exploring an expression of a C++ program: the best of its variants at given sizes.
#pragma once

#include <chrono>

#include "embed/callable.hpp"
#include "tuning/explore.hpp"
#include "tuning/expression_problem.hpp"

namespace lift {

struct ExpressionOptions {
  Sizes sizes = {};                                                 ///< a number for each symbolic length
  std::chrono::duration<double> budget = std::chrono::seconds(60);  ///< wall time of everything
  /// What kernels are for and run on, as in CompileOptions. They are tried in a process of their own, unless
  /// the device's driver is in use in this one: explore before the first kernel or array on a device.
  Target backend = Target::openmp;
  std::optional<Device> device = {};
  std::string name = {};                ///< of the kernel, as in CompileOptions
  std::vector<std::string> names = {};  ///< of a function's arguments
  std::vector<std::string> overwrites =
      {};  ///< arguments whose old contents nobody needs: updates may be in place
  std::map<std::string, ArgumentData> data = {};  ///< by argument; pseudo-random for those not named
  /// That all arrays are in; nothing: whichever is fastest. Kernels of another layout than the caller's take
  /// lift::stored_array.
  std::optional<LayoutRequest> layout = kCallersLayout;
  /// Of one's own, as C++ values or by parse_rules: each is held against the interpreter, and then a decision
  /// where it applies. UserError, with a counterexample, where one does not hold.
  std::vector<Rule> rules = {};
  ExploreOptions more = {};  ///< threads, search, limits; the budget, layout and device above count
  /// What was found for just this (expression, sizes, machine, compiler) is taken as it is, without
  /// searching.
  bool unless_known = false;
  std::string database = {};  ///< a file that remembers what is found; empty: the user's, see
                              ///< default_database; "none": nothing does
};

template <class Function>
class TypedKernel;  ///< liftgen/compile.hpp

/// An explored expression: the program with its arguments named, all that was measured, and the derivation of
/// the fastest variant in the layout asked for.
struct Tuned {
  /// That variant as a kernel on the device explored. Other sizes than those explored take the same decisions
  /// where they can.
  template <class Function>
  TypedKernel<Function> kernel(std::source_location where = std::source_location::current()) const;
  CompileOptions options() const;  ///< that make it

  Program program;
  Target backend = Target::openmp;
  std::optional<Device> device;  ///< that was explored on; none: the processors
  ExploreResult report;
  Derivation derivation;
  LayoutRequest layout;   ///< of its arrays
  double ms = 0;          ///< of one application; 0: nothing was measured
  double convert_ms = 0;  ///< all arguments there and the result back
  std::string source;     ///< its text
  std::string origin;  ///< with unless_known, what was taken from the database; "" when it was searched for
};

/// Of `options`: the device that is asked for, by `more` or beside it. UserError: two backends;
/// EnvironmentError: no such device.
std::optional<Device> device_of(const ExpressionOptions& options, const std::string& where);

/// Searches the variants of a program, or of a function, for the fastest: within `budget`, at the given
/// sizes. What is found is remembered: see CompileOptions::tuned and ExpressionOptions::unless_known. The
/// program's body may be a function; its arguments are then named by the options.
///
/// UserError: sizes, names or data that do not fit the program; no variant could be verified.
/// EnvironmentError: no compiler, no device. What is found is stored in the database, and a later exploration
/// begins with it; a database that cannot be used is said on standard error, once, and is no error.
Tuned explore(const Program& program, const ExpressionOptions& options,
              std::source_location where = std::source_location::current());
Tuned explore(const Expr& function, const ExpressionOptions& options,
              std::source_location where = std::source_location::current());

}  // namespace lift
