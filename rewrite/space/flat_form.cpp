#include "rewrite/space/flat_form.hpp"

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/deriver.hpp"

namespace lift {
namespace {

/// Whether each element is mapped, and nothing else is done with it.
bool is_map_of_maps(const Expr& e) {
  return e.is(Op::Map) && e.child(0).child(0).is(Op::Map) && e.child(0).child(0).child(1).is(Op::Bound);
}

std::optional<Rewriting> applied(const std::string& rule, const Rewriting& r, const Place& at) {
  if (auto done = use(rule)(r, at)) return *done;
  return std::nullopt;
}

/// split(k, map f (... (join xs))) at that place, as map (map f) (... xs).
std::optional<Rewriting> mapped_where_it_lies(Rewriting r, const Place& split) {
  Place at = content_of(split);
  std::vector<Place> maps;
  for (; part_at(r.program.body, at).is(Op::Map); at = argument_of(at)) maps.push_back(at);
  if (!part_at(r.program.body, at).is(Op::Join)) return std::nullopt;
  for (; !maps.empty(); maps.pop_back()) {
    auto joined = applied("map-of-join", r, maps.back());
    if (!joined) return std::nullopt;
    r = std::move(*joined);
  }
  return applied("split-of-join", r, split);
}

std::optional<Rewriting> flattened(const Rewriting& r, const Place& at) {
  const Expr e = part_at(r.program.body, at);
  if (e.is(Op::Split)) return mapped_where_it_lies(r, at);
  return is_map_of_maps(e) ? applied("map-flatten", r, at) : std::nullopt;
}

/// Children that are arrays of the program, or are computed for all of them: not those of functions of
/// elements.
bool is_outside_functions(const Expr& e, std::size_t child) {
  const Expr& c = e.child(child);
  if (!c.is(Op::Lambda)) return c.type().has_arrays();
  return e.is(Op::Let) || e.is(Op::Iterate) || is_map_of_maps(e);
}

/// The first rewriting in the parts of what stands there, inner ones before outer ones.
std::optional<Rewriting> flattened_within(const Rewriting& r, const Expr& e, Place& at) {
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    if (!is_outside_functions(e, i)) continue;
    const bool function = e.child(i).is(Op::Lambda);
    const std::size_t depth = at.size();
    at.push_back(static_cast<int>(i));
    if (function) at.push_back(0);
    auto done = flattened_within(r, function ? e.child(i).child(0) : e.child(i), at);
    at.resize(depth);
    if (done) return done;
  }
  return flattened(r, at);
}

}  // namespace

Rewriting in_flat_form(Rewriting start) {
  for (Place at;; at.clear()) {
    auto next = flattened_within(start, start.program.body, at);
    if (!next) return start;
    start = std::move(*next);
  }
}

}  // namespace lift
