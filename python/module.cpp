#include "ir/error.hpp"
#include "ir/region.hpp"
#include "python/bindings.hpp"
#include "python/gil.hpp"
#include "python/where.hpp"

namespace {

namespace py = pybind11;

void raise(const char* name, const std::exception& e) {
  PyErr_SetString(py::module_::import("liftgen._errors").attr(name).ptr(), e.what());
}

/// Errors of liftgen as those of liftgen/_errors.py, with the same text.
void translate(std::exception_ptr p) {
  try {
    if (p) std::rethrow_exception(p);
  } catch (const lift::UserError& e) {
    raise("UserError", e);
  } catch (const lift::EnvironmentError& e) {
    raise("EnvironmentError", e);
  } catch (const lift::InternalError& e) {
    raise("InternalError", e);
  } catch (const py::cast_error&) {
    raise("ArgumentError", lift::UserError("a Python value is of a type that does not fit there" +
                                           lift::line_of(lift::python::here())));
  }
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "liftgen's expressions, kernels and explorations; use the package liftgen.";
  py::register_exception_translator(translate);
  lift::python::watch_the_end();
  // Descriptions of elements changed in numpy 2, which pybind11 knows from 2.12 on.
  m.attr("version") = LIFTGEN_VERSION;
  m.attr("knows_numpy_2") = PYBIND11_VERSION_HEX >= 0x020C0000;
  m.def("set_package_directory",
        [](const std::string& directory) { lift::python::set_package_directory(directory.c_str()); });
  m.def("_swept", [] {
    const lift::Swept s = lift::swept();
    return py::make_tuple(s.may_go, s.gone, s.sweeps);
  });
  m.def("_sweep_after", &lift::set_sweep_after);
  lift::python::bind_expressions(m);
  lift::python::bind_programs(m);
  lift::python::bind_devices(m);
  lift::python::bind_kernels(m);
  lift::python::bind_exploring(m);
  lift::python::bind_operators(m);
  lift::python::bind_solving(m);
}
