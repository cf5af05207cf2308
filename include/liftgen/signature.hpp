// What C++ types say about the arguments and results of a kernel, found out at compile time. The only user of
// Boost.Hana.
#pragma once

#include <boost/hana/all_of.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "embed/callable.hpp"
#include "liftgen/device_array.hpp"

namespace lift::detail {

namespace hana = boost::hana;

template <class T>
std::string element_name() {
  return std::string(std::is_const_v<T> ? "const " : "") +
         (std::same_as<std::remove_const_t<T>, float>          ? "float"
          : std::same_as<std::remove_const_t<T>, double>       ? "double"
          : std::same_as<std::remove_const_t<T>, std::int64_t> ? "std::int64_t"
          : std::same_as<std::remove_const_t<T>, std::uint8_t> ? "std::uint8_t"
                                                               : "std::int32_t");
}

/// How a parameter is written.
enum class Form : std::uint8_t { number, range, view, mdspan, stored, device, pointer, other };

template <class V>
inline constexpr bool is_array_view = false;
template <class T, std::size_t Rank>
inline constexpr bool is_array_view<array_view<T, Rank>> = true;

template <class V>
inline constexpr std::size_t stored_rank = 0;
template <class T, std::size_t Rank>
inline constexpr std::size_t stored_rank<stored_array<T, Rank>> = Rank;

template <class V>
inline constexpr std::size_t device_rank = 0;
template <class T, std::size_t Rank>
inline constexpr std::size_t device_rank<device_array<T, Rank>> = Rank;

template <class P>
constexpr Form form_of() {
  using D = std::remove_cvref_t<P>;
  if constexpr (std::is_arithmetic_v<D>)
    return Form::number;
  else if constexpr (std::is_pointer_v<std::decay_t<P>>)
    return Form::pointer;
  else if constexpr (is_array_view<D>)
    return Form::view;
  else if constexpr (stored_rank<D> > 0)
    return Form::stored;
  else if constexpr (device_rank<D> > 0)
    return Form::device;
  else if constexpr (MdspanLike<D>)
    return Form::mdspan;
  else if constexpr (ContiguousRange<D>)
    return Form::range;
  else
    return Form::other;
}

/// The type of an array parameter's elements, const where the kernel cannot write them. An array passed by
/// value is a copy.
template <class P>
constexpr auto element_of_parameter() {
  using D = std::remove_cvref_t<P>;
  if constexpr (form_of<P>() == Form::number)
    return hana::type_c<std::remove_reference_t<P>>;
  else if constexpr (form_of<P>() == Form::view || form_of<P>() == Form::mdspan)
    return hana::type_c<typename D::element_type>;
  else if constexpr (form_of<P>() == Form::stored || form_of<P>() == Form::device) {
    using E = typename D::element_type;
    if constexpr (std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>)
      return hana::type_c<E>;
    else
      return hana::type_c<const E>;
  } else if constexpr (form_of<P>() == Form::range) {
    if constexpr (std::is_reference_v<P>)
      return hana::type_c<RangeElement<std::remove_reference_t<P>>>;
    else  // of what owns its elements a copy, of which nobody sees what was written
      return hana::type_c<RangeElement<const D>>;
  } else
    return hana::type_c<void>;
}
template <class P>
using ElementOf = typename decltype(element_of_parameter<P>())::type;

template <class P>
constexpr bool has_known_element() {
  return form_of<P>() == Form::other || form_of<P>() == Form::pointer ||
         Element<std::remove_const_t<ElementOf<P>>>;
}
template <class P>
constexpr bool has_rank_in_reach() {
  using D = std::remove_cvref_t<P>;
  if constexpr (form_of<P>() == Form::view)
    return std::tuple_size_v<decltype(D::shape)> >= 1 && std::tuple_size_v<decltype(D::shape)> <= kMaxRank;
  else if constexpr (form_of<P>() == Form::mdspan)
    return D::rank() >= 1 && D::rank() <= kMaxRank;
  else if constexpr (form_of<P>() == Form::stored)
    return stored_rank<D> <= kMaxRank;
  else if constexpr (form_of<P>() == Form::device)
    return device_rank<D> <= kMaxRank;
  else
    return true;
}

template <class P>
std::string parameter_name() {
  using D = std::remove_cvref_t<P>;
  const std::string before = std::is_const_v<std::remove_reference_t<P>> ? "const " : "",
                    after = std::is_reference_v<P> ? "&" : "", e = element_name<ElementOf<P>>();
  if constexpr (form_of<P>() == Form::number)
    return e + after;
  else if constexpr (form_of<P>() == Form::view)
    return "lift::array_view<" + e + ", " + std::to_string(std::tuple_size_v<decltype(D::shape)>) + ">";
  else if constexpr (form_of<P>() == Form::stored || form_of<P>() == Form::device)
    return before + (form_of<P>() == Form::stored ? "lift::stored_array<" : "lift::device_array<") +
           element_name<std::remove_const_t<ElementOf<P>>>() + ", " +
           std::to_string(stored_rank<D> + device_rank<D>) + ">" + after;
  else if constexpr (form_of<P>() == Form::mdspan)
    return "a view of rank " + std::to_string(D::rank()) + " of " + e;
  else if constexpr (std::same_as<D, std::span<ElementOf<P>>>)
    return "std::span<" + e + ">";
  else if constexpr (std::same_as<D, std::vector<std::remove_const_t<ElementOf<P>>>>)
    return before + "std::vector<" + element_name<std::remove_const_t<ElementOf<P>>>() + ">" + after;
  else
    return "a range of " + e;
}

template <class P>
ArgumentKind kind_of() {
  using D = std::remove_cvref_t<P>;
  ArgumentKind k{scalar_of<std::remove_const_t<ElementOf<P>>>(), ArgumentKind::flat,
                 !std::is_const_v<ElementOf<P>>, parameter_name<P>()};
  if constexpr (form_of<P>() == Form::number)
    k.rank = 0, k.writable = std::is_lvalue_reference_v<P> && !std::is_const_v<ElementOf<P>>;
  else if constexpr (form_of<P>() == Form::view)
    k.rank = static_cast<int>(std::tuple_size_v<decltype(D::shape)>);
  else if constexpr (form_of<P>() == Form::mdspan)
    k.rank = static_cast<int>(D::rank());
  else if constexpr (form_of<P>() == Form::stored)
    k.rank = static_cast<int>(stored_rank<D>);
  else if constexpr (form_of<P>() == Form::device)
    k.rank = static_cast<int>(device_rank<D>), k.on_device = true;
  return k;
}

/// An argument, less its type. It lives as long as `p`.
template <class P>
ArgumentValue value_of(std::remove_reference_t<P>& p) {
  ArgumentValue v;
  const auto at = [](const auto* first) { return const_cast<void*>(static_cast<const void*>(first)); };
  if constexpr (form_of<P>() == Form::number) {
    v.data = at(&p);
  } else if constexpr (form_of<P>() == Form::range) {
    v.data = at(std::data(p)), v.rank = 1, v.shape[0] = static_cast<std::int64_t>(std::size(p)),
    v.strides[0] = 1;
  } else if constexpr (form_of<P>() == Form::view) {
    return value_of_view(p);
  } else if constexpr (form_of<P>() == Form::stored || form_of<P>() == Form::device) {
    return p.value();
  } else {
    v.data = at(p.data_handle()), v.rank = static_cast<int>(p.rank());
    for (std::size_t d = 0; d < p.rank(); ++d)
      v.shape[d] = static_cast<std::int64_t>(p.extent(d)),
      v.strides[d] = static_cast<std::int64_t>(p.stride(d));
  }
  return v;
}

// ---- results: a number, a std::vector (row-major), a device_array, a std::tuple of these

template <class R>
inline constexpr bool is_result = Element<R>;
template <class T>
inline constexpr bool is_result<std::vector<T>> = Element<T>;
template <class T, std::size_t Rank>
inline constexpr bool is_result<device_array<T, Rank>> = Element<T>;

template <class R>
struct Results {
  static constexpr bool allowed = is_result<R>;
  static constexpr auto types = hana::tuple_t<R>;
};
template <>
struct Results<void> {
  static constexpr bool allowed = true;
  static constexpr auto types = hana::tuple_t<>;
};
template <class... R>
struct Results<std::tuple<R...>> {
  static constexpr bool allowed = (is_result<R> && ...);
  static constexpr auto types = hana::tuple_t<R...>;
};

/// `device`: of the kernel.
template <class R>
void make_room(R& result, const std::vector<std::int64_t>& shape, const std::optional<Device>& device) {
  if constexpr (device_rank < R >> 0) {
    result = R::with_shape(device.value(), shape);
  } else if constexpr (!Element<R>) {
    std::int64_t n = 1;
    for (const std::int64_t length : shape) n *= length;
    result.resize(static_cast<std::size_t>(n));
  }
}
template <class R>
void* address(R& result) {
  if constexpr (Element<R>)
    return &result;
  else if constexpr (device_rank<R> > 0)
    return result.memory();
  else
    return result.data();
}

/// What a call that goes on after it returned may have: nothing in the host's memory that is not the call's.
template <class P>
constexpr bool goes_to_a_queue() {
  if constexpr (form_of<P>() == Form::number)
    return !std::is_lvalue_reference_v<P> || std::is_const_v<std::remove_reference_t<P>>;
  else
    return form_of<P>() == Form::device;
}
template <class R>
inline constexpr bool stays_on_device = std::is_void_v<R> || device_rank<R> > 0;
template <class... R>
inline constexpr bool stays_on_device<std::tuple<R...>> = (stays_on_device<R> && ...);

template <class Args>
constexpr bool check_parameters(Args types) {
  constexpr auto all = [](auto test) { return hana::all_of(Args{}, test); };
  (void)types;
  static_assert(decltype(all([](auto t) {
                  return hana::bool_c<form_of<typename decltype(t)::type>() != Form::pointer>;
                }))::value,
                "lift::compile: a pointer does not know its lengths; write lift::array_view<T, Rank> in the "
                "signature and pass lift::array_view(pointer, {rows, columns})");
  static_assert(decltype(all([](auto t) {
                  return hana::bool_c<form_of<typename decltype(t)::type>() != Form::other>;
                }))::value,
                "lift::compile: parameters are float, double, std::int32_t, std::int64_t, std::uint8_t, "
                "contiguous ranges of these (std::vector, std::span, std::array), lift::array_view, "
                "lift::stored_array, "
                "lift::device_array or an mdspan");
  static_assert(decltype(all([](auto t) {
                  return hana::bool_c<has_known_element<typename decltype(t)::type>()>;
                }))::value,
                "lift::compile: numbers, and elements of arrays, are float, double, std::int32_t, "
                "std::int64_t or std::uint8_t");
  static_assert(decltype(all([](auto t) {
                  return hana::bool_c<has_rank_in_reach<typename decltype(t)::type>()>;
                }))::value,
                "lift::compile: views have 1 to 6 dimensions");
  return true;
}

/// A C++ function type as a signature; ill-formed, with a message, for types that no kernel has.
template <class R, class... Args>
Signature signature_of() {
  static_assert(check_parameters(hana::tuple_t<Args...>));
  static_assert(Results<R>::allowed,
                "lift::compile: a result is void, float, double, std::int32_t, std::int64_t, std::uint8_t, "
                "a std::vector of these (row-major), a lift::device_array, or a std::tuple of such results");
  Signature s;
  hana::for_each(hana::tuple_t<Args...>,
                 [&](auto t) { s.arguments.push_back(kind_of<typename decltype(t)::type>()); });
  hana::for_each(Results<R>::types,
                 [&](auto t) { s.returned.push_back(kind_of<typename decltype(t)::type>()); });
  return s;
}

}  // namespace lift::detail
