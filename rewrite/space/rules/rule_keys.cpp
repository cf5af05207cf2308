#include "rewrite/space/rules/rule_keys.hpp"

#include <deque>
#include <mutex>

namespace lift {
namespace {

/// Keys live as long as the process, as those in keys.hpp do.
struct RuleKeys {
  std::mutex mutex;
  std::deque<std::pair<std::string, Key>> all;
};
RuleKeys& keys() {
  static auto& k = *new RuleKeys;
  return k;
}

const Key* known(std::string_view name) {
  for (const auto& [text, key] : keys().all)
    if (text == name) return &key;
  return nullptr;
}

}  // namespace

const Key& key_of_rule(const std::string& name) {
  const std::string text = "rule " + name;
  const std::lock_guard lock(keys().mutex);
  if (const Key* k = known(text)) return *k;
  auto& [kept, key] = keys().all.emplace_back(
      text, Key{"", Domain::choice, {"nowhere", "everywhere", "at"}, static_cast<int>(RuleUse::nowhere)});
  key.name = kept.c_str();
  return key;
}

const Key* find_rule_key(std::string_view name) {
  const std::lock_guard lock(keys().mutex);
  return known(name);
}

}  // namespace lift
