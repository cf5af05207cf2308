#include "python/arrays.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>

#include "embed/pitched.hpp"
#include "ir/error.hpp"
#include "python/dlpack.hpp"
#include "python/gil.hpp"
#include "runtime/buffer.hpp"

namespace lift::python {
namespace {

/// From here on malloc asks the system for memory each time, and gives it back: what it gave before is not
/// there to be taken again, and pages are worth choosing.
constexpr std::size_t kWorthPages = std::size_t{32} << 20;
constexpr std::size_t kAlignment = 64;  ///< bytes: a cache line, the widest vectors, stores past the caches

std::string name_of_type(const py::handle& x) { return py::str(py::type::handle_of(x).attr("__name__")); }

char kind_of(Scalar s) {
  return s == Scalar::boolean ? 'b' : s == Scalar::u8 ? 'u' : is_integer(s) ? 'i' : 'f';
}

/// An array as its owner describes it.
struct Seen {
  void* data = nullptr;
  std::int64_t rank = 0;
  std::array<std::int64_t, kMaxRank> shape = {}, strides = {};  ///< strides in bytes
  char kind = '?';                                              ///< of its elements, as numpy names them
  std::size_t bytes = 0;                                        ///< of an element
  bool writable = true;
};

Seen seen(const py::array& a) {
  const py::dtype type = a.dtype();
  Seen s;
  s.data = const_cast<void*>(a.data()), s.rank = a.ndim();
  s.kind = type.byteorder() == '>' ? '?' : type.kind();
  s.bytes = static_cast<std::size_t>(type.itemsize()), s.writable = a.writeable();
  for (py::ssize_t d = 0; d < std::min<py::ssize_t>(a.ndim(), kMaxRank); ++d)
    s.shape[static_cast<std::size_t>(d)] = a.shape(d), s.strides[static_cast<std::size_t>(d)] = a.strides(d);
  return s;
}

Seen seen(const dlpack::Array& a) {
  Seen s;
  s.data = a.data, s.rank = static_cast<std::int64_t>(a.shape.size());
  s.kind = a.kind, s.bytes = a.bytes, s.writable = a.writable;
  for (std::size_t d = 0; d < std::min<std::size_t>(a.shape.size(), kMaxRank); ++d)
    s.shape[d] = a.shape[d], s.strides[d] = a.strides[d] * static_cast<std::int64_t>(a.bytes);
  return s;
}

/// Numbers as Python writes a tuple.
std::string tuple_text(const Seen& s, const std::array<std::int64_t, kMaxRank>& numbers) {
  py::tuple t(static_cast<std::size_t>(std::min<std::int64_t>(s.rank, kMaxRank)));
  for (std::size_t d = 0; d < t.size(); ++d) t[d] = numbers[d];
  return py::str(t);
}

bool is_empty(const Seen& s) {
  return std::find(s.shape.begin(), s.shape.begin() + std::min<std::int64_t>(s.rank, kMaxRank), 0) !=
         s.shape.begin() + std::min<std::int64_t>(s.rank, kMaxRank);
}

/// UserError: a mask, which kernels would not see.
void check_has_no_mask(const py::array& a, const std::function<std::string()>& what) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(a.ptr())) == py::module_::import("numpy").attr("ndarray").ptr())
    return;
  if (py::isinstance(a, py::module_::import("numpy").attr("ma").attr("MaskedArray")))
    throw UserError(what() +
                    " is a masked array, whose mask kernels know nothing of; pass a.filled(value), or a.data "
                    "with the mask as an argument of its own");
}

/// UserError: elements that processors could not load.
void check_alignment(const Seen& s, const std::function<std::string()>& what) {
  if (s.bytes > 0 && !is_empty(s) && reinterpret_cast<std::uintptr_t>(s.data) % s.bytes != 0)
    throw UserError(what() + " has elements that lie at no multiples of their size; pass a.copy()");
}

/// Strides in elements; false where there are none.
bool take_strides(const Seen& s, ArgumentValue& v) {
  const auto bytes = static_cast<std::int64_t>(s.bytes);
  bool whole = true;
  if (is_empty(s)) {  // of which numpy says anything
    std::int64_t stride = 1;
    for (std::size_t d = static_cast<std::size_t>(v.rank); d-- > 0;)
      v.shape[d] = s.shape[d], v.strides[d] = stride, stride *= std::max<std::int64_t>(s.shape[d], 1);
    return true;
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(v.rank); ++d) {
    v.shape[d] = s.shape[d], v.strides[d] = s.strides[d] / bytes;
    whole = whole && s.strides[d] % bytes == 0;
  }
  return whole;
}

/// Whether the array with its dimensions in the other order is one that kernels walk.
bool is_column_major(ArgumentValue v) {
  std::reverse(v.shape.begin(), v.shape.begin() + v.rank);
  std::reverse(v.strides.begin(), v.strides.begin() + v.rank);
  return v.contiguous() || lengths_around(v);
}

/// `type` says what its elements are.
template <class Text>
ArgumentValue value_of(const Seen& s, const Text& type, const ArgumentKind& kind,
                       const std::function<std::string()>& what, const Type& t, bool gaps) {
  if (s.kind != kind_of(kind.element) || s.bytes != size_of(kind.element)) {
    const std::string numpy = std::string("numpy.") + numpy_name(kind.element);
    throw UserError(what() + " is " + t.str() + ", but an array of " + type() + " is passed; pass " +
                    (kind.writable ? "one of " + numpy : "a.astype(" + numpy + ")") +
                    ", or declare the expression over the array's type");
  }
  if (s.rank != kind.rank)
    throw UserError(what() + " is " + t.str() + ", but an array of shape " + tuple_text(s, s.shape) +
                    " is passed; one of " + std::to_string(kind.rank) +
                    " dimensions is needed: a.reshape(...)");
  if (kind.writable && !s.writable)
    throw UserError(what() + " is written, but the array that is passed is read-only; pass a.copy()");
  check_alignment(s, what);
  ArgumentValue v;
  v.data = s.data, v.rank = static_cast<int>(s.rank);
  if (!take_strides(s, v) || !(is_empty(s) || v.contiguous() || (gaps && lengths_around(v))))
    throw UserError(what() + " is a view with the strides " + tuple_text(s, s.strides) +
                    " in bytes, which would have to be copied; pass " +
                    (kind.writable ? "a contiguous array" : "numpy.ascontiguousarray(a)") +
                    (is_column_major(v)
                         ? ", or a.T, which lies row by row, and lift.transpose what is declared "
                           "over its shape"
                         : ""));
  return v;
}

}  // namespace

const char* numpy_name(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return "float32";
    case Scalar::f64:
      return "float64";
    case Scalar::i32:
      return "int32";
    case Scalar::i64:
      return "int64";
    case Scalar::u8:
      return "uint8";
    case Scalar::u16:
    case Scalar::i16:
    case Scalar::boolean:
      break;
  }
  return "bool";
}
py::dtype numpy_type(Scalar s) { return py::dtype(numpy_name(s)); }

ArgumentValue array_value(const py::handle& x, const ArgumentKind& kind,
                          const std::function<std::string()>& what, const Type& t,
                          std::vector<py::object>& kept, bool gaps) {
  if (py::isinstance<py::array>(x)) {
    const auto a = py::reinterpret_borrow<py::array>(x);
    check_has_no_mask(a, what);
    return value_of(
        seen(a), [&] { return std::string(py::str(a.dtype())); }, kind, what, t, gaps);
  }
  if (!dlpack::is_array(x))
    throw UserError(what() + " is " + t.str() + ", but a Python " + name_of_type(x) +
                    " is passed; pass a numpy array: numpy.array(..., dtype=numpy." +
                    numpy_name(kind.element) + ")");
  dlpack::Array a = dlpack::array_of(x, what());
  const ArgumentValue v = value_of(
      seen(a), [&] { return dlpack::type_text(a); }, kind, what, t, gaps);
  kept.push_back(std::move(a.keeper));
  return v;
}

AnyArray any_array(const py::handle& x, bool writable, const std::function<std::string()>& what,
                   std::vector<py::object>& kept) {
  Seen s;
  std::string type;
  if (py::isinstance<py::array>(x)) {
    const auto a = py::reinterpret_borrow<py::array>(x);
    check_has_no_mask(a, what);
    s = seen(a), type = py::str(a.dtype());
  } else if (dlpack::is_array(x)) {
    dlpack::Array a = dlpack::array_of(x, what());
    s = seen(a), type = dlpack::type_text(a);
    kept.push_back(std::move(a.keeper));
  } else {
    throw UserError(what() + " is a Python " + name_of_type(x) + "; pass a numpy array");
  }
  for (const Scalar e : kScalarTypes) {
    if (kind_of(e) != s.kind || size_of(e) != s.bytes) continue;
    if (s.rank < 1 || s.rank > kMaxRank)
      throw UserError(what() + " has " + std::to_string(s.rank) + " dimensions; 1 to " +
                      std::to_string(kMaxRank) + " are possible");
    if (writable && !s.writable) throw UserError(what() + " is written, but read-only; pass a.copy()");
    check_alignment(s, what);
    ArgumentValue v;
    v.data = s.data, v.rank = static_cast<int>(s.rank);
    if (!take_strides(s, v))
      throw UserError(what() + " has strides that are no multiples of its elements' size; pass a.copy()");
    return {e, v};
  }
  throw UserError(what() + " is an array of " + type +
                  "; kernels know numpy.float32, float64, int32, int64, uint8 and bool: pass a.astype(...)");
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
  if (!is_float(s)) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(x.ptr()));
    if (!index) refuse();
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
    const auto take = [&]<class T>(T& to) {
      if (overflow != 0 || value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
        throw UserError(what() + " is " + text(s) + ", which " + std::string(py::str(index)) +
                        " does not fit into; pass a smaller number");
      to = static_cast<T>(value);
    };
    if (s == Scalar::i64)
      take(n.as_i64);
    else if (s == Scalar::u8)
      take(n.as_u8);
    else
      take(n.as_i32);
    return n;
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
    case Scalar::i64:
      return py::int_(x.as_i64);
    case Scalar::u8:
      return py::int_(x.as_u8);
    case Scalar::u16:
    case Scalar::i16:
    case Scalar::boolean:
      break;
  }
  return py::bool_(x.as_bool);
}

py::array new_array(Scalar s, const std::vector<std::int64_t>& shape, bool touch) {
  std::size_t bytes = size_of(s);
  for (const std::int64_t n : shape) bytes *= static_cast<std::size_t>(n);
  const std::vector<py::ssize_t> lengths(shape.begin(), shape.end());
  if (bytes >= kWorthPages) {
    auto* const buffer = [&] {
      const Released released;
      return new Buffer(bytes, {.threads = 0, .touch = touch});
    }();
    return py::array(numpy_type(s), lengths, buffer->data(),
                     py::capsule(buffer, [](void* p) { delete static_cast<Buffer*>(p); }));
  }
  void* const data = std::aligned_alloc(kAlignment, (bytes + kAlignment) / kAlignment * kAlignment);
  if (!data) throw UserError("a result of " + std::to_string(bytes) + " bytes does not fit into memory");
  return py::array(numpy_type(s), lengths, data, py::capsule(data, [](void* p) { std::free(p); }));
}

}  // namespace lift::python
