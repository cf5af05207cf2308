// How the arguments of a call and a program's arguments and results belong together.
#pragma once

#include "embed/callable.hpp"

namespace lift {

/// Where a result goes.
struct ResultTarget {
  enum class Kind : std::uint8_t { returned, argument, in_place } kind = Kind::returned;
  std::size_t index = 0;  ///< among the returned, or among the arguments of the call
};

struct Plan {
  Program program;  ///< arguments named; nothing decided
  std::vector<ProgramResult>
      results;  ///< as results_of gives them: arrays of numbers; a number is an array of one
  std::vector<ResultTarget> targets;  ///< one a result
  /// "blur: argument 2 (rhs)" and "blur: result 1".
  std::string argument_text(std::size_t i) const;
};

/// A program of the given name whose body is no function: a function's parameters become arguments, named by
/// the options. UserError when the body mentions something that is no argument.
Program opened(const Program& p, const CompileOptions& options, const std::string& where);

/// UserError, with the line `where`, when the signature does not fit: number of arguments, rank, element
/// type, constness.
Plan plan_of(const Program& program, const Signature& signature, const CompileOptions& options,
             const std::string& where);

/// The argument that a result of an opened program updates, if the signature has it writable. Of several
/// results that update the same one, the first has it.
std::optional<std::size_t> updated_argument(const Program& p, std::size_t result, const Signature& s);

/// The equations that the arguments of a call give for the sizes of the program.
std::vector<LengthEquation> equations_of(const Plan& plan, const Signature& signature,
                                         std::span<const ArgumentValue> arguments);

/// The first slide that no pad comes before, " (...)"; empty when there is none: why a result is smaller than
/// expected.
std::string boundary_hint(const Program& program);

}  // namespace lift
