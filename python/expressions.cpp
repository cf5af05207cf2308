#include <pybind11/functional.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/known_number.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/words.hpp"
#include "python/bindings.hpp"
#include "python/where.hpp"

namespace lift::python {
namespace {

using Nats = std::vector<Nat>;
using Exprs = std::vector<Expr>;

/// A line to be named; the running one where none was noted before.
using Noted = std::optional<Where>;
Where line(const Noted& noted) { return noted ? *noted : here(); }

/// An operand: an expression, or a number that takes the other operand's type.
Operand operand(const py::handle& x, const Where& where) {
  if (py::isinstance<Expr>(x)) return {x.cast<Expr>(), where};
  if (py::isinstance<Nat>(x)) return {nat_value(x.cast<Nat>()), where};
  if (PyBool_Check(x.ptr()) || !PyNumber_Check(x.ptr()))
    throw UserError("an operand is a Python " +
                    std::string(py::str(py::type::handle_of(x).attr("__name__"))) +
                    "; expressions and numbers go together, and comparisons for equality are lift.eq(a, b)" +
                    line_of(where));
  return {x.cast<double>(), where};
}

Op op_of(const std::string& name) {
  static const auto& signs = *new std::map<std::string, Op>{
      {"+", Op::Add}, {"-", Op::Sub}, {"*", Op::Mul},  {"/", Op::Div}, {"%", Op::Mod},
      {"==", Op::Eq}, {"!=", Op::Ne}, {"<", Op::Lt},   {"<=", Op::Le}, {"&", Op::And},
      {"|", Op::Or},  {"!", Op::Not}, {"neg", Op::Neg}};
  if (const auto it = signs.find(name); it != signs.end()) return it->second;
  if (const auto known = primitive(name)) return known->op;
  throw UserError("there is no operation '" + name + "'");
}

Expr of_operands(const std::string& op, const py::handle& a, const py::handle& b, const Where& where) {
  const Operand x = operand(a, where), y = operand(b, where);
  const bool expressions = static_cast<bool>(x.e) || static_cast<bool>(y.e);
  if (!expressions)
    throw UserError(op + ": both operands are numbers; compute with them in Python" + line_of(where));
  return binary(op_of(op), x, y, where);
}

std::vector<Expr> components(const Expr& e) {
  std::vector<Expr> parts;
  for (std::size_t i = 0; i < e.type().parts().size(); ++i) parts.push_back(detail::component(e, i));
  return parts;
}

void bind_nat(py::module_& m) {
  py::class_<Nat>(m, "Nat", "A length: a number, a size variable, or a term of these.")
      .def(py::init<std::int64_t>(), py::arg("number"))
      .def(
          "__add__", [](const Nat& a, const Nat& b) { return a + b; }, py::is_operator())
      .def(
          "__radd__", [](const Nat& a, const Nat& b) { return b + a; }, py::is_operator())
      .def(
          "__sub__", [](const Nat& a, const Nat& b) { return a - b; }, py::is_operator())
      .def(
          "__rsub__", [](const Nat& a, const Nat& b) { return b - a; }, py::is_operator())
      .def(
          "__mul__", [](const Nat& a, const Nat& b) { return a * b; }, py::is_operator())
      .def(
          "__rmul__", [](const Nat& a, const Nat& b) { return b * a; }, py::is_operator())
      .def(
          "__floordiv__", [](const Nat& a, const Nat& b) { return floordiv(a, b); }, py::is_operator())
      .def(
          "__mod__", [](const Nat& a, const Nat& b) { return mod(a, b); }, py::is_operator())
      .def(
          "__eq__", [](const Nat& a, const Nat& b) { return a == b; }, py::is_operator())
      .def("__hash__", &Nat::id)
      .def_property_readonly("number", &Nat::constant, "The number, if it is one; None otherwise.")
      .def("__repr__", &Nat::str);
  py::implicitly_convertible<py::int_, Nat>();
  m.def(
      "size",
      [](const std::string& name, std::int64_t lower, std::int64_t modulus, std::int64_t residue) {
        return Nat::size(name, lower, modulus, residue);
      },
      py::arg("name"), py::arg("lower") = 1, py::arg("modulus") = 1, py::arg("residue") = 0);
}

void bind_type(py::module_& m) {
  py::class_<Type>(m, "Type", "A type: a scalar, a tuple, an array with its lengths, a function.")
      .def_property_readonly("is_array", &Type::is_array, "Whether it is n.a.")
      .def_property_readonly("is_tuple", &Type::is_tuple, "Whether it is {a, b, ...}.")
      .def_property_readonly("is_scalar", &Type::is_scalar,
                             "Whether it is f32, f64, i32, i64, u8 or boolean.")
      .def_property_readonly("is_function", &Type::is_function, "Whether it is a -> b.")
      .def_property_readonly(
          "rank", [](const Type& t) { return rank_of(t); }, "How many dimensions it has; 0: it is no array.")
      .def_property_readonly(
          "shape", [](const Type& t) { return shape_of(t); }, "Its lengths, a list of Nat, outermost first.")
      .def(
          "element", [](const Type& t, int rank) { return element_of(t, rank); }, py::arg("rank") = 1,
          "The type of an element below the outer `rank` dimensions: of n.m.a for 1 it is m.a. UserError: it "
          "has fewer dimensions.")
      .def(
          "__eq__", [](const Type& a, const Type& b) { return a == b; }, py::is_operator())
      .def("__hash__", &Type::id)
      .def("__repr__", &Type::str);
  for (const Scalar s : kScalarTypes) m.attr(s == boolean ? "boolean" : text(s)) = Type(s);
  m.def(
      "array_type", [](const Nats& shape, const Type& element) { return array(shape, element); },
      py::arg("shape"), py::arg("element"));
  m.def("tuple_type", &Type::tuple, py::arg("parts"));
  m.def(
      "type_parts", [](const Type& t) { return std::vector<Type>(t.parts().begin(), t.parts().end()); },
      py::arg("t"));
}

void bind_expr(py::module_& m) {
  py::class_<Where>(m, "Where", "A line of a script.").def("__repr__", [](const Where& w) {
    return line_of(w).substr(1);
  });
  m.def("here", &here);

  py::class_<Expr> expr(m, "Expr", "An expression: immutable, and typed when it is made.");
  expr.def_property_readonly("type", &Expr::type, "Its Type, with shapes: n.m.f32.")
      .def_property_readonly("id", &Expr::id, "A number that equal expressions share, of this process.")
      .def_property_readonly(
          "is_function", [](const Expr& e) { return e.type().is_function(); }, "Whether it can be applied.")
      .def(
          "__getitem__", [](const Expr& e, const Nat& i) { return at({i}, e, here()); }, py::arg("position"))
      .def(
          "__getitem__",
          [](const Expr& e, const Expr& i) { return gather(i, e, Boundary::undefined, 0, here()); },
          py::arg("position"))
      .def(
          "__getitem__", [](const Expr& e, const Nats& i) { return at(i, e, here()); }, py::arg("position"))
      .def(
          "__getitem__",
          [](const Expr& e, const std::vector<Expr>& i) {
            return gather(i, e, Boundary::undefined, 0, here());
          },
          py::arg("position"))
      .def("__hash__", &Expr::id)
      .def("__repr__", [](const Expr& e) { return str(e); })
      .def("__str__", [](const Expr& e) { return pretty(e); });
  for (const char* const op : {"+", "-", "*", "/", "%", "<", "<=", "&"}) {
    static const auto& names =
        *new std::map<std::string, std::string>{{"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "truediv"},
                                                {"%", "mod"}, {"<", "lt"},  {"<=", "le"}, {"&", "and"}};
    const std::string sign = op, name = names.at(op);
    expr.def(("__" + name + "__").c_str(), [sign](const Expr& a, const py::object& b) {
      return of_operands(sign, py::cast(a), b, here());
    });
    if (sign == "<" || sign == "<=")  // Python asks for a > b where it has b < a
      expr.def(sign == "<" ? "__gt__" : "__ge__", [sign](const Expr& a, const py::object& b) {
        return of_operands(sign, b, py::cast(a), here());
      });
    else
      expr.def(("__r" + name + "__").c_str(), [sign](const Expr& a, const py::object& b) {
        return of_operands(sign, b, py::cast(a), here());
      });
  }
  expr.def("__neg__", [](const Expr& a) { return unary(Op::Neg, a, here()); })
      .def("__invert__", [](const Expr& a) { return unary(Op::Not, a, here()); })
      .def("__abs__", [](const Expr& a) { return unary(Op::Abs, a, here()); });
  m.def(
      "same", [](const Expr& a, const Expr& b) { return a == b; }, py::arg("a"), py::arg("b"));
  m.def("components", components, py::arg("e"));
  m.def(
      "origin", [](const Expr& e) { return origin(e); }, py::arg("e"));
}

void bind_functions(py::module_& m) {
  m.def(
      "param", [](const std::string& name, const Type& t) { return param(name, t); }, py::arg("name"),
      py::arg("type"));
  m.def("index_param", &index_param, py::arg("name"), py::arg("lower"), py::arg("upper"));
  m.def("param_name", &param_name, py::arg("e"));
  m.def("params_of", &params_of, py::arg("e"));
  m.def(
      "instantiate", [](const Expr& f, const Exprs& arguments) { return instantiate(f, arguments); },
      py::arg("f"), py::arg("arguments"));
  m.def("fresh_param", &fresh_param, py::arg("hint"), py::arg("type"));
  m.def(
      "parameter_types", [](const Expr& f) { return parameter_types(f); }, py::arg("f"));
  m.def(
      "function", [](const Exprs& p, const Expr& body, const Noted& w) { return lambda(p, body, line(w)); },
      py::arg("parameters"), py::arg("body"), py::arg("where"));
  m.def(
      "apply", [](const Expr& f, const Exprs& xs, const Noted& w) { return apply(f, xs, line(w)); },
      py::arg("f"), py::arg("arguments"), py::arg("where"));
  m.def(
      "compose", [](const Expr& f, const Expr& g, const Noted& w) { return compose(f, g, line(w)); },
      py::arg("f"), py::arg("g"), py::arg("where"));
  m.def(
      "let",
      [](const Expr& value, const std::function<Expr(Expr)>& body, const Noted& w) {
        return let(value, body, line(w));
      },
      py::arg("value"), py::arg("body"), py::arg("where"));
}

void bind_arrays(py::module_& m) {
  m.def(
      "map",
      [](int rank, const Expr& f, const Expr& xs, const Noted& w) {
        return map_with(Op::Map, rank, f, xs, {}, line(w));
      },
      py::arg("rank"), py::arg("f"), py::arg("xs"), py::arg("where"));
  m.def(
      "reduce",
      [](const Expr& f, const Expr& init, const Expr& xs, const Noted& w) {
        return reduce(f, init, xs, line(w));
      },
      py::arg("f"), py::arg("init"), py::arg("xs"), py::arg("where"));
  m.def(
      "scan",
      [](const Expr& f, const Expr& init, const Expr& xs, const Noted& w) {
        return scan(f, init, xs, line(w));
      },
      py::arg("f"), py::arg("init"), py::arg("xs"), py::arg("where"));
  m.def(
      "scan_back",
      [](const Expr& f, const Expr& init, const Expr& xs, const Noted& w) {
        return scan_back(f, init, xs, line(w));
      },
      py::arg("f"), py::arg("init"), py::arg("xs"), py::arg("where"));
  m.def(
      "iterate",
      [](const Nat& times, const Expr& f, const Expr& x, const Noted& w) {
        return iterate(times, f, x, line(w));
      },
      py::arg("times"), py::arg("f"), py::arg("x"), py::arg("where"));
  m.def(
      "iterate",
      [](const Expr& times, const Expr& f, const Expr& x, const Noted& w) {
        return iterate(times, f, x, line(w));
      },
      py::arg("times"), py::arg("f"), py::arg("x"), py::arg("where"));
  m.def(
      "zip", [](int rank, const Exprs& xs, const Noted& w) { return zip_n(rank, xs, line(w)); },
      py::arg("rank"), py::arg("arrays"), py::arg("where"));
  m.def(
      "unzip", [](int rank, const Expr& xs, const Noted& w) { return unzip_n(rank, xs, line(w)); },
      py::arg("rank"), py::arg("xs"), py::arg("where"));
  m.def(
      "tuple", [](const Exprs& parts, const Noted& w) { return tuple(parts, line(w)); }, py::arg("parts"),
      py::arg("where"));
  m.def(
      "get", [](int i, const Expr& t, const Noted& w) { return get(i, t, line(w)); }, py::arg("i"),
      py::arg("t"), py::arg("where"));
  m.def(
      "at", [](const Nats& i, const Expr& xs, const Noted& w) { return at(i, xs, line(w)); },
      py::arg("position"), py::arg("xs"), py::arg("where"));
  m.def(
      "split", [](const Nats& k, const Expr& xs, const Noted& w) { return split(k, xs, line(w)); },
      py::arg("k"), py::arg("xs"), py::arg("where"));
  m.def(
      "join", [](int rank, const Expr& xs, const Noted& w) { return join_n(rank, xs, line(w)); },
      py::arg("rank"), py::arg("xs"), py::arg("where"));
  m.def(
      "slide",
      [](const Nats& sizes, const Nats& steps, const Expr& xs, const Noted& w) {
        return slide(sizes, steps, xs, line(w));
      },
      py::arg("size"), py::arg("step"), py::arg("xs"), py::arg("where"));
  py::enum_<Boundary> boundary(
      m, "Boundary",
      "What lies outside an array: lift.clamp and its kin, for lift.pad; `value` is its number.");
  for (const Boundary b : {Boundary::clamp, Boundary::wrap, Boundary::mirror, Boundary::reflect,
                           Boundary::odd, Boundary::constant, Boundary::undefined})
    boundary.value(text(b), b);
  m.def(
      "pad",
      [](const Nats& low, const Nats& high, Boundary b, const Expr& xs, const Expr& value, const Noted& w) {
        return pad(low, high, b, xs, value, line(w));
      },
      py::arg("low"), py::arg("high"), py::arg("boundary"), py::arg("xs"), py::arg("value"),
      py::arg("where"));
  m.def(
      "pad",
      [](const Nats& low, const Nats& high, Boundary b, const Expr& xs, double value, const Noted& w) {
        return pad(low, high, b, xs, value, line(w));
      },
      py::arg("low"), py::arg("high"), py::arg("boundary"), py::arg("xs"), py::arg("value"),
      py::arg("where"));
  m.def(
      "gather",
      [](const Exprs& at, Boundary b, const Expr& xs, const Expr& value, const Noted& w) {
        return gather(at, xs, b, value, line(w));
      },
      py::arg("positions"), py::arg("boundary"), py::arg("xs"), py::arg("value"), py::arg("where"));
  m.def(
      "gather",
      [](const Exprs& at, Boundary b, const Expr& xs, double value, const Noted& w) {
        return gather(at, xs, b, value, line(w));
      },
      py::arg("positions"), py::arg("boundary"), py::arg("xs"), py::arg("value"), py::arg("where"));
  m.def(
      "drop",
      [](const Nats& low, const Nats& high, const Expr& xs, const Noted& w) {
        return drop(low, high, xs, line(w));
      },
      py::arg("low"), py::arg("high"), py::arg("xs"), py::arg("where"));
  m.def(
      "transpose",
      [](const std::vector<int>& order, const Expr& xs, const Noted& w) {
        return transpose(order, xs, line(w));
      },
      py::arg("order"), py::arg("xs"), py::arg("where"));
  m.def(
      "reverse", [](int rank, const Expr& xs, const Noted& w) { return reverse_n(rank, xs, line(w)); },
      py::arg("rank"), py::arg("xs"), py::arg("where"));
  m.def(
      "generate",
      [](const Nats& shape, const Expr& f, const Noted& w) { return generate(shape, f, line(w)); },
      py::arg("shape"), py::arg("f"), py::arg("where"));
  m.def(
      "positions",
      [](const Nats& shape, const Nats& offsets, const Noted& w) {
        return positions(shape, offsets, line(w));
      },
      py::arg("shape"), py::arg("offsets"), py::arg("where"));
  m.def(
      "concat", [](const Expr& a, const Expr& b, const Noted& w) { return concat(a, b, line(w)); },
      py::arg("a"), py::arg("b"), py::arg("where"));
  m.def(
      "interleave", [](const Exprs& xs, const Noted& w) { return interleave(xs, line(w)); },
      py::arg("arrays"), py::arg("where"));
  m.def(
      "update",
      [](const Expr& base, const Nats& offsets, const Expr& block, const Noted& w) {
        return update(base, offsets, block, line(w));
      },
      py::arg("base"), py::arg("offsets"), py::arg("block"), py::arg("where"));
}

void bind_scalars(py::module_& m) {
  m.def(
      "literal", [](double v, const Type& t) { return literal(v, t.scalar()); }, py::arg("value"),
      py::arg("type"));
  m.def("nat_value", &nat_value, py::arg("n"));
  m.def(
      "unary",
      [](const std::string& op, const Expr& a, const Noted& w) { return unary(op_of(op), a, line(w)); },
      py::arg("name"), py::arg("a"), py::arg("where"));
  m.def(
      "binary",
      [](const std::string& op, const py::object& a, const py::object& b, const Noted& w) {
        return of_operands(op, a, b, line(w));
      },
      py::arg("operation"), py::arg("a"), py::arg("b"), py::arg("where"));
  m.def(
      "select",
      [](const Expr& c, const py::object& a, const py::object& b, const Noted& w) {
        const Operand x = operand(a, line(w)), y = operand(b, line(w));
        const auto beside = [](const Operand& number, const Expr& other) {  // not promoted, as a sum is
          if (number.e) return number.e;
          const bool byte = other ? other.type() == Type(u8) : false;
          return byte ? literal(number.number, u8) : number.as(other);
        };
        return select(c, beside(x, y.e ? y.e : x.e), beside(y, x.e ? x.e : y.e), line(w));
      },
      py::arg("c"), py::arg("a"), py::arg("b"), py::arg("where"));
  m.def(
      "cast", [](const Type& t, const Expr& a, const Noted& w) { return cast(t.scalar(), a, line(w)); },
      py::arg("t"), py::arg("a"), py::arg("where"));
  py::class_<UserFun>(m, "UserFun", "A scalar function with a C body.")
      .def("call", [](const UserFun& f, const Exprs& xs, const Noted& w) { return f.call(xs, line(w)); });
  m.def(
      "user_fun",
      [](const std::string& name, const std::vector<std::pair<std::string, Type>>& parameters,
         const Type& result, const std::string& body) {
        std::vector<UserParameter> all;
        for (const auto& [p, t] : parameters) all.push_back({p, t.scalar()});
        // What it means to the interpreter is compiled where something is explored, see give_meanings.
        return UserFun(name, std::move(all), result.scalar(), body,
                       [name](std::span<const double>) -> double {
                         throw UserError("user_fun " + name + ": not compiled for the interpreter");
                       });
      },
      py::arg("name"), py::arg("parameters"), py::arg("result"), py::arg("body"));
}

}  // namespace

void bind_expressions(py::module_& m) {
  bind_nat(m);
  bind_type(m);
  bind_expr(m);
  bind_functions(m);
  bind_arrays(m);
  bind_scalars(m);
}

}  // namespace lift::python
