#include "rewrite/space/rule_keys.hpp"

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

/// Made of `like` where there is none yet.
const Key& named(const std::string& name, const Key& like) {
  const std::lock_guard lock(keys().mutex);
  if (const Key* k = known(name)) return *k;
  auto& [kept, key] = keys().all.emplace_back(name, like);
  key.name = kept.c_str();
  return key;
}

constexpr std::string_view kUnder = " under ";

}  // namespace

const Key& key_of_rule(const std::string& name) {
  return named("rule " + name,
               {"", Domain::choice, {"nowhere", "everywhere", "at"}, static_cast<int>(RuleUse::nowhere)});
}

const Key& key_under_rule(const Key& key, const std::string& rule) {
  return named(key.name + std::string(kUnder) + rule, key);
}

const Key* find_rule_key(std::string_view name, const std::function<const Key*(std::string_view)>& of) {
  const auto at = name.rfind(kUnder);
  if (at == std::string_view::npos) {
    const std::lock_guard lock(keys().mutex);
    return known(name);
  }
  const std::string rule(name.substr(at + kUnder.size()));
  {
    const std::lock_guard lock(keys().mutex);
    if (known("rule " + rule) == nullptr) return nullptr;
  }
  const Key* key = of(name.substr(0, at));
  return key != nullptr ? &key_under_rule(*key, rule) : nullptr;
}

}  // namespace lift
