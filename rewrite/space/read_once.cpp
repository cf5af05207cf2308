#include "rewrite/space/read_once.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/deriver.hpp"

namespace lift {
namespace {

bool reads_once(const Expr& e, const Expr& x);
/// Whether a function of a row, or of a column, is a scan that reads each element of it once.
bool scans_once(const Expr& f) {
  if (!has_scan(f)) return false;
  std::vector<Expr> row;
  const Expr body = open(f, row);
  return reads_once(body, row.at(0));
}

/// Whether e reads each element of x once at most, or once for each part of what borders one another, and one
/// by one.
bool reads_once(const Expr& e, const Expr& x) {
  const auto reads = [&](const Expr& c) { return contains(c, [&](const Expr& y) { return y == x; }); };
  if (e == x || !reads(e)) return true;
  const bool parts = e.is(Op::Concat);  // mostly of other elements each
  if (!parts && std::count_if(e.children().begin(), e.children().end(), reads) > 1) return false;
  if (e.is(Op::Let)) {
    if (reads(e.child(0))) return has_scan(e.child(0)) && reads_once(e.child(0), x);
    std::vector<Expr> names;
    return reads_once(open(e.child(1), names), x);
  }
  if (is_scan(e.op())) return reads(e.child(2)) && reads_once(e.child(2), x);
  if (is_map(e.op()))
    return (!element_of(e.child(1).type(), op_rank(e)).has_arrays() || scans_once(e.child(0))) &&
           reads(e.child(1)) && reads_once(e.child(1), x);
  const bool views = e.is(Op::Zip) || e.is(Op::Concat) || e.is(Op::Interleave) || e.is(Op::Get) ||
                     (rearranges(e.op()) && !e.is(Op::At));
  return views && std::all_of(e.children().begin(), e.children().end(),
                              [&](const Expr& c) { return reads_once(c, x); });
}

/// A map, within a function, whose elements have a name and are read once.
bool is_read_once(const Expr& e) {
  if (!e.is(Op::Let) || !is_map(e.child(0).op())) return false;
  if (element_of(e.child(0).type(), op_rank(e.child(0))).has_arrays() || has_scan(e.child(0))) return false;
  std::vector<Expr> names;
  const Expr body = open(e.child(1), names);
  return !body.is(Op::Param) && reads_once(body, names.at(0));
}
/// Cells of a few operations with a name, each made of one element, that a scan reads once.
bool is_scanned_once(const Expr& e) {
  const auto is_cheap = [](const Expr& cells) {
    return !element_of(cells.child(1).type(), op_rank(cells)).has_arrays() &&
           !contains(cells.child(0), [](const Expr& x) {
             const Elementary* f = elementary(x.op());
             return f != nullptr && f->in_libmvec;
           });
  };
  if (!is_read_once(e) || !is_cheap(e.child(0))) return false;
  std::vector<Expr> names;
  Expr reader = open(e.child(1), names);
  const Expr cells = names.at(0);
  const auto reads = [&](const Expr& x) { return contains(x, [&](const Expr& y) { return y == cells; }); };
  while (reader.is(Op::Let) && !reads(reader.child(0))) reader = open(reader.child(1), names);
  return has_scan(reader.is(Op::Let) ? reader.child(0) : reader);
}
bool find_read_once(const Expr& e, bool in_map, Place& at) {
  if ((in_map && is_read_once(e)) || is_scanned_once(e)) return true;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const Expr& c = e.child(i);
    if (!contains(c, [](const Expr& x) { return x.is(Op::Let); })) continue;
    at.push_back(static_cast<int>(i));
    if (find_read_once(c, in_map || (e.is(Op::Map) && c.is(Op::Lambda)), at)) return true;
    at.pop_back();
  }
  return false;
}

/// Where cells that a map makes have a name, the outer and earlier ones first.
void find_cells(const Expr& e, Place& at, std::vector<Place>& found) {
  const auto has_cells = [](const Expr& x) {
    return x.is(Op::Let) && x.child(0).is(Op::Map) &&
           !element_of(x.child(0).type(), op_rank(x.child(0))).has_arrays() && !has_scan(x.child(0));
  };
  if (!contains(e, has_cells)) return;
  if (has_cells(e)) found.push_back(at);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    find_cells(e.child(i), at, found);
    at.pop_back();
  }
}
}  // namespace

Rewriting with_read_once_inlined(Rewriting r) {
  for (Place at; find_read_once(r.program.body, false, at); at.clear())
    r = run(use("let-inline"), std::move(r), at);
  Place at;
  std::vector<Place> cells;
  find_cells(r.program.body, at, cells);
  for (std::size_t i = cells.size(); i-- > 0;)
    if (auto together = use("let-of-maps")(r, cells[i])) r = *std::move(together);
  return r;
}

}  // namespace lift
