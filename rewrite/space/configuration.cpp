#include "rewrite/space/configuration.hpp"

#include <algorithm>

#include "ir/error.hpp"

namespace lift {
namespace {

auto place_of(auto& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const Configuration::Entry& e, std::string_view wanted) {
                            return std::string_view(e.key->name).compare(wanted) < 0;
                          });
}

}  // namespace

Configuration::Entry::Entry(const Key& k, Setting s) : key(&k), setting(std::move(s)) {}

bool operator==(const Configuration& a, const Configuration& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Configuration::Entry& x, const Configuration::Entry& y) {
                      return x.key->name == std::string_view(y.key->name) && x.setting == y.setting;
                    });
}
bool operator<(const Configuration& a, const Configuration& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](const Configuration::Entry& x, const Configuration::Entry& y) {
                                        const int order = std::string_view(x.key->name).compare(y.key->name);
                                        return order != 0 ? order < 0 : x.setting < y.setting;
                                      });
}

Configuration::Configuration(std::initializer_list<Entry> entries) {
  for (const Entry& e : entries) set(*e.key, e.setting);
}

Configuration::Configuration(std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
  for (const auto& [name, text] : texts) set(name, text);
}

const Setting* Configuration::find(const Key& key) const {
  const auto at = place_of(entries_, key.name);
  return at != entries_.end() && at->key->name == std::string_view(key.name) ? &at->setting : nullptr;
}

void Configuration::set(const Key& key, Setting s) {
  const auto at = place_of(entries_, key.name);
  if (at != entries_.end() && at->key->name == std::string_view(key.name))
    at->setting = std::move(s);
  else
    entries_.insert(at, Entry(key, std::move(s)));
}

void Configuration::set(std::string_view name, std::string_view text) {
  const Key* key = find_key(name);
  if (key == nullptr)
    throw UserError("parameter '" + std::string(name) +
                    "' does not exist in this space; see its list of parameters");
  auto setting = key->read(text);
  if (!setting)
    throw UserError("parameter " + std::string(name) + " cannot be '" + std::string(text) +
                    "'; see the space's list of parameters");
  set(*key, std::move(*setting));
}

void Configuration::erase(const Key& key) {
  const auto at = place_of(entries_, key.name);
  if (at != entries_.end() && at->key->name == std::string_view(key.name)) entries_.erase(at);
}

bool Configuration::contains(std::string_view name) const {
  const auto at = place_of(entries_, name);
  return at != entries_.end() && at->key->name == name;
}

std::string Configuration::at(std::string_view name) const {
  if (!contains(name)) throw UserError("the configuration says nothing of '" + std::string(name) + "'");
  return place_of(entries_, name)->text();
}

}  // namespace lift

std::size_t std::hash<lift::Configuration>::operator()(const lift::Configuration& c) const noexcept {
  std::size_t h = c.size();
  const auto mix = [&](std::size_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15ULL; };
  const auto mix_text = [&](std::string_view s) { mix(std::hash<std::string_view>{}(s)); };
  for (const auto& entry : c) {
    mix_text(entry.key->name), mix(entry.setting.index());
    if (const auto* on = std::get_if<bool>(&entry.setting)) mix(*on);
    if (const auto* n = std::get_if<std::int64_t>(&entry.setting)) mix(static_cast<std::size_t>(*n));
    if (const auto* choice = std::get_if<lift::Choice>(&entry.setting)) {
      mix(static_cast<std::size_t>(choice->index));
      for (const std::int64_t n : choice->numbers) mix(static_cast<std::size_t>(n));
    }
    if (const auto* sizes = std::get_if<lift::AxisSizes>(&entry.setting))
      for (const auto& [axis, n] : sizes->list) mix_text(axis), mix(static_cast<std::size_t>(n));
    if (const auto* loops = std::get_if<lift::Loops>(&entry.setting)) {
      mix(static_cast<std::size_t>(loops->by));
      for (const std::string& name : loops->names) mix_text(name);
    }
  }
  return h;
}
