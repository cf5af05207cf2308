// The data a variant is run on: the arguments of a program, and its result, in the caller's layout.
#pragma once

#include <vector>

#include "patterns/pattern.hpp"
#include "runtime/buffer.hpp"

namespace lift {

/// Bytes of an array of constant lengths, or of a scalar; InternalError when a length is symbolic.
std::size_t bytes_of(const Type& type);

/// An array (or scalar) with memory of its own.
class OwnedArray {
 public:
  OwnedArray() = default;
  OwnedArray(const std::string& name, const Type& type, int threads);
  const HostArray& view() const { return view_; }
  Buffer& buffer() { return buffer_; }

 private:
  Buffer buffer_;
  HostArray view_;
};

/// ProblemData filled with the pattern's data; nobody writes them afterwards.
class ProblemData {
 public:
  /// UserError when the arrays do not fit into memory.
  ProblemData(const Pattern& pattern, const Problem& problem, const Program& program, int threads);
  const std::vector<HostArray>& all() const { return views_; }
  /// Other data of the same kind: floats of arrays are moved by up to a sixteenth and by a hundredth,
  /// differently for each seed. Scalars stay.
  void vary(std::uint64_t seed);
  /// Null when there is none of that name (`out`, say).
  const HostArray* find(const std::string& name) const;

 private:
  std::vector<OwnedArray> arrays_;
  std::vector<HostArray> views_;
};

/// Largest error of an element: |a - b| / max(|b|, mean |b| over the array). 0 where both are the same bits
/// or both NaN, infinite where only one is NaN or infinite. InternalError when the types differ.
double relative_error(const HostArray& a, const HostArray& b);
/// The same where mean |b| is known; see mean_magnitude.
double relative_error(const HostArray& a, const HostArray& b, double mean);
/// Mean |b| over the array; 0 when it is not finite.
double mean_magnitude(const HostArray& b);
/// The error up to which a result counts as the reference's: rounding in another order, not another method.
double tolerance(Scalar type);

}  // namespace lift
