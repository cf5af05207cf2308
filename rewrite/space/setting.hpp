// Settings: what a decision can be set to. Each decision has a domain: a flag, a number with an order (an
// ordinal), one of some alternatives with names, sizes by axis, or loops by name. Settings are values; they
// are text only at the edges: on the command line, in JSON, and in the names of variants. Here are the one
// printer and the one parser of each domain.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace lift {

/// One of a decision's alternatives; some have numbers (the alignment of a layout).
struct Choice {
  int index = 0;
  std::vector<std::int64_t> numbers = {};
  friend auto operator<=>(const Choice&, const Choice&) = default;
};

/// A length along an axis.
struct AxisSize {
  std::string axis;  ///< "": the one that the decision is about
  std::int64_t size = 1;
  friend auto operator<=>(const AxisSize&, const AxisSize&) = default;
};
/// Lengths by axis, outer to inner: of a tile, of a part. None: nothing is cut.
struct AxisSizes {
  std::vector<AxisSize> list = {};
  bool empty() const { return list.empty(); }
  friend auto operator<=>(const AxisSizes&, const AxisSizes&) = default;
};
/// AxisSizes as they are written: "k8 j8"_sizes.
AxisSizes operator""_sizes(const char* text, std::size_t length);

/// Loops by name, outer to inner, and what runs an iteration of them.
struct Loops {
  enum class By : std::uint8_t {
    itself,  ///< a thread or work-item of its own
    groups,  ///< work-groups, each of them a tile; has no names
    solo     ///< work-groups of one item, which do as threads do
  };
  By by = By::itself;
  std::vector<std::string> names = {};
  bool has(const std::string& name) const;
  friend auto operator<=>(const Loops&, const Loops&) = default;
};
Loops operator""_loops(const char* text, std::size_t length);

using Setting = std::variant<bool, std::int64_t, Choice, AxisSizes, Loops>;
using Settings = std::vector<Setting>;

enum class Domain : std::uint8_t { flag, ordinal, choice, sizes, loops };

/// A decision's name, its domain, and the words for settings that have some: off and on of a flag, the
/// alternatives of a choice, zero of an ordinal where that is no number ("none").
struct Key {
  const char* name;
  Domain domain;
  std::array<const char*, 5> words = {};
  std::int64_t plain = 0;  ///< of a flag, ordinal or choice without a setting

  std::string text(const Setting& s) const;
  std::optional<Setting> read(std::string_view text) const;  ///< nothing: no setting of this domain
};
/// A key whose settings are of the type T: bool, std::int64_t, Choice or an enumeration, AxisSizes, Loops.
template <class T>
struct KeyOf : Key {};

template <class T>
Setting setting_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return Choice{static_cast<int>(value), {}};
  else
    return value;
}
/// Enumerations, flags and numbers by value, what is longer by reference.
template <class T>
decltype(auto) value_of(const Setting& s) {
  if constexpr (std::is_enum_v<T>)
    return static_cast<T>(std::get<Choice>(s).index);
  else
    return std::get<T>(s);
}

/// Whether a setting is what is wished for, or begins like it: a wish may leave numbers, or the last sizes
/// and loops, to the space.
bool begins(const Setting& s, const Setting& wish);
/// Of an ordinal, or of one size without an axis; else nothing.
std::optional<std::int64_t> number_of(const Setting& s);
/// Whether it is the one of a key without a setting.
bool is_plain(const Key& key, const Setting& s);
/// Settings one step away from `from`: the next smaller and the next larger of numbers, else all others.
Settings neighbours(const Settings& all, const Setting& from);

bool contains(const Settings& all, const Setting& s);
void add_new(Settings& all, const Setting& s);
template <class T>
void add_new(std::vector<T>& all, const T& value) {
  for (const T& x : all)
    if (x == value) return;
  all.push_back(value);
}

}  // namespace lift
