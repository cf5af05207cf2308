// Results of programs, and index params.
#include "ir/expr/program.hpp"

#include <algorithm>
#include <functional>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"

namespace lift {
namespace {

void components(const Type& t, std::vector<Nat> shape, std::vector<Type>& to) {
  switch (t.kind()) {
    case Type::Kind::Scalar:
      if (shape.empty()) shape.emplace_back(1);
      to.push_back(array(shape, t));
      return;
    case Type::Kind::Tuple:
      for (const Type& part : t.parts()) components(part, shape, to);
      return;
    case Type::Kind::Array:
      shape.push_back(t.length());
      return components(t.element(), std::move(shape), to);
    default:
      throw UserError("a value of type " + t.str() +
                      " cannot be stored; return arrays or scalars, or tuples of them");
  }
}

}  // namespace

std::vector<Type> component_arrays(const Type& t) {
  std::vector<Type> types;
  components(t, {}, types);
  return types;
}

std::size_t components_in(const Type& t) {
  if (t.is_array()) return components_in(t.element());
  if (!t.is_tuple()) return 1;
  std::size_t n = 0;
  for (const Type& part : t.parts()) n += components_in(part);
  return n;
}

std::optional<std::int64_t> scalars_in(const Type& t) {
  std::int64_t n = 0;
  for (const Type& a : component_arrays(t)) {
    std::int64_t product = 1;
    for (const Nat& length : shape_of(a)) {
      if (!length.is_constant() || *length.constant() > (1 << 20)) return std::nullopt;
      product *= std::max<std::int64_t>(1, *length.constant());
    }
    n += product;
  }
  return n;
}

bool has_few_scalars(const Type& t) {
  const auto n = scalars_in(t);
  return n && *n <= kFewScalars;
}

std::vector<ProgramResult> results_of(const Program& program) {
  const std::vector<Type> types = component_arrays(program.body.type());
  if (!program.results.empty() && program.results.size() != types.size())
    throw UserError("program " + program.name + ": " + std::to_string(program.results.size()) +
                    " names for the " + std::to_string(types.size()) + " results of " +
                    program.body.type().str() + "; give one name a result, or none");
  std::vector<ProgramResult> r;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string plain = types.size() == 1 ? "out" : "out" + std::to_string(i);
    r.push_back({program.results.empty() ? plain : program.results[i], types[i]});
  }
  return r;
}

std::vector<Nat> sizes_of(const Program& program) {
  std::vector<Nat> r;
  const std::function<void(const Nat&)> scan = [&](const Nat& n) {
    for (const NatAtom* v : variables(n)) {
      const Nat x = atom_nat(*v);
      if (v->bounded_above || std::find(r.begin(), r.end(), x) != r.end()) continue;
      scan(v->lower);
      r.push_back(x);
    }
  };
  for (const Expr& a : program.arguments)
    for (const Nat& n : shape_of(a.type())) scan(n);
  visit(program.body, [&](const Expr& e) {
    for (const Nat& n : e.attr().nats) scan(n);
  });
  return r;
}

Expr index_param(const std::string& name, std::int64_t lower, std::int64_t upper) {
  return make(Op::Param, {}, attributes::index_param(name, lower, upper));
}

}  // namespace lift
