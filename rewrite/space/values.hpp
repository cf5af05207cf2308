// Values of decisions: texts, the plain one first.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace lift {

using Values = std::vector<std::string>;

inline bool contains(const Values& values, const std::string& v) {
  return std::find(values.begin(), values.end(), v) != values.end();
}
inline void add_new(Values& all, const std::string& v) {
  if (!v.empty() && !contains(all, v)) all.push_back(v);
}
/// The words of a text, separated by spaces.
Values words(const std::string& text);

}  // namespace lift
