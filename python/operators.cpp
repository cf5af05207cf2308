#include <pybind11/stl.h>

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "patterns/host_data.hpp"
#include "patterns/operator_program.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace lift::python {
namespace {

/// The operators' own data and what plain loops make of them: arrays by position.
std::pair<std::vector<py::object>, std::vector<py::object>> case_of(const std::string& name,
                                                                    const Problem& p) {
  const Pattern& pattern = find_pattern(name);
  const Program program = operator_program(name, p);
  const auto made = [](const std::string& n, const Type& t) {
    const bool number = !t.is_array();
    const py::array a = new_array(number ? t.scalar() : element_of(t, rank_of(t)).scalar(),
                                  number ? std::vector<std::int64_t>{1} : host::lengths(t));
    return std::pair<py::object, HostArray>(a, {n, t, const_cast<void*>(a.data())});
  };
  std::vector<py::object> arguments, results;
  std::vector<HostArray> given, expected;
  for (const Expr& a : program.arguments) {
    auto [array, host] = made(param_name(a), a.type());
    pattern.fill(p, host);
    arguments.push_back(array), given.push_back(host);
  }
  for (const ProgramResult& r : results_of(program)) {
    auto [array, host] = made(r.name, r.type);
    results.push_back(array), expected.push_back(host);
  }
  pattern.reference(p, given, expected);
  return {arguments, results};
}

Problem problem(const std::vector<std::int64_t>& sides, std::int64_t boxes, std::int64_t ghost,
                const Type& type, const std::string& boundary,
                const std::map<std::string, std::string>& choices) {
  Problem p;
  p.ghost = ghost, p.type = type.scalar(), p.boundary = boundary, p.choices = choices;
  p.symbolic = sides.empty();
  if (p.symbolic) return p;
  p.boxes = boxes, p.box = *std::min_element(sides.begin(), sides.end());
  if (*std::max_element(sides.begin(), sides.end()) != p.box) p.sides = sides;
  return p;
}

}  // namespace

void bind_operators(py::module_& m) {
  m.def("operators", [] {
    std::vector<py::tuple> all;
    for (const auto& p : all_patterns())
      all.push_back(py::make_tuple(p->name, p->dimensions, p->summary, p->formula, p->choices));
    return all;
  });
  m.def(
      "operator_program",
      [](const std::string& name, const std::vector<std::int64_t>& sides, std::int64_t boxes,
         std::int64_t ghost, const Type& type, const std::string& boundary,
         const std::map<std::string, std::string>& choices) {
        return ProgramObject{operator_program(name, problem(sides, boxes, ghost, type, boundary, choices))};
      },
      py::arg("name"), py::arg("sides"), py::arg("boxes"), py::arg("ghost"), py::arg("type"),
      py::arg("boundary"), py::arg("choices"));
  m.def(
      "operator_case",
      [](const std::string& name, const std::vector<std::int64_t>& sides, std::int64_t boxes,
         std::int64_t ghost, const Type& type, const std::string& boundary,
         const std::map<std::string, std::string>& choices) {
        return case_of(name, problem(sides, boxes, ghost, type, boundary, choices));
      },
      py::arg("name"), py::arg("sides"), py::arg("boxes"), py::arg("ghost"), py::arg("type"),
      py::arg("boundary"), py::arg("choices"));
}

}  // namespace lift::python
