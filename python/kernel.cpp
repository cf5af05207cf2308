#include "python/kernel.hpp"
#include "python/gil.hpp"

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

/// What is known of a call while it goes on.
struct Kernel::Call {
  Where where;
  std::vector<ArgumentValue> values;
  std::vector<Number> numbers;        ///< of arguments, then of results
  std::vector<py::object> kept = {};  ///< that owns what is passed
  py::object out = py::none();
  const Callable* callable = nullptr;
  const Callable::Variant* variant = nullptr;
  bool resident = false;  ///< all arrays are on the device
  std::vector<py::object> results = {};
  std::vector<void*> to = {};
};

Kernel::Kernel(const Program& program, CompileOptions options)
    : program_(program),
      signature_(signature(program)),
      options_(options),
      callable_(program, signature_, std::move(options), here()) {}

const Callable& Kernel::resident() const {
  if (resident_) return *resident_;
  Signature s = signature_;
  for (ArgumentKind& kind : s.arguments) kind.on_device = !kind.is_scalar();
  for (ArgumentKind& kind : s.returned) {
    kind.on_device = true;
    if (kind.is_scalar()) kind.rank = 1;
  }
  CompileOptions options = options_;
  options.device = callable_.device();
  resident_ = std::make_unique<Callable>(program_, std::move(s), std::move(options), here());
  return *resident_;
}

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

Kernel::Call Kernel::taken(const py::args& arguments, const py::kwargs& named) const {
  const std::size_t n = signature_.arguments.size(), m = signature_.returned.size();
  Call call{here(), std::vector<ArgumentValue>(n), std::vector<Number>(n + m)};
  std::size_t on_host = 0, on_device = 0;
  located(call.where, [&] {
    const std::vector<py::handle> all = in_order(arguments, named, call.out);
    for (std::size_t i = 0; i < n; ++i) {
      const ArgumentKind& kind = signature_.arguments[i];
      const auto what = [&] { return argument_text(i); };
      const Type type = program_.arguments[i].type();
      if (kind.is_scalar()) {
        call.numbers[i] = number_value(all[i], kind.element, what), call.values[i].data = &call.numbers[i];
      } else if (!py::isinstance<py::array>(all[i]) && py::isinstance<DeviceArray>(all[i])) {
        const DeviceArray& a = all[i].cast<const DeviceArray&>();
        if (!callable_.device())
          throw UserError(what() + " is on " + a.memory->device().name() +
                          ", but the kernel runs on the processors; compile it with device=a.device, or pass "
                          "a.download()");
        call.values[i] = device_value(a, kind, what, type);
        ++on_device;
      } else {
        call.values[i] = array_value(all[i], kind, what, type, call.kept);
        ++on_host;
      }
    }
  });
  call.resident = on_device > 0 && on_host == 0;
  call.callable = call.resident ? &resident() : &callable_;
  const Released released;
  call.variant = &call.callable->variant(call.values, call.where);
  return call;
}

void* Kernel::take_host_out(Call& call, std::size_t r, const std::vector<std::int64_t>& shape) const {
  const auto what = [&] { return program_.name + ": out of result " + std::to_string(r + 1); };
  ArgumentKind kind = signature_.returned[r];
  kind.writable = true;
  const Type type =
      array(std::vector<Nat>(static_cast<std::size_t>(kind.rank), Nat::size("n")), kind.element);
  const ArgumentValue to = array_value(call.results[r], kind, what, type, call.kept, false);
  if (!std::equal(shape.begin(), shape.end(), to.shape.begin()))
    throw UserError(what() + " has the shape " + shape_text({to.shape.begin(), to.shape.begin() + to.rank}) +
                    ", but the result " + shape_text(shape) + "; pass an array of that shape");
  for (std::size_t i = 0; i < call.values.size(); ++i)
    if (!signature_.arguments[i].is_scalar() && !call.values[i].on_device &&
        overlap(to, size_of(kind.element), call.values[i], size_of(signature_.arguments[i].element)))
      throw UserError(what() + " shares memory with argument " + std::to_string(i + 1) +
                      "; pass separate arrays, or write the expression as an update");
  return to.data;
}

void* Kernel::take_device_out(Call& call, std::size_t r, const std::vector<std::int64_t>& shape) const {
  const auto what = [&] { return program_.name + ": out of result " + std::to_string(r + 1); };
  if (!py::isinstance<DeviceArray>(call.results[r]))
    throw UserError(what() + " is an array of the host, but all arguments are on " +
                    callable_.device()->name() + "; pass a lift.device_array, or None");
  const DeviceArray& to = call.results[r].cast<const DeviceArray&>();
  if (!(to.memory->device() == *callable_.device()))
    throw UserError(what() + " is on " + to.memory->device().name() + ", but the kernel runs on " +
                    callable_.device()->name() + "; pass an array on the kernel's device");
  if (to.element != signature_.returned[r].element || to.shape != shape)
    throw UserError(what() + " is an array of " + numpy_name(to.element) + " of the shape " +
                    shape_text(to.shape) + ", but the result one of " +
                    numpy_name(signature_.returned[r].element) + " of the shape " + shape_text(shape) +
                    "; pass such an array");
  for (std::size_t i = 0; i < call.values.size(); ++i)
    if (call.values[i].on_device == to.memory.get())
      throw UserError(what() + " is argument " + std::to_string(i + 1) +
                      "; pass separate arrays, or write the expression as an update");
  return to.memory.get();
}

void Kernel::take_out(Call& call) const {
  if (call.out.is_none()) return;
  std::vector<py::object> given;
  if (py::isinstance<py::tuple>(call.out))
    given = call.out.cast<std::vector<py::object>>();
  else
    given = {call.out};
  if (given.size() != call.results.size())
    throw UserError(program_.name + ": out has " + std::to_string(given.size()) + " arrays for " +
                    std::to_string(call.results.size()) +
                    " returned results; pass a tuple with one for each, or None");
  for (std::size_t r = 0; r < given.size(); ++r) {
    if (given[r].is_none()) continue;
    if (signature_.returned[r].is_scalar())
      throw UserError(program_.name + ": out of result " + std::to_string(r + 1) +
                      " is a number, which is returned; pass None there");
    call.results[r] = given[r];
    const std::vector<std::int64_t> shape = Callable::returned_shape(*call.variant, r);
    call.to[r] = call.resident ? take_device_out(call, r, shape) : take_host_out(call, r, shape);
  }
}

void Kernel::make_room(Call& call) const {
  const std::size_t n = signature_.arguments.size(), m = signature_.returned.size();
  call.results.resize(m), call.to.resize(m);
  located(call.where, [&] { take_out(call); });
  for (std::size_t r = 0; r < m; ++r) {
    if (call.results[r]) continue;
    const ArgumentKind& kind = signature_.returned[r];
    if (kind.is_scalar() && !call.resident) {
      call.to[r] = &call.numbers[n + r];
    } else if (call.resident) {
      DeviceArray a =
          DeviceArray::made(*callable_.device(), kind.element, Callable::returned_shape(*call.variant, r));
      call.to[r] = a.memory.get();
      call.results[r] = py::cast(std::move(a));
    } else {
      const py::array a = new_array(kind.element, Callable::returned_shape(*call.variant, r));
      call.to[r] = const_cast<void*>(a.data());
      call.results[r] = a;
    }
  }
}

py::object Kernel::results_of(Call& call) {
  const std::size_t m = call.results.size();
  if (m == 0) return py::none();
  if (m == 1) return std::move(call.results[0]);
  py::tuple several(m);
  for (std::size_t r = 0; r < m; ++r) several[r] = call.results[r];
  return several;
}

py::object Kernel::operator()(const py::args& arguments, const py::kwargs& named) const {
  Call call = taken(arguments, named);
  make_room(call);
  {
    const Released released;
    call.callable->run(*call.variant, call.values, call.to, call.where);
  }
  for (std::size_t r = 0; r < call.results.size(); ++r) {
    const ArgumentKind& kind = signature_.returned[r];
    if (!kind.is_scalar()) continue;
    Number& number = call.numbers[signature_.arguments.size() + r];
    if (call.resident) {
      ArgumentValue one;
      one.data = &number, one.rank = 1, one.shape[0] = one.strides[0] = 1;
      const Released released;
      static_cast<DeviceMemory*>(call.to[r])->download(one);
    }
    call.results[r] = number_object(number, kind.element);
  }
  return results_of(call);
}

py::object Kernel::enqueue(QueueObject& queue, const py::args& arguments, const py::kwargs& named) const {
  Call call = taken(arguments, named);
  if (!call.resident)
    throw UserError(program_.name +
                    (callable_.device()
                         ? ": a queue works on arrays of its device; pass each as a lift.device_array"
                         : ": the kernel runs on the processors, without a queue; call it, or "
                           "compile it with device=queue.device") +
                    line_of(call.where));
  make_room(call);
  {
    const Released released;
    call.callable->ask(*call.variant, call.values, call.to, queue.queue(), call.where);
  }
  return results_of(call);
}

const Callable::Variant& Kernel::variant(const Sizes& sizes) const {
  const Where where = here();
  const Released released;
  return callable_.variant(sizes, where);
}

py::tuple Kernel::made_of() const {
  py::dict options;
  options["sizes"] = options_.sizes, options["symbolic"] = options_.symbolic;
  options["derivation"] = options_.derivation ? py::object(py::str(str(*options_.derivation))) : py::none();
  options["tuned"] = options_.tuned, options["database"] = options_.database;
  options["device"] = options_.device, options["or_default"] = options_.or_default;
  return py::make_tuple(ProgramObject{program_}, options);
}

std::string Kernel::description() const {
  std::string s;
  for (const Expr& a : program_.arguments)
    s += (s.empty() ? "" : ", ") + param_name(a) + ": " + a.type().str();
  return program_.name + "(" + s + ")";
}

void bind_kernels(py::module_& m) {
  py::class_<Kernel>(m, "Kernel",
                     "A program as a function of arrays: kernel(a, b, out=c).\n\nArguments in their order or "
                     "by name, arrays of the shapes and types of the program's (see repr); numbers are "
                     "Python's.\nResults are returned, several as a tuple; out= is an array for the result, "
                     "or a tuple with an array or None for each.\nNothing is copied or converted. UserError: "
                     "what does not fit, with the remedy. Calls from several threads are safe.")
      .def("__call__", &Kernel::operator())
      .def("enqueue", &Kernel::enqueue, py::arg("queue"),
           "Has it done in a `queue` of the kernel's device, with device arrays as arguments, and returns at "
           "once. The results are "
           "device arrays; those of numbers have one element. UserError: an array of the host, a kernel of "
           "the processors.")
      .def_property_readonly(
          "device", [](const Kernel& k) { return k.callable().device(); },
          "The lift.Device that it runs on; None: the processors.")
      .def(
          "prepare", [](const Kernel& k, const Sizes& sizes) { k.variant(sizes); },
          py::arg("sizes") = Sizes{},
          "Compiles for these `sizes` (numbers by name) now, rather than at the first call that has them. "
          "UserError: a size is missing.")
      .def(
          "source", [](const Kernel& k, const Sizes& sizes) { return Callable::source(k.variant(sizes)); },
          py::arg("sizes") = Sizes{}, "The C text for these `sizes` (numbers by name).")
      .def(
          "derivation",
          [](const Kernel& k, const Sizes& sizes) { return str(Callable::derivation(k.variant(sizes))); },
          py::arg("sizes") = Sizes{},
          "How it is computed at these `sizes` (numbers by name), a step a line: for "
          "compile(derivation=...).")
      .def(
          "origin", [](const Kernel& k, const Sizes& sizes) { return Callable::origin(k.variant(sizes)); },
          py::arg("sizes") = Sizes{},
          "With tuned=True, what was taken from the database for these `sizes` (numbers by name), in a line; "
          "'' when nothing was known.")
      .def("_options", &Kernel::made_of, "What `compile` made it of: the program, and its options.")
      .def("__repr__", [](const Kernel& k) { return "<liftgen kernel " + k.description() + ">"; });
  m.def(
      "compile",
      [](const ProgramObject& p, const Sizes& sizes, bool symbolic,
         const std::optional<std::string>& derivation, bool tuned, const std::string& database,
         const std::optional<Device>& device, bool or_default) {
        CompileOptions options;
        options.or_default = or_default;
        options.sizes = sizes, options.symbolic = symbolic, options.tuned = tuned,
        options.database = database, options.device = device;
        if (derivation) options.derivation = parse_derivation(*derivation);
        return Kernel(p.program, std::move(options));
      },
      py::arg("program"), py::kw_only(), py::arg("sizes") = Sizes{}, py::arg("symbolic") = false,
      py::arg("derivation") = py::none(), py::arg("tuned") = false, py::arg("database") = "",
      py::arg("device") = py::none(), py::arg("or_default") = false);
  m.def(
      "new_array",
      [](const std::vector<std::int64_t>& shape, const Type& t) {
        return new_array(t.scalar(), shape, true);
      },
      py::arg("shape"), py::arg("dtype"));
}

}  // namespace lift::python
