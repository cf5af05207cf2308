// Arrays as kernels like them.
#pragma once

#include "embed/arguments.hpp"
#include "liftgen/array_view.hpp"
#include "runtime/buffer.hpp"

namespace lift {

/// An array with its memory: row-major, zeroed. Move-only; passed to kernels as its view.
template <class T, std::size_t Rank>
class allocated {
 public:
  explicit allocated(const std::array<std::int64_t, Rank>& lengths)
      : shape_(lengths), memory_(static_cast<std::size_t>(bytes_of(lengths, sizeof(T), "lift::allocate"))) {}

  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  std::int64_t size() const { return static_cast<std::int64_t>(memory_.bytes() / sizeof(T)); }
  const std::array<std::int64_t, Rank>& shape() const { return shape_; }

  array_view<T, Rank> view() { return viewed<T>(data()); }
  array_view<const T, Rank> view() const { return viewed<const T>(data()); }
  operator array_view<T, Rank>() { return view(); }              // NOLINT: it is passed as one
  operator array_view<const T, Rank>() const { return view(); }  // NOLINT
  template <std::convertible_to<std::int64_t>... I>
  requires(sizeof...(I) == Rank) T& operator()(I... position) { return view()(position...); }
  template <std::convertible_to<std::int64_t>... I>
  requires(sizeof...(I) == Rank) const T& operator()(I... position) const { return view()(position...); }

 private:
  template <class U>
  array_view<U, Rank> viewed(U* data) const {
    std::int64_t lengths[Rank];
    for (std::size_t d = 0; d < Rank; ++d) lengths[d] = shape_[d];
    return array_view<U, Rank>(data, lengths);
  }
  std::array<std::int64_t, Rank> shape_;
  Buffer memory_;
};

/// lift::allocate<double>({256, 256, 256}): aligned to 64 bytes, on huge pages where large, touched first by
/// the threads that kernels have, and beginning elsewhere in a page than other arrays. UserError: a
/// length below 1, not that much memory.
template <class T, std::size_t Rank>
allocated<T, Rank> allocate(const detail::Length (&lengths)[Rank]) {
  std::array<std::int64_t, Rank> shape;
  for (std::size_t d = 0; d < Rank; ++d) shape[d] = lengths[d].value;
  return allocated<T, Rank>(shape);
}

}  // namespace lift
