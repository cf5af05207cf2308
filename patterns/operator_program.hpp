// The expression of an operator of the library by its name, as host programs ask for it.
#pragma once

#include "patterns/pattern.hpp"

namespace lift {

/// The program of the operator of that name ("residual3d"). Its arguments, in their order, are those of
/// docs/operators.md. UserError: no such operator, no such choice or value of one, a problem that it cannot
/// be built for.
Program operator_program(const std::string& name, const Problem& problem);

}  // namespace lift
