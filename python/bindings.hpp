// The parts of the extension module `liftgen._core`, which the Python files of the package wrap.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>

#include "ir/expr/program.hpp"
#include "ir/expr/sizes.hpp"
#include "tuning/expression_problem.hpp"

namespace lift::python {

namespace py = pybind11;

/// A program, and what a .lift file declares beside it.
struct ProgramObject {
  Program program;
  Sizes declared = {};                            ///< sizes that have a value unless told otherwise
  std::map<std::string, ArgumentData> data = {};  ///< what arguments are filled with for explorations
  /// That it was read from, with the folder that its data lie in; empty: it was made of expressions.
  std::string text = {}, directory = {};
};

void bind_expressions(py::module_& m);  ///< sizes, types, expressions and their builders
void bind_programs(py::module_& m);     ///< programs, from expressions and from text
void bind_devices(py::module_& m);      ///< devices, arrays that stay on them, queues
void bind_kernels(py::module_& m);      ///< programs as functions of arrays
void bind_exploring(py::module_& m);    ///< explorations and what they find
void bind_operators(py::module_& m);    ///< the library's operators
void bind_solving(py::module_& m);      ///< multigrid solvers

}  // namespace lift::python
