// Arrays as arguments and results of kernels, of numpy and of others by DLPack: never copied, never
// converted.
#pragma once

#include <pybind11/numpy.h>

#include "embed/arguments.hpp"

namespace lift::python {

namespace py = pybind11;

const char* numpy_name(Scalar s);  ///< "float32"
py::dtype numpy_type(Scalar s);

/// The memory of an array as an argument of `kind`. `what` names it, `t` is what the expression has there.
/// `kept` gets what it may take to keep the memory alive beside the array itself.
/// UserError with the remedy: no array, another type of elements or number of dimensions, a view that would
/// have to be copied (without `gaps` any with gaps), one that may not be written.
ArgumentValue array_value(const py::handle& a, const ArgumentKind& kind,
                          const std::function<std::string()>& what, const Type& t,
                          std::vector<py::object>& kept, bool gaps = true);
/// An array of any type and number of dimensions that kernels know. UserError as above.
struct AnyArray {
  Scalar element;
  ArgumentValue value;
};
AnyArray any_array(const py::handle& a, bool writable, const std::function<std::string()>& what,
                   std::vector<py::object>& kept);

/// A number in 8 bytes of its own.
union Number {
  float as_f32;
  double as_f64;
  std::int32_t as_i32;
  std::int64_t as_i64;
  std::uint8_t as_u8;
  bool as_bool;
};
/// UserError: no number, one that the type cannot hold.
Number number_value(const py::handle& x, Scalar s, const std::function<std::string()>& what);
py::object number_object(const Number& x, Scalar s);

/// A new array, aligned as kernels like it; large ones on huge pages, beginning at different places within a
/// page. Its elements are not set. `touch`: pages are first touched by threads as kernels have them, rather
/// than by whoever writes there first. UserError: there is not that much memory.
py::array new_array(Scalar s, const std::vector<std::int64_t>& shape, bool touch = false);

}  // namespace lift::python
