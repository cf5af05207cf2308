#include "rewrite/engine/step_program.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

/// Blanks: no identifier of a program has one. What is bound within a step has other names than what is
/// bound around it.
std::string prefix_for(const Expr& body) {
  std::string prefix = "around ";
  const std::vector<Expr> all = params_of(body);
  while (
      std::any_of(all.begin(), all.end(), [&](const Expr& x) { return param_name(x).starts_with(prefix); }))
    prefix = "within " + prefix;
  return prefix;
}

/// A free variable for what a lambda binds; tuples of arrays as one variable for each of these.
Expr opaque(const std::string& name, const Type& t, std::vector<Expr>& names) {
  if (t.is_tuple() && t.has_arrays()) {
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < t.parts().size(); ++i)
      parts.push_back(opaque(name + "." + std::to_string(i), t.parts()[i], names));
    return tuple(parts);
  }
  names.push_back(param(name, t));
  return names.back();
}

/// The variable's parts by what stands for each of them.
void parts_of(const Expr& opaque, const Expr& variable, std::vector<std::pair<Expr, Expr>>& parts) {
  if (!opaque.is(Op::Tuple)) return parts.emplace_back(opaque, variable), void();
  for (std::size_t i = 0; i < opaque.children().size(); ++i)
    parts_of(opaque.child(i), get(static_cast<int>(i), variable), parts);
}

/// The number of a step is an index with a range.
Expr number_of_step(const Expr& iterate, const std::string& name) {
  return make(Op::Param, {}, attributes::index_param(name, 0, iterate_times(iterate) - 1));
}

/// On the way down to a step.
class Way {
 public:
  Way(const Expr& body, const Place& step) : step_(step), prefix_(prefix_for(body)) {}

  Result<Expr> changed(const Expr& e, const std::function<Result<Expr>(const Expr&)>& f,
                       std::size_t depth = 0, const Expr& around = {}) {
    if (depth == step_.size()) return f(e);
    const auto child = static_cast<std::size_t>(step_[depth]);
    if (!e.is(Op::Lambda)) {
      const Result<Expr> r = changed(e.child(child), f, depth + 1, e);
      if (!r) return r;
      std::vector<Expr> children(e.children().begin(), e.children().end());
      children[child] = *r;
      return with_children(e, std::move(children));
    }
    const std::vector<Type> types = parameter_types(e);
    std::vector<Expr> values, variables;
    overwritable.clear(), state.clear();
    for (std::size_t i = 0; i < types.size(); ++i) {
      const bool number = around.is(Op::Iterate) && types.size() == 2 && i == 0;
      const std::size_t before = names.size();
      if (number)
        values.push_back(number_of_step(around, name(lambdas_, i))), names.push_back(values.back());
      else
        values.push_back(opaque(name(lambdas_, i), types[i], names));
      if (around.is(Op::Iterate) && !number) {
        for (std::size_t n = before; n < names.size(); ++n)
          if (names[n].type().is_array()) overwritable.push_back(param_name(names[n]));
        const auto known_by = [](const Expr& x) { return x.is(Op::Param) ? param_name(x) : std::string(); };
        if (!values[i].is(Op::Tuple)) state.push_back(known_by(values[i]));
        for (const Expr& c : values[i].children()) state.push_back(known_by(c));
      }
      variables.push_back(fresh_param("x", types[i]));
    }
    ++lambdas_;
    const Result<Expr> r = changed(components_taken(instantiate(e, values)), f, depth + 1, e);
    if (!r) return r;
    std::vector<std::pair<Expr, Expr>> parts;
    for (std::size_t i = 0; i < values.size(); ++i) parts_of(values[i], variables[i], parts);
    const Expr body = substitute(*r, [&](const Expr& leaf) {
      const auto at =
          std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == leaf; });
      return at == parts.end() ? leaf : at->second;
    });
    return lambda(variables, body, origin(e));
  }

  std::vector<Expr> names;                ///< of what is bound around
  std::vector<std::string> overwritable;  ///< those of the innermost lambda
  std::vector<std::string> state;         ///< of the innermost lambda: see Program

 private:
  std::string name(std::size_t lambda, std::size_t parameter) const {
    return prefix_ + std::to_string(lambda) + "." + std::to_string(parameter);
  }

  const Place& step_;
  std::string prefix_;
  std::size_t lambdas_ = 0;
};

}  // namespace

Place step_of(Place iterate) {
  iterate.insert(iterate.end(), {0, 0});
  return iterate;
}

bool is_step(const Expr& body, const Place& place) {
  if (place.size() < 2 || place.back() != 0 || place[place.size() - 2] != 0) return false;
  const Expr e = part_at(body, Place(place.begin(), place.end() - 2));
  return e.is(Op::Iterate);
}

Result<Program> with_step(const Program& p, const Place& step,
                          const std::function<Result<Program>(const Program&)>& changed) {
  Way way(p.body, step);
  const Result<Expr> r = way.changed(p.body, [&](const Expr& body) -> Result<Expr> {
    Program step{p.name, params_of(body), body, {}, {}, way.state};
    for (const Expr& a : step.arguments)
      if (std::find(way.overwritable.begin(), way.overwritable.end(), param_name(a)) !=
          way.overwritable.end())
        step.overwritable.push_back(param_name(a));
    const Result<Program> q = changed(step);
    if (!q) return q.failure();
    return q->body;
  });
  if (!r) return r.failure();
  Program q = p;
  q.body = *r;
  return q;
}

Program step_program(const Program& p, const Place& step) {
  std::optional<Program> r;
  (void)with_step(p, step, [&](const Program& q) -> Result<Program> {
    r = q;
    return Failure{""};
  });
  return *r;
}

}  // namespace lift
