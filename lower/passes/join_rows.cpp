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
         !f.rotate && !f.team && !f.doacross && !f.waits && f.dynamic == 0;
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

/// Iterations from `begin` on, `each` of them, of what is left of a loop.
Block some_of(const For& rows, const Nat& begin, std::int64_t each) {
  if (each == 1) return at_index(rows.body, rows.var, begin);
  For f = rows;
  f.kind = LoopKind::Seq, f.joined = 0, f.upper = each;
  f.var = Nat::fresh(rows.var.str(), 0, each - 1);
  f.body = at_index(rows.body, rows.var, begin + f.var);
  return {{std::move(f)}};
}

/// The loop over parts with rows in its loop at `at`, before what that does or after it.
std::optional<For> with_rows(const For& parts, std::size_t at, const For& rows, std::int64_t each,
                             bool before) {
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
  Block some = of(within.var);
  body.insert(before ? body.begin() : body.end(), some.begin(), some.end());
  return joined;
}

}  // namespace

std::optional<JoinedRows> join_rows(const For& first, const For& second) {
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
      auto all = with_rows(parts, i, rows, *each, rows_first);
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
