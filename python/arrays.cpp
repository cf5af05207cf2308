#include "python/arrays.hpp"

#include <cstdlib>
#include <functional>
#include <limits>

#include "embed/pitched.hpp"
#include "ir/error.hpp"

namespace lift::python {
namespace {

constexpr std::size_t kAlignment = 64;  ///< bytes: a cache line, the widest vectors, stores past the caches

std::string name_of_type(const py::handle& x) { return py::str(py::type::handle_of(x).attr("__name__")); }

char kind_of(Scalar s) { return s == Scalar::boolean ? 'b' : s == Scalar::i32 ? 'i' : 'f'; }

bool has_elements(const py::array& a, Scalar s) {
  const py::dtype d = a.dtype();
  return d.kind() == kind_of(s) && static_cast<std::size_t>(d.itemsize()) == size_of(s) &&
         d.byteorder() != '>';
}

std::string tuple_text(const py::object& t) { return py::str(t); }

}  // namespace

const char* numpy_name(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return "float32";
    case Scalar::f64:
      return "float64";
    case Scalar::i32:
      return "int32";
    case Scalar::boolean:
      break;
  }
  return "bool";
}
py::dtype numpy_type(Scalar s) { return py::dtype(numpy_name(s)); }

ArgumentValue array_value(const py::handle& x, const ArgumentKind& kind,
                          const std::function<std::string()>& what, const Type& t, bool gaps) {
  const std::string numpy = std::string("numpy.") + numpy_name(kind.element);
  if (!py::isinstance<py::array>(x))
    throw UserError(what() + " is " + t.str() + ", but a Python " + name_of_type(x) +
                    " is passed; pass a numpy array: numpy.array(..., dtype=" + numpy + ")");
  const auto a = py::reinterpret_borrow<py::array>(x);
  if (!has_elements(a, kind.element))
    throw UserError(what() + " is " + t.str() + ", but an array of " + std::string(py::str(a.dtype())) +
                    " is passed; pass " + (kind.writable ? "one of " + numpy : "a.astype(" + numpy + ")") +
                    ", or declare the expression over the array's type");
  if (a.ndim() != kind.rank)
    throw UserError(what() + " is " + t.str() + ", but an array of shape " + tuple_text(a.attr("shape")) +
                    " is passed; one of " + std::to_string(kind.rank) +
                    " dimensions is needed: a.reshape(...)");
  if (kind.writable && !a.writeable())
    throw UserError(what() + " is written, but the array that is passed is read-only; pass a.copy()");
  ArgumentValue v;
  v.data = const_cast<void*>(a.data());
  v.rank = static_cast<int>(a.ndim());
  const auto bytes = static_cast<std::int64_t>(size_of(kind.element));
  bool whole = reinterpret_cast<std::uintptr_t>(v.data) % static_cast<std::uintptr_t>(bytes) == 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(v.rank); ++d) {
    const std::int64_t step = a.strides(static_cast<py::ssize_t>(d));
    v.shape[d] = a.shape(static_cast<py::ssize_t>(d)), v.strides[d] = step / bytes;
    whole = whole && step % bytes == 0;
  }
  if (!whole || !(v.contiguous() || (gaps && lengths_around(v))))
    throw UserError(what() + " is a view with the strides " + tuple_text(a.attr("strides")) +
                    " in bytes, which would have to be copied; pass " +
                    (kind.writable ? "a contiguous array" : "numpy.ascontiguousarray(a)"));
  return v;
}

Number number_value(const py::handle& x, Scalar s, const std::function<std::string()>& what) {
  Number n{};
  const auto refuse = [&] {
    PyErr_Clear();
    throw UserError(what() + " is " + text(s) + ", but a Python " + name_of_type(x) +
                    " is passed; pass a number of that type");
  };
  if (s == Scalar::boolean) {
    const int truth = PyObject_IsTrue(x.ptr());
    if (truth < 0) refuse();
    return n.as_bool = truth != 0, n;
  }
  if (s == Scalar::i32) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(x.ptr()));
    if (!index) refuse();
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0 || value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max())
      throw UserError(what() + " is i32, which " + std::string(py::str(index)) +
                      " does not fit into; pass a smaller number");
    return n.as_i32 = static_cast<std::int32_t>(value), n;
  }
  const double value = PyFloat_AsDouble(x.ptr());
  if (value == -1 && PyErr_Occurred()) refuse();
  if (s == Scalar::f64)
    n.as_f64 = value;
  else
    n.as_f32 = static_cast<float>(value);
  return n;
}

py::object number_object(const Number& x, Scalar s) {
  switch (s) {
    case Scalar::f32:
      return py::float_(static_cast<double>(x.as_f32));
    case Scalar::f64:
      return py::float_(x.as_f64);
    case Scalar::i32:
      return py::int_(x.as_i32);
    case Scalar::boolean:
      break;
  }
  return py::bool_(x.as_bool);
}

py::array new_array(Scalar s, const std::vector<std::int64_t>& shape) {
  std::size_t bytes = size_of(s);
  for (const std::int64_t n : shape) bytes *= static_cast<std::size_t>(n);
  void* const data = std::aligned_alloc(kAlignment, (bytes + kAlignment) / kAlignment * kAlignment);
  if (!data) throw UserError("a result of " + std::to_string(bytes) + " bytes does not fit into memory");
  return py::array(numpy_type(s), std::vector<py::ssize_t>(shape.begin(), shape.end()), data,
                   py::capsule(data, [](void* p) { std::free(p); }));
}

}  // namespace lift::python
