#include "embed/plan.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/verify.hpp"
#include "ir/reserved_words.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/analysis/written_element.hpp"

namespace lift {
namespace {

Type scalar_of(const Type& t) { return t.is_array() ? element_of(t) : t; }

void check_kind(const std::string& what, const Type& t, const ArgumentKind& kind, const std::string& where) {
  const std::string head =
      what + " is " + t.str() + " in the expression, but " + kind.cpp + " in the signature";
  const Type element = scalar_of(t);
  if (!element.is_scalar())
    throw UserError(what + " is " + t.str() +
                    "; arguments and results are numbers and arrays of numbers: unzip tuples" + where);
  if (kind.is_scalar() != t.is_scalar())
    throw UserError(head + "; write " +
                    (t.is_scalar() ? "a number" : "a std::vector, a std::span or a lift::array_view") +
                    " there" + where);
  if (element.scalar() != kind.element) {
    const char* cpp = element.scalar() == f32   ? "float"
                      : element.scalar() == f64 ? "double"
                      : element.scalar() == i64 ? "std::int64_t"
                      : element.scalar() == u8  ? "std::uint8_t"
                                                : "int";
    throw UserError(head + "; write " + cpp + " there, or declare the expression over " + text(kind.element) +
                    where);
  }
  if (kind.rank > 0 && kind.rank != rank_of(t))
    throw UserError(head + "; a view of rank " + std::to_string(rank_of(t)) + " is needed" + where);
}

std::string count(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string types(const std::vector<Expr>& arguments) {
  std::string s;
  for (const Expr& a : arguments) s += (s.empty() ? "" : ", ") + param_name(a) + ": " + a.type().str();
  return s;
}

void assign_targets(Plan& plan, const Signature& s, const std::string& where) {
  const std::string& name = plan.program.name;
  const std::size_t given = plan.program.arguments.size(), passed = s.arguments.size();
  if (passed < given)
    throw UserError(name + ": the signature has " + count(passed, "argument") + ", the expression " +
                    std::to_string(given) + " (" + types(plan.program.arguments) + "); pass one for each" +
                    where);
  std::size_t next = given, returned = 0;
  const bool all_returned = s.returned.size() == plan.results.size();
  for (std::size_t r = 0; r < plan.results.size(); ++r) {
    const auto updated = all_returned ? std::nullopt : updated_argument(plan.program, r, s);
    if (updated)
      plan.targets.push_back({ResultTarget::Kind::in_place, *updated});
    else if (!s.returned.empty())
      plan.targets.push_back({ResultTarget::Kind::returned, returned++});
    else
      plan.targets.push_back({ResultTarget::Kind::argument, next++});
  }
  if (!s.returned.empty() && (returned != s.returned.size() || passed != given))
    throw UserError(name + ": the expression has " + count(plan.results.size(), "result") + " and " +
                    count(given, "argument") + ", the signature returns " +
                    std::to_string(s.returned.size()) + " and takes " + std::to_string(passed) +
                    "; return each result (several as a std::tuple), or return void and pass an array for "
                    "each after the arguments" +
                    where);
  if (s.returned.empty() && next != passed)
    throw UserError(name + ": the signature returns void and takes " + count(passed, "argument") +
                    "; the expression has " + count(given, "argument") + " (" +
                    types(plan.program.arguments) + ") and " + count(plan.results.size(), "result") +
                    ", which need " + std::to_string(next) +
                    "; pass a writable array for each result after the arguments, or a writable argument "
                    "where the expression updates it" +
                    where);
}

void check_constness(const Plan& plan, const Signature& s, const std::string& where) {
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const bool output = std::any_of(plan.targets.begin(), plan.targets.end(), [&](const ResultTarget& t) {
      return t.kind != ResultTarget::Kind::returned && t.index == i;
    });
    if (output && !s.arguments[i].writable)
      throw UserError(plan.argument_text(i) + " receives a result, but is " + s.arguments[i].cpp +
                      " in the signature; make it writable (a std::span<T>, a std::vector<T>&)" + where);
  }
}

void add_equations(const Type& t, const ArgumentValue& v, const std::string& source,
                   std::vector<LengthEquation>& to) {
  const std::vector<Nat> shape = shape_of(t);
  if (v.rank == static_cast<int>(shape.size()) && v.rank > 1)
    for (std::size_t d = 0; d < shape.size(); ++d)
      to.push_back(
          {shape[d], v.shape[d], source + ", dimension " + std::to_string(d + 1) + " of " + t.str() + ","});
  else {
    Nat n = 1;
    for (const Nat& length : shape) n = n * length;
    to.push_back({n, v.count(), source});
  }
}

void check_names(const Program& p, const std::string& where) {
  for (std::size_t i = 0; i < p.arguments.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (param_name(p.arguments[i]) == param_name(p.arguments[j]))
        throw UserError(p.name + ": arguments " + std::to_string(j + 1) + " and " + std::to_string(i + 1) +
                        " are both named '" + param_name(p.arguments[i]) + "'; give each a name of its own" +
                        where);
}

}  // namespace

Program opened(const Program& given, const CompileOptions& options, const std::string& where) {
  Program p = given;
  if (!options.name.empty()) p.name = options.name;
  if (p.name.empty()) p.name = is_word("kernel", options.backend) ? "program" : "kernel";
  const bool is_function = p.body.is(Op::Lambda);
  for (const Expr& x : params_of(p.body))
    if (std::find(p.arguments.begin(), p.arguments.end(), x) == p.arguments.end())
      throw UserError(p.name + ": the expression mentions '" + param_name(x) + "' (" + x.type().str() +
                      "), which is no argument of the program; " +
                      (is_function           ? "make it a parameter of the function"
                       : p.arguments.empty() ? "write it as a function, lift::fun(type, [](Expr x) { ... })"
                                             : "add it to the arguments, or correct its name") +
                      where);
  if (!is_function) {
    check_names(p, where);
    return p;
  }
  const std::size_t n = parameter_types(p.body).size();
  if (!options.names.empty() && options.names.size() != n)
    throw UserError(p.name + ": " + std::to_string(options.names.size()) + " names for a function of " +
                    std::to_string(n) + " arguments; name each" + where);
  const Expr function = p.body;
  for (std::size_t i = 0; i < n; ++i)
    p.arguments.push_back(
        param(options.names.empty() ? (n == 1 ? "x" : "x" + std::to_string(i + 1)) : options.names[i],
              parameter_types(function)[i]));
  check_names(p, where);
  p.body = instantiate(function, p.arguments);
  return p;
}

namespace {

/// Below named values, a tuple: the argument that its component updates, by way of other named values. Null:
/// it is none of that.
Expr updated_by_component(Expr body, std::size_t result) {
  std::vector<Expr> names, values;
  while (body.is(Op::Let)) {
    values.push_back(body.child(0));
    body = open(body.child(1), names);
  }
  if (!body.is(Op::Tuple) || names.empty() || result >= body.children().size()) return {};
  Expr e = body.child(result);
  bool updates = false;
  while (true) {
    if (const auto base = updated_array(e)) {
      e = *base, updates = true;
    } else if (const auto it = std::find(names.begin(), names.end(), e); it != names.end()) {
      e = values[static_cast<std::size_t>(it - names.begin())];
    } else {
      return updates ? e : Expr();
    }
  }
}

/// Without regard to what other results update.
std::optional<std::size_t> updated_by(const Program& program, std::size_t result, const Signature& s) {
  Program p = program;
  if (const Expr e = updated_by_component(p.body, result)) {
    for (std::size_t i = 0; i < p.arguments.size(); ++i)
      if (p.arguments[i] == e && s.arguments[i].writable) return i;
    return std::nullopt;
  }
  if (p.body.is(Op::Tuple)) {
    if (p.body.children().size() != results_of(p).size()) return std::nullopt;
    p.body = p.body.child(result);
  }
  p.results.clear();
  p = single_sweep(p, sweeps_of(p.body).size() - 1);  // the last one gives the result
  if (!p.body.type().is_array() || !main_nest(p.body).update) return std::nullopt;
  std::string updated;
  try {
    updated = written_element(p).updated;
  } catch (const UserError&) {  // too involved to tell
    return std::nullopt;
  }
  for (std::size_t i = 0; i < p.arguments.size(); ++i)
    if (param_name(p.arguments[i]) == updated && s.arguments[i].writable) return i;
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> updated_argument(const Program& program, std::size_t result, const Signature& s) {
  const auto argument = updated_by(program, result, s);
  for (std::size_t r = 0; argument && r < result; ++r)
    if (updated_by(program, r, s) == argument) return std::nullopt;
  return argument;
}

std::string Plan::argument_text(std::size_t i) const {
  if (i < program.arguments.size())
    return program.name + ": argument " + std::to_string(i + 1) + " (" + param_name(program.arguments[i]) +
           ")";
  return program.name + ": argument " + std::to_string(i + 1) + " (the result)";
}

Plan plan_of(const Program& program, const Signature& signature, const CompileOptions& options,
             const std::string& where) {
  Plan plan;
  plan.program = opened(program, options, where);
  plan.program.overwritable.clear();
  try {
    plan.results = results_of(plan.program);
  } catch (const UserError& e) {
    throw UserError(e.what() + where);
  }
  assign_targets(plan, signature, where);
  for (std::size_t i = 0; i < plan.program.arguments.size(); ++i)
    check_kind(plan.argument_text(i), plan.program.arguments[i].type(), signature.arguments[i], where);
  for (std::size_t r = 0; r < plan.results.size(); ++r) {
    const std::string what = plan.program.name + ": result " + std::to_string(r + 1);
    const auto check = [&](const std::string& name, const ArgumentKind& kind) {
      const Type& t = plan.results[r].type;
      check_kind(name, kind.is_scalar() && t == array({1}, element_of(t)) ? element_of(t) : t, kind, where);
    };
    if (plan.targets[r].kind == ResultTarget::Kind::returned)
      check(what, signature.returned[plan.targets[r].index]);
    if (plan.targets[r].kind == ResultTarget::Kind::argument)
      check(plan.argument_text(plan.targets[r].index), signature.arguments[plan.targets[r].index]);
  }
  check_constness(plan, signature, where);
  // What another result is still to read is not overwritten: lowering computes that one beside.
  for (const ResultTarget& t : plan.targets)
    if (t.kind == ResultTarget::Kind::in_place)
      plan.program.overwritable.push_back(param_name(plan.program.arguments[t.index]));
  try {
    check_decisions(plan.program);
  } catch (const UserError& e) {
    throw UserError(plan.program.name + ": " + e.what() + where);
  }
  return plan;
}

std::vector<LengthEquation> equations_of(const Plan& plan, const Signature& signature,
                                         std::span<const ArgumentValue> arguments) {
  std::vector<LengthEquation> equations;
  for (std::size_t i = 0; i < plan.program.arguments.size(); ++i)
    if (!signature.arguments[i].is_scalar())
      add_equations(plan.program.arguments[i].type(), arguments[i], plan.argument_text(i), equations);
  for (std::size_t r = 0; r < plan.results.size(); ++r)
    if (plan.targets[r].kind == ResultTarget::Kind::argument &&
        !signature.arguments[plan.targets[r].index].is_scalar())
      add_equations(plan.results[r].type, arguments[plan.targets[r].index],
                    plan.argument_text(plan.targets[r].index), equations);
  return equations;
}

std::string boundary_hint(const Program& program) {
  std::string hint;
  visit(program.body, [&](const Expr& e) {
    if (hint.empty() && e.is(Op::Slide) && !e.child(0).is(Op::Pad))
      hint = "; the slide" + line_of(origin(e)) +
             " has no pad before it, so there is no result at the boundary: pad the array first, or pass a "
             "smaller result";
  });
  return hint;
}

}  // namespace lift
