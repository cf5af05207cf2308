// Environment variables of processes that are started here. Those of this process are the host program's:
// they are read, never set, since others read them at the same time and all later children inherit them.
#pragma once

#include <string>
#include <vector>

namespace lift {

/// What shells search when PATH is not set.
constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

/// This process's, with `changes` ("NAME=value") in place of what they name, and a PATH.
std::vector<std::string> environment_with(const std::vector<std::string>& changes);

/// As the system takes them; they point into `texts`.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

/// Sets a variable in workers that are made from now on (worker.hpp), where this process's own has a value
/// only if `always`.
void set_in_workers(const std::string& name, const std::string& value, bool always = false);
std::vector<std::string> environment_of_workers();

}  // namespace lift
