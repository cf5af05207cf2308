#include "tests/rewrite/fuzz.hpp"

#include "ir/expr/ops.hpp"

namespace lift::test {

namespace {

/// The same expression for each element of arrays of its arguments.
Instance inside_map(const Instance& x) {
  const std::vector<Expr> params = params_of(x.e);
  std::vector<Expr> arrays;
  for (const Expr& p : params) arrays.push_back(param(param_name(p), Type::array(3, p.type())));
  const auto body = [&](const Expr& t) {
    return substitute(x.e, [&](const Expr& leaf) {
      for (std::size_t i = 0; i < params.size(); ++i)
        if (leaf == params[i]) return get(static_cast<int>(i), t);
      return leaf;
    });
  };
  Instance outer{map([&](Expr t) { return body(t); }, zip(arrays)), x.arguments, {0, 0}};
  outer.place.insert(outer.place.end(), x.place.begin(), x.place.end());
  return outer;
}

}  // namespace

Outcome check_rule(const Rule& r, const std::function<Instance(Gen&)>& instance, int wanted, unsigned seed) {
  Outcome result;
  Gen gen(seed);
  for (int tried = 0; result.accepted < wanted && tried < 20 * wanted; ++tried) {
    Instance x = instance(gen);
    if (tried % 2 == 1 && !params_of(x.e).empty()) x = inside_map(x);
    const Program before = whole_program(x.e);
    const auto after = apply(r, before, x.place, x.arguments);
    if (!after) {
      if (result.refused++ == 0) result.first_refused = after.reason();
      if (after.failure().mistyped && result.mistyped++ == 0)
        result.first_mistyped = str(x.e) + ": " + after.reason();
      continue;
    }
    ++result.accepted;
    for (std::size_t i = 0; i < r.sides.size(); ++i)
      if (match(r.sides[i].lhs, part_at(x.e, x.place))) result.sides.insert(i);
    std::map<std::string, Value> values;
    for (const Expr& p : params_of(x.e)) values[param_name(p)] = gen.value(p.type());
    const Value a = interpret(before.body, values), b = interpret(after->body, values);
    const bool same =
        after->body.type() == before.body.type() && (r.exact ? identical(a, b) : difference(a, b) < 1e-12);
    if (!same && result.wrong++ == 0)
      result.first_wrong =
          str(x.e) + "\n  becomes " + str(after->body) + "\n  values " + str(a) + " and " + str(b);
  }
  return result;
}

}  // namespace lift::test
