// The signature of a program for callers whose language knows types at run time only.
#pragma once

#include "embed/callable.hpp"

namespace lift {

/// Each argument as the program has it: numbers, and arrays with all their dimensions. Arguments named in
/// Program::overwritable are written by the results that update them; all other results are returned, those
/// that are numbers as numbers. UserError: an overwritable argument that no result updates, or that is none.
/// `array_name` names an array in messages: "a numpy array of".
Signature signature_of(const Program& opened, const std::string& array_name, const std::string& where);

}  // namespace lift
