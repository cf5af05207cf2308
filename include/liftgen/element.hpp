// What C++ types say about elements and views, shared by the headers of arguments.
#pragma once

#include <concepts>
#include <iterator>

#include "embed/arguments.hpp"
#include "liftgen/array_view.hpp"

namespace lift::detail {

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t>;

/// A range whose elements lie one behind the other. As std::ranges::contiguous_range, without that header.
template <class R>
concept ContiguousRange = requires(R& r) {
  std::end(r);
  std::data(r);
  std::size(r);
  requires std::contiguous_iterator<decltype(std::begin(r))>;
};
/// Const where they cannot be written.
template <class R>
using RangeElement = std::remove_pointer_t<decltype(std::data(std::declval<R&>()))>;

template <class T>
constexpr Scalar scalar_of() {
  return std::same_as<T, float>          ? f32
         : std::same_as<T, double>       ? f64
         : std::same_as<T, std::int64_t> ? i64
         : std::same_as<T, std::uint8_t> ? u8
                                         : i32;
}

/// A view, less its type.
template <class T, std::size_t Rank>
ArgumentValue value_of_view(const array_view<T, Rank>& v) {
  ArgumentValue r;
  r.data = const_cast<void*>(static_cast<const void*>(v.data)), r.rank = static_cast<int>(Rank);
  for (std::size_t d = 0; d < Rank; ++d) r.shape[d] = v.shape[d], r.strides[d] = v.strides[d];
  return r;
}

}  // namespace lift::detail
