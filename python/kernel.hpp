// A program as a function of numpy arrays.
#pragma once

#include "embed/callable.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace lift::python {

class Kernel {
 public:
  /// `program` is opened: its body is no function.
  Kernel(const Program& program, CompileOptions options);

  /// The arguments in their order, or by name, and `out`: arrays for the results, instead of new ones. The
  /// results that are returned: one as it is, several as a tuple.
  py::object operator()(const py::args& arguments, const py::kwargs& named) const;
  const Callable::Variant& variant(const Sizes& sizes) const;
  std::string description() const;

 private:
  struct Frame;
  std::vector<py::handle> in_order(const py::args& arguments, const py::kwargs& named, py::object& out) const;
  std::string argument_text(std::size_t i) const;
  void take_out(const py::object& out, const Callable::Variant& v, std::span<const ArgumentValue> values,
                std::vector<py::object>& results) const;

  Program program_;
  std::vector<Type> returned_types_;
  Signature signature_;
  Callable callable_;
};

}  // namespace lift::python
