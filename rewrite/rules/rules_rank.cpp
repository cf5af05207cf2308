// Rank: primitives of rank D defined by those of rank 1 and D - 1, as laws (from left to right they are the
// definitions), and tiles of any rank.

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/holes.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

using holes::f, holes::xs, holes::ys, holes::nats, holes::last_to_first;

/// Dimension 0 moved behind the d - 1 that follow it.
std::vector<int> first_to_last(int d) {
  std::vector<int> p;
  for (int i = 1; i < d; ++i) p.push_back(i);
  p.push_back(0);
  return p;
}
Expr each(const std::function<Expr(Expr)>& body, const Expr& e) { return map(body, e); }

Sides drop_nest(int d) {
  return {drop(nats("l", d), nats("r", d), xs),
          drop(nats("l", 1), nats("r", 1),
               each([d](Expr x) { return drop(nats("l", 1, d), nats("r", 1, d), x); }, xs))};
}
Sides slide_nest(int d) {
  const auto inner = [d](Expr x) { return slide(nats("n", 1, d), nats("s", 1, d), x); };
  return {slide(nats("n", d), nats("s", d), xs), each([d](Expr b) { return transpose(first_to_last(d), b); },
                                                      slide(nats("n", 1), nats("s", 1), each(inner, xs)))};
}
Sides split_nest(int d) {
  return {split(nats("k", d), xs),
          each([d](Expr b) { return transpose(first_to_last(d), b); },
               split(nats("k", 1), each([d](Expr x) { return split(nats("k", 1, d), x); }, xs)))};
}
Sides join_nest(int d) {
  const auto rows = [d](Expr plane) {
    return each([d](Expr x) { return join_n(d - 1, x); }, transpose(last_to_first(d), plane));
  };
  return {join_n(d, xs), join(each(rows, xs))};
}
Sides zip_nest(int d) {
  return {zip_n(d, {xs, ys}), each(
                                  [d](Expr p) {
                                    return zip_n(d - 1, {get(0, p), get(1, p)});
                                  },
                                  zip({xs, ys}))};
}

Rule pad_nest() {
  std::vector<Sides> all;
  for (const Boundary b :
       {Boundary::clamp, Boundary::wrap, Boundary::mirror, Boundary::reflect, Boundary::undefined})
    for (int d = 2; d <= 3; ++d)
      all.push_back({pad(nats("l", d), nats("r", d), b, xs),
                     pad(nats("l", 1), nats("r", 1), b,
                         each([d, b](Expr x) { return pad(nats("l", 1, d), nats("r", 1, d), b, x); }, xs))});
  return rule_of_rank("pad-nest", 0, static_cast<int>(all.size()) - 1,
                      [&](int i) { return all[static_cast<std::size_t>(i)]; });
}

std::string joined(const std::vector<Nat>& ns) {
  std::string s;
  for (const Nat& n : ns) s += (s.empty() ? "" : " x ") + n.str();
  return s;
}

/// The argument is first padded to a multiple of the tile with elements that are never used, and the result
/// cut back.
Result<Expr> tile(const Site& site, const Arguments& arguments) {
  const Expr& e = site.e;
  if (!e.is(Op::Map)) return Failure{"needs a map, found " + std::string(text(e.op()))};
  const int rank = op_rank(e);
  if (arguments.size() != static_cast<std::size_t>(rank))
    return Failure{"a map of rank " + std::to_string(rank) + " needs as many tile sizes, got " +
                   std::to_string(arguments.size())};
  const std::vector<Nat> n = shape_of(e.child(1).type(), rank);
  std::vector<Nat> k, rest, zero(n.size(), 0);
  bool exact = true;
  for (std::size_t d = 0; d < n.size(); ++d) {
    k.push_back(number(arguments, d));
    if (k[d] == Nat(0)) return Failure{"a tile size must be positive"};
    if (Facts().refutes(less_equal(k[d], n[d])))
      return Failure{"a tile of " + k[d].str() + " is longer than the " + n[d].str() +
                     " elements of dimension " + std::to_string(d) + " of " + joined(n)};
    rest.push_back(simplify(mod(-n[d], k[d])));
    exact = exact && rest[d] == Nat(0);
  }
  const Expr whole = exact ? e.child(1) : pad(zero, rest, Boundary::undefined, e.child(1));
  const Expr chunks = split(k, whole);
  const Expr fn = e.child(0);
  const Expr tiles =
      map_with(Op::Map, rank,
               function({element_of(chunks.type(), rank)},
                        [&](std::span<const Expr> t) { return map_with(Op::Map, rank, fn, t[0]); }),
               chunks);
  const Expr back = join_n(rank, tiles);
  return exact ? back : drop(zero, rest, back);
}

}  // namespace

std::vector<Rule> rank_rules() {
  return {
      rule_of_rank("map-nest", 2, 4,
                   [](int d) {
                     return Sides{map_n(d, f, xs), each([d](Expr x) { return map_n(d - 1, f, x); }, xs)};
                   })
          .says("a map over several dimensions becomes a loop around a map over one dimension less"),
      rule_of_rank("map-flatten", 2, 4,
                   [](int d) {
                     return Sides{each([d](Expr x) { return map_n(d - 1, f, x); }, xs), map_n(d, f, xs)};
                   })
          .says("maps within one another are one over all their dimensions"),
      rule_of_rank("drop-nest", 2, 4, drop_nest),
      rule_of_rank("slide-nest", 2, 4, slide_nest),
      rule_of_rank("split-nest", 2, 4, split_nest),
      rule_of_rank("join-nest", 2, 4, join_nest),
      rule_of_rank("zip-nest", 2, 4, zip_nest),
      pad_nest(),
      constructed("tile",
                  "map_D f = drop_D (0, r) . join_D . map_D (map_D f) . split_D k . pad_D (0, r, undefined), "
                  "r = -n mod k",
                  tile)
          .takes("k", "tile size, one a dimension", true)
          .says("the loops are tiled by %*"),
  };
}

}  // namespace lift
