#include "ir/expr/reduction.hpp"

#include "ir/expr/attributes.hpp"

namespace lift {

Expr two_sum(Scalar s) {
  const Type pair = Type::tuple({s, s});
  const Expr a = param(".a", pair), b = param(".b", pair);
  const Expr sum = param(".sum", s), part = param(".part", s);
  const Expr lost = (get(0, a) - (sum - part)) + (get(0, b) - part);
  const Expr result = tuple({sum, get(1, a) + get(1, b) + lost});
  const auto with = [](const Expr& name, const Expr& value, const Expr& body) {
    return make(Op::Let, {value, lambda({name}, body)});
  };
  return lambda({a, b}, with(sum, get(0, a) + get(0, b), with(part, sum - get(0, a), result)));
}

namespace {

/// The component of a function's parameter that a term is: path of gets, outermost last.
bool is_component(const Expr& e, std::int64_t parameter, const std::vector<std::int64_t>& path,
                  std::size_t depth = 0) {
  if (depth == path.size()) return e.is(Op::Bound) && bound_depth(e) == 0 && bound_index(e) == parameter;
  return e.is(Op::Get) && tuple_index(e) == path[path.size() - 1 - depth] &&
         is_component(e.child(0), parameter, path, depth + 1);
}
bool is_number(const Expr& e, double v) { return e.is(Op::Literal) && literal_number(e) == v; }

/// The term computes this component of the result from the same component of both parameters.
bool known(const Expr& term, const Expr& z, std::vector<std::int64_t>& path) {
  if (term.is(Op::Tuple)) {
    if (!z.is(Op::Tuple) || z.children().size() != term.children().size()) return false;
    for (std::size_t i = 0; i < term.children().size(); ++i) {
      path.push_back(static_cast<std::int64_t>(i));
      const bool ok = known(term.child(i), z.child(i), path);
      path.pop_back();
      if (!ok) return false;
    }
    return true;
  }
  const bool order = term.is(Op::Min) || term.is(Op::Max);
  if (!order && !(term.is(Op::Add) && is_number(z, 0)) && !(term.is(Op::Mul) && is_number(z, 1)))
    return false;
  const Expr &x = term.child(0), &y = term.child(1);
  if (is_component(x, 0, path) && is_component(y, 1, path)) return true;
  // min(element, accumulator) begins anew after an element that is NaN: where that is depends on the order.
  return !(order && is_float(term.type().scalar())) && is_component(x, 1, path) && is_component(y, 0, path);
}

bool is_two_sum(const Expr& f, const Expr& z) {
  if (!z.is(Op::Tuple) || z.children().size() != 2 || !is_number(z.child(0), 0) || !is_number(z.child(1), 0))
    return false;
  const Type& s = z.child(0).type();
  return s == z.child(1).type() && is_float(s.scalar()) && f == two_sum(s.scalar());
}

}  // namespace

std::string why_in_order(const Expr& f, const Expr& z) {
  std::vector<std::int64_t> path;
  if (f.is(Op::Lambda) && parameter_types(f).size() == 2 && parameter_types(f)[0] == parameter_types(f)[1] &&
      known(f.child(0), z, path))
    return "";
  if (is_two_sum(f, z)) return "";
  return "f must be + from 0, * from 1, min or max with the accumulator first, or two_sum from {0, 0}, or "
         "one of these for each component: "
         "other functions are not known to be associative";
}

std::size_t nested_levels(const Expr& reduction) {
  const Expr& array = reduction.child(2);
  if (!is_of_rank(array, Op::Map, 1) || !array.child(0).is(Op::Lambda)) return 0;
  const Expr& inner = array.child(0).child(0);
  const bool same = inner.is(Op::Reduce) && inner.child(0) == reduction.child(0) &&
                    inner.child(1) == reduction.child(1) && inner.child(1).loose() == 0;
  return same ? 1 + nested_levels(inner) : 0;
}

}  // namespace lift
