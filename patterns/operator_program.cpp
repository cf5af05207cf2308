#include "patterns/operator_program.hpp"

#include <algorithm>

#include "ir/error.hpp"

namespace lift {
namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string s;
  for (const std::string& w : words) s += (s.empty() ? "" : ", ") + w;
  return s;
}

void check_choices(const Pattern& pattern, const Problem& problem) {
  for (const auto& [name, value] : problem.choices) {
    const auto known = pattern.choices.find(name);
    if (known == pattern.choices.end()) {
      std::vector<std::string> names;
      for (const auto& entry : pattern.choices) names.push_back(entry.first);
      throw UserError(pattern.name + ": there is no choice '" + name + "'; " +
                      (names.empty() ? std::string("it has none") : "there are " + listed(names)));
    }
    const std::vector<std::string>& values = known->second;
    if (std::find(values.begin(), values.end(), value) == values.end())
      throw UserError(pattern.name + ": " + name + " = '" + value + "'; use one of " + listed(values));
  }
}

}  // namespace

Program operator_program(const std::string& name, const Problem& problem) {
  const Pattern& pattern = find_pattern(name);
  check_choices(pattern, problem);
  return pattern.build(problem);
}

}  // namespace lift
