#include "python/where.hpp"

#include <pybind11/pybind11.h>

#include <bit>
#include <map>
#include <memory>
#include <string>

namespace lift::python {
namespace {

namespace py = pybind11;

/// What a std::source_location points to, in libstdc++ and in libc++: compilers lay it out so.
struct Line {
  const char* file;
  const char* function;
  unsigned line, column;
};
static_assert(sizeof(std::source_location) == sizeof(const Line*));

std::string& package_directory = *new std::string;  // NOLINT: of the process

/// Locations are kept for ever, one a line of a script, since expressions refer to them.
std::source_location location(const std::string& file, unsigned line) {
  struct Kept {
    Line line{};
    std::string file;
  };
  static auto& all =
      *new std::map<std::pair<std::string, unsigned>, std::unique_ptr<Kept>>;  // guarded by the GIL
  std::unique_ptr<Kept>& kept = all[{file, line}];
  if (!kept) {
    kept = std::make_unique<Kept>();
    kept->file = file, kept->line = {kept->file.c_str(), "", line, 0};
  }
  return std::bit_cast<std::source_location>(static_cast<const Line*>(&kept->line));
}

/// A cell of a notebook is a file with a number for a name, anew each time it runs.
std::string shown(const std::string& file) {
  return file.find("/ipykernel_") != std::string::npos ? "this cell" : file;
}

bool of_package(const std::string& file) {
  return !package_directory.empty() && file.starts_with(package_directory);
}

}  // namespace

void set_package_directory(const char* directory) { package_directory = std::string(directory) + "/"; }

std::source_location here() {
  auto frame = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    auto* const raw = reinterpret_cast<PyFrameObject*>(frame.ptr());
    const auto code = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(raw)));
    Py_ssize_t length = 0;
    const char* const file =
        PyUnicode_AsUTF8AndSize(reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename, &length);
    if (!file) PyErr_Clear();
    const std::string name = file ? std::string(file, static_cast<std::size_t>(length)) : "?";
    if (!of_package(name)) return location(shown(name), static_cast<unsigned>(PyFrame_GetLineNumber(raw)));
    frame = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(raw)));
  }
  return location("python", 0);
}

}  // namespace lift::python
