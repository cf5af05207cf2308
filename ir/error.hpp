// The three kinds of error a caller can meet. Each message says what was asked, where, and what to try.
#pragma once

#include <stdexcept>
#include <string>

namespace lift {

/// The request cannot be met as it stands: wrong shape, unknown name, malformed text. Exit status 2.
struct UserError : std::runtime_error {
  explicit UserError(const std::string& what) : std::runtime_error(what) {}
};

/// Something the machine lacks: a compiler, a device, a library. Says how to get it. Exit status 3.
struct EnvironmentError : std::runtime_error {
  explicit EnvironmentError(const std::string& what) : std::runtime_error(what) {}
};

/// A defect of liftgen: a pass broke an invariant. Names the pass and the rule.
struct InternalError : std::runtime_error {
  explicit InternalError(const std::string& what) : std::runtime_error(what) {}
};

}  // namespace lift
