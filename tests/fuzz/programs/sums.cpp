// Programs of running sums along rows and then along columns, several beside each other, of cells that have a
// name; and of records of a few numbers each, of which every iteration reads all.
#include <algorithm>

#include "ir/error.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {

/// What windows, or elements, of several integral images say.
Expr Generator::integrals() {
  const Scalar s = scalar_type();
  if (s == boolean || s == u8) throw UserError("running sums of small numbers");
  const std::vector<Nat> all = shape(2);
  const Expr x = grown(array(all, scalar_type()), {}, number(0, 1));
  const auto along = [&](const Expr& rows) {
    const bool back = chance(30);
    const int kind = number(0, 2);
    const auto next = [&](Expr before, Expr e) -> Expr {
      return kind == 0   ? bounded(before + e)
             : kind == 1 ? min(e, before + literal(1, s))
                         : bounded(before - e);
    };
    const Expr f = fun({Type(s), Type(s)}, next), start = literal_of(s);
    return map([&](Expr row) { return back ? scan_back(f, start, row) : scan(f, start, row); }, rows);
  };
  const auto integral = [&](const Expr& image) {
    const auto of_cells = [&](Expr cells) -> Expr {
      const Expr rows = chance(25) ? along(along(cells)) : along(cells);
      return let(rows, [&](Expr r) { return chance(85) ? transpose(along(transpose(r))) : along(r); });
    };
    const Expr cells = map_n(
        2, [&](Expr v) { return bounded(grown(Type(s), {v}, number(0, 2))); }, image);
    return chance(70) ? let(cells, of_cells) : of_cells(cells);
  };
  const std::function<Expr(Scope, int)> from = [&](Scope made, int left) -> Expr {
    if (left > 0)
      return let(integral(chance(80) || made.empty() ? x : made.back()), [&](Expr r) {
        Scope more = made;
        more.push_back(r);
        return from(more, left - 1);
      });
    const Type t = array(all, s);
    return chance(50) ? windows(t, made, 1) : mapped(t, made, 1);
  };
  return from({}, number(1, 3));
}

/// Sums, least numbers or differences of each record, beside what another array has for all.
Expr Generator::records() {
  const Scalar s = chance(60) ? f32 : scalar_type();
  if (s == boolean || s == u8) throw UserError("records of small numbers");
  const Nat of(one_of(std::vector<int>{4, 8, 8, 16, 16, 12}));
  const Expr xs = argument(array({shape(1)[0], of}, s)), centre = argument(array(std::vector<Nat>{of}, s));
  if (!static_cast<bool>(xs) || !static_cast<bool>(centre)) throw UserError("too many arguments");
  const int kind = number(0, 2), from = number(0, 1);
  const auto next = [&](Expr a, Expr e) -> Expr { return kind == 0 ? min(a, e) : bounded(a + e); };
  return map(
      [&](Expr record) {
        const Expr pairs = zip({record, centre});
        const Expr each = map(
            [&](Expr p) {
              return bounded((get(0, p) - get(1, p)) * (kind == 2 ? get(1, p) : literal(1, s)));
            },
            pairs);
        return reduce(fun({Type(s), Type(s)}, next), literal_of(s),
                      from == 0 ? each : drop({Nat(from)}, {Nat(0)}, each));
      },
      xs);
}

}  // namespace lift::fuzz
