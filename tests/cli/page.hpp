// Pages of the documentation as tests read them.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "runtime/file.hpp"

namespace cli_test {

/// The blocks of a page, a path within the sources, without their fences.
inline std::vector<std::string> blocks_of(const std::string& path) {
  std::istringstream page(lift::read_file(LIFTGEN_SOURCE_DIR "/" + path));
  std::vector<std::string> all;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) all.emplace_back();
    } else if (inside) {
      all.back() += line + "\n";
    }
  }
  return all;
}
/// The first one with that text; empty: there is none.
inline std::string block_with(const std::string& path, const std::string& part) {
  for (const std::string& b : blocks_of(path))
    if (b.find(part) != std::string::npos) return b;
  return "";
}

}  // namespace cli_test
