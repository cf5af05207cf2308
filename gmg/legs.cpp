#include "gmg/legs.hpp"

#include "gmg/level.hpp"
#include "patterns/reduction.hpp"

namespace lift::gmg {
namespace {

/// Row by row, as far as there are rows: a stage like others, of which little is left to add.
Expr squares_of_residual(const Grid& g, const Expr& u, const std::function<Expr(Expr sum)>& then) {
  const Expr residual = residual_of(g, u);
  if (g.rank() < 3) return then(sum_of_squares(g.rank(), residual));
  const Expr rows = map_n(
      g.rank() - 1, [](Expr row) { return sum_of_squares(1, row); }, residual);
  return let(rows, [&](Expr sums) { return then(join(sums) | sum()); });
}

}  // namespace

std::string coarse_number(const std::string& name) { return "coarse_" + name; }

Program down_leg_program(const Transfer& t, const Colours& colours, int sweeps) {
  const Grid& g = t.fine();
  const Expr body = swept(g, colours, g.cells("u"), sweeps, [&](const Expr& u) {
    return tuple({u, t.restricted(residual_of(g, u))});
  });
  return program_of(g, "down_leg", arrays_of_sweeps(g), body, {"u"});
}

Program up_leg_program(const Transfer& t, const Colours& colours, int sweeps, bool norm) {
  const Grid& g = t.fine();
  const Expr u = g.cells("u"), coarse = t.coarse().cells("coarse");
  const Expr corrected = update(u, std::vector<Nat>(g.domain().dimensions(), 0), t.corrected(u, coarse));
  const std::vector<Expr> numbers = t.coarse().numbers_in(corrected);
  const Expr of_coarse = substitute(corrected, [&](const Expr& leaf) {
    return std::find(numbers.begin(), numbers.end(), leaf) == numbers.end()
               ? leaf
               : param(coarse_number(param_name(leaf)), leaf.type());
  });
  const Expr body = let(of_coarse, [&](Expr x) {
    if (!norm) return swept(g, colours, x, sweeps);
    return swept(g, colours, x, sweeps, [&](const Expr& y) {
      return squares_of_residual(g, y, [&](Expr sum) { return tuple({y, sum}); });
    });
  });
  std::vector<Expr> arrays = arrays_of_sweeps(g);
  arrays.insert(arrays.begin(), coarse);
  return program_of(g, "up_leg", arrays, body, {"u"});
}

WholeLegs::WholeLegs(const Transfer& t, const Colours& colours, int sweeps_down, int sweeps_up, bool norm)
    : down([=] { return down_leg_program(t, colours, sweeps_down); }),
      up([=] { return up_leg_program(t, colours, sweeps_up, norm); }),
      bytes_down(compulsory_bytes(down.program())),
      bytes_up(compulsory_bytes(up.program())) {}

void WholeLegs::bind(const Arguments& fine, const Arguments& coarse) {
  bound_down_ = down.get().bind(fine, coarse.arrays.at("f"));
  Arguments a = fine;
  a.arrays["coarse"] = coarse.arrays.at("u");
  for (const auto& [name, value] : coarse.numbers) a.numbers[coarse_number(name)] = value;
  bound_up_ = up.get().bind(a, &squares_);
}

}  // namespace lift::gmg
