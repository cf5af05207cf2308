#include "runtime/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

namespace lift {
namespace {

struct Setting {
  std::string value;
  bool always = false;
};
struct OfWorkers {
  std::mutex mutex;
  std::map<std::string, Setting> settings;
};
OfWorkers& of_workers() {
  static auto* all = new OfWorkers;
  return *all;
}

}  // namespace

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool replaced = std::any_of(changes.begin(), changes.end(), [&](const std::string& change) {
      return text.compare(0, change.find('=') + 1, change, 0, change.find('=') + 1) == 0;
    });
    if (!replaced) variables.push_back(text);
  }
  variables.insert(variables.end(), changes.begin(), changes.end());
  if (std::none_of(variables.begin(), variables.end(), [](const auto& v) { return v.starts_with("PATH="); }))
    variables.push_back(std::string("PATH=") + kDefaultPath);
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

void set_in_workers(const std::string& name, const std::string& value, bool always) {
  const std::lock_guard lock(of_workers().mutex);
  of_workers().settings[name] = {value, always};
}

std::vector<std::string> environment_of_workers() {
  std::vector<std::string> changes;
  {
    const std::lock_guard lock(of_workers().mutex);
    for (const auto& [name, s] : of_workers().settings)
      if (s.always || std::getenv(name.c_str()) == nullptr) changes.push_back(name + "=" + s.value);
  }
  return environment_with(changes);
}

}  // namespace lift
