#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <csignal>
#include <functional>

#include "embed/explore_expression.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "python/gil.hpp"
#include "python/kernel.hpp"
#include "python/where.hpp"
#include "report/page.hpp"
#include "rewrite/own/read_rules.hpp"
#include "runtime/file.hpp"
#include "runtime/interrupt.hpp"
#include "tuning/lift_problem.hpp"
#include "tuning/report.hpp"

namespace lift::python {
namespace {

struct FoundObject {
  Tuned found;
  Sizes sizes;
  std::string json;  ///< what is known of the search
};

/// The first elements of an array, as many as a problem wants: exploring also takes small sizes.
struct CornerOf {
  std::vector<py::object> owners;
  ArgumentValue whole;
  std::size_t bytes;
  void operator()(const HostArray& a) const {
    ArgumentValue part = whole;
    const std::vector<Nat> shape = shape_of(a.type);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      part.shape[d] = shape[d].constant().value();
      if (part.shape[d] > whole.shape[d])
        throw UserError("the data of " + a.name + " has " + shape_text(whole) + " elements, but " +
                        a.type.str() + " is explored; give data of that shape");
    }
    gather(part, bytes, a.data);
  }
};

/// What explorations fill an argument with; the lengths of arrays give equations for the sizes.
ArgumentData data_of(const Expr& argument, const py::object& given, const std::string& program,
                     std::vector<LengthEquation>& equations) {
  const Type& t = argument.type();
  const auto what = [&] { return program + ": the data of " + param_name(argument); };
  ArgumentData d;
  if (!t.is_array()) {
    const Number number = number_value(given, t.scalar(), what);
    const double value = t.scalar() == Scalar::f32   ? number.as_f32
                         : t.scalar() == Scalar::f64 ? number.as_f64
                         : t.scalar() == Scalar::i32 ? number.as_i32
                         : t.scalar() == Scalar::i64 ? static_cast<double>(number.as_i64)
                         : t.scalar() == Scalar::u8  ? number.as_u8
                                                     : number.as_bool;
    d.kind = ArgumentData::Kind::constant, d.low = d.high = value;
    return d;
  }
  const ArgumentKind kind{element_of(t).scalar(), rank_of(t), false, ""};
  std::vector<py::object> owners{given};
  const ArgumentValue v = array_value(given, kind, what, t, owners);
  const std::vector<Nat> shape = shape_of(t);
  for (std::size_t i = 0; i < shape.size(); ++i)
    equations.push_back({shape[i], v.shape[i], what() + ", dimension " + std::to_string(i + 1)});
  d.kind = ArgumentData::Kind::given;
  // Freed where the GIL may not be held.
  auto* const kept = new CornerOf{std::move(owners), v, size_of(kind.element)};
  const std::shared_ptr<CornerOf> fill(kept, [](CornerOf* p) {
    const Acquired gil;
    delete p;
  });
  d.fill = [fill](const HostArray& a) { (*fill)(a); };
  return d;
}

/// Tells a Python function of the progress; what that raises ends the search and is raised after it.
std::function<void(const Progress&)> told(const py::object& listener, std::exception_ptr& raised) {
  if (listener.is_none()) return {};
  return [&listener, &raised](const Progress& p) {
    const Acquired gil;
    if (raised) return;
    try {
      listener(p.phase, p.fraction, p.timed, p.best_ms, p.best_name);
    } catch (...) {
      raised = std::current_exception();
      request_interrupt();
    }
  };
}

void check_names(const Program& p, const py::dict& data) {
  for (const auto& [key, value] : data) {
    const std::string name = py::str(key);
    if (std::none_of(p.arguments.begin(), p.arguments.end(),
                     [&](const Expr& a) { return param_name(a) == name; }))
      throw UserError(p.name + ": data is given for '" + name + "', which is no argument" + line_of(here()));
  }
}

std::string json_of(const Tuned& found, const Sizes& sizes) {
  if (!found.report.best) return "";
  const Region region;  // only text is left of it
  const Explanation explanation =
      explain(with_sizes(found.program, sizes), found.report.variants[*found.report.best]);
  return json_report(found.report, "", {"", "", "", nullptr, &explanation});
}

FoundObject explore_program(const ProgramObject& p, ExpressionOptions options, const py::dict& data,
                            const py::object& listener) {
  const std::source_location where = here();
  check_names(p.program, data);
  options.data = p.data;
  std::vector<LengthEquation> equations;
  try {
    for (const Expr& a : p.program.arguments)
      if (data.contains(param_name(a)))
        options.data[param_name(a)] =
            data_of(a, py::object(data[py::str(param_name(a))]), p.program.name, equations);
  } catch (const UserError& e) {
    throw UserError(e.what() + line_of(where));
  }
  options.sizes = solve_sizes(equations, options.sizes);
  for (const auto& [name, value] : p.declared) options.sizes.emplace(name, value);
  (void)give_meanings(p.program, p.program.name);
  std::exception_ptr raised;
  options.more.on_progress = told(listener, raised);
  FoundObject t;
  t.sizes = options.sizes;
  std::exception_ptr failed;
  const InterruptScope interrupts;
  {
    const Released released;
    try {
      t.found = explore(p.program, options, where);
      t.json = json_of(t.found, t.sizes);
    } catch (...) {
      failed = std::current_exception();
    }
  }
  if (raised) std::rethrow_exception(raised);
  if (failed && interrupting_signal() == SIGINT) {  // before there was anything to keep
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (failed) std::rethrow_exception(failed);
  return t;
}

const std::string& json_text(const FoundObject& t) {
  if (t.json.empty())
    throw UserError(
        t.found.program.name +
        ": nothing was searched, so that there is no report; what is known was taken: " + t.found.origin);
  return t.json;
}

}  // namespace

void bind_exploring(py::module_& m) {
  py::class_<FoundObject>(m, "Found")
      .def_property_readonly("program", [](const FoundObject& t) { return ProgramObject{t.found.program}; })
      .def_property_readonly("device", [](const FoundObject& t) { return t.found.device; })
      .def_property_readonly("sizes", [](const FoundObject& t) { return t.sizes; })
      .def_property_readonly("derivation", [](const FoundObject& t) { return str(t.found.derivation); })
      .def_property_readonly("prose", [](const FoundObject& t) { return prose(t.found.derivation); })
      .def_property_readonly("source", [](const FoundObject& t) { return t.found.source; })
      .def_property_readonly("origin", [](const FoundObject& t) { return t.found.origin; })
      .def_property_readonly("interrupted", [](const FoundObject& t) { return t.found.report.interrupted; })
      .def_property_readonly("json", &json_text)
      .def("leaderboard",
           [](const FoundObject& t, std::size_t rows) { return leaderboard(t.found.report, rows); })
      .def("summary", [](const FoundObject& t) { return summary(t.found.report, false); });
  m.def(
      "write_page",
      [](const std::string& json, const std::string& path) {
        write_file_atomically(path, report::page(json));
      },
      py::arg("json"), py::arg("path"));
  m.def(
      "explore",
      [](const ProgramObject& p, const Sizes& sizes, double budget, const py::dict& data, int threads,
         int configurations, const std::string& search, std::uint64_t seed, bool rivals, bool unless_known,
         const std::string& database, const std::optional<Device>& device, const std::string& rules,
         const std::string& rules_file, const py::object& listener) {
        ExpressionOptions options;
        if (!rules.empty()) options.rules = parse_rules(rules, rules_file);
        options.sizes = sizes, options.budget = std::chrono::duration<double>(budget);
        options.device = device, options.unless_known = unless_known, options.database = database;
        options.more.threads = threads, options.more.configurations = configurations;
        options.more.search = search, options.more.seed = seed, options.more.rivals = rivals;
        return explore_program(p, std::move(options), data, listener);
      },
      py::arg("program"), py::kw_only(), py::arg("sizes"), py::arg("budget"), py::arg("data"),
      py::arg("threads"), py::arg("configurations"), py::arg("search"), py::arg("seed"), py::arg("rivals"),
      py::arg("unless_known"), py::arg("database"), py::arg("device"), py::arg("rules"),
      py::arg("rules_file"), py::arg("listener"));
}

}  // namespace lift::python
