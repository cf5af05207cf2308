// What whole numbers a kernel's values are among: from the types of what is loaded, from what is stored to
// arrays of the kernel's own, and from what is done to them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "lower/loops/loop.hpp"

namespace lift {

/// Inclusive bounds.
struct ValueRange {
  std::int64_t lower, upper;
  bool within(const ValueRange& other) const { return lower >= other.lower && upper <= other.upper; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};
ValueRange joined(const ValueRange& a, const ValueRange& b);
/// All values of a type of whole numbers, or of truth values.
ValueRange range_of(Scalar type);

class ValueRanges {
 public:
  /// With what the kernel stores in arrays whose contents before mean nothing: nothing else is loaded from
  /// them. Before vectors are made.
  explicit ValueRanges(const Kernel& k);
  /// Of a term of whole numbers or truth values, a vector's lanes included. What is beyond the type wraps
  /// around: then it is all values of the type.
  ValueRange of(const Term& t) const;
  /// Of an array of the kernel's own; nothing for others.
  std::optional<ValueRange> of_array(const std::string& name) const {
    const auto it = arrays_.find(name);
    return it == arrays_.end() ? std::nullopt : std::optional(it->second);
  }
  /// A local is among these values from now on.
  void define(const Term& local, const ValueRange& r) { locals_[local->id] = r; }

 private:
  using Memo = std::unordered_map<std::uint32_t, ValueRange>;
  ValueRange of(const Term& t, Memo& memo) const;
  ValueRange computed(const Term& t, Memo& memo) const;
  /// Whether some array's range has grown.
  bool add_stores(const Block& b, bool widen);

  std::map<std::string, ValueRange> arrays_;
  std::unordered_map<std::uint32_t, ValueRange> locals_;
};

}  // namespace lift
