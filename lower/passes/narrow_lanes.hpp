// Vectors of whole numbers in lanes as narrow as their values: bytes are computed with as i32, and a vector
// has four times as many of them.
#pragma once

#include <optional>

#include "lower/analyses/value_ranges.hpp"

namespace lift {

/// Vectors in lanes of so many bytes at most. Sums, differences and products are computed modulo what lanes
/// hold where only their low bits are asked for; what compares values, or divides them, gets all of each.
class NarrowLanes {
 public:
  NarrowLanes(const ValueRanges& ranges, int bytes) : ranges_(ranges), bytes_(bytes) {}

  /// A vector of bytes or of truth values; nothing where lanes have to be wider, or are numbers of another
  /// kind. What is the same in all lanes stays as it is.
  std::optional<Term> value(const Term& t);
  /// All of an i32 in the narrowest lanes that hold its values.
  std::optional<Term> whole(const Term& t);
  void define(const Term& local, const ValueRange& r) { ranges_.define(local, r); }
  ValueRange range(const Term& t) const { return ranges_.of(t); }

 private:
  using Maybe = std::optional<Term>;
  Maybe condition(const Term& t);
  Maybe bytes(const Term& t);
  Maybe low(const Term& t, Scalar lanes);
  Maybe converted(const Term& t, Scalar lanes);
  Maybe scalar(const Term& t, Scalar lanes) const;
  Maybe exact(const Term& t, Scalar lanes);
  Maybe extremum(const Term& t, Scalar lanes);
  Maybe division(const Term& t, Scalar lanes);
  std::optional<Scalar> least(const ValueRange& r) const;

  ValueRanges ranges_;
  int bytes_;
  std::map<std::pair<std::uint32_t, Scalar>, Maybe> memo_;
};

}  // namespace lift
