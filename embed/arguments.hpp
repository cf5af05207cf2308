// The arguments of a call, without their C++ types: what the public header makes of vectors, spans and views.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/expr/layout.hpp"
#include "ir/expr/type.hpp"

namespace lift {

class DeviceMemory;

inline constexpr int kMaxRank = 6;  ///< of a view

/// What a signature says about a parameter or a result.
struct ArgumentKind {
  Scalar element = f64;
  int rank = 0;  ///< 0: a scalar; `flat`: an array of any rank, row-major, of which only the number of
                 ///< elements is known
  bool writable = false;
  std::string cpp = {};    ///< the C++ type, for messages
  bool on_device = false;  ///< a lift::device_array
  static constexpr int flat = -1;
  bool is_scalar() const { return rank == 0; }
};

/// One argument of a call. Lengths and strides in elements; a flat array has one length.
struct ArgumentValue {
  void* data = nullptr;  ///< the first element, or the scalar
  int rank = 0;          ///< number of lengths
  std::array<std::int64_t, kMaxRank> shape = {}, strides = {};
  /// How it is stored. In another layout than the caller's, strides mean nothing, and there are `stored`
  /// elements from `data` on.
  LayoutRequest layout = {};
  std::int64_t stored = 0;
  DeviceMemory* on_device = nullptr;  ///< where it lies, if not in the host's memory; `data` is null then

  std::int64_t count() const;
  bool in_reach() const;  ///< its number of elements, and how far they are apart, are numbers that there are
  bool contiguous() const;  ///< row-major without gaps
};

/// An array without gaps; its strides as far as they are numbers that there are.
ArgumentValue row_major(std::span<const std::int64_t> lengths);
/// What an array takes; kTooManyBytes, which there is no memory for anywhere, where it is more than that.
/// UserError, beginning with `what`: a length below 1.
inline constexpr std::int64_t kTooManyBytes = INT64_MAX;
std::int64_t bytes_of(std::span<const std::int64_t> lengths, std::size_t element_bytes,
                      const std::string& what);
/// What is stored, on the host or a device, as an array of one dimension where the layout is not the
/// caller's.
ArgumentValue storage_of(const ArgumentValue& v);
/// A number as an array of one.
ArgumentValue as_array(const ArgumentValue& v);
/// "64x66"; "a number" for a scalar.
std::string shape_text(const ArgumentValue& v);
/// Whether two arrays have an element in common; also true where they lie between each other in a way that is
/// not understood.
bool overlap(const ArgumentValue& a, std::size_t a_bytes, const ArgumentValue& b, std::size_t b_bytes);

/// Whether several positions of a view are the same element.
bool repeats(const ArgumentValue& v);

/// Row-major copies of a strided array, elements of `bytes` bytes each.
void gather(const ArgumentValue& from, std::size_t bytes, void* to);
void scatter(const void* from, std::size_t bytes, const ArgumentValue& to);

}  // namespace lift
