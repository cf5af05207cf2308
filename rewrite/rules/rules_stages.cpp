// Laws of stages: what has a name is computed before what reads it, or where that reads it.
#include <algorithm>
#include <optional>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/component_views.hpp"
#include "rewrite/analysis/lets_outside.hpp"
#include "rewrite/analysis/shared_stages.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

Result<Expr> let_of_let(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(0).is(Op::Let)) return Failure{"needs let x = (let y = a in b) in ..."};
  const Expr& inner = e.child(0);
  std::vector<Expr> y;
  const Expr value = open(inner.child(1), y);
  const Expr rest = make(Op::Let, {value, e.child(1)}, {}, origin(e));
  return make(Op::Let, {inner.child(0), lambda(y, rest)}, {}, origin(inner));
}

/// What has become of an expression, or why it stays as it is.
Result<Expr> changed(const Expr& before, const Expr& after, const char* why_not) {
  if (after == before) return Failure{why_not};
  return after;
}

Result<Expr> lets_outside(const Site& site, const Arguments&) {
  if (site.e.type().is_function()) return Failure{"names cannot leave a function whose variables they use"};
  return changed(site.e, with_lets_outside(site.e), "no stage has a name among the arguments of others");
}

Result<Expr> component_views(const Site& site, const Arguments&) {
  return changed(site.e, with_component_views(site.e), "no map takes a component of what has a name");
}

Result<Expr> shared_stages(const Site& site, const Arguments&) {
  if (site.e.type().is_function()) return Failure{"names stand where a function is applied, or in its body"};
  return changed(site.e, with_shared_stages_named(site.e), "nothing that takes long is computed again");
}

/// A part that is computed without what is bound on the way to it.
Result<Expr> let_part(const Site& site, const Arguments& way) {
  const Expr& e = site.e;
  Place place;
  Expr part = e;
  for (std::size_t i = 0; i < way.size(); ++i) {
    place.push_back(static_cast<int>(number(way, i)));
    if (part.is(Op::Lambda)) return Failure{"what a function computes has no name outside of it"};
    if (number(way, i) >= static_cast<std::int64_t>(part.children().size()))
      return Failure{"there is no part at " + str(place)};
    part = part.child(static_cast<std::size_t>(place.back()));
  }
  if (part.type().is_function()) return Failure{"the part is a function"};
  const Expr x = fresh_param("x", part.type());
  return make(Op::Let, {part, lambda({x}, replaced_at(e, place, x))}, {}, origin(e));
}

/// Several arrays that one loop makes are one array of tuples, a stage like others.
Result<Expr> let_of_unzip(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(0).is(Op::Unzip)) return Failure{"needs let x = unzip xs in e"};
  const Expr& xs = e.child(0).child(0);
  const Expr y = fresh_param("x", xs.type());
  const Expr rest = instantiate(e.child(1), std::vector{with_children(e.child(0), {y})});
  return make(Op::Let, {xs, lambda({y}, rest)}, {}, origin(e));
}

Result<Expr> unzip_of_let(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Unzip) || !e.child(0).is(Op::Let)) return Failure{"needs unzip (let x = a in e)"};
  const Expr& let = e.child(0);
  std::vector<Expr> x;
  const Expr rest = open(let.child(1), x);
  return make(Op::Let, {let.child(0), lambda(x, with_children(e, {rest}))}, {}, origin(let));
}

/// The arrays that a map goes over, alone or zipped in any nesting, each once; and elements as the map's
/// function gets them, when some of the arrays are known by other expressions.
class GoneOver {
 public:
  explicit GoneOver(int rank) : rank_(rank) {}
  void add(const Expr& xs) {
    if (is_of_rank(xs, Op::Zip, rank_)) {
      for (const Expr& c : xs.children()) add(c);
    } else if (std::find(arrays_.begin(), arrays_.end(), xs) == arrays_.end()) {
      arrays_.push_back(xs);
    }
  }
  const std::vector<Expr>& arrays() const { return arrays_; }
  void leave_out(const Expr& xs) { std::erase(arrays_, xs); }
  /// Of `xs`, whose arrays have been added, or left out for `value`; `x` is an element of all arrays
  /// together.
  Expr element(const Expr& xs, const Expr& x, const std::optional<Expr>& value = {}) const {
    if (is_of_rank(xs, Op::Zip, rank_)) {
      std::vector<Expr> parts;
      for (const Expr& c : xs.children()) parts.push_back(element(c, x, value));
      return tuple(parts);
    }
    const auto at = std::find(arrays_.begin(), arrays_.end(), xs);
    if (at == arrays_.end()) return *value;
    return arrays_.size() == 1 ? x : get(static_cast<int>(at - arrays_.begin()), x);
  }
  Expr together() const { return arrays_.size() == 1 ? arrays_[0] : zip_n(rank_, arrays_); }

 private:
  int rank_;
  std::vector<Expr> arrays_;
};

/// Both maps are loops of one form: ordinary, or shared in one way.
bool are_alike(const Expr& a, const Expr& b) {
  return is_map(a.op()) && !is_map_on_grid(a.op()) && !a.is(Op::MapVec) && a.op() == b.op() &&
         a.attr() == b.attr();
}

/// Of arrays that a map goes over, elements from the same place on.
Expr dropped_like(const Expr& drop, const Expr& xs, int rank) {
  if (!is_of_rank(xs, Op::Zip, rank)) return with_children(drop, {xs});
  return map_children(xs, [&](const Expr& c) { return dropped_like(drop, c, rank); });
}
bool mentions(const Expr& e, const Expr& p) {
  return contains(e, [&](const Expr& y) { return y == p; });
}

/// Where p, all of it or what a drop leaves, stands among what the second map goes over, and nowhere else.
std::optional<Expr> in_one_map(const Expr& first, const Expr& p, const Expr& second) {
  const int rank = op_rank(first);
  const Expr f = first.child(0), g = second.child(0), over = second.child(1);
  const auto of_p = [&](const Expr& x) { return mentions(x, p); };
  GoneOver all(rank);
  all.add(over);
  const auto at = std::find_if(all.arrays().begin(), all.arrays().end(), of_p);
  if (at == all.arrays().end()) return std::nullopt;
  const Expr read = *at;
  all.leave_out(read);
  std::vector<Expr> drops;
  for (Expr x = read; !(x == p); x = x.child(0)) {
    if (!x.is(Op::Drop) || op_rank(x) > rank) return std::nullopt;
    drops.push_back(x);
  }
  if (of_p(g) || std::any_of(all.arrays().begin(), all.arrays().end(), of_p)) return std::nullopt;
  Expr xs = first.child(1);
  for (std::size_t i = drops.size(); i-- > 0;) xs = dropped_like(drops[i], xs, rank);
  GoneOver ordered(rank);  // what comes first is gone over first
  ordered.add(xs);
  for (const Expr& ys : all.arrays()) ordered.add(ys);
  const Expr arrays = ordered.together();
  const Expr x = fresh_param("x", element_of(arrays.type(), rank));
  const Expr body = let(apply(f, {ordered.element(xs, x)}),
                        [&](Expr value) { return apply(g, {ordered.element(over, x, value)}); });
  return make(first.op(), {lambda({x}, components_taken(body)), arrays}, first.attr(), origin(first));
}

/// What is looked at as it is computed, or gone over one by one.
bool hands_on(const Expr& e) {
  return e.is(Op::Tuple) || e.is(Op::Zip) || e.is(Op::Unzip) || e.is(Op::Get) || is_map(e.op()) ||
         (rearranges(e.op()) && !e.is(Op::At));
}

/// The one map that reads p, in the value of this or of a later name, or in the result.
Result<Expr> in_reader(const Expr& first, const Expr& p, const Expr& e) {
  if (are_alike(first, e))
    if (const auto read = in_one_map(first, p, e)) return *read;
  std::vector<Expr> parts(e.children().begin(), e.children().end()), names;
  const bool named = e.is(Op::Let);
  if (named) parts[1] = open(e.child(1), names);
  const auto reads = [&](const Expr& c) { return mentions(c, p); };
  const auto reader = std::find_if(parts.begin(), parts.end(), reads);
  if (reader == parts.end() || std::count_if(parts.begin(), parts.end(), reads) > 1 ||
      !(named || (hands_on(e) && !reader->is(Op::Lambda))))
    return Failure{"not one map over the same dimensions uses the value, element by element"};
  const Result<Expr> read = in_reader(first, p, *reader);
  if (!read) return read;
  *reader = *read;
  if (named) parts[1] = lambda(names, parts[1]);
  return with_children(e, parts);
}

Result<Expr> let_of_maps(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !is_map(e.child(0).op()))
    return Failure{"needs let p = map f xs in map g (zip p ys)"};
  std::vector<Expr> names;
  const Expr rest = open(e.child(1), names);
  return in_reader(e.child(0), names[0], rest);
}

}  // namespace

std::vector<Rule> stage_rules() {
  return {
      constructed("let-of-let", "let x = (let y = a in b y) in f x = let y = a in let x = b y in f x",
                  let_of_let)
          .says("stages within a stage are stages before it"),
      constructed("lets-outside", "f (let x = a in b x) = let x = a in f (b x)", lets_outside)
          .says("stages among the arguments of others come before these"),
      constructed("component-views", "map (\\x. x.i) xs = (unzip xs).i of xs with a name", component_views)
          .says("components of stages are looked at where they are"),
      constructed("shared-stages",
                  "f a a = let x = a in f x x; map (\\y. f a y) ys = let x = a in map (\\y. f x y) ys",
                  shared_stages)
          .says("what takes long and is read at several places is a stage before them"),
      constructed("let-part", "e = let x = a in e with x for a, a part of e", let_part)
          .takes("way", "children on the way to the part", true)
          .says("a part of what is computed is a stage of its own"),
      constructed("let-of-unzip", "let x = unzip xs in e = let y = xs in e with unzip y for x", let_of_unzip)
          .says("several arrays that one loop makes are one stage"),
      constructed("unzip-of-let", "unzip (let x = a in e) = let x = a in unzip e", unzip_of_let)
          .says("what makes several arrays of one comes after the stages"),
      constructed("let-of-maps",
                  "let p = map f xs in map g (zip p ys) = map (\\x y. let p = f x in g (p, y)) (zip xs ys)",
                  let_of_maps)
          .says("a stage that is read element by element is computed in the loops that read it"),
  };
}

}  // namespace lift
