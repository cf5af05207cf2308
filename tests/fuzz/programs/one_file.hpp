// Kernels in one source, for compilers that start more slowly than they compile.
#pragma once

#include <map>
#include <string>

#include "tests/emit/together.hpp"

namespace lift::fuzz {

/// Sources with kernels of different names: those that have a helper of one name with different texts, as
/// vectors of another width have, are of two files.
class OneFile {
 public:
  /// Adds it; false where it does not go with what is there.
  bool takes(const std::string& source);
  const std::string& code() const { return together_.code(); }

 private:
  std::map<std::string, std::string> known_;
  test::Together together_;
};

}  // namespace lift::fuzz
