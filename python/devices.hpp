// Devices, arrays that stay on them, and queues, as Python has them.
#pragma once

#include <optional>

#include "embed/device_memory.hpp"
#include "python/arrays.hpp"

namespace lift::python {

/// An array on a device; copies are the same array.
struct DeviceArray {
  std::shared_ptr<DeviceMemory> memory;
  Scalar element;
  std::vector<std::int64_t> shape;

  /// A new one, contents undefined.
  static DeviceArray made(const Device& device, Scalar element, const std::vector<std::int64_t>& shape);
};

/// A queue, and the arrays of the host that it uses until it has been waited for.
class QueueObject {
 public:
  explicit QueueObject(const Device& device) : queue_(device) {}
  ~QueueObject();
  QueueObject(const QueueObject&) = delete;
  QueueObject& operator=(const QueueObject&) = delete;

  void wait();
  void keep(std::vector<py::object> used) {
    for (py::object& x : used) kept_.push_back(std::move(x));
  }
  Queue& queue() { return *queue_; }

 private:
  std::optional<Queue> queue_;
  std::vector<py::object> kept_;
};

/// As an argument of `kind`. UserError as array_value.
ArgumentValue device_value(const DeviceArray& a, const ArgumentKind& kind,
                           const std::function<std::string()>& what, const Type& t);

}  // namespace lift::python
