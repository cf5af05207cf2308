// Instances of the rules about grids of work-items.
#include "tests/rewrite/instances.hpp"

namespace lift::test {
namespace {

/// Tiles, divisors of the lengths or not, of windows zipped with plain arrays, or of windows alone; made by
/// rule tile.
Instance tiles_of_windows(Gen& g, const Arguments& before) {
  const int d = g.n(1, 3), count = g.n(1, 3), chosen = g.n(0, count - 1);
  const auto n = g.shape(d, 1, d < 3 ? 5 : 3);
  Arguments k;
  for (const Nat& length : n) k.push_back(std::to_string(g.n(1, static_cast<int>(*length.constant()))));
  std::vector<Expr> arrays;
  for (int i = 0; i < count; ++i) {
    if (i != chosen && g.coin()) {
      arrays.push_back(g.array(n, f64));
      continue;
    }
    std::vector<Nat> size, step, whole;
    for (const Nat& length : n) {
      size.emplace_back(g.n(1, 3)), step.emplace_back(d < 3 ? g.n(1, 2) : 1);
      whole.push_back((length - 1) * step.back() + size.back());
    }
    arrays.push_back(slide(size, step, g.array(whole, f64)));
  }
  const Expr xs = count == 1 ? arrays[0] : zip_n(d, arrays);
  const Expr f = fun(element_of(xs.type(), d), [&](Expr x) {
    Expr sum = literal(1, f64);
    for (int i = 0; i < count; ++i) {
      Expr part = count == 1 ? x : get(i, x);
      while (part.type().is_array())
        part = part[Nat(g.n(0, static_cast<int>(*part.type().length().constant()) - 1))];
      sum = sum * 0.5 + part;
    }
    return sum;
  });
  const auto tiled = find_rule("tile").construct({map_n(d, f, xs), {}}, k);
  Place place;
  for (Expr e = *tiled; !e.is(Op::Map); e = e.child(0)) place.push_back(0);
  Arguments arguments = before;
  arguments.push_back(std::to_string(g.n(0, 9) ? chosen : count));
  return {*tiled, arguments, place};
}

}  // namespace

Generators grid_generators() {
  return {
      {"items",
       [](Gen& g) -> Instance {
         const Expr xs = g.array(g.n(1, 5), f64);
         return {map_with(g.coin() ? Op::MapGlb : Op::MapWrg, 1, g.fun(f64, f64), xs, {g.n(0, 2), 1, 0, 0}),
                 {std::to_string(g.n(0, 6))},
                 {}};
       }},
      {"stage", [](Gen& g) { return tiles_of_windows(g, {}); }},
      {"stage-planes",
       [](Gen& g) { return tiles_of_windows(g, {std::to_string(g.n(2, 5))}); }},  // some too few for a window
  };
}

}  // namespace lift::test
