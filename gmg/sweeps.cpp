#include "gmg/sweeps.hpp"

namespace lift::gmg {
namespace {

std::vector<Expr> numbers_of(const Colours& colours, std::size_t colour) {
  std::vector<Expr> all;
  for (const auto x : colours.numbers(colour)) all.push_back(literal(static_cast<int>(x), i32));
  return all;
}

/// The relaxations of `count` colours from number `first` on, each a named stage but the last, where nothing
/// comes after it.
Expr relaxations(const Grid& g, const Colours& colours, const Expr& u, std::size_t first, std::size_t count,
                 const AfterSweeps& then) {
  if (count == 0) return then(u);
  const Expr next = relaxed(g, colours, u, numbers_of(colours, first % colours.count()));
  if (count == 1 && !then) return next;
  return let(next, [&](Expr x) { return relaxations(g, colours, x, first + 1, count - 1, then); });
}

}  // namespace

Expr swept(const Grid& g, const Colours& colours, const Expr& u, int sweeps, const AfterSweeps& then) {
  return relaxations(g, colours, u, 0, static_cast<std::size_t>(sweeps) * colours.count(), then);
}

std::vector<Expr> arrays_of_sweeps(const Grid& g) {
  std::vector<Expr> arrays{g.cells("u"), g.cells("f")};
  for (const Expr& c : g.coefficients()) arrays.push_back(c);
  arrays.push_back(g.cells("lambda"));
  return arrays;
}

Program sweeps_program(const Grid& g, const Colours& colours, int sweeps) {
  return program_of(g, "sweeps", arrays_of_sweeps(g), swept(g, colours, g.cells("u"), sweeps), {"u"});
}

}  // namespace lift::gmg
