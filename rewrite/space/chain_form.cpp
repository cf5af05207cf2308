#include "rewrite/space/chain_form.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/deriver.hpp"

namespace lift {
namespace {

constexpr std::int64_t kWhole = 16;  ///< steps that are written out altogether
constexpr std::int64_t kFew = 4, kMany = 8;

/// An iteration whose steps compute arrays: too much to be kept in variables.
bool is_iteration(const Expr& e) {
  return e.is(Op::Iterate) && e.type().has_arrays() && !has_few_scalars(e.type()) &&
         contains(e.child(0),
                  [](const Expr& x) { return is_map(x.op()) || is_update(x.op()) || is_scan(x.op()); });
}

/// A scan over rows each of which is computed from the row before: a loop over time, too.
bool is_scan_of_rows(const Expr& e) {
  return (e.is(Op::Scan) || e.is(Op::ScanBack)) && e.child(1).type().has_arrays() &&
         !has_few_scalars(e.child(1).type()) &&
         contains(e.child(0), [](const Expr& x) { return is_map(x.op()) || is_update(x.op()); });
}

/// The parts of an expression that are computed where its value goes, or on the way there.
std::vector<Place> written_parts(const Expr& e) {
  if (is_map(e.op())) return {{0, 0}};
  if (is_update(e.op())) return {{1}};
  if (e.is(Op::Let)) return {{0}, {1, 0}};
  if (e.is(Op::Tuple) || e.is(Op::Concat) || e.is(Op::Interleave)) {
    std::vector<Place> r;
    for (std::size_t i = 0; i < e.children().size(); ++i) r.push_back({static_cast<int>(i)});
    return r;
  }
  if (is_identity(e.op()) || e.is(Op::Get) || (rearranges(e.op()) && !e.is(Op::At))) return {{0}};
  return {};
}

using Visit = std::function<void(const Expr& iteration, const Place& at, bool in_map)>;

/// The program's loops of a kind, outer ones, in the order in which they are computed.
void visit_loops(const Expr& e, Place& at, bool in_map, bool (*such)(const Expr&), const Visit& f) {
  if (such(e)) return f(e, at, in_map);
  for (const Place& p : written_parts(e)) {
    at.insert(at.end(), p.begin(), p.end());
    visit_loops(part_at(e, p), at, in_map || is_map(e.op()), such, f);
    at.resize(at.size() - p.size());
  }
}
void visit_iterations(const Expr& e, Place& at, bool in_map, const Visit& f) {
  visit_loops(e, at, in_map, is_iteration, f);
}
std::vector<Place> iterations_of(const Expr& body) {
  std::vector<Place> r;
  Place at;
  visit_iterations(body, at, false, [&](const Expr&, const Place& p, bool) { r.push_back(p); });
  return r;
}

/// The way to an iteration below an expression that no function stands on; empty: there is none.
bool find_argument(const Expr& e, Place& way) {
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const Expr& c = e.child(i);
    if (c.is(Op::Lambda)) continue;
    way.push_back(static_cast<int>(i));
    if (is_iteration(c) || find_argument(c, way)) return true;
    way.pop_back();
  }
  return false;
}

/// Where an iteration is an argument of what is computed: that, and the way from there.
bool find_unnamed(const Expr& e, Place& at, Place& way) {
  const std::vector<Place> parts = written_parts(e);
  for (const Place& p : parts) {
    at.insert(at.end(), p.begin(), p.end());
    if (find_unnamed(part_at(e, p), at, way)) return true;
    at.resize(at.size() - p.size());
  }
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const Expr& c = e.child(i);
    const bool written = std::any_of(parts.begin(), parts.end(),
                                     [&](const Place& p) { return p.front() == static_cast<int>(i); });
    if (written || c.is(Op::Lambda)) continue;
    way = {static_cast<int>(i)};
    if (is_iteration(c) || find_argument(c, way)) return true;
  }
  return false;
}

/// Iterations in argument position get names, so that each is computed once, where its value goes.
Rewriting with_named_iterations(Rewriting r) {
  for (;;) {
    Place at, way;
    if (!find_unnamed(r.program.body, at, way)) return r;
    Arguments arguments;
    for (const int i : way) arguments.emplace_back(i);
    r = run(use("let-part", arguments), std::move(r), at);
  }
}

/// Each stage has a name of its own, be it one of several within a step, or one of several arrays of a step.
Rewriting with_stages_apart(Rewriting r, Place at) {
  for (;;) {
    const Expr e = part_at(r.program.body, at);
    if (!e.is(Op::Let)) return r;
    if (e.child(0).is(Op::Let))
      r = run(use("let-of-let"), std::move(r), at);
    else if (e.child(0).is(Op::Tuple))
      r = run(use("let-of-tuple"), std::move(r), at);
    else if (e.child(0).is(Op::Bound))  // another name of a stage
      r = run(use("let-inline"), std::move(r), at);
    else
      at = let_body(at);
  }
}

/// Stages after this one that are made alike, one after the other.
std::int64_t equal_stages(const Expr& let) {
  Expr rest = let.child(1).child(0);
  if (!rest.is(Op::Let)) return 0;
  const Expr value = rest.child(0);
  std::int64_t n = 0;
  for (; rest.is(Op::Let) && rest.child(0) == value; rest = rest.child(1).child(0)) ++n;
  return n + (rest == value ? 1 : 0);
}

/// Where a scan of rows is of which only the last one is left.
bool find_last_of_scan(const Rewriting& r, const Expr& e, Place& at) {
  const bool computes = contains(e, is_scan_of_rows);
  if (!computes) return false;
  if ((e.is(Op::At) || e.is(Op::Join)) && use("scan-iterate")(r, at)) return true;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    const bool body = e.is(Op::Let) && i == 1;
    if (e.child(i).is(Op::Lambda) && !body) continue;
    at.push_back(static_cast<int>(i));
    if (body) at.push_back(0);
    if (find_last_of_scan(r, part_at(r.program.body, at), at)) return true;
    at.resize(at.size() - (body ? 2 : 1));
  }
  return false;
}

/// A scan of rows of which only the last one is left is an iteration, whose steps may go together.
Rewriting with_last_of_scans(Rewriting r) {
  for (Place at; find_last_of_scan(r, r.program.body, at); at.clear()) r = *use("scan-iterate")(r, at);
  return r;
}

/// More stages that are made alike than would be written out are an iteration.
Rewriting with_iterations(Rewriting r) {
  r = with_last_of_scans(std::move(r));
  Place at;
  for (Expr e = r.program.body; e.is(Op::Let); e = part_at(r.program.body, at)) {
    if (equal_stages(e) > kWhole)
      if (auto iteration = use("chain-iterate")(r, at)) r = *iteration;
    at = let_body(at);
  }
  return with_named_iterations(std::move(r));
}

/// What a step of a loop over time hands on as another one of its arrays is copied by a loop, which can be
/// shared. What it hands on as the same stays where it is, and what it computes under a name is computed
/// where that goes.
Rewriting with_copies_as_maps(Rewriting r, Place at) {
  std::vector<Expr> named;
  for (; part_at(r.program.body, at).is(Op::Let); at = let_body(at))
    named.push_back(part_at(r.program.body, at).child(0));
  const Expr e = part_at(r.program.body, at);
  const auto computes = [](const Expr& c) {
    return contains(c, [](const Expr& x) {
      return is_map(x.op()) || is_update(x.op()) || x.is(Op::Iterate) || x.is(Op::Generate);
    });
  };
  const auto depth = [](const Expr& x) { return static_cast<std::size_t>(bound_depth(x)); };
  const auto stays = [&](std::size_t i) {
    const Expr& c = e.child(i);
    if (c.is(Op::Bound) && depth(c) < named.size())
      return computes(named[named.size() - 1 - depth(c)]) &&
             std::find(e.children().begin(), e.children().begin() + static_cast<std::ptrdiff_t>(i), c) ==
                 e.children().begin() + static_cast<std::ptrdiff_t>(i);
    return c.is(Op::Get) && static_cast<std::size_t>(tuple_index(c)) == i && c.child(0).is(Op::Bound) &&
           depth(c.child(0)) == named.size() && c.child(0).type() == e.type();
  };
  for (std::size_t i = 0; e.is(Op::Tuple) && i < e.children().size(); ++i) {
    const Expr& c = e.child(i);
    if (computes(c) || !c.type().is_array() || stays(i)) continue;
    r = run(use("identity-map", {std::int64_t{rank_of(c.type())}}), std::move(r),
            component_of(at, static_cast<int>(i)));
  }
  return r;
}

/// A step that hands on one of its arrays as another one: two levels of time.
bool hands_on_arrays(const Expr& iteration) {
  Expr e = iteration.child(0).child(0);
  while (e.is(Op::Let)) e = e.child(1).child(0);
  return e.is(Op::Tuple) && std::any_of(e.children().begin(), e.children().end(),
                                        [](const Expr& c) { return c.is(Op::Get) && c.type().is_array(); });
}

/// Steps whose number is known only when the kernel runs are taken for many.
std::int64_t steps_of(const Expr& iteration) {
  return iterate_times(iteration).constant().value_or(std::int64_t{1} << 20);
}

/// About so many, a divisor of the steps where one is near.
std::int64_t near(std::int64_t about, std::int64_t steps) {
  for (const std::int64_t d : {about, about + 1, about - 1})
    if (steps % d == 0) return d;
  return about;
}

}  // namespace

std::vector<std::int64_t> depths_of(const Program& program) {
  std::int64_t most = 0, least = 1;
  bool nested = false;  // what iterations within steps do is decided for one step at a time
  Place at;
  const Rewriting start = with_iterations({program, {}});
  visit_iterations(start.program.body, at, false, [&](const Expr& e, const Place&, bool) {
    if (hands_on_arrays(e)) least = std::min<std::int64_t>(2, std::max<std::int64_t>(1, steps_of(e)));
    most = std::max(most, std::max<std::int64_t>(1, steps_of(e)));
    nested = nested || !iterations_of(e.child(0).child(0)).empty();
  });
  std::vector<std::int64_t> r;
  if (most == 0) return r;
  const auto add = [&](std::int64_t d) {
    if (d <= most && std::find(r.begin(), r.end(), d) == r.end()) r.push_back(d);
  };
  if (nested) return {least};
  if (most <= kMany) add(most);
  add(near(kFew, most)), add(near(kMany, most));
  if (most <= kWhole) add(most);
  add(least);
  return r;
}

Rewriting in_chain_form(Rewriting start, std::int64_t depth) {
  Rewriting r = with_iterations(std::move(start));
  // Later ones first: what is made of one of them moves none before it, but for those within.
  std::vector<Place> all = iterations_of(r.program.body);
  for (std::size_t n = all.size(); n-- > 0;) {
    Place at = all[n];
    if (steps_of(part_at(r.program.body, at)) > depth) {
      r = run(use("iterate-of-blocks", {depth}), std::move(r), at);
      at = step_of(std::move(at));
    }
    const bool loop = at != all[n];
    r = run(use("iterate-chain"), std::move(r), at);
    r = with_stages_apart(std::move(r), at);
    if (!loop && !at.empty() && at.back() == 0)  // what has a name is a chain: its stages come before
      if (const Place around(at.begin(), at.end() - 1); part_at(r.program.body, around).is(Op::Let))
        r = with_stages_apart(std::move(r), around);
    if (loop) r = with_copies_as_maps(std::move(r), at);
  }
  return r;
}

std::optional<Place> step_over_time(const Expr& body, bool on_grid) {
  constexpr std::int64_t kMostLaunches = 4096;  // see lower/translate/translate_iterate.cpp
  std::optional<Place> r;
  Place at;
  visit_iterations(body, at, false, [&](const Expr& e, const Place& p, bool in_map) {
    if (!in_map && !(on_grid && steps_of(e) > kMostLaunches)) r = step_of(p);
  });
  if (r || on_grid) return r;
  visit_loops(body, at, false, is_scan_of_rows, [&](const Expr&, const Place& p, bool in_map) {
    if (!in_map) r = step_of(p);
  });
  return r;
}

}  // namespace lift
