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

/// Things that nothing is known of, made of arrays of scalars, whose names begin alike and have a blank, as
/// no identifier of a program has.
class Any {
 public:
  explicit Any(std::string name) : name_(std::move(name)) {}

  Expr of(const Type& t) {
    const Type element = t.is_array() ? element_of(t) : t;
    if (!element.is_tuple()) return param(name_ + " " + std::to_string(names_++), t);
    const int rank = t.is_array() ? rank_of(t) : 0;
    std::vector<Expr> parts;
    for (const Type& p : element.parts())
      parts.push_back(of(rank > 0 ? array(shape_of(t, rank), p) : Type(p)));
    return rank > 0 ? zip_n(rank, parts) : tuple(parts);
  }
  bool is_one(const std::string& name) const { return name.starts_with(name_ + " "); }

 private:
  std::string name_;
  int names_ = 0;
};

RowsBefore of_array(const Expr& row, const Any& before) {
  const Expr value = of_all_components(row);
  const Program program{"row", params_of(value), value, {}, {}};
  RowsBefore r;
  for (const auto& [by, loads] : element_loads(program, Scans::by_an_element))
    for (const LoadCase& l : loads) {
      if (!before.is_one(l.array)) continue;
      const Distance d = distance_of(l, by, 0, 1, 1);
      if (!d.max)
        return {0, "a row reads the one before at " + l.load + ", any distance to the right: " + d.why};
      r.right = std::max(r.right, *d.max);
    }
  return r;
}

}  // namespace

RowsBefore rows_before(const Expr& scan, std::span<const Expr> around) {
  const Type& row = scan.child(1).type();
  const bool of_arrays =
      row.is_array() || (row.is_tuple() && std::all_of(row.parts().begin(), row.parts().end(),
                                                       [](const Type& p) { return p.is_array(); }));
  if (!of_arrays) return {0, "the scan's elements are " + row.str() + ", no rows"};
  Any before("before"), other("other");
  std::vector<std::vector<Expr>> values;
  for (const Expr& e : around) {
    if (!e.is(Op::Lambda)) continue;
    values.emplace_back();
    for (const Type& t : parameter_types(e)) values.back().push_back(other.of(t));
  }
  const std::vector<Type> types = parameter_types(scan.child(0));
  values.push_back({before.of(types.at(0)), other.of(types.at(1))});
  const Expr body = components_taken(instantiate_in(scan.child(0).child(0), values));
  RowsBefore r;
  try {
    const std::size_t arrays = row.is_tuple() ? row.parts().size() : 1;
    for (std::size_t i = 0; i < arrays && r.obstacle.empty(); ++i) {
      RowsBefore own = of_array(row.is_tuple() ? get(static_cast<int>(i), body) : body, before);
      r.right = std::max(r.right, own.right), r.obstacle = std::move(own.obstacle);
    }
  } catch (const UserError& e) {
    r.obstacle = e.what();
  }
  return r;
}

}  // namespace lift
