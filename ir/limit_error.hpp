// What a device has less of than is needed.
#pragma once

#include "ir/error.hpp"

namespace lift {

/// More than a device has: work-items of a group, local memory, registers. To a tuner it is a variant that is
/// impossible there; where it was asked for, exit status 3.
struct LimitError : UserError {
  using UserError::UserError;
};

}  // namespace lift
