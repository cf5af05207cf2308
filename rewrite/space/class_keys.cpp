#include "rewrite/space/class_keys.hpp"

#include <charconv>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace lift {
namespace {

/// Keys live as long as the process, as those in keys.hpp do.
struct ClassKeys {
  std::mutex mutex;
  std::map<std::pair<std::string, int>, const Key*> known;
  std::deque<std::pair<std::string, Key>> all;
};

}  // namespace

const Key& key_of_class(const Key& key, int number) {
  if (number == 1) return key;
  static auto& keys = *new ClassKeys;
  const std::lock_guard lock(keys.mutex);
  const Key*& k = keys.known[{key.name, number}];
  if (k == nullptr) {
    auto& [name, made] = keys.all.emplace_back(std::string(key.name) + " " + std::to_string(number), key);
    made.name = name.c_str();
    k = &made;
  }
  return *k;
}

std::pair<std::string_view, int> class_of(std::string_view name) {
  const std::size_t blank = name.rfind(' ');
  int number = 0;
  if (blank == std::string_view::npos) return {name, 1};
  const char *const from = name.data() + blank + 1, *const end = name.data() + name.size();
  const auto r = std::from_chars(from, end, number);
  return r.ec == std::errc() && r.ptr == end && number > 1 && number < 1000
             ? std::pair(name.substr(0, blank), number)
             : std::pair(name, 1);
}

}  // namespace lift
