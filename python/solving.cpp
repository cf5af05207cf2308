#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <csignal>
#include <mutex>

#include "gmg/from_program.hpp"
#include "gmg/named.hpp"
#include "gmg/solver.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/gil.hpp"
#include "python/where.hpp"
#include "runtime/interrupt.hpp"

namespace lift::python {
namespace {

using gmg::Axis, gmg::Condition, gmg::Domain, gmg::Equation, gmg::Plan, gmg::Point, gmg::Report, gmg::Solver;

Axis axis_of(const std::string& name) {
  if (name.size() == 1)
    if (const auto at = std::string("ijk").find(name); at != std::string::npos) return static_cast<Axis>(at);
  throw UserError("gmg: there is no axis '" + name + "'; they are k, j and i, i the innermost");
}

gmg::Face face_of(const std::string& name) {
  const auto ends = [&](const char* side) { return name.size() > 2 && name.substr(1) == side; };
  if (!ends("_low") && !ends("_high"))
    throw UserError("gmg: there is no face '" + name + "'; write i_low, i_high, j_low, ...");
  return {axis_of(name.substr(0, 1)), ends("_high")};
}

template <class E>
E choice(const std::string& option, const std::string& name, std::initializer_list<E> all) {
  return gmg::named("gmg: " + option + " = '" + name + "'; use one of ", name, all);
}

/// A function of Python that solvers call from threads of theirs, and free there.
Equation::Operator operator_of(const py::function& f) {
  const std::shared_ptr<py::function> kept(new py::function(f), [](py::function* p) {
    const Acquired gil;
    delete p;
  });
  return [kept](const Point& point) {
    const Acquired gil;
    return (*kept)(py::cast(&point, py::return_value_policy::reference)).cast<Expr>();
  };
}

/// Calls f without the lock; an interrupt meanwhile is Python's, when f is done.
template <class F>
auto interruptible(const F& f) {
  using Result = decltype(f());
  std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result;
  std::exception_ptr failed;
  const InterruptScope interrupts;
  {
    const Released released;
    try {
      if constexpr (std::is_void_v<Result>)
        f(), result = true;
      else
        result.emplace(f());
    } catch (...) {
      failed = std::current_exception();
    }
  }
  if (interrupting_signal() == SIGINT) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (failed) std::rethrow_exception(failed);
  if constexpr (!std::is_void_v<Result>) return std::move(*result);
}

/// The elements of an array of f64 of that shape, as they lie.
std::span<double> elements(const py::handle& a, const std::string& name,
                           const std::vector<std::int64_t>& shape, bool writable,
                           std::vector<py::object>& kept) {
  const Type type = array({shape.begin(), shape.end()}, f64);
  const auto what = [&] { return "gmg: " + name; };
  const ArgumentValue v =
      array_value(a, {f64, static_cast<int>(shape.size()), writable, ""}, what, type, kept, false);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (v.shape[d] != shape[d])
      throw UserError("gmg: " + name + " is " + type.str() + ", but an array of " + shape_text(v) +
                      " elements is passed" + line_of(here()));
  return {static_cast<double*>(v.data), static_cast<std::size_t>(v.count())};
}

/// A solver, and whose turn it is: calls from several threads come one after the other.
struct SolverObject {
  Solver solver;
  std::mutex mutex;
  SolverObject(const Equation& e, const Plan& p) : solver(e, p) {}

  const std::vector<std::int64_t>& cells() const { return solver.equation().domain().cells(); }
  void set(const std::string& name, const py::object& value) {
    if (!py::hasattr(value, "__array__") && !py::hasattr(value, "__dlpack__")) {
      const auto what = [&] { return "gmg: " + name; };
      double number = 0;
      try {
        number = number_value(value, f64, what).as_f64;
      } catch (const UserError& e) {
        throw UserError(e.what() + line_of(here()));
      }
      const std::lock_guard lock(mutex);
      return void(solver.set(name, number));
    }
    std::vector<py::object> kept;
    const std::span<double> x = elements(value, name, solver.shape(name), false, kept);
    interruptible([&] {
      const std::lock_guard lock(mutex);
      solver.set(name, std::span<const double>(x));
    });
  }
  Report solve(const py::object& f, const py::object& u, const gmg::Goal& goal) {
    std::vector<py::object> kept;
    const std::span<double> from = elements(f, "f", cells(), false, kept),
                            to = elements(u, "u", cells(), true, kept);
    return interruptible([&] {
      const std::lock_guard lock(mutex);
      return solver.solve(from, to, goal);
    });
  }
  template <class F>
  void mapped(const py::object& x, const py::object& y, const F& f) {
    std::vector<py::object> kept;
    const std::span<double> from = elements(x, "x", cells(), false, kept),
                            to = elements(y, "y", cells(), true, kept);
    interruptible([&] {
      const std::lock_guard lock(mutex);
      f(from, to);
    });
  }
};

py::list table_of(const Report& r) {
  py::list rows;
  double all = 0;
  for (const gmg::LegTime& t : r.times) all += t.ms;
  for (const gmg::LegTime& t : r.times) {
    py::dict row;
    row["level"] = t.level, row["leg"] = gmg::text(t.leg), row["calls"] = t.calls, row["ms"] = t.ms;
    row["grid"] = t.level < r.grids.size() ? r.grids[t.level] : "";
    row["gbs"] = t.ms > 0 ? t.bytes * t.calls / (t.ms * 1e6) : 0;
    row["share"] = all > 0 ? t.ms / all : 0;
    rows.append(row);
  }
  return rows;
}

void bind_domain(py::module_& m) {
  py::class_<Condition>(m, "Condition");
  m.def(
      "dirichlet", [](double g) { return gmg::dirichlet(g); }, py::arg("g"));
  m.def(
      "neumann", [](double g) { return gmg::neumann(g); }, py::arg("g"));
  m.def(
      "robin", [](double a, double b, double g) { return gmg::robin(a, b, g); }, py::arg("a"), py::arg("b"),
      py::arg("g"));
  m.def(
      "dirichlet", [](std::vector<double> g) { return gmg::dirichlet(std::move(g)); }, py::arg("g"));
  m.def(
      "neumann", [](std::vector<double> g) { return gmg::neumann(std::move(g)); }, py::arg("g"));
  m.def(
      "robin", [](double a, double b, std::vector<double> g) { return gmg::robin(a, b, std::move(g)); },
      py::arg("a"), py::arg("b"), py::arg("g"));
  py::class_<Domain>(m, "Domain", "A box of equal cells.")
      .def(py::init([](std::vector<std::int64_t> cells, const std::vector<double>& spacings) {
        return Domain(std::move(cells), {.spacings = spacings});
      }))
      .def(
          "set_face",
          [](Domain& d, const std::string& face, const Condition& c) { d.face(face_of(face)) = c; },
          py::arg("face"), py::arg("condition"), "domain[face] = condition.")
      .def(
          "periodic", [](Domain& d, const std::string& axis) { d.periodic(axis_of(axis)); }, py::arg("axis"),
          "Both faces of `axis` (\"i\", \"j\", \"k\") are one. UserError: no such axis.")
      .def_property_readonly("cells", &Domain::cells, "Cells along each axis, outermost first.")
      .def(
          "spacing", [](const Domain& d, std::size_t dimension) { return d.spacing(dimension); },
          py::arg("dimension"),
          "The width of a cell along `dimension`, 0 being the outermost; in the units of the coordinates.")
      .def(
          "copy", [](const Domain& d) { return Domain(d); },
          "Another domain with the same cells and conditions.");
}

void bind_equation(py::module_& m) {
  py::class_<Point>(m, "Point")
      .def("u", [](const Point& p, const gmg::Offset& o) { return o.empty() ? p.u() : p.u(o); })
      .def("cell", &Point::cell)
      .def("face", &Point::face)
      .def("number", &Point::number)
      .def("per_spacing",
           [](const Point& p, const std::string& axis) { return p.per_spacing(axis_of(axis)); });
  py::class_<Equation>(m, "Equation", "A u = f on a domain; made by gmg.equation or gmg.helmholtz.")
      .def_property_readonly(
          "domain", [](const Equation& e) { return Domain(e.domain()); }, "A copy of its domain.")
      .def_property_readonly("numbers", &Equation::numbers,
                             "Numbers of A by name, as they are before Solver.set.")
      .def_property_readonly("footprint", &Equation::footprint,
                             "Which cells around its own A reads of u, in words.")
      .def_property_readonly(
          "coefficients",
          [](const Equation& e) {
            std::map<std::string, std::optional<std::string>> all;
            for (const gmg::Coefficient& c : e.coefficients())
              all[c.name] =
                  c.faces ? std::optional(std::string(1, "ijk"[static_cast<int>(*c.faces)])) : std::nullopt;
            return all;
          },
          "A dict: for each coefficient the axis on whose faces it is, or None where it is at cells.");
  m.def(
      "equation",
      [](const Domain& domain, const std::map<std::string, std::optional<std::string>>& coefficients,
         const std::map<std::string, double>& numbers, const py::function& a) {
        std::vector<gmg::Coefficient> all;
        for (const auto& [name, axis] : coefficients)
          all.push_back(axis ? gmg::faces(name, axis_of(*axis)) : gmg::cells(name));
        return Equation(domain, all, numbers, operator_of(a));
      },
      py::arg("domain"), py::arg("coefficients"), py::arg("numbers"), py::arg("a"));
  m.def(
      "equation_of",
      [](const ProgramObject& p, Domain domain, std::map<std::string, double> numbers) {
        std::vector<LengthEquation> equations;
        const std::vector<Nat> shape = shape_of(results_of(p.program).at(0).type);
        for (std::size_t d = 0; d < std::min(shape.size(), domain.dimensions()); ++d)
          equations.push_back(
              {shape[d], domain.cells()[d], "dimension " + std::to_string(d) + " of the domain"});
        Sizes sizes = solve_sizes(equations);
        for (const auto& [name, value] : p.declared) sizes.emplace(name, value);
        for (const auto& [name, data] : p.data)
          if (data.kind == ArgumentData::Kind::constant) numbers.emplace(name, data.low);
        const Program program = with_sizes(p.program, sizes);
        if (gmg::pads_unknown(program)) domain = gmg::with_conditions_of(program, domain);
        return gmg::equation_of(program, domain, numbers, program.name);
      },
      py::arg("a"), py::arg("domain"), py::arg("numbers"));
  m.def(
      "helmholtz",
      [](const Domain& domain, double a, double b, bool variable) {
        return gmg::helmholtz(domain, {.a = a, .b = b, .variable = variable});
      },
      py::arg("domain"), py::arg("a"), py::arg("b"), py::arg("variable"));
}

}  // namespace

void bind_solving(py::module_& parent) {
  py::module_ m = parent.def_submodule("gmg");
  bind_domain(m);
  bind_equation(m);
  py::class_<Plan>(m, "Plan")
      .def(py::init<>())
      .def("choose",
           [](Plan& p, const std::string& option, const std::string& name) {
             using gmg::Corrections;
             if (option == "cycle") p.cycle = choice(option, name, gmg::kCycles);
             if (option == "smoother") p.smoother = choice(option, name, gmg::kSmoothers);
             if (option == "bottom") p.bottom = choice(option, name, gmg::kBottoms);
             if (option == "passes") p.passes = choice(option, name, gmg::kPasses);
             if (option == "corrections")
               p.corrections = choice(
                   option, name, {Corrections::automatic, Corrections::whole, Corrections::least_energy});
           })
      .def_readwrite("down", &Plan::down)
      .def_readwrite("up", &Plan::up)
      .def_readwrite("weight", &Plan::weight)
      .def_readwrite("ratios", &Plan::ratios)
      .def_readwrite("bricks", &Plan::bricks)
      .def_readwrite("plain", &Plan::plain)
      .def_readwrite("steps", &Plan::steps)
      .def_readwrite("bottom_cells", &Plan::bottom_cells)
      .def_readwrite("bottom_sweeps", &Plan::bottom_sweeps)
      .def_readwrite("mixed", &Plan::mixed)
      .def_readwrite("inner", &Plan::inner)
      .def_readwrite("tuned", &Plan::tuned)
      .def_readwrite("database", &Plan::database)
      .def_readwrite("full_start", &Plan::full_start)
      .def("__str__", [](const Plan& p) { return gmg::str(p); });
  py::class_<Report>(m, "Report", py::dynamic_attr(),
                     "What a solve did; `u` is the solution, an array of the domain's shape.")
      .def_property_readonly("converged", &Report::converged, "Whether the goal was met.")
      .def_property_readonly(
          "status", [](const Report& r) { return gmg::text(r.status); }, "How it ended, in a word.")
      .def_readonly("reason", &Report::reason, "How it ended, in a sentence.")
      .def_readonly("history", &Report::history,
                    "The norm of the residual before the first cycle and after each.")
      .def_readonly("cycles_at", &Report::cycles_at, "How many cycles there had been, for each of `history`.")
      .def_readonly("reference", &Report::reference, "The norm that relative goals are relative to.")
      .def_readonly("notes", &Report::notes, "What is worth knowing beside, a list of sentences.")
      .def_readonly("plan", &Report::plan, "The choices taken, as text.")
      .def_readonly("ms", &Report::ms, "Milliseconds of the cycles.")
      .def_readonly("setup_ms", &Report::setup_ms, "Milliseconds of what came before the first cycle.")
      .def_property_readonly("cycles", &Report::cycles, "How many cycles there were.")
      .def_property_readonly("factor", &Report::mean_factor,
                             "By what the residual is multiplied in a cycle, on average.")
      .def_property_readonly("table", &table_of,
                             "A list of dicts, one a level and leg: level, leg, calls, ms, grid, gbs (GB/s), "
                             "share (of the time).")
      .def("__str__", [](const Report& r) { return r.text() + "\n" + r.table(); });
  py::class_<SolverObject>(m, "Solver")
      .def(py::init([](const Equation& e, const Plan& p) {
        return interruptible([&] { return std::make_unique<SolverObject>(e, p); });
      }))
      .def("set", &SolverObject::set, py::arg("name"), py::arg("value"))
      .def(
          "shape", [](const SolverObject& s, const std::string& name) { return s.solver.shape(name); },
          py::arg("name"))
      .def_property_readonly("equation", [](const SolverObject& s) { return s.solver.equation(); })
      .def(
          "solve",
          [](SolverObject& s, const py::object& f, const py::object& u, double relative, double absolute,
             int cycles, const std::string& norm) {
            return s.solve(
                f, u, {relative, absolute, cycles, choice("norm", norm, {gmg::Norm::rms, gmg::Norm::max})});
          },
          py::arg("f"), py::arg("u"), py::arg("relative"), py::arg("absolute"), py::arg("cycles"),
          py::arg("norm"))
      .def(
          "apply",
          [](SolverObject& s, const py::object& x, const py::object& y) {
            s.mapped(x, y, [&](auto from, auto to) { s.solver.apply(from, to); });
          },
          py::arg("x"), py::arg("y"))
      .def(
          "homogeneous",
          [](SolverObject& s, const py::object& x, const py::object& y) {
            s.mapped(x, y, [&](auto from, auto to) {
              const std::vector<double> all = s.solver.homogeneous(from);
              std::copy(all.begin(), all.end(), to.begin());
            });
          },
          py::arg("x"), py::arg("y"))
      .def(
          "precondition",
          [](SolverObject& s, const py::object& x, const py::object& y, int cycles) {
            s.mapped(x, y, [&](auto from, auto to) { s.solver.precondition(from, to, cycles); });
          },
          py::arg("x"), py::arg("y"), py::arg("cycles"))
      .def(
          "tune_plan",
          [](SolverObject& s, const py::object& f, double relative, double seconds,
             const std::string& database) {
            std::vector<py::object> kept;
            const std::span<double> from = elements(f, "f", s.cells(), false, kept);
            return interruptible([&] {
              const std::lock_guard lock(s.mutex);
              return s.solver.tune_plan(from, {.relative = relative}, seconds, database);
            });
          },
          py::arg("f"), py::arg("relative"), py::arg("seconds"), py::arg("database"))
      .def(
          "tune",
          [](SolverObject& s, double seconds, const std::string& database) {
            return interruptible([&] {
              const std::lock_guard lock(s.mutex);
              return s.solver.tune(seconds, database);
            });
          },
          py::arg("seconds"), py::arg("database"));
}

}  // namespace lift::python
