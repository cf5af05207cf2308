// Configurations: settings by decision, some or all of those of a space.
#pragma once

#include <functional>
#include <utility>

#include "rewrite/space/setting.hpp"

namespace lift {

class Configuration {
 public:
  struct Entry {
    const Key* key;
    Setting setting;
    Entry(const Key& k, Setting s);
    template <class T>
    Entry(const KeyOf<T>& k, const std::type_identity_t<T>& value) : key(&k), setting(setting_of(value)) {}
    std::string name() const { return key->name; }
    std::string text() const { return key->text(setting); }
  };

  Configuration() = default;
  Configuration(std::initializer_list<Entry> entries);
  /// As they are written, name and setting; see `set`.
  Configuration(std::initializer_list<std::pair<std::string_view, std::string_view>> texts);

  /// The setting, or the key's plain one where the decision has not been taken.
  template <class T>
  requires(std::is_enum_v<T> || std::is_arithmetic_v<T>) T operator[](const KeyOf<T>& key) const {
    const Setting* s = find(key);
    return s != nullptr ? value_of<T>(*s) : static_cast<T>(key.plain);
  }
  template <class T>
  requires(!std::is_enum_v<T> && !std::is_arithmetic_v<T>) const T& operator[](const KeyOf<T>& key) const {
    static const auto& nothing = *new T{};
    const Setting* s = find(key);
    return s != nullptr ? value_of<T>(*s) : nothing;
  }
  const Setting* find(const Key& key) const;  ///< nullptr: not taken
  void set(const Key& key, Setting s);
  template <class T>
  void set(const KeyOf<T>& key, const std::type_identity_t<T>& value) {
    set(static_cast<const Key&>(key), setting_of(value));
  }
  /// UserError for a decision, or a setting of it, that does not exist.
  void set(std::string_view name, std::string_view text);
  void erase(const Key& key);

  bool contains(std::string_view name) const;
  std::string at(std::string_view name) const;  ///< as it is written; UserError where it is not taken

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }  ///< by name
  auto end() const { return entries_.end(); }
  friend bool operator==(const Configuration& a, const Configuration& b);
  friend bool operator<(const Configuration& a, const Configuration& b);

 private:
  std::vector<Entry> entries_;
};

/// The key of a decision of any program; nullptr for a name that none has.
const Key* find_key(std::string_view name);

}  // namespace lift

template <>
struct std::hash<lift::Configuration> {
  std::size_t operator()(const lift::Configuration& c) const noexcept;
};
