#include "gmg/sweeps.hpp"

namespace lift::gmg {
namespace {

std::vector<Expr> numbers_of(const Colours& colours, std::size_t colour) {
  std::vector<Expr> all;
  for (const auto x : colours.numbers(colour)) all.push_back(literal(static_cast<int>(x), i32));
  return all;
}

/// The relaxations of `count` colours from number `first` on, each but the last a named stage.
Expr relaxations(const Grid& g, const Colours& colours, const Expr& u, std::size_t first, std::size_t count) {
  const Expr next = relaxed(g, colours, u, numbers_of(colours, first % colours.count()));
  if (count == 1) return next;
  return let(next, [&](Expr x) { return relaxations(g, colours, x, first + 1, count - 1); });
}

}  // namespace

Program sweeps_program(const Grid& g, const Colours& colours, int sweeps) {
  std::vector<Expr> arrays{g.cells("u"), g.cells("f")};
  for (const Expr& c : g.coefficients()) arrays.push_back(c);
  arrays.push_back(g.cells("lambda"));
  const std::size_t count = static_cast<std::size_t>(sweeps) * colours.count();
  return program_of(g, "sweeps", arrays, relaxations(g, colours, g.cells("u"), 0, count), {"u"});
}

}  // namespace lift::gmg
