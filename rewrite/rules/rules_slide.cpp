// Laws of windows. slide(n, s): windows of n elements, s apart. Sizes u and steps v name the outer, larger
// windows.
//
// The published slide-before-split law, slide(n, s) . split k ..., holds only for step 1; here every law
// carries the divisibility that it needs.
#include <range/v3/view/zip.hpp>

#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/holes.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

using holes::f, holes::xs, holes::ys, holes::nats;

Expr windows(int d, const Expr& e) { return slide(nats("n", d), nats("s", d), e); }

std::string tiles_fit(const Match& m) {
  const Nat n = m.nat("n"), s = m.nat("s"), v = m.nat("v");
  const Facts facts;
  if (!m["xs"].type().is_array()) return "the argument must be an array";
  const Nat count = floordiv(m["xs"].type().length() - n, s) + 1;
  if (!facts.proves(less(0, v))) return "the tile step " + v.str() + " must be positive";
  if (!facts.proves(equal(mod(v, s), 0)))
    return "the window step " + s.str() + " does not divide the tile step " + v.str() + "; choose a multiple";
  if (!facts.proves(equal(mod(count * s, v), 0)))
    return "tiles of " + floordiv(v, s).str() + " windows do not divide the " + count.str() +
           " windows; choose a divisor";
  return "";
}

Sides slide_of_slides(int d) {
  const std::vector<Nat> n = nats("n", d), s = nats("s", d), u = nats("u", d), v = nats("v", d);
  std::vector<Nat> size, step;
  for (const auto& [ni, si, ui, vi] : ranges::views::zip(n, s, u, v))
    size.push_back((ui - 1) * si + ni), step.push_back(vi * si);
  return {slide(u, v, map_n(d, f, windows(d, xs))),
          map_n(
              d, [d](Expr w) { return map_n(d, f, windows(d, w)); }, slide(size, step, xs))};
}

}  // namespace

std::vector<Rule> slide_rules() {
  const Nat n = nat_hole("n"), s = nat_hole("s"), u = nat_hole("u"), v = nat_hole("v");
  return {
      rule("slide-tiling", slide({n}, {s}, xs),
           join(map([=](Expr w) { return slide({n}, {s}, w); }, slide({v + n - s}, {v}, xs))))
          .takes("v", "elements from one tile to the next")
          .with(tiles_fit, "s divides v, and v / s divides the number of windows")
          .says("windows are taken from overlapping tiles that are %1 elements apart"),
      rule_of_rank("slide-of-slides", 1, 3, slide_of_slides)
          .says("windows of what a stencil computes are computed from larger windows: overlapped tiling in "
                "time"),
      rule("split-of-slide", split({u}, slide({n}, {s}, xs)),
           map([=](Expr w) { return slide({n}, {s}, w); }, slide({(u - 1) * s + n}, {u * s}, xs)))
          .says("chunks of windows are windows of overlapping tiles"),
      rule_of_rank("slide-of-map", 1, 3,
                   [](int d) {
                     return Sides{windows(d, map_n(d, f, xs)),
                                  map_n(
                                      d, [d](Expr w) { return map_n(d, f, w); }, windows(d, xs))};
                   })
          .says("each window computes its elements itself"),
      rule_of_rank("slide-of-zip", 1, 3,
                   [](int d) {
                     return Sides{windows(d, zip_n(d, {xs, ys})),
                                  map_n(
                                      d,
                                      [d](Expr p) {
                                        return zip_n(d, {get(0, p), get(1, p)});
                                      },
                                      zip_n(d, {windows(d, xs), windows(d, ys)}))};
                   }),
      rule_of_rank("slide-of-get", 1, 3,
                   [](int d) {
                     return Sides{windows(d, map_n(
                                                 d, [](Expr p) { return get(0, p); }, zip_n(d, {xs, ys}))),
                                  windows(d, xs)};
                   }),
      rule("split-is-slide", split({u}, xs), slide({u}, {u}, xs)),
      rule("slide-is-split", slide({u}, {u}, xs), split({u}, xs)),
      rule("join-of-slide", join(slide({Nat(1)}, {Nat(1)}, xs)), xs),
  };
}

}  // namespace lift
