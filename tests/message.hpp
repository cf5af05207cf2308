// What a call fails with.
#pragma once

#include <string>

#include "ir/error.hpp"

namespace lift::test {

/// The text of the error that f throws; other errors pass. `otherwise` where it throws none.
template <class Error = UserError, class F>
std::string message(const F& f, const std::string& otherwise = "") {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return otherwise;
}

}  // namespace lift::test
