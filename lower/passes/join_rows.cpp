#include "lower/passes/join_rows.hpp"

#include <algorithm>

#include "ir/nat/nat.hpp"
#include "lower/analyses/iterations.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

bool is_whole(const For& f, LoopKind kind) {
  return f.kind == kind && f.lower == Nat(0) && f.step == Nat(1) && f.stride == 1 && f.prefetch == 0 &&
         !f.rotate && !f.is_scheduled() && f.dynamic == 0;
}

/// By how much an index moves an iteration of a loop, where that is a number.
std::optional<std::int64_t> moves(const Nat& index, const Nat& var) {
  const auto line = affine_in(index, var);
  return line ? line->coefficient.constant() : std::nullopt;
}

/// How many iterations over rows go over as many of an array as one of the loop within a part does, where the
/// next part begins where that loop ends.
std::optional<std::int64_t> of_an_iteration(const For& rows, const For& parts, const For& within) {
  const std::vector<Touched> in_rows = touched_by(rows.body), in_part = touched_by(within.body);
  for (const Touched& a : in_rows)
    for (const Touched& b : in_part) {
      if (a.array != b.array || a.position.size() != b.position.size()) continue;
      for (std::size_t d = 0; d < a.position.size(); ++d) {
        const auto row = moves(a.position[d], rows.var), some = moves(b.position[d], within.var),
                   part = moves(b.position[d], parts.var);
        if (!row || !some || !part || *row <= 0 || *some <= 0 || *some % *row != 0) continue;
        if (Nat(*part) == *some * within.upper) return *some / *row;
      }
    }
  return std::nullopt;
}

constexpr std::int64_t kFewRows = 8;  ///< as many streams from memory, and to it

/// A few rows at a time, element by element, where that is the same.
std::optional<Block> side_by_side(const For& rows, const Nat& begin, std::int64_t each) {
  const auto* row = rows.body.size() == 1 ? std::get_if<For>(&rows.body[0].v) : nullptr;
  if (each > kFewRows || !row || row->kind != LoopKind::Vec || has_loop(row->body) ||
      !are_independent(*row) || mentions(row->lower, rows.var) || mentions(row->upper, rows.var))
    return std::nullopt;
  For element = rows, all = *row;
  element.kind = LoopKind::Unroll, element.joined = 0, element.upper = each;
  element.var = Nat::fresh(rows.var.str(), 0, each - 1);
  element.body = at_index(row->body, rows.var, begin + element.var);
  all.late_store = false;
  all.body = {{std::move(element)}};
  return Block{{std::move(all)}};
}

/// Iterations from `begin` on, `each` of them, of what is left of a loop.
Block some_of(const For& rows, const Nat& begin, std::int64_t each) {
  if (each == 1) return at_index(rows.body, rows.var, begin);
  if (auto few = side_by_side(rows, begin, each)) return *few;
  For f = rows;
  f.kind = LoopKind::Seq, f.joined = 0, f.upper = each;
  f.var = Nat::fresh(rows.var.str(), 0, each - 1);
  f.body = at_index(rows.body, rows.var, begin + f.var);
  return {{std::move(f)}};
}

/// The loop over parts with rows in its loop at `at`, before what that does or after it.
std::optional<For> with_rows(const For& parts, std::size_t at, const For& rows, std::int64_t each,
                             bool before, const Together& together) {
  const For& within = std::get<For>(parts.body[at].v);
  const Nat other = Nat::fresh(within.var.str(), within.lower, within.upper - 1);
  const auto of = [&](const Nat& r) { return some_of(rows, each * (within.upper * parts.var + r), each); };
  const std::vector<Touched> in_part = touched_by(of(other)), in_row = touched_by(of(within.var));
  const auto here = parts.body.begin() + static_cast<std::ptrdiff_t>(at);
  const Block passed = before ? Block(parts.body.begin(), here) : Block(here + 1, parts.body.end());
  if (!are_apart(in_part, touched_by(parts.body), parts.var) ||
      !are_apart(in_row, touched_by(within.body), within.var) || !may_precede(of(other), passed))
    return std::nullopt;
  For joined = parts;
  Block& body = std::get<For>(joined.body[at].v).body;
  body = before ? together(of(within.var), body) : together(body, of(within.var));
  return joined;
}

/// Whether all is done in each iteration, whatever its index, and lies there by that index.
bool asks_nothing(const For& f) {
  bool plain = !holds(f.body, [](const Stmt& s) { return std::holds_alternative<If>(s.v); });
  visit_terms(f.body, [&](const Term& t) {
    for (const NatCond& c : t->conds) plain = plain && !mentions(c.a, f.var);
  });
  for (const Touched& t : touched_by(f.body))
    for (const Nat& index : t.position) plain = plain && affine_in(index, f.var);
  return plain;
}

/// The loops over vectors in the body of a loop, those in loops that are written out, too.
const For* vectors_in(const Block& b) {
  for (const Stmt& s : b) {
    const auto* f = std::get_if<For>(&s.v);
    if (f && f->kind == LoopKind::Vec) return f;
    if (f && f->kind == LoopKind::Unroll)
      if (const For* within = vectors_in(f->body)) return within;
  }
  return nullptr;
}

/// How many elements an iteration takes up that are elements of a row.
bool takes_up(const For& row, const For& some, std::int64_t each) {
  const std::vector<Touched> in_row = touched_by(row.body), in_some = touched_by(some.body);
  return std::any_of(in_row.begin(), in_row.end(), [&](const Touched& a) {
    return std::any_of(in_some.begin(), in_some.end(), [&](const Touched& b) {
      return a.array == b.array && a.position.size() == b.position.size() && !a.position.empty() &&
             moves(a.position.back(), row.var) == 1 && moves(b.position.back(), some.var) == each;
    });
  });
}

}  // namespace

std::optional<JoinedRows> join_elements(const For& first, const For& second, const Together& together) {
  for (const bool row_first : {true, false}) {
    const For &row = row_first ? first : second, &some = row_first ? second : first;
    const For* vector = vectors_in(some.body);
    if (!vector || !is_whole(row, LoopKind::Vec) || !is_whole(some, LoopKind::Seq) || has_loop(row.body))
      continue;
    const auto each = vector->upper.constant();
    if (!each || *each < row.width || !takes_up(row, some, *each) || !asks_nothing(row) ||
        !are_independent(row))
      continue;
    const Nat joined = *each * some.upper;
    if (!Facts().proves(less_equal(joined, row.upper))) continue;
    For chunk = row;
    chunk.upper = *each, chunk.width = vector->width, chunk.late_store = false;
    chunk.var = Nat::fresh(row.var.str(), 0, *each - 1);
    chunk.body = at_index(row.body, row.var, *each * some.var + chunk.var);
    if (!are_apart(touched_by({{chunk}}), touched_by(some.body), some.var)) continue;
    For all = some;
    all.body = row_first ? together({{chunk}}, some.body) : together(some.body, {{chunk}});
    Block left = make_loop(row, joined, row.upper);
    JoinedRows r{{}, std::move(all), {}};
    (row_first ? r.before : r.after) = std::move(left);
    return r;
  }
  return std::nullopt;
}

std::optional<JoinedRows> join_rows(const For& first, const For& second, const Together& together) {
  if (!is_whole(first, LoopKind::Par) || !is_whole(second, LoopKind::Par)) return std::nullopt;
  for (const bool rows_first : {true, false}) {
    const For &rows = rows_first ? first : second, &parts = rows_first ? second : first;
    for (std::size_t i = 0; i < parts.body.size(); ++i) {
      const auto* within = std::get_if<For>(&parts.body[i].v);
      if (!within || !is_whole(*within, LoopKind::Seq)) continue;
      const auto each = of_an_iteration(rows, parts, *within);
      if (!each) continue;
      const Nat joined = *each * parts.upper * within->upper;
      if (!Facts().proves(less_equal(joined, rows.upper))) continue;
      auto all = with_rows(parts, i, rows, *each, rows_first, together);
      if (!all) continue;
      Block left = make_loop(rows, joined, rows.upper);
      JoinedRows r{{}, std::move(*all), {}};
      (rows_first ? r.before : r.after) = std::move(left);
      return r;
    }
  }
  return std::nullopt;
}

}  // namespace lift
