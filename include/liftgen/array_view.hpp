// Strided views of arrays that somebody else owns: how multi-dimensional data is passed to kernels.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace lift {

namespace detail {

/// An integer of any type.
struct Length {
  std::int64_t value = 0;
  template <std::convertible_to<std::int64_t> I>
  Length(I n) : value(static_cast<std::int64_t>(n)) {}  // NOLINT: written as it is
};

}  // namespace detail

/// `Rank` dimensions of T, outermost first; lengths and strides in elements. Row-major views are passed to
/// kernels as they lie, also where rows or planes have gaps behind them; others (columns, every second
/// element) are refused, or copied on request: CompileOptions::copy_views.
///
///   lift::array_view image(pixels.data(), {height, width});
///   lift::array_view part(pixels.data() + 10, {height, 20}, {width, 1});     // 20 columns
template <class T, std::size_t Rank>
struct array_view {
  using element_type = T;

  template <std::convertible_to<std::int64_t> I>
  array_view(T* first, const I (&lengths)[Rank]) : data(first) {
    for (std::size_t d = 0; d < Rank; ++d) shape[d] = static_cast<std::int64_t>(lengths[d]);
    std::int64_t stride = 1;
    for (std::size_t d = Rank; d-- > 0; stride *= shape[d]) strides[d] = stride;
  }
  template <std::convertible_to<std::int64_t> I, std::convertible_to<std::int64_t> J>
  array_view(T* first, const I (&lengths)[Rank], const J (&steps)[Rank]) : data(first) {
    for (std::size_t d = 0; d < Rank; ++d)
      shape[d] = static_cast<std::int64_t>(lengths[d]), strides[d] = static_cast<std::int64_t>(steps[d]);
  }
  /// Lengths (and steps) of several integer types.
  array_view(T* first, const detail::Length (&lengths)[Rank]) : data(first) {
    for (std::size_t d = 0; d < Rank; ++d) shape[d] = lengths[d].value;
    std::int64_t stride = 1;
    for (std::size_t d = Rank; d-- > 0; stride *= shape[d]) strides[d] = stride;
  }
  array_view(T* first, const detail::Length (&lengths)[Rank], const detail::Length (&steps)[Rank])
      : data(first) {
    for (std::size_t d = 0; d < Rank; ++d) shape[d] = lengths[d].value, strides[d] = steps[d].value;
  }
  /// A view to be read from one to be written.
  template <class U>
  requires std::same_as<const U, T> array_view(const array_view<U, Rank>& other)
      : data(other.data), shape(other.shape), strides(other.strides) {}  // NOLINT: a view is a view

  template <std::convertible_to<std::int64_t>... I>
  requires(sizeof...(I) == Rank) T& operator()(I... position) const {
    const std::array<std::int64_t, Rank> at{static_cast<std::int64_t>(position)...};
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < Rank; ++d) offset += at[d] * strides[d];
    return data[offset];
  }

  T* data = nullptr;
  std::array<std::int64_t, Rank> shape{}, strides{};
};

template <class T, class I, std::size_t Rank>
array_view(T*, const I (&)[Rank]) -> array_view<T, Rank>;
template <class T, class I, class J, std::size_t Rank>
array_view(T*, const I (&)[Rank], const J (&)[Rank]) -> array_view<T, Rank>;
template <class T, std::size_t Rank>
array_view(T*, const detail::Length (&)[Rank]) -> array_view<T, Rank>;
template <class T, std::size_t Rank>
array_view(T*, const detail::Length (&)[Rank], const detail::Length (&)[Rank]) -> array_view<T, Rank>;

/// std::mdspan and views like it.
template <class V>
concept MdspanLike = requires(const V& v, std::size_t d) {
  typename V::element_type;
  { V::rank() } -> std::convertible_to<std::size_t>;
  { v.extent(d) } -> std::convertible_to<std::int64_t>;
  { v.stride(d) } -> std::convertible_to<std::int64_t>;
  { v.data_handle() } -> std::convertible_to<typename V::element_type*>;
};

}  // namespace lift
