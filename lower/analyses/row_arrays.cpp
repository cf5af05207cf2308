#include "lower/analyses/row_arrays.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

/// Arrays that the loops within an iteration have to themselves.
std::set<std::string> inner_arrays(const Block& body) {
  std::set<std::string> all;
  for (const Stmt& s : body)
    if (const Block* within = body_of(s))
      visit(*within, [&](const Stmt& x) {
        if (const auto* a = std::get_if<Allocate>(&x.v)) all.insert(a->name);
      });
  return all;
}

bool is_of_loops(const Nat& n, const Block& b) {
  return holds(b, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    return f && mentions(n, f->var);
  });
}

void find_row(const For& rows, const std::string& name, const std::vector<std::vector<Nat>>& stores,
              RowArray& a) {
  for (std::size_t d = 0; d < stores[0].size(); ++d) {
    const Nat& at = stores[0][d];
    const auto of_row = along(at, rows.var);
    if (!of_row || (of_row->times != 1 && of_row->times != -1) || is_of_loops(of_row->rest, rows.body))
      continue;
    if (!std::all_of(stores.begin(), stores.end(), [&](const auto& p) { return p.at(d) == at; })) continue;
    a.row = d, a.direction = of_row->times, a.rest = of_row->rest;
    return;
  }
  throw UserError("every row stores " + element_text(name, stores[0]) + ", at a place that others use, too");
}

void find_columns(const For& loop, RowArrays& all) {
  visit(loop.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    const auto it = x ? all.by_name.find(x->array) : all.by_name.end();
    if (it == all.by_name.end()) return;
    for (std::size_t d = 0; d < x->position.size(); ++d) {
      const auto a = along(x->position[d], loop.var);
      if (d == it->second.row || !a || a->times != 1) continue;
      if (it->second.along.value_or(d) != d)
        throw UserError("some loops go along dimension " + std::to_string(d) + " of " + x->array +
                        ", others along " + std::to_string(*it->second.along));
      it->second.along = d;
      all.columns.insert(&loop);
    }
  });
}

}  // namespace

RowArrays row_arrays(const For& rows) {
  RowArrays all;
  const std::set<std::string> inner = inner_arrays(rows.body);
  for (const Stmt& s : rows.body)
    if (const auto* a = std::get_if<Allocate>(&s.v)) all.by_name[a->name].own = true;
  std::map<std::string, std::vector<std::vector<Nat>>> stores;
  visit(rows.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    if (x && inner.count(x->array) == 0) stores[x->array].push_back(x->position);
  });
  for (const auto& [name, positions] : stores)
    if (RowArray& a = all.by_name[name]; !a.own) find_row(rows, name, positions, a);
  for (const Stmt& s : rows.body)
    if (const auto* f = std::get_if<For>(&s.v)) find_columns(*f, all);
  return all;
}

std::optional<Along> along(const Nat& n, const Nat& variable) {
  const auto a = affine_in(n, variable);
  const auto times = a ? a->coefficient.constant() : std::nullopt;
  return times ? std::optional(Along{*times, a->rest}) : std::nullopt;
}

std::string element_text(const std::string& array, const std::vector<Nat>& position) {
  std::string s = array;
  for (const Nat& n : position) s += "[" + n.str() + "]";
  return s;
}

}  // namespace lift
