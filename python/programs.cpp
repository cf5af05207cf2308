#include <pybind11/stl.h>

#include <filesystem>

#include "embed/plan.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "python/bindings.hpp"
#include "python/where.hpp"
#include "runtime/file.hpp"
#include "tuning/lift_problem.hpp"

namespace lift::python {
namespace {

ProgramObject from_text(const std::string& text, const std::string& file, const Sizes& sizes,
                        const std::filesystem::path& directory) {
  const LiftFile parsed(text, file);
  ProgramObject p{parsed.program(sizes)};
  for (const LiftSize& s : parsed.sizes())
    if (s.value && !sizes.contains(s.name)) p.declared[s.name] = *s.value;
  p.data = data_in(parsed, p.program, directory);
  p.text = text, p.directory = directory.string();
  return p;
}

}  // namespace

void bind_programs(py::module_& m) {
  py::class_<ProgramObject>(
      m, "Program",
      "An expression over named arguments, as it becomes a kernel.\n\n"
      "name        what messages and kernels call it\n"
      "arguments   a list of parameters: lift.param(\"xs\", lift.array(lift.f64, n))\n"
      "body        what is computed; lift.tuple(...) for several results\n"
      "overwrites  names of arguments whose old contents nobody needs: results that update them are written "
      "there\n"
      "results     names of the results\n"
      "UserError: a variable of the body that is no argument, a name of `overwrites` that is none.\n"
      "lift.program makes one of a Python function. str(program) is its text, which lift.parse reads.")
      .def(py::init([](const std::string& name, const std::vector<Expr>& arguments, const Expr& body,
                       const std::vector<std::string>& overwrites, const std::vector<std::string>& results) {
             ProgramObject p{{name, arguments, body, overwrites, results}};
             (void)opened(p.program, {}, line_of(here()));
             return p;
           }),
           py::arg("name"), py::arg("arguments"), py::arg("body"),
           py::arg("overwrites") = std::vector<std::string>{},
           py::arg("results") = std::vector<std::string>{})
      .def_property_readonly(
          "name", [](const ProgramObject& p) { return p.program.name; }, "What messages and kernels call it.")
      .def_property_readonly(
          "arguments", [](const ProgramObject& p) { return p.program.arguments; },
          "Its parameters, a list of Expr, in the order in which kernels take them.")
      .def_property_readonly(
          "body", [](const ProgramObject& p) { return p.program.body; },
          "What it computes, an Expr; a tuple where there are several results.")
      .def_property_readonly(
          "overwrites", [](const ProgramObject& p) { return p.program.overwritable; },
          "Names of arguments that results are written into.")
      .def_property_readonly(
          "results",
          [](const ProgramObject& p) {
            std::vector<std::pair<std::string, Type>> all;
            for (const ProgramResult& r : results_of(p.program)) all.emplace_back(r.name, r.type);
            return all;
          },
          "A list of (name, Type), in the order in which kernels return them.")
      .def_property_readonly(
          "sizes",
          [](const ProgramObject& p) {
            std::map<std::string, std::optional<std::int64_t>> all;
            for (const NatAtom* v : size_variables(p.program)) {
              const auto it = p.declared.find(v->name);
              all[v->name] = it == p.declared.end() ? std::nullopt : std::optional(it->second);
            }
            return all;
          },
          "A dict: for each size its declared number of elements, or None where calls say it.")
      .def(
          "_text",
          [](const ProgramObject& p) {
            Program named = p.program;
            named.name = "travels";  // its own may be a word of C's
            return std::pair(p.text.empty() ? print_program(named) : p.text, p.directory);
          },
          "Text that is the program, and the folder that its data lie in.")
      .def("__str__", [](const ProgramObject& p) { return print_program(p.program); })
      .def("__repr__", [](const ProgramObject& p) { return "<liftgen program " + p.program.name + ">"; });
  m.def(
      "opened",
      [](const Expr& f, const std::string& name, const std::vector<std::string>& names,
         const std::vector<std::string>& overwrites) {
        return ProgramObject{opened(Program{{}, {}, f, overwrites}, {name, names, {}, {}}, line_of(here()))};
      },
      py::arg("f"), py::arg("name"), py::arg("names"), py::arg("overwrites"));
  m.def(
      "parse",
      [](const std::string& text, const std::string& name, const Sizes& sizes) {
        return from_text(text, name, sizes, std::filesystem::current_path());
      },
      py::arg("text"), py::arg("name"), py::arg("sizes"));
  m.def(
      "parse_in",
      [](const std::string& text, const std::string& name, const std::string& directory) {
        ProgramObject p = from_text(text, name, {}, directory);
        p.program.name = name;
        return p;
      },
      py::arg("text"), py::arg("name"), py::arg("directory"));
  m.def(
      "load",
      [](const std::string& path, const Sizes& sizes) {
        return from_text(read_file(path), path, sizes, std::filesystem::path(path).parent_path());
      },
      py::arg("path"), py::arg("sizes"));
}

}  // namespace lift::python
