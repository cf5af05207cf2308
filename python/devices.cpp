#include "python/devices.hpp"

#include <pybind11/stl.h>

#include "ir/error.hpp"
#include "python/bindings.hpp"
#include "python/dlpack.hpp"
#include "python/gil.hpp"

namespace lift::python {
namespace {

Target backend_named(const std::string& name) {
  if (const auto target = target_named(name)) return *target;
  throw UserError("lift.Device: there is no backend '" + name + "'; take 'opencl' or 'cuda'");
}

/// Errors of the device array's methods name it.
std::string what_is_passed() { return "lift.device_array: the array of the host"; }

ArgumentValue host_value(const py::handle& a, const DeviceArray& to, bool writable,
                         std::vector<py::object>& kept) {
  const AnyArray host = any_array(a, writable, what_is_passed, kept);
  if (host.element != to.element)
    throw UserError(what_is_passed() + " has elements of numpy." + numpy_name(host.element) +
                    ", the one on the device of numpy." + numpy_name(to.element) + "; pass a.astype(numpy." +
                    numpy_name(to.element) + ")");
  return host.value;
}

DeviceArray from_host(const Device& device, const py::handle& a) {
  std::vector<py::object> kept;
  const AnyArray host = any_array(a, false, what_is_passed, kept);
  const Released released;
  return {std::make_shared<DeviceMemory>(device, host.element, host.value),
          host.element,
          {host.value.shape.begin(), host.value.shape.begin() + host.value.rank}};
}

DeviceArray zeros(const Device& device, const std::vector<std::int64_t>& shape, const Type& element) {
  if (shape.empty() || shape.size() > kMaxRank)
    throw UserError("lift.device_array: " + std::to_string(shape.size()) + " dimensions; 1 to " +
                    std::to_string(kMaxRank) + " are possible");
  if (!element.is_scalar())
    throw UserError("lift.device_array: elements of " + element.str() +
                    "; pass lift.f32, f64, i32, i64, u8 or boolean");
  const Released released;
  DeviceArray a = DeviceArray::made(device, element.scalar(), shape);
  a.memory->clear();
  return a;
}

void upload(DeviceArray& a, const py::object& from, QueueObject* queue) {
  std::vector<py::object> kept{from};
  const ArgumentValue host = host_value(from, a, false, kept);
  {
    const Released released;
    queue ? a.memory->upload(queue->queue(), host) : a.memory->upload(host);
  }
  if (queue) queue->keep(std::move(kept));
}

py::object download(const DeviceArray& a, const py::object& to, QueueObject* queue) {
  const py::object result = to.is_none() ? new_array(a.element, a.shape) : to;
  std::vector<py::object> kept{result};
  const ArgumentValue host = host_value(result, a, true, kept);
  {
    const Released released;
    queue ? a.memory->download(queue->queue(), host) : a.memory->download(host);
  }
  if (queue) queue->keep(std::move(kept));
  return result;
}

std::pair<dlpack::Place, int> place_of(const DeviceArray& a) {
  const Device& d = a.memory->device();
  return {d.backend() == Target::opencl ? dlpack::Place::opencl : dlpack::Place::cuda, d.index()};
}

/// BufferError, as the protocol has it, where there is no memory that others could use.
py::capsule export_array(const DeviceArray& a, const py::object& max_version, const py::object& copy) {
  const auto refuse = [&](const std::string& why) {
    PyErr_SetString(PyExc_BufferError, ("lift.device_array: " + why).c_str());
    throw py::error_already_set();
  };
  if (!copy.is_none() && copy.cast<bool>()) refuse("no copy is made for others; pass a.copy()");
  if (a.memory->device().is_emulated())
    refuse(a.memory->device().name() +
           " is emulated: no driver knows its memory; download the array instead");
  {
    const Released released;
    a.memory->settle();  // whoever gets it knows nothing of our queues
  }
  const auto [place, index] = place_of(a);
  void* const data = reinterpret_cast<void*>(a.memory->device().handle_of(a.memory->memory()));
  const bool versioned = !max_version.is_none() && max_version.cast<std::pair<int, int>>().first >= 1;
  return dlpack::capsule_of(data, a.element, a.shape, place, index, a.memory, versioned);
}

std::string shape_text_of(const DeviceArray& a) {
  std::string s;
  for (const std::int64_t n : a.shape) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s;
}

void bind_device(py::module_& m) {
  py::class_<Device>(
      m, "Device",
      "A device of OpenCL or CUDA, on which kernels run in this process.\n\nbackend  \"opencl\" or "
      "\"cuda\"\nwhich    its number, or a part of its name; -1: the first, graphics processors before "
      "others\nUserError: no such backend. EnvironmentError: no driver, no such device.")
      .def(py::init([](const std::string& backend, const py::object& which) {
             const Target target = backend_named(backend);
             if (py::isinstance<py::str>(which)) return Device(target, which.cast<std::string>());
             return Device(target, which.cast<int>());
           }),
           py::arg("backend"), py::arg("which") = -1)
      .def_static("emulated_cuda", &Device::emulated_cuda,
                  "A device that computes CUDA kernels on the host, to check them. EnvironmentError: no C++ "
                  "compiler.")
      .def_property_readonly(
          "backend", [](const Device& d) { return text(d.backend()); }, "\"opencl\" or \"cuda\".")
      .def_property_readonly("index", &Device::index, "Its number among those of its backend.")
      .def_property_readonly(
          "name", [](const Device& d) { return d.name(); }, "What its driver calls it.")
      .def_property_readonly("is_emulated", &Device::is_emulated, "Whether the host computes its kernels.")
      .def_property_readonly(
          "transfers",
          [](const Device& d) {
            const GridTransfers t = d.transfers();
            py::dict all;
            all["writes"] = t.writes, all["written_bytes"] = t.written_bytes;
            all["reads"] = t.reads, all["read_bytes"] = t.read_bytes;
            return all;
          },
          "A dict of what was copied so far: writes and reads (numbers of copies), written_bytes and "
          "read_bytes.")
      .def("__eq__", [](const Device& a, const Device& b) { return a == b; })
      .def("__hash__",
           [](const Device& d) {
             return py::hash(py::make_tuple(text(d.backend()), d.index(), d.is_emulated()));
           })
      .def("__repr__", [](const Device& d) {
        return std::string("<liftgen device ") + text(d.backend()) + " " + std::to_string(d.index()) + ": " +
               d.name() + ">";
      });
  m.def(
      "devices", [](const std::string& backend) { return Device::all(backend_named(backend)); },
      py::arg("backend"));
  py::class_<QueueObject>(m, "Queue",
                          "What a device is asked for is done later, in the order in which it is "
                          "asked.\n\ndevice  the lift.Device; EnvironmentError: it cannot have one more")
      .def(py::init<const Device&>(), py::arg("device"))
      .def("wait", &QueueObject::wait, "Returns when all is done. What went wrong is raised here.")
      .def_property_readonly(
          "device", [](QueueObject& q) { return q.queue().device(); }, "The lift.Device that it is of.");
}

}  // namespace

DeviceArray DeviceArray::made(const Device& device, Scalar element, const std::vector<std::int64_t>& shape) {
  return {std::make_shared<DeviceMemory>(device, element, shape), element, shape};
}

QueueObject::~QueueObject() {
  const Released released;
  queue_.reset();  // waits
}

void QueueObject::wait() {
  const std::vector<py::object> used = std::move(kept_);
  kept_.clear();
  const Released released;
  queue_->wait();
}

ArgumentValue device_value(const DeviceArray& a, const ArgumentKind& kind,
                           const std::function<std::string()>& what, const Type& t) {
  if (a.element != kind.element)
    throw UserError(what() + " is " + t.str() + ", but a lift.device_array of numpy." +
                    numpy_name(a.element) + " is passed; pass one of numpy." + numpy_name(kind.element) +
                    ", or declare the expression over the array's type");
  if (static_cast<int>(a.shape.size()) != kind.rank)
    throw UserError(what() + " is " + t.str() + ", but a lift.device_array of " + shape_text_of(a) +
                    " is passed; one of " + std::to_string(kind.rank) + " dimensions is needed");
  return a.memory->value();
}

void bind_devices(py::module_& m) {
  bind_device(m);
  py::class_<DeviceArray>(
      m, "DeviceArray",
      "An array that stays on a device.\n\nDeviceArray(device, array) copies one of the host, of any shape "
      "that kernels take; DeviceArray(device, shape, type)\nhas zeros, type being lift.f32, f64, i32, "
      "i64, u8 or boolean. UserError: arrays that kernels do not take. EnvironmentError: no\nmemory left "
      "there.")
      .def(py::init(&from_host), py::arg("device"), py::arg("array"))
      .def(py::init(&zeros), py::arg("device"), py::arg("shape"), py::arg("type"))
      .def("upload", &upload, py::arg("array"), py::arg("queue") = nullptr,
           "Copies an `array` of the host, of this shape and dtype, there; in a `queue`, where it stays in "
           "use until it has been waited for. UserError: another shape or dtype.")
      .def("download", &download, py::arg("out") = py::none(), py::arg("queue") = nullptr,
           "Copies it into a new array of numpy, or into `out`, of its shape and dtype, and returns that; in "
           "a `queue` it is there after wait(). UserError: another shape or dtype.")
      .def(
          "copy",
          [](const DeviceArray& a) {
            const Released released;
            return DeviceArray{std::make_shared<DeviceMemory>(*a.memory), a.element, a.shape};
          },
          "Another array on the device with the same elements.")
      .def_property_readonly(
          "device", [](const DeviceArray& a) { return a.memory->device(); }, "The lift.Device that it is on.")
      .def_property_readonly(
          "shape", [](const DeviceArray& a) { return py::tuple(py::cast(a.shape)); },
          "Its lengths, a tuple, outermost first.")
      .def_property_readonly(
          "ndim", [](const DeviceArray& a) { return a.shape.size(); }, "How many dimensions it has.")
      .def_property_readonly(
          "dtype", [](const DeviceArray& a) { return numpy_type(a.element); },
          "The numpy.dtype of its elements.")
      .def("__dlpack_device__",
           [](const DeviceArray& a) {
             const auto [place, index] = place_of(a);
             return std::pair(static_cast<int>(place), index);
           })
      .def(
          "__dlpack__",
          [](const DeviceArray& a, const py::object& /*stream*/, const py::object& max_version,
             const py::object& /*dl_device*/, const py::object& copy) {
            return export_array(a, max_version, copy);  // settled, so that no stream need wait for it
          },
          py::kw_only(), py::arg("stream") = py::none(), py::arg("max_version") = py::none(),
          py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("__repr__", [](const DeviceArray& a) {
        return "<liftgen device array: " + shape_text_of(a) + " of " + numpy_name(a.element) + " on " +
               a.memory->device().name() + ">";
      });
}

}  // namespace lift::python
