#include "rewrite/space/stage_form.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/space/deriver.hpp"
#include "rewrite/space/read_once.hpp"

namespace lift {
namespace {

/// Columns, or one, that scans make, as far as the way to where the value goes only rearranges them.
bool makes_columns(const Expr& e) {
  if (is_scan(e.op())) return true;
  if (rearranges(e.op()) && !e.is(Op::At)) return makes_columns(e.child(0));
  return is_map(e.op()) && has_scan(e.child(0));
}

/// The way to columns below an expression that no function stands on; empty: there is none.
bool find_columns(const Expr& e, Place& way) {
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const Expr& c = e.child(i);
    if (c.is(Op::Lambda)) continue;
    way.push_back(static_cast<int>(i));
    if (makes_columns(c) || find_columns(c, way)) return true;
    way.pop_back();
  }
  return false;
}

/// Parts of an expression that are written where its value goes, outside of functions.
std::vector<int> written_parts(const Expr& e) {
  if (e.is(Op::Tuple) || e.is(Op::Concat) || e.is(Op::Interleave)) {
    std::vector<int> r;
    for (std::size_t i = 0; i < e.children().size(); ++i) r.push_back(static_cast<int>(i));
    return r;
  }
  if (is_identity(e.op()) || e.is(Op::Get) || (rearranges(e.op()) && !e.is(Op::At))) return {0};
  return {};
}

/// Computed by a loop, with more than a way of looking at what it goes over.
bool is_work(const Expr& e) {
  return is_map(e.op()) && !has_few_scalars(e.type()) &&
         contains(e.child(0), [](const Expr& x) { return is_scalar_op(x.op()) || is_scan(x.op()); });
}

/// Whether a function reduces what it makes of its argument, which it has at several places.
bool goes_over_again(const Expr& f) {
  if (!contains(f, is_long_reduction)) return false;
  std::vector<Expr> x;
  const Expr body = open(f, x);
  std::size_t n = 0;
  visit(body, [&](const Expr& e) {
    n += static_cast<std::size_t>(std::count(e.children().begin(), e.children().end(), x.at(0)));
  });
  return n > 1;
}

/// Who reads an array: windows, or a function of so many dimensions of it that has windows itself, or goes
/// over it again.
struct Reader {
  int rank = 0;
  bool windows = false;
  Reader below(const Expr& e) const {
    if (!is_map(e.op())) return {rank, windows || e.is(Op::Slide)};
    const bool again =
        contains(e.child(0), [](const Expr& x) { return x.is(Op::Slide); }) || goes_over_again(e.child(0));
    return {again ? op_rank(e) : 0, false};
  }
  /// Several times what it is handed.
  bool reads_again(const Type& t) const { return windows || (rank > 0 && element_of(t, rank).has_arrays()); }
};

/// Whether columns are made whose elements a loop makes one by one.
bool makes_elements(const Expr& e) {
  if (!e.is(Op::Map) || op_rank(e) != 1) return false;
  const Expr& made = e.child(0).child(0);
  return made.is(Op::Map) && op_rank(made) == 1 && element_of(made.type()).is_scalar() && !has_scan(made);
}
/// Columns of another array, so that what is made of them and transposed lies as that does.
bool goes_over_columns(const Expr& e) {
  if (e.is(Op::Transpose)) return true;
  const std::size_t parts = rearranges(e.op()) && !e.is(Op::At) ? 1 : e.is(Op::Zip) ? e.children().size() : 0;
  return std::any_of(e.children().begin(), e.children().begin() + static_cast<std::ptrdiff_t>(parts),
                     goes_over_columns);
}
bool makes_transposed_elements(const Expr& e) {
  return e.is(Op::Transpose) && rank_of(e.type()) == 2 && makes_elements(e.child(0));
}

/// The way to an array without a name, each element of which would be computed for every window, or for every
/// row, that reads it; columns that scans make, and those that are made of columns, lie as they are read.
bool find_computed_again(const Expr& e, const Reader& reader, Place& way) {
  const bool columns = (e.is(Op::Transpose) && has_scan(e.child(0))) ||
                       (makes_transposed_elements(e) && goes_over_columns(e.child(0).child(1)));
  if (is_work(columns ? e.child(0) : e) && reader.reads_again(e.type())) return true;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const Expr& c = e.child(i);
    if (c.is(Op::Lambda) || !c.type().is_array()) continue;
    way.push_back(static_cast<int>(i));
    if (find_computed_again(c, reader.below(e), way)) return true;
    way.pop_back();
  }
  return false;
}

/// The way to rows' sums that a reduction goes over, with others: as a stage, several rows go side by side.
bool find_reduced_again(const Expr& e, bool reduced, Place& way) {
  const bool sums = e.is(Op::Map) && op_rank(e) == 1 && element_of(e.type()).is_scalar() &&
                    contains(e.child(0), is_long_reduction);
  if (reduced && sums) return true;
  if (is_long_reduction(e) && nested_levels(e) > 0) return false;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const Expr& c = e.child(i);
    if (c.is(Op::Lambda)) continue;
    way.push_back(static_cast<int>(i));
    if (find_reduced_again(c, reduced || is_long_reduction(e), way)) return true;
    way.pop_back();
  }
  return false;
}

/// The way to columns that are read by something else than a loop over them.
bool find_unnamed(const Expr& e, Place& way) {
  if (makes_columns(e) || is_map(e.op()) || is_update(e.op())) return false;
  const std::vector<int> parts = written_parts(e);
  for (const int p : parts) {
    way.push_back(p);
    if (find_unnamed(e.child(static_cast<std::size_t>(p)), way)) return true;
    way.pop_back();
  }
  return parts.empty() && !e.is(Op::Lambda) && find_columns(e, way);
}

/// A map over several dimensions of rows that reductions are about, each by itself.
bool is_of_rows(const Expr& e) {
  const auto makes_rows = [](const Expr& x) {
    return x.is(Op::Map) && op_rank(x) == 1 && !has_scan(x.child(0)) &&
           contains(x.child(0), is_long_reduction);
  };
  if (!e.is(Op::Map) || op_rank(e) < 2) return false;
  const Expr& over = e.child(1);
  if (!is_of_rank(over, Op::Zip, op_rank(e))) return makes_rows(over);
  return std::any_of(over.children().begin(), over.children().end(), makes_rows);
}
/// They go on within the rows.
Rewriting with_rows_going_on(Rewriting r) {
  bool any = false;
  for (Place at; find_place(r.program.body, is_of_rows, at); at.clear())
    r = run(use("map-of-rows"), std::move(r), at), any = true;
  if (!any) return r;
  const auto outside = use("lets-outside")(r, {});
  return outside ? *outside : r;
}

/// What stages go over is seen: names of what only looks at arrays, a joined or a padded array, say, are no
/// more.
Rewriting with_views_inlined(Rewriting r) {
  Place let;
  for (Expr e = r.program.body; e.is(Op::Let); e = part_at(r.program.body, let)) {
    const bool view = e.child(0).type().is_array() && !is_computed(e.child(0));
    if (view)
      r = run(use("let-inline"), std::move(r), let);
    else
      let = let_body(let);
  }
  return r;
}

/// Stages that make several arrays have one name.
Rewriting with_named_tuples(Rewriting r) {
  Place at;
  for (;;) {
    const Expr e = part_at(r.program.body, at);
    if (e.is(Op::Unzip) && e.child(0).is(Op::Let)) {
      r = run(use("unzip-of-let"), std::move(r), at);
    } else if (e.is(Op::Let)) {
      if (e.child(0).is(Op::Unzip) && is_computed(e.child(0))) r = run(use("let-of-unzip"), std::move(r), at);
      at = let_body(at);
    } else {
      return r;
    }
  }
}

/// Where a value or a result of the program's lets stands.
std::vector<Place> values_of(const Expr& body) {
  std::vector<Place> r;
  Place let;
  for (Expr e = body; e.is(Op::Let); e = e.child(1).child(0)) {
    r.push_back(let_value(let));
    let = let_body(let);
  }
  r.push_back(std::move(let));
  return r;
}

/// Arrays that lie in each other, or border one another, whose elements several maps make; one that a map
/// makes within a border.
bool joins_maps(const Expr& e) {
  constexpr std::int64_t thin = 4;
  if (e.is(Op::Pad)) return is_map(e.child(0).op()) || joins_maps(e.child(0));
  if (rearranges(e.op()) && !e.is(Op::At)) return joins_maps(e.child(0));
  const auto is_thin = [](const Expr& c) { return c.type().length().constant().value_or(thin + 1) <= thin; };
  if (!e.is(Op::Interleave) &&
      !(e.is(Op::Concat) && std::any_of(e.children().begin(), e.children().end(), is_thin)))
    return false;
  return std::any_of(e.children().begin(), e.children().end(),
                     [](const Expr& c) { return is_computed(c) && !c.is(Op::Generate); });
}
/// One loop makes all of them.
Rewriting with_joined_maps(Rewriting r) {
  for (const Place& value : values_of(r.program.body)) {
    Place at = value;
    Expr e = part_at(r.program.body, at);
    if (e.is(Op::Transpose) && is_map(e.child(0).op())) at = content_of(at), e = e.child(0);
    while (is_map(e.op()) && op_rank(e) == 1) at.insert(at.end(), {0, 0}), e = e.child(0).child(0);
    if (!joins_maps(e) || !element_of(e.type(), rank_of(e.type())).is_scalar() || has_scan(e)) continue;
    if (auto mapped = use("identity-map", {std::int64_t{rank_of(e.type())}})(r, at)) r = *mapped;
  }
  return r;
}

/// What scans make of themselves alone is made once for all columns, before them.
Rewriting with_scans_apart(Rewriting r) {
  Place let;
  for (;;) {
    const Expr e = part_at(r.program.body, let);
    const bool named = e.is(Op::Let);
    if (auto apart = use("scan-fission")(r, named ? let_value(let) : let))
      r = *apart;
    else if (named)
      let = let_body(let);
    else
      return r;
  }
}

/// Columns, and what would be computed again, are stages.
Rewriting with_named_stages(Rewriting r) {
  Place let;
  for (Expr e = r.program.body;; e = part_at(r.program.body, let)) {
    const bool named = e.is(Op::Let);
    const Place at = named ? let_value(let) : let;
    Place way;
    if (named && e.child(0).is(Op::Let)) {
      if (auto apart = use("let-of-let")(r, let)) {
        r = *apart;
        continue;
      }
    } else if (const Expr value = part_at(r.program.body, at); find_unnamed(value, way) ||
                                                               find_computed_again(value, {}, way) ||
                                                               find_reduced_again(value, false, way)) {
      Arguments arguments(way.begin(), way.end());
      r = run(use("let-part", arguments), std::move(r), at);
      continue;
    }
    if (!named) return r;
    let = let_body(let);
  }
}

/// The shapes of several columns that scans make, as they are made and as they are named.
std::vector<std::vector<Nat>> shapes_of_columns(const Expr& e) {
  if (!makes_columns(e) || rank_of(e.type()) < 2) return {};
  std::vector<std::vector<Nat>> r{shape_of(e.type())};
  for (Expr made = e; rearranges(made.op()); made = made.child(0))
    r.push_back(shape_of(made.child(0).type()));
  return r;
}

/// Scans of one shape that do not wait for each other follow one another, so that they can share loops: what
/// they read is loaded once, and none waits for its own last element alone.
Rewriting with_scans_together(Rewriting r) {
  for (std::size_t later = 2; later + 1 < values_of(r.program.body).size(); ++later) {
    Rewriting moved = r;
    for (std::size_t i = later; i > 0; --i) {
      const std::vector<Place> at = values_of(moved.program.body);
      const auto shapes = shapes_of_columns(part_at(moved.program.body, at[i]));
      if (!shapes.empty() && shapes == shapes_of_columns(part_at(moved.program.body, at[i - 1]))) {
        r = moved;
        break;
      }
      const auto exchanged = use("let-exchange")(moved, Place(at[i - 1].begin(), at[i - 1].end() - 1));
      if (shapes.empty() || !exchanged) break;
      moved = *exchanged;
    }
  }
  return r;
}

/// Columns that are transposed afterwards are made row by row instead: neighbours follow one another.
Rewriting with_rows_inside(Rewriting r, const Place& at) {
  const Expr e = part_at(r.program.body, at);
  if (makes_transposed_elements(e)) {
    auto inside = use("map-of-mapped")(r, content_of(at));
    if (inside) inside = use("transpose-of-transpose")(*inside, at);
    return inside ? *inside : r;
  }
  for (const int p : written_parts(e)) {
    Place part = at;
    part.push_back(p);
    r = with_rows_inside(std::move(r), part);
  }
  return r;
}

/// A stage by its name, which is stored where the result goes.
bool is_named(const Expr& e) { return e.is(Op::Bound) || (e.is(Op::Get) && is_named(e.child(0))); }

/// Whether no loop is decided about that makes a part.
bool is_copied(const Expr& e) {
  if (is_named(e)) return false;
  if (!e.type().is_array() || !element_of(e.type(), rank_of(e.type())).is_scalar()) return false;
  if (has_few_scalars(e.type())) return false;
  return !contains(e, [](const Expr& x) {
    return is_map(x.op()) || is_scan(x.op()) || is_reduce(x.op()) || is_update(x.op()) || x.is(Op::Iterate);
  });
}

/// What a step hands on as it is.
bool stays(const Program& step, const Expr& e, std::size_t result) {
  return e.is(Op::Param) && result < step.state.size() && param_name(e) == step.state[result];
}

Rewriting with_maps(Rewriting r, const Place& at) {
  const Expr e = part_at(r.program.body, at);
  if (!at.empty() && at.back() >= 0 && stays(r.program, e, static_cast<std::size_t>(at.back()))) return r;
  if (is_copied(e)) {
    const auto mapped = use("identity-map", {std::int64_t{rank_of(e.type())}})(r, at);
    return mapped ? *mapped : r;
  }
  for (const int p : written_parts(e)) {
    Place part = at;
    part.push_back(p);
    r = with_maps(std::move(r), part);
  }
  return r;
}

}  // namespace

Rewriting in_stage_form(Rewriting start) {
  Rewriting r = with_named_stages(with_scans_apart(
      with_read_once_inlined(with_rows_going_on(with_views_inlined(with_named_tuples(std::move(start)))))));
  r = with_joined_maps(with_scans_together(std::move(r)));
  for (const Place& value : values_of(r.program.body)) r = with_rows_inside(std::move(r), value);
  Place result;
  while (part_at(r.program.body, result).is(Op::Let)) result = let_body(result);
  return with_maps(std::move(r), result);
}

}  // namespace lift
