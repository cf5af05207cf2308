#include "tuning/unique_names.hpp"

#include <map>
#include <set>

namespace lift {
namespace {

/// " (parallel box k)": the settings of those decisions.
std::string settings(const Configuration& c, const std::set<std::string>& decisions) {
  std::string s;
  for (const auto& entry : c)
    if (decisions.contains(entry.name())) s += (s.empty() ? "" : ", ") + entry.name() + " " + entry.text();
  return s.empty() ? "" : " (" + s + ")";
}

}  // namespace

void tell_apart(std::span<Variant> variants) {
  std::map<std::string, std::vector<Variant*>> by_name;
  for (Variant& v : variants) by_name[v.name].push_back(&v);
  for (const auto& [name, same] : by_name) {
    if (same.size() == 1) continue;
    std::map<std::string, std::set<std::string>> values;  // "" where a variant has no such decision
    std::map<std::string, std::size_t> have;
    for (const Variant* v : same)
      for (const auto& entry : v->params) values[entry.name()].insert(entry.text()), ++have[entry.name()];
    std::set<std::string> differ;
    for (const auto& [decision, all] : values)
      if (all.size() > 1 || have[decision] < same.size()) differ.insert(decision);
    for (Variant* v : same) v->name += settings(v->params, differ);
  }
}

}  // namespace lift
