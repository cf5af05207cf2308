#include "python/kernel.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <functional>

#include "embed/plan.hpp"
#include "embed/program_signature.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "python/where.hpp"

namespace lift::python {
namespace {

Signature signature(const Program& p) { return signature_of(p, "a numpy array of", line_of(here())); }

/// Does it; errors then name the line of the script that makes the call.
template <class F>
void located(const Where& where, const F& f) {
  try {
    f();
  } catch (const UserError& e) {
    throw UserError(e.what() + line_of(where));
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string s;
  for (const std::int64_t n : shape) s += std::to_string(n) + ", ";
  if (shape.size() > 1) s.resize(s.size() - 2);
  return "(" + (shape.size() == 1 ? s.substr(0, s.size() - 1) : s) + ")";
}

}  // namespace

Kernel::Kernel(const Program& program, CompileOptions options)
    : program_(program),
      signature_(signature(program)),
      callable_(program, signature_, std::move(options), here()) {}

std::string Kernel::argument_text(std::size_t i) const {
  return program_.name + ": argument " + std::to_string(i + 1) + " (" + param_name(program_.arguments[i]) +
         ")";
}

std::vector<py::handle> Kernel::in_order(const py::args& arguments, const py::kwargs& named,
                                         py::object& out) const {
  std::vector<py::handle> all(program_.arguments.size());
  if (arguments.size() > all.size())
    throw UserError(description() + ": " + std::to_string(arguments.size()) +
                    " arguments are passed; pass arrays for results as out=");
  for (std::size_t i = 0; i < arguments.size(); ++i) all[i] = PyTuple_GET_ITEM(arguments.ptr(), i);
  for (const auto& [key, value] : named) {
    const std::string name = py::str(key);
    const auto it = std::find_if(program_.arguments.begin(), program_.arguments.end(),
                                 [&](const Expr& a) { return param_name(a) == name; });
    if (it != program_.arguments.end()) {
      py::handle& place = all[static_cast<std::size_t>(it - program_.arguments.begin())];
      if (place) throw UserError(description() + ": the argument '" + name + "' is passed twice");
      place = value;
    } else if (name == "out") {
      out = py::reinterpret_borrow<py::object>(value);
    } else {
      throw UserError(description() + ": there is no argument '" + name + "'");
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i]) throw UserError(argument_text(i) + " is missing; call " + description());
  return all;
}

void Kernel::take_out(const py::object& out, const Callable::Variant& v,
                      std::span<const ArgumentValue> values, std::vector<py::object>& results) const {
  std::vector<py::object> given;
  if (py::isinstance<py::tuple>(out))
    given = out.cast<std::vector<py::object>>();
  else if (!out.is_none())
    given = {out};
  if (given.size() > results.size() || (!given.empty() && given.size() != results.size()))
    throw UserError(program_.name + ": out has " + std::to_string(given.size()) + " arrays for " +
                    std::to_string(results.size()) +
                    " returned results; pass a tuple with one for each, or None");
  for (std::size_t r = 0; r < given.size(); ++r) {
    if (given[r].is_none()) continue;
    const auto what = [&] { return program_.name + ": out of result " + std::to_string(r + 1); };
    ArgumentKind kind = signature_.returned[r];
    if (kind.is_scalar()) throw UserError(what() + " is a number, which is returned; pass None there");
    kind.writable = true;
    const Type type =
        array(std::vector<Nat>(static_cast<std::size_t>(kind.rank), Nat::size("n")), kind.element);
    const ArgumentValue to = array_value(given[r], kind, what, type, false);
    const std::vector<std::int64_t> shape = Callable::returned_shape(v, r);
    if (!std::equal(shape.begin(), shape.end(), to.shape.begin()))
      throw UserError(what() + " has the shape " +
                      shape_text({to.shape.begin(), to.shape.begin() + to.rank}) + ", but the result " +
                      shape_text(shape) + "; pass an array of that shape");
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!signature_.arguments[i].is_scalar() &&
          overlap(to, size_of(kind.element), values[i], size_of(signature_.arguments[i].element)))
        throw UserError(what() + " shares memory with argument " + std::to_string(i + 1) +
                        "; pass separate arrays, or write the expression as an update");
    results[r] = given[r];
  }
}

py::object Kernel::operator()(const py::args& arguments, const py::kwargs& named) const {
  const std::size_t n = signature_.arguments.size(), m = signature_.returned.size();
  std::vector<ArgumentValue> values(n);
  std::vector<Number> numbers(n + m);
  std::vector<py::object> results(m);
  std::vector<void*> to(m);
  const Where where = here();
  py::object out = py::none();
  located(where, [&] {
    const std::vector<py::handle> all = in_order(arguments, named, out);
    for (std::size_t i = 0; i < n; ++i) {
      const ArgumentKind& kind = signature_.arguments[i];
      const auto what = [&] { return argument_text(i); };
      if (kind.is_scalar())
        numbers[i] = number_value(all[i], kind.element, what), values[i].data = &numbers[i];
      else
        values[i] = array_value(all[i], kind, what, program_.arguments[i].type());
    }
  });
  const Callable::Variant* v = nullptr;
  {
    const py::gil_scoped_release released;
    v = &callable_.variant(values, where);
  }
  if (!out.is_none()) located(where, [&] { take_out(out, *v, values, results); });
  for (std::size_t r = 0; r < m; ++r) {
    if (signature_.returned[r].is_scalar()) {
      to[r] = &numbers[n + r];
      continue;
    }
    if (!results[r]) results[r] = new_array(signature_.returned[r].element, Callable::returned_shape(*v, r));
    to[r] = py::reinterpret_borrow<py::array>(results[r]).mutable_data();
  }
  {
    const py::gil_scoped_release released;
    callable_.run(*v, values, to, where);
  }
  for (std::size_t r = 0; r < m; ++r)
    if (signature_.returned[r].is_scalar())
      results[r] = number_object(numbers[n + r], signature_.returned[r].element);
  if (m == 0) return py::none();
  if (m == 1) return std::move(results[0]);
  py::tuple several(m);
  for (std::size_t r = 0; r < m; ++r) several[r] = results[r];
  return several;
}

const Callable::Variant& Kernel::variant(const Sizes& sizes) const {
  const Where where = here();
  const py::gil_scoped_release released;
  return callable_.variant(sizes, where);
}

std::string Kernel::description() const {
  std::string s;
  for (const Expr& a : program_.arguments)
    s += (s.empty() ? "" : ", ") + param_name(a) + ": " + a.type().str();
  return program_.name + "(" + s + ")";
}

void bind_kernels(py::module_& m) {
  py::class_<Kernel>(m, "Kernel", "A compiled program, called with numpy arrays.")
      .def("__call__", &Kernel::operator())
      .def(
          "prepare", [](const Kernel& k, const Sizes& sizes) { k.variant(sizes); },
          py::arg("sizes") = Sizes{},
          "Compiles for these sizes now, rather than at the first call that has them.")
      .def(
          "source", [](const Kernel& k, const Sizes& sizes) { return Callable::source(k.variant(sizes)); },
          py::arg("sizes") = Sizes{}, "The C text for these sizes.")
      .def(
          "derivation",
          [](const Kernel& k, const Sizes& sizes) { return str(Callable::derivation(k.variant(sizes))); },
          py::arg("sizes") = Sizes{}, "How it is computed at these sizes, a step a line.")
      .def(
          "origin", [](const Kernel& k, const Sizes& sizes) { return Callable::origin(k.variant(sizes)); },
          py::arg("sizes") = Sizes{},
          "With tuned=True, what was taken from the database, in a line; '' when nothing was known.")
      .def("__repr__", [](const Kernel& k) { return "<liftgen kernel " + k.description() + ">"; });
  m.def(
      "compile",
      [](const ProgramObject& p, const Sizes& sizes, bool symbolic,
         const std::optional<std::string>& derivation, bool tuned, const std::string& database) {
        CompileOptions options;
        options.sizes = sizes, options.symbolic = symbolic, options.tuned = tuned,
        options.database = database;
        if (derivation) options.derivation = parse_derivation(*derivation);
        return Kernel(p.program, std::move(options));
      },
      py::arg("program"), py::kw_only(), py::arg("sizes") = Sizes{}, py::arg("symbolic") = false,
      py::arg("derivation") = py::none(), py::arg("tuned") = false, py::arg("database") = "");
  m.def("new_array",
        [](const std::vector<std::int64_t>& shape, const Type& t) { return new_array(t.scalar(), shape); });
}

}  // namespace lift::python
