// Arrays of others by the DLPack protocol (dmlc/dlpack, version 1), and the package's own for others.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "embed/arguments.hpp"

namespace lift::python::dlpack {

namespace py = pybind11;

/// Where an array lies. The numbers are the protocol's.
enum class Place : std::int32_t { host = 1, cuda = 2, cuda_host = 3, opencl = 4 };

/// An array of somebody else; `keeper` keeps it alive.
struct Array {
  py::object keeper;
  void* data = nullptr;
  std::vector<std::int64_t> shape, strides;  ///< strides in elements
  char kind = '?';                           ///< as numpy names kinds of types: f, i, u, b, c
  std::size_t bytes = 0;                     ///< of an element
  bool writable = true;
};

/// Whether it speaks the protocol.
bool is_array(const py::handle& x);
/// Nothing is copied. UserError, beginning with `what`: an array that is not in the host's memory, a producer
/// that refuses. Errors of the producer's own pass.
Array array_of(const py::handle& x, const std::string& what);
/// "float64"
std::string type_text(const Array& a);

/// A row-major array without gaps as a capsule, which `owner` goes with. `versioned`: for a consumer that
/// knows version 1.
py::capsule capsule_of(void* data, Scalar element, const std::vector<std::int64_t>& shape, Place place,
                       int index, std::shared_ptr<void> owner, bool versioned);

}  // namespace lift::python::dlpack
