// A program of some name that is first on the PATH.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/file.hpp"
#include "tests/runtime/scratch.hpp"

namespace lift::test {

/// A shell script; what it writes to $calls can be read.
class StandIn {
 public:
  StandIn(const std::string& name, const std::string& script)
      : path_("PATH", folder_.path().string() + ":" + ::getenv("PATH")) {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file) << "#!/bin/sh\ncalls=" << file_of_calls() << "\n" << script;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  std::string file_of_calls() const { return (folder_.path() / "calls").string(); }
  std::string calls() const { return read_file(file_of_calls()); }

 private:
  Scratch folder_;
  Variable path_;
};

}  // namespace lift::test
