// Laws of split, join, transpose, drop, pad and zip. Pads whose value map depends on the element (odd,
// constant) and pads that may not be read (undefined) commute with fewer primitives than those that only
// choose an element.
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/holes.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

using holes::a, holes::f, holes::xs, holes::ys, holes::z, holes::zs, holes::nats;

/// A pad of a law: its boundary, and whether it is given a value.
struct PadKind {
  Boundary b;
  bool valued = false;
  Expr operator()(const std::vector<Nat>& low, const std::vector<Nat>& high, const Expr& e) const {
    return valued ? pad(low, high, b, e, hole("g")) : pad(low, high, b, e);
  }
};
constexpr PadKind choosing[] = {{Boundary::clamp}, {Boundary::wrap}, {Boundary::mirror}, {Boundary::reflect}};

std::vector<Nat> plus(std::vector<Nat> a, const std::vector<Nat>& b, int sign = 1) {
  for (std::size_t d = 0; d < a.size(); ++d) a[d] = a[d] + b[d] * sign;
  return a;
}
int rank_bound(const Match& m, const std::string& name) {
  int d = 0;
  while (m.nats.count(variables(nat_hole(name + std::to_string(d)))[0])) ++d;
  return d;
}

/// Provably a <= b for both ends and all dimensions of two pairs of widths.
bool all_less_equal(const Match& m, const std::string& a, const std::string& b) {
  for (int d = 0; d < rank_bound(m, a); ++d)
    if (!Facts().proves(less_equal(m.nat(a + std::to_string(d)), m.nat(b + std::to_string(d))))) return false;
  return true;
}

/// The sides of a law for all boundaries given and ranks 1 to 3.
std::vector<Sides> for_boundaries(std::span<const PadKind> boundaries,
                                  const std::function<Sides(int, const PadKind&)>& sides) {
  std::vector<Sides> all;
  for (const PadKind& b : boundaries)
    for (int d = 1; d <= 3; ++d) all.push_back(sides(d, b));
  return all;
}
Rule for_pads(std::string name, std::span<const PadKind> boundaries,
              const std::function<Sides(int, const PadKind&)>& sides) {
  const std::vector<Sides> all = for_boundaries(boundaries, sides);
  return rule_of_rank(std::move(name), 0, static_cast<int>(all.size()) - 1,
                      [&](int i) { return all[static_cast<std::size_t>(i)]; });
}

std::string divides(const Match& m) {
  const Type t = m["xs"].type();
  if (!t.is_array()) return "the argument must be an array";
  const Nat k = m.nat("k");
  if (!Facts().proves(less(0, k))) return "the chunk length " + k.str() + " must be positive";
  if (!Facts().proves(equal(mod(t.length(), k), 0)))
    return "the chunk length " + k.str() + " does not divide the length " + t.length().str() +
           "; choose a divisor";
  return "";
}

Result<Expr> compose_transposes(const Site& site, const Arguments&) {
  if (!site.e.is(Op::Transpose) || !site.e.child(0).is(Op::Transpose))
    return Failure{"needs transpose of transpose"};
  const auto &p = transpose_order(site.e), &q = transpose_order(site.e.child(0));
  const auto image = [&](const std::vector<std::int64_t>& v, std::size_t d) {
    return d < v.size() ? v[d] : static_cast<std::int64_t>(d);
  };
  std::vector<int> both;
  bool identity = true;
  for (std::size_t d = 0; d < std::max(p.size(), q.size()); ++d) {
    both.push_back(static_cast<int>(image(q, static_cast<std::size_t>(image(p, d)))));
    identity = identity && both.back() == static_cast<int>(d);
  }
  const Expr& inner = site.e.child(0).child(0);
  return identity ? inner : transpose(both, inner);
}

/// The elements that an update leaves as they are, and for now all others, are copied by loops about which
/// can be decided.
Result<Expr> copy_base(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Update)) return Failure{"needs an update of a copy, found " + std::string(text(e.op()))};
  if (e.child(0).is(Op::Map)) return Failure{"the base is computed by a map already"};
  const int rank = op_rank(e);
  const Expr copy =
      map_with(Op::Map, rank, function_of(element_of(e.type(), rank), [](Expr x) { return x; }), e.child(0));
  return make(Op::Update, {copy, e.child(1)}, e.attr(), origin(e));
}

std::vector<Rule> split_and_join() {
  const Nat k = nat_hole("k");
  return {
      rule("split-join", map(f, xs), join(map([](Expr x) { return map(f, x); }, split({k}, xs))))
          .takes("k", "chunk length")
          .with(divides, "k divides the length")
          .says("a loop is split into chunks of %1"),
      rule_of_rank("join-of-split", 1, 4,
                   [](int d) {
                     return Sides{join_n(d, split(nats("k", d), xs)), xs};
                   }),
      rule_of_rank("split-of-join", 1, 4,
                   [](int d) {
                     return Sides{split(nats("k", d), join_n(d, xs)), xs};
                   })
          .with(
              [](const Match& m) -> std::string {
                const int d = rank_bound(m, "k");
                const auto shape = shape_of(m["xs"].type(), 2 * d);
                for (int i = 0; i < d; ++i)
                  if (!(shape.at(static_cast<std::size_t>(d + i)) == m.nat("k" + std::to_string(i))))
                    return "the joined chunks have length " + shape[static_cast<std::size_t>(d + i)].str() +
                           ", not " + m.nat("k" + std::to_string(i)).str();
                return "";
              },
              "the joined chunks have length k"),
      rule("split-of-rows", split({k}, join(xs)), join(map([k](Expr x) { return split({k}, x); }, xs)))
          .with(
              [](const Match& m) -> std::string {
                const Nat row = shape_of(m["xs"].type(), 2).at(1);
                return Facts().proves(equal(mod(row, m.nat("k")), 0))
                           ? ""
                           : "chunks of " + m.nat("k").str() + " do not end with rows of " + row.str();
              },
              "k divides the length of a row")
          .says("chunks are taken row by row"),
      constructed("transpose-of-transpose",
                  "transpose . transpose = id; transpose p . transpose q = transpose (q . p)",
                  compose_transposes),
      rule("split-of-map", split({k}, map(f, xs)), map([](Expr x) { return map(f, x); }, split({k}, xs))),
      rule_of_rank("map-of-join", 1, 3,
                   [](int d) {
                     return Sides{map_n(d, f, join_n(d, xs)),
                                  join_n(d, map_n(
                                                d, [d](Expr x) { return map_n(d, f, x); }, xs))};
                   })
          .says("a loop over joined chunks becomes a loop over chunks and one within"),
      rule("join-of-map", join(map([](Expr x) { return map(f, x); }, xs)), map(f, join(xs))),
      rule("transpose-of-map", transpose(map([](Expr x) { return map(f, x); }, xs)),
           map([](Expr x) { return map(f, x); }, transpose(xs))),
      rule("transpose-of-joined", transpose(map([](Expr x) { return join(apply(a, {x})); }, xs)),
           join(transpose({1, 2, 0}, map(a, xs))))
          .says("arrays that each element joins are joined for all together"),
  };
}

std::vector<Rule> reversals() {
  return {
      rule_of_rank("reverse-of-reverse", 1, 3,
                   [](int d) {
                     return Sides{reverse_n(d, reverse_n(d, xs)), xs};
                   }),
      rule_of_rank("reverse-of-map", 1, 3,
                   [](int d) {
                     return Sides{reverse_n(d, map_n(d, f, xs)), map_n(d, f, reverse_n(d, xs))};
                   })
          .says("a loop over the elements from the last to the first"),
      rule_of_rank("map-of-reverse", 1, 3,
                   [](int d) {
                     return Sides{map_n(d, f, reverse_n(d, xs)), reverse_n(d, map_n(d, f, xs))};
                   }),
      rule_of_rank(
          "reverse-of-zip", 1, 3,
          [](int d) {
            return Sides{reverse_n(d, zip_n(d, {xs, ys})), zip_n(d, {reverse_n(d, xs), reverse_n(d, ys)})};
          }),
      rule_of_rank("reverse-of-join", 1, 2,
                   [](int d) {
                     return Sides{reverse_n(d, join_n(d, xs)), join_n(d, reverse_n(2 * d, xs))};
                   }),
      rule_of_rank(
          "reverse-nest", 2, 4,
          [](int d) {
            return Sides{reverse_n(d, xs), reverse(map([d](Expr x) { return reverse_n(d - 1, x); }, xs))};
          }),
      rule("scan-back-as-scan", scan_back(f, z, xs), reverse(scan(f, z, reverse(xs))))
          .says("a scan from the last element to the first runs forwards over the reversed array"),
  };
}

std::vector<Rule> drop_and_pad() {
  constexpr PadKind pads[] = {{Boundary::clamp},     {Boundary::wrap},          {Boundary::mirror},
                              {Boundary::reflect},   {Boundary::odd},           {Boundary::undefined},
                              {Boundary::odd, true}, {Boundary::constant, true}};
  const auto drop_pad = [](int d, const PadKind& pad) {
    return drop(nats("a", d), nats("b", d), pad(nats("l", d), nats("r", d), xs));
  };
  return {
      rule_of_rank("drop-of-drop", 1, 4,
                   [](int d) {
                     return Sides{
                         drop(nats("a", d), nats("b", d), drop(nats("l", d), nats("r", d), xs)),
                         drop(plus(nats("a", d), nats("l", d)), plus(nats("b", d), nats("r", d)), xs)};
                   }),
      rule_of_rank("drop-of-map", 1, 4,
                   [](int d) {
                     return Sides{drop(nats("l", d), nats("r", d), map_n(d, f, xs)),
                                  map_n(d, f, drop(nats("l", d), nats("r", d), xs))};
                   })
          .says("elements that are dropped are not computed"),
      rule_of_rank("map-of-drop", 1, 4,
                   [](int d) {
                     return Sides{map_n(d, f, drop(nats("l", d), nats("r", d), xs)),
                                  drop(nats("l", d), nats("r", d), map_n(d, f, xs))};
                   }),
      rule_of_rank("drop-of-zip", 1, 4,
                   [](int d) {
                     const auto cut = [d](const Expr& e) { return drop(nats("l", d), nats("r", d), e); };
                     return Sides{cut(zip_n(d, {xs, ys})), zip_n(d, {cut(xs), cut(ys)})};
                   }),
      for_pads("drop-of-pad", pads,
               [=](int d, const PadKind& pad) {
                 return Sides{drop_pad(d, pad), pad(plus(nats("l", d), nats("a", d), -1),
                                                    plus(nats("r", d), nats("b", d), -1), xs)};
               })
          .with(
              [](const Match& m) {
                return all_less_equal(m, "a", "l") && all_less_equal(m, "b", "r")
                           ? ""
                           : "more is dropped than was padded: use drop-past-pad";
              },
              "a <= l, b <= r"),
      for_pads("drop-past-pad", pads,
               [=](int d, const PadKind& pad) {
                 return Sides{drop_pad(d, pad), drop(plus(nats("a", d), nats("l", d), -1),
                                                     plus(nats("b", d), nats("r", d), -1), xs)};
               })
          .with(
              [](const Match& m) {
                return all_less_equal(m, "l", "a") && all_less_equal(m, "r", "b")
                           ? ""
                           : "less is dropped than was padded: use drop-of-pad";
              },
              "l <= a, r <= b")
          .says("a pad of which nothing is left disappears"),
      for_pads("pad-of-map", choosing,
               [](int d, const PadKind& pad) {
                 return Sides{pad(nats("l", d), nats("r", d), map_n(d, f, xs)),
                              map_n(d, f, pad(nats("l", d), nats("r", d), xs))};
               })
          .says("values outside are computed again instead of being looked up"),
      for_pads("pad-of-zip", choosing,
               [](int d, const PadKind& pad) {
                 const auto wide = [d, pad](const Expr& e) { return pad(nats("l", d), nats("r", d), e); };
                 return Sides{wide(zip_n(d, {xs, ys})), zip_n(d, {wide(xs), wide(ys)})};
               }),
      for_pads("get-of-pad", choosing,
               [](int d, const PadKind& pad) {
                 const auto wide = [d, pad](const Expr& e) { return pad(nats("l", d), nats("r", d), e); };
                 return Sides{map_n(
                                  d, [](Expr p) { return get(0, p); }, wide(zip_n(d, {xs, ys}))),
                              wide(xs)};
               }),
      rule_of_rank("get-of-zip", 1, 4,
                   [](int d) {
                     return Sides{map_n(
                                      d, [](Expr p) { return get(0, p); }, zip_n(d, {xs, ys})),
                                  xs};
                   }),
      rule("unzip-of-zip", unzip(zip({xs, ys})), tuple({xs, ys})),
      rule_of_rank("zip-of-maps", 1, 4,
                   [](int d) {
                     return Sides{zip_n(d, {map_n(d, f, xs), ys}),
                                  map_n(
                                      d,
                                      [](Expr p) {
                                        return tuple({apply(f, {get(0, p)}), get(1, p)});
                                      },
                                      zip_n(d, {xs, ys}))};
                   }),
  };
}

}  // namespace

std::vector<Rule> structure_rules() {
  std::vector<Rule> all = split_and_join();
  for (Rule& r : drop_and_pad()) all.push_back(std::move(r));
  for (Rule& r : reversals()) all.push_back(std::move(r));
  all.push_back(constructed("copy-base", "update base block = update (map id base) block", copy_base)
                    .says("the base is copied by loops of its own"));
  return all;
}

}  // namespace lift
