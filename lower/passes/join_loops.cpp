// Loops over the same iterations that follow one another, as those of stages that meet row by row do, become
// one loop, so that what the first has loaded or stored is still in a cache when the next one reads it.
#include <algorithm>
#include <optional>
#include <utility>

#include "ir/nat/nat.hpp"
#include "lower/analyses/iterations.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/join_rows.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

bool are_of_one_kind(const For& a, const For& b) {
  return a.kind == b.kind && a.lower == b.lower && a.upper == b.upper && a.step == b.step &&
         a.stride == b.stride && a.dynamic == b.dynamic && a.prefetch == b.prefetch && !a.rotate &&
         !b.rotate && !a.is_scheduled() && !b.is_scheduled();
}

/// Loops in which nothing is done, as those over what lies in its place already.
bool is_empty(const For& f) {
  return !holds(f.body, [](const Stmt& s) {
    return !std::holds_alternative<For>(s.v) && !std::holds_alternative<If>(s.v);
  });
}

/// Whether a loop is around others, not over the elements of a row.
bool is_outer(const For& f) { return has_loop(f.body); }

bool is_loop(const Stmt& s) { return std::holds_alternative<For>(s.v); }

bool join(For& f, For next, bool elements);
/// A body and what comes after it, loops of which are joined.
Block together(Block body, const Block& next, bool elements);

/// Whether two loops have an array in common.
bool share_an_array(const Stmt& a, const Stmt& b) {
  const std::vector<Touched> first = touched_by({a}), second = touched_by({b});
  return std::any_of(first.begin(), first.end(), [&](const Touched& x) {
    return std::any_of(second.begin(), second.end(), [&](const Touched& y) { return x.array == y.array; });
  });
}

/// What two loops become, and what is left over of one of them.
std::optional<JoinedRows> joined(const For& f, const For& g, bool elements) {
  if (f.kind == LoopKind::Par || !(elements || (is_outer(f) && is_outer(g)))) return std::nullopt;
  JoinedRows r{{}, f, {}};
  if (join(r.parts, g, elements)) return r;
  return elements
             ? join_elements(f, g, [](Block a, const Block& b) { return together(std::move(a), b, true); })
             : std::nullopt;
}

/// Joins a loop of a body to a loop of the body before it; what stands before it comes before that, what
/// stands after it after all. False where it cannot be.
bool join_at(Block& body, std::size_t i, const Block& next, std::size_t n, bool elements) {
  const auto last = body.begin() + static_cast<std::ptrdiff_t>(i);
  const auto first = next.begin() + static_cast<std::ptrdiff_t>(n);
  const Block between(last + 1, body.end()), before(next.begin(), first), passed(last, body.end());
  if (!may_precede({*first}, between) || !may_precede(before, passed)) return false;
  auto both = joined(std::get<For>(last->v), std::get<For>(first->v), elements);
  if (!both) return false;
  Block r(body.begin(), last);
  const auto add = [&](const Block& more) { r.insert(r.end(), more.begin(), more.end()); };
  add(before), add(both->before), r.push_back({std::move(both->parts)}), add(both->after), add(between);
  r.insert(r.end(), first + 1, next.end());
  body = std::move(r);
  return true;
}

/// Joins a loop of a body to one of the body before it: to one with an array of its own, if there is such.
bool join_within(Block& body, const Block& next, bool elements) {
  std::optional<std::pair<std::size_t, std::size_t>> ends;
  for (std::size_t i = body.size(); i-- > 0;)
    for (std::size_t n = 0; n < next.size(); ++n) {
      if (!is_loop(body[i]) || !is_loop(next[n])) continue;
      if (!ends) ends = {i, n};
      if (share_an_array(body[i], next[n]) && join_at(body, i, next, n, elements)) return true;
    }
  return ends && join_at(body, ends->first, next, ends->second, elements);
}

/// Puts the iterations of `next` after those of `f`; false where they have to do with other ones.
bool join(For& f, For next, bool elements) {
  if (!are_of_one_kind(f, next)) return false;
  next.body = substitute(next.body, next.var, f.var);
  const std::vector<Touched> first = touched_by(f.body), second = touched_by(next.body);
  if (!are_apart(first, second, f.var)) return false;
  const bool read =
      std::any_of(first.begin(), first.end(), [&](const Touched& a) {  // what is stored late is not
        return a.store &&
               std::any_of(second.begin(), second.end(), [&](const Touched& b) { return may_meet(a, b); });
      });
  f.late_store = f.late_store && next.late_store && !read;
  f.width = std::min(f.width, next.width);
  f.body = together(std::move(f.body), next.body, elements);
  return true;
}

Block together(Block body, const Block& next, bool elements) {
  if (!join_within(body, next, elements)) body.insert(body.end(), next.begin(), next.end());
  return body;
}

/// Copies of a few elements.
bool copies_few(const Block& b) {
  constexpr std::int64_t few = 8;
  return std::all_of(b.begin(), b.end(), [](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) return x->value->kind == TermKind::Load;
    const auto* f = std::get_if<For>(&s.v);
    return f && (f->upper - f->lower).constant().value_or(few + 1) <= few && copies_few(f->body);
  });
}

/// Copies of borders, which no decision is about: as many of them as the shared loop after them has
/// iterations become part of these, as what the base of an update has on both sides of each row.
bool take_border(For& shared, const For& border) {
  if ((border.kind != LoopKind::Seq && border.kind != LoopKind::Par) || !copies_few(border.body) ||
      !(border.step == shared.step) || border.stride != 1 || shared.stride != 1 ||
      !(border.upper - border.lower == shared.upper - shared.lower) || border.rotate ||
      border.is_scheduled() || shared.is_scheduled() || !are_independent(border))
    return false;
  const bool collapses = shared.body.size() == 1 && is_loop(shared.body[0]) &&
                         std::get<For>(shared.body[0].v).kind == LoopKind::Par;
  Block before = substitute(border.body, border.var, shared.var + border.lower - shared.lower);
  if (collapses || !are_apart(touched_by(before), touched_by(shared.body), shared.var)) return false;
  before.insert(before.end(), shared.body.begin(), shared.body.end());
  shared.body = std::move(before);
  return true;
}

void take_borders(Block& b) {
  for (std::size_t i = 1; i < b.size(); ++i) {
    auto* shared = std::get_if<For>(&b[i].v);
    const auto* border = std::get_if<For>(&b[i - 1].v);
    if (!shared || !border || shared->kind != LoopKind::Par || !take_border(*shared, *border)) continue;
    b.erase(b.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    i = i > 1 ? i - 2 : i - 1;
  }
}

}  // namespace

Block join_loops(const Block& b) {
  Block r;
  std::optional<std::size_t> before;  // the loop that the next one may be joined to
  bool copied = false;
  for (Stmt s : b) {
    if (Block* body = body_of(s)) *body = join_loops(*body);
    auto* f = std::get_if<For>(&s.v);
    if (f && is_empty(*f)) continue;
    if (std::holds_alternative<Allocate>(s.v) && before) {
      r.insert(r.begin() + static_cast<std::ptrdiff_t>((*before)++), std::move(s));
      continue;
    }
    const int how = f ? std::exchange(f->joined, 0) : 0;
    if (how > 0 && before) {
      const Block between(r.begin() + static_cast<std::ptrdiff_t>(*before) + 1, r.end());
      if (may_precede({s}, between)) {
        const auto here = r.begin() + static_cast<std::ptrdiff_t>(*before);
        if (join(std::get<For>(here->v), *f, how > 1)) continue;
        const auto bodies = [&](Block a, const Block& b) { return together(std::move(a), b, how > 1); };
        if (auto rows = join_rows(std::get<For>(here->v), *f, bodies)) {
          *here = {std::move(rows->parts)};
          r.insert(here + 1, rows->after.begin(), rows->after.end());
          r.insert(r.begin() + static_cast<std::ptrdiff_t>(*before), rows->before.begin(),
                   rows->before.end());
          *before += rows->before.size(), copied = true;
          continue;
        }
      }
    }
    if (f && f->kind == LoopKind::Par) before = r.size();
    r.push_back(std::move(s));
  }
  take_borders(r);
  return copied ? distinct_names(r) : r;
}

}  // namespace lift
