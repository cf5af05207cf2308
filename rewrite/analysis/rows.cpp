#include "rewrite/analysis/rows.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/instantiate.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/stage_loads.hpp"

namespace lift {
namespace {

/// Something of a type that nothing is known of, made of arrays of scalars: their names.
Expr any_of(const Type& t, std::vector<std::string>* names) {
  const Type element = t.is_array() ? element_of(t) : t;
  if (!element.is_tuple()) {
    const Expr x = fresh_param("x", t);
    if (names) names->push_back(param_name(x));
    return x;
  }
  const int rank = t.is_array() ? rank_of(t) : 0;
  std::vector<Expr> parts;
  for (const Type& p : element.parts())
    parts.push_back(any_of(rank > 0 ? array(shape_of(t, rank), p) : Type(p), names));
  return rank > 0 ? zip_n(rank, parts) : tuple(parts);
}

std::vector<Expr> any_of(const std::vector<Type>& types) {
  std::vector<Expr> all;
  for (const Type& t : types) all.push_back(any_of(t, nullptr));
  return all;
}

RowsBefore of_component(const Program& row, std::size_t component, const std::vector<std::string>& before) {
  const WrittenElement w = written_element(row, component, Reductions::by_an_element, Scans::by_an_element);
  RowsBefore r;
  for (const LoadCase& l : load_cases(w)) {
    if (std::find(before.begin(), before.end(), l.array) == before.end()) continue;
    if (l.at.position.empty() || w.position.empty()) return {0, "a row is no array"};
    const Distance d = distance_of(l, w, 0, 1, 1);
    if (!d.max)
      return {0, "a row reads the one before at " + l.load + ", any distance to the right: " + d.why};
    r.right = std::max(r.right, *d.max);
  }
  return r;
}

}  // namespace

RowsBefore rows_before(const Expr& scan, std::span<const Expr> around) {
  const Type& row = scan.child(1).type();
  if (!scan.child(0).is(Op::Lambda)) return {0, "the scan's function has another name"};
  const bool of_arrays =
      row.is_array() || (row.is_tuple() && std::all_of(row.parts().begin(), row.parts().end(),
                                                       [](const Type& p) { return p.is_array(); }));
  if (!of_arrays) return {0, "the scan's elements are " + row.str() + ", no rows"};
  if (has_few_scalars(row)) return {0, "the scan's elements are kept in variables"};
  std::vector<std::vector<Expr>> values;
  for (std::size_t i = 0; i < around.size(); ++i)
    if (around[i].is(Op::Lambda)) values.push_back(any_of(parameter_types(around[i])));
  std::vector<std::string> before;
  const std::vector<Type> types = parameter_types(scan.child(0));
  values.push_back({any_of(types.at(0), &before), any_of(types.at(1), nullptr)});
  const Expr body = components_taken(instantiate_in(scan.child(0).child(0), values));
  const Program program{"row", params_of(body), body, {}, {}};
  RowsBefore r;
  try {
    for (std::size_t c = 0; c < components_in(row) && r.obstacle.empty(); ++c) {
      RowsBefore own = of_component(program, c, before);
      r.right = std::max(r.right, own.right), r.obstacle = std::move(own.obstacle);
    }
  } catch (const UserError& e) {
    r.obstacle = e.what();
  }
  return r;
}

}  // namespace lift
