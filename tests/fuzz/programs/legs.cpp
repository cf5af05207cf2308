// Chains of unlike stages, as the legs of a multigrid cycle: what a coarser grid adds, updates of cells of
// one colour or of all, and what is left over: on a coarser grid, of each row, or of each cell.
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {

Expr Generator::leg() {
  const int rank = chance(75) ? 3 : 2, ratio = chance(80) ? 2 : 3;
  const auto axes = static_cast<std::size_t>(rank);
  const Scalar s = chance(70) ? f64 : f32;
  std::vector<Nat> coarse, cells;
  for (int d = 0; d < rank; ++d) {
    const bool inner = d + 1 == rank;
    coarse.emplace_back(number(1, inner ? 9 : rank == 2 ? 9 : 5)), cells.push_back(ratio * coarse.back());
  }
  const std::vector<Nat> zeros(axes, Nat(0)), ones(axes, Nat(1)), threes(axes, Nat(3)),
      ratios(axes, Nat(ratio));
  const Expr u = argument(array(cells, s)), f = argument(array(cells, s));
  overwritable_.push_back(param_name(u));
  const Boundary beyond = one_of(std::vector<Boundary>{Boundary::clamp, Boundary::odd, Boundary::mirror});
  const auto around = [&](const Expr& x) { return slide(threes, ones, pad(ones, ones, beyond, x)); };
  const auto over = [&](const Expr& x, const std::function<Expr(Expr at, Expr w, Expr f)>& cell) {
    return map_n(
        rank, [&](Expr p) { return bounded(cell(get(0, p), get(1, p), get(2, p))); },
        zip_n(rank, {positions(cells), around(x), f}));
  };
  const auto centre = [&](const Expr& w) { return at(ones, w); };
  const auto update_of = [&](const Expr& x) {
    const int kind = number(0, 3), parity = number(0, 1), fuel = number(1, 2);
    return update(x, zeros, over(x, [&](Expr place, Expr w, Expr g) {
                    if (kind == 3) return grown(Type(s), {w, g}, fuel);  // of all cells, in another array
                    Expr sum, colour;
                    for (std::size_t d = 0; d < axes; ++d)
                      for (const int side : {0, 2}) {
                        if (kind == 2 && d != 0) continue;
                        std::vector<Nat> neighbour = ones;
                        neighbour[d] = side;
                        sum = sum ? sum + at(neighbour, w) : at(neighbour, w);
                        if (side == 0)
                          colour = colour ? colour + get(static_cast<int>(d), place)
                                          : get(static_cast<int>(d), place);
                      }
                    return select(eq(colour % 2, parity), g - 0.25 * sum, centre(w));
                  }));
  };
  const auto corrected = [&](const Expr& x, const Expr& e) {
    return update(x, zeros,
                  join_n(rank, map_n(
                                   rank,
                                   [&](Expr w, Expr block) {
                                     const Expr added = centre(w) + 0.5 * at(zeros, w);
                                     return map_n(
                                         rank, [&](Expr v) { return bounded(v + added); }, block);
                                   },
                                   zip_n(rank, {around(e), split(ratios, x)}))));
  };
  const auto restricted = [&](const Expr& x) {
    const Expr left = over(x, [&](Expr, Expr w, Expr g) { return g - centre(w) + 0.5 * at(zeros, w); });
    return map_n(
        rank, [&](Expr w) { return bounded(at(zeros, w) + at(ones, w)); }, slide(ratios, ratios, left));
  };
  const auto rows = [&](const Expr& x) {
    const Expr left = over(x, [&](Expr, Expr w, Expr g) { return g - centre(w) + at(zeros, w); });
    return map_n(
        rank - 1, [&](Expr row) { return row | reduce([](Expr a, Expr b) { return a + b; }, literal(0, s)); },
        left);
  };
  const auto all_of = [&](const Expr& x) -> Expr {
    switch (number(0, 5)) {
      case 0:
        return x;
      case 1:
        return tuple({x, restricted(x)});
      case 2:
        return tuple({x, rows(x)});
      case 3:
        return let(rows(x), [&](Expr sums) { return tuple({x, sums, restricted(x)}); });
      case 4:
        return tuple({restricted(x), x, over(x, [&](Expr, Expr w, Expr g) { return g - centre(w); })});
      default:
        return let(over(x, [&](Expr, Expr w, Expr g) { return g - centre(w) + at(zeros, w); }),
                   [&](Expr left) {
                     return tuple({x, map_n(
                                          rank, [&](Expr w) { return bounded(at(zeros, w) + at(ones, w)); },
                                          slide(ratios, ratios, left))});
                   });
    }
  };
  const std::function<Expr(Expr, int)> from = [&](const Expr& x, int left) -> Expr {
    if (left == 0) return all_of(x);
    return let(update_of(x), [&](Expr y) { return from(y, left - 1); });
  };
  const int sweeps = number(1, 4);
  if (chance(50)) return from(u, sweeps);
  const Expr e = argument(array(coarse, s));
  return let(corrected(u, e), [&](Expr y) { return from(y, sweeps); });
}

}  // namespace lift::fuzz
