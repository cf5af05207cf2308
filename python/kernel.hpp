// A program as a function of arrays.
#pragma once

#include "embed/callable.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/devices.hpp"

namespace lift::python {

class Kernel {
 public:
  /// `program` is opened: its body is no function.
  Kernel(const Program& program, CompileOptions options);

  /// The arguments in their order, or by name, and `out`: arrays for the results, instead of new ones. The
  /// results that are returned: one as it is, several as a tuple.
  /// On a device arrays of the host are copied there and back; where all arrays are on it, so are the
  /// results.
  py::object operator()(const py::args& arguments, const py::kwargs& named) const;
  /// Has it done in a queue of the kernel's device, and returns what will be the results.
  py::object enqueue(QueueObject& queue, const py::args& arguments, const py::kwargs& named) const;
  const Callable::Variant& variant(const Sizes& sizes) const;
  std::string description() const;
  py::tuple made_of() const;  ///< the program, and the options by name
  const Callable& callable() const { return callable_; }

 private:
  struct Call;
  std::vector<py::handle> in_order(const py::args& arguments, const py::kwargs& named, py::object& out) const;
  std::string argument_text(std::size_t i) const;
  Call taken(const py::args& arguments, const py::kwargs& named) const;
  /// For arrays that are on the device, where results stay, too.
  const Callable& resident() const;
  void take_out(Call& call) const;
  void* take_host_out(Call& call, std::size_t r, const std::vector<std::int64_t>& shape) const;
  void* take_device_out(Call& call, std::size_t r, const std::vector<std::int64_t>& shape) const;
  void make_room(Call& call) const;
  static py::object results_of(Call& call);

  Program program_;
  std::vector<Type> returned_types_;
  Signature signature_;
  CompileOptions options_;
  Callable callable_;
  mutable std::unique_ptr<Callable> resident_;
};

}  // namespace lift::python
