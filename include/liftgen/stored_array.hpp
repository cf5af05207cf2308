// Arrays in a layout of their own: what kernels for other layouts than the caller's take.
#pragma once

#include "embed/stored.hpp"
#include "liftgen/element.hpp"

namespace lift {

/// `Rank` dimensions of T, outermost first, owned, and stored in a layout: parse_layout("split 3 1") has the
/// cells of either colour apart, see ir/expr/layout.hpp. Elements are accessed by their position in the
/// array, wherever they lie. A kernel takes it as `stored_array<T, Rank>&` (const where it only reads).
///
///   lift::stored_array phi(tuned.layout, lift::array_view(values.data(), {66, 66, 66}));
///   smooth(phi, 0), smooth(phi, 1);
///   phi.copy_to(lift::array_view(values.data(), {66, 66, 66}));
template <class T, std::size_t Rank>
class stored_array {
 public:
  using element_type = T;

  /// Zeros. UserError: a layout that needs more dimensions, not that much memory.
  template <std::convertible_to<std::int64_t> I>
  stored_array(const LayoutRequest& layout, const I (&lengths)[Rank])
      : stored_(detail::scalar_of<T>(), lengths_of(lengths), layout) {}
  /// What a view holds, converted.
  template <class U>
  requires std::same_as<std::remove_const_t<U>, T> stored_array(const LayoutRequest& layout,
                                                                const array_view<U, Rank>& from)
      : stored_(detail::scalar_of<T>(), from.shape, layout) {
    assign(from);
  }

  /// Converts, in parallel. UserError: another shape. EnvironmentError: no C compiler.
  void assign(const array_view<const T, Rank>& from) { stored_.assign(detail::value_of_view(from)); }
  void copy_to(const array_view<T, Rank>& to) const { stored_.copy_to(detail::value_of_view(to)); }

  const LayoutRequest& layout() const { return stored_.request(); }
  std::int64_t length(std::size_t dimension) const { return stored_.value().shape[dimension]; }

  template <std::convertible_to<std::int64_t>... I>
  requires(sizeof...(I) == Rank) T& operator()(I... position) { return data()[at(position...)]; }
  template <std::convertible_to<std::int64_t>... I>
  requires(sizeof...(I) == Rank) const T& operator()(I... position) const { return data()[at(position...)]; }

  /// As a kernel gets it.
  ArgumentValue value() const { return stored_.value(); }

 private:
  template <class I>
  static std::array<std::int64_t, Rank> lengths_of(const I (&lengths)[Rank]) {
    std::array<std::int64_t, Rank> r{};
    for (std::size_t d = 0; d < Rank; ++d) r[d] = static_cast<std::int64_t>(lengths[d]);
    return r;
  }
  T* data() const { return static_cast<T*>(stored_.value().data); }
  template <class... I>
  std::int64_t at(I... position) const {
    return stored_.index(std::array<std::int64_t, Rank>{static_cast<std::int64_t>(position)...});
  }

  Stored stored_;
};

template <class U, std::size_t Rank>
stored_array(const LayoutRequest&, const array_view<U, Rank>&) -> stored_array<std::remove_const_t<U>, Rank>;

}  // namespace lift
