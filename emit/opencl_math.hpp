// The functions of C's math.h that OpenCL C calls by one name for all types.
#pragma once

#include <span>
#include <string>

#include "ir/expr/expr.hpp"

namespace lift {

/// Definitions for the names with a type's suffix (expf, powf, ...) that occur in the bodies of user
/// functions: OpenCL C has exp and pow for every type, and no other names. Source: OpenCL C 1.2, 6.12.2.
std::string math_names_for_opencl(std::span<const Attr> user_functions);

}  // namespace lift
