#include "python/dlpack.hpp"

#include <set>

#include "ir/error.hpp"

namespace lift::python::dlpack {
namespace {

// The protocol's structures, whose fields and order are its own.
struct Device {
  std::int32_t type, index;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  DataType type;
  std::int64_t *shape, *strides;  ///< no strides: row-major without gaps
  std::uint64_t offset;           ///< of the first element, in bytes
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*release)(Managed*);
};
struct ManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*release)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

constexpr const char *kName = "dltensor", *kVersionedName = "dltensor_versioned";
constexpr std::uint64_t kReadOnly = 1;
enum Code : std::uint8_t { kInt = 0, kUnsigned = 1, kFloat = 2, kComplex = 5, kBool = 6 };

char kind_of(const DataType& t) {
  if (t.lanes != 1) return '?';
  switch (t.code) {
    case kInt:
      return 'i';
    case kUnsigned:
      return 'u';
    case kFloat:
      return 'f';
    case kComplex:
      return 'c';
    case kBool:
      return 'b';
    default:
      return '?';
  }
}

Array array_of_tensor(const Tensor& t) {
  Array a;
  const auto rank = static_cast<std::size_t>(t.rank);
  a.data = static_cast<char*>(t.data) + t.offset;
  a.shape.assign(t.shape, t.shape + rank);
  a.strides.resize(rank);
  std::int64_t step = 1;
  for (std::size_t d = rank; d-- > 0; step *= a.shape[d]) a.strides[d] = t.strides ? t.strides[d] : step;
  a.kind = kind_of(t.type), a.bytes = t.type.bits / 8U;
  return a;
}

/// What a producer hands over: in the protocol's version 1 where it knows that, which must not be a copy.
py::object capsule_from(const py::handle& x) {
  static auto* const older = new std::set<PyObject*>;  // types that do not; kept, as to ask them costs a call
  const py::object method = x.attr("__dlpack__");
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(x.ptr()));
  if (older->contains(type)) return method();
  try {
    return method(py::arg("max_version") = py::make_tuple(1, 0), py::arg("copy") = false);
  } catch (py::error_already_set& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  }
  py::object capsule = method();
  if (older->insert(type).second) Py_INCREF(type);
  return capsule;
}

template <class M>
struct Owned {
  M managed;
  std::vector<std::int64_t> shape;
  std::shared_ptr<void> owner;
};

template <class M>
void release_capsule(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;  // somebody has taken it over
  auto* const m = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  m->release(m);
}

template <class M>
Owned<M>* owned(const Tensor& tensor, const std::vector<std::int64_t>& shape, std::shared_ptr<void> owner) {
  auto* const o = new Owned<M>{{}, shape, std::move(owner)};
  o->managed.tensor = tensor;
  o->managed.tensor.shape = o->shape.data();
  o->managed.context = o;
  o->managed.release = [](M* m) {
    // The memory of a device goes without Python; nothing here needs its lock.
    delete static_cast<Owned<M>*>(m->context);
  };
  return o;
}

py::capsule wrapped(PyObject* capsule) {
  if (!capsule) throw py::error_already_set();
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

bool is_array(const py::handle& x) { return py::hasattr(x, "__dlpack_device__"); }

Array array_of(const py::handle& x, const std::string& what) {
  const auto [type, index] = x.attr("__dlpack_device__")().cast<std::pair<int, int>>();
  if (type != static_cast<int>(Place::host) && type != static_cast<int>(Place::cuda_host))
    throw UserError(what + " lies on a device (" + std::to_string(type) + ", " + std::to_string(index) +
                    " in DLPack's terms), whose memory kernels of this package do not reach; copy it to the "
                    "host, or make a lift.device_array of what is there");
  const py::object capsule = capsule_from(x);
  if (PyCapsule_IsValid(capsule.ptr(), kVersionedName)) {
    const auto* const m = static_cast<ManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kVersionedName));
    if (m->major != 1)
      throw UserError(what + " comes by version " + std::to_string(m->major) +
                      " of DLPack, of which this package knows 1; pass numpy.asarray(a)");
    Array a = array_of_tensor(m->tensor);
    a.keeper = capsule, a.writable = (m->flags & kReadOnly) == 0;
    return a;
  }
  if (!PyCapsule_IsValid(capsule.ptr(), kName))
    throw UserError(what + ": its __dlpack__() gives no capsule of DLPack; pass numpy.asarray(a)");
  Array a = array_of_tensor(static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), kName))->tensor);
  a.keeper = capsule;  // which frees the array when the call is done: it is not renamed
  return a;
}

std::string type_text(const Array& a) {
  const std::string bits = std::to_string(8 * a.bytes);
  switch (a.kind) {
    case 'f':
      return "float" + bits;
    case 'i':
      return "int" + bits;
    case 'u':
      return "uint" + bits;
    case 'c':
      return "complex" + bits;
    case 'b':
      return "bool";
    default:
      return "a type that numpy lacks";
  }
}

py::capsule capsule_of(void* data, Scalar element, const std::vector<std::int64_t>& shape, Place place,
                       int index, std::shared_ptr<void> owner, bool versioned) {
  const Code code = element == Scalar::boolean ? kBool
                    : element == Scalar::u8    ? kUnsigned
                    : is_integer(element)      ? kInt
                                               : kFloat;
  const Tensor tensor{data,
                      {static_cast<std::int32_t>(place), index},
                      static_cast<std::int32_t>(shape.size()),
                      {code, static_cast<std::uint8_t>(8 * size_of(element)), 1},
                      nullptr,
                      nullptr,
                      0};
  if (versioned) {
    auto* const o = owned<ManagedVersioned>(tensor, shape, std::move(owner));
    o->managed.major = 1, o->managed.minor = 0, o->managed.flags = 0;
    return wrapped(PyCapsule_New(&o->managed, kVersionedName,
                                 [](PyObject* c) { release_capsule<ManagedVersioned>(c, kVersionedName); }));
  }
  auto* const o = owned<Managed>(tensor, shape, std::move(owner));
  return wrapped(PyCapsule_New(&o->managed, kName, [](PyObject* c) { release_capsule<Managed>(c, kName); }));
}

}  // namespace lift::python::dlpack
