#include "gmg/transfer.hpp"

#include "ir/error.hpp"

namespace lift::gmg {
namespace {

/// Products of weights times elements, the factor of a dimension taken out of the sum over the inner ones. A
/// weight that is no expression is 1.
Expr nested_sum(const std::vector<int>& taps, const std::function<Expr(std::size_t, int)>& weight,
                const std::function<Expr(const std::vector<int>&)>& element, std::vector<int>& at) {
  const std::size_t d = at.size();
  if (d == taps.size()) return element(at);
  Expr sum;
  for (int t = 0; t < taps[d]; ++t) {
    at.push_back(t);
    const Expr inner = nested_sum(taps, weight, element, at);
    at.pop_back();
    const Expr w = weight(d, t);
    const Expr term = w ? w * inner : inner;
    sum = sum ? sum + term : term;
  }
  return sum;
}

Expr element(const Expr& window, const std::vector<int>& at) {
  return lift::at(std::vector<Nat>(at.begin(), at.end()), window);
}

Expr real(Scalar type, double x) { return literal(x, type); }

}  // namespace

std::vector<std::int64_t> coarser(const std::vector<std::int64_t>& cells, const Ratios& ratios) {
  if (cells.size() != ratios.size())
    throw UserError("gmg: " + std::to_string(ratios.size()) + " ratios for " + std::to_string(cells.size()) +
                    " dimensions; give one for each");
  std::vector<std::int64_t> coarse;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    const int r = ratios[d];
    if (r < 1 || r > 3)
      throw UserError("gmg: a ratio of " + std::to_string(r) +
                      "; a level has 1, 2 or 3 cells for one of the next");
    if (r == 3 && cells[d] % 3 != 0)
      throw UserError("gmg: " + std::to_string(cells[d]) +
                      " cells by 3; use a ratio of 2, or a multiple of 3 cells");
    coarse.push_back((cells[d] + r - 1) / r);
  }
  return coarse;
}

Transfer::Transfer(Grid fine, const Ratios& ratios)
    : fine_(std::move(fine)),
      coarse_(fine_.equation(), fine_.domain().with_cells(coarser(fine_.domain().cells(), ratios)),
              fine_.type()) {
  for (std::size_t d = 0; d < ratios.size(); ++d) {
    const std::int64_t n = fine_.domain().cells()[d];
    const Along::Kind kind = ratios[d] == 1   ? Along::Kind::keep
                             : ratios[d] == 3 ? Along::Kind::threes
                             : n % 2 == 0     ? Along::Kind::pairs
                                              : Along::Kind::odd;
    along_.push_back({kind, n, coarse_.domain().cells()[d]});
  }
}

// ---- restriction

Expr Transfer::weighted_sums(const Expr& array, const std::vector<Window>& windows,
                             const std::function<Expr(std::size_t, int, const Expr&)>& weight) const {
  std::vector<Nat> size, step, low, high;
  std::vector<int> taps;
  bool padded = false;
  for (const Window& w : windows) {
    size.emplace_back(w.size), step.emplace_back(w.step), low.emplace_back(w.before),
        high.emplace_back(w.after);
    taps.push_back(w.size);
    padded = padded || w.before + w.after > 0;
  }
  const Expr seen = slide(size, step, padded ? pad(low, high, Boundary::clamp, array) : array);
  const int rank = fine_.rank();
  const auto sum = [&](const Expr& window, const std::function<Expr(std::size_t)>& index) {
    std::vector<int> at;
    return nested_sum(
        taps, [&](std::size_t d, int tap) { return weight(d, tap, index(d)); },
        [&](const std::vector<int>& x) { return element(window, x); }, at);
  };
  const std::vector<Nat> shape = shape_of(seen.type(), rank);
  return map_n(
      rank,
      [&](Expr position, Expr window) {
        return sum(window, [&](std::size_t d) { return get(static_cast<int>(d), position); });
      },
      zip_n(rank, {positions(shape), seen}));
}

Transfer::Window Transfer::mean_window(std::size_t d) const {
  switch (along_[d].kind) {
    case Along::Kind::keep:
      return {1, 1, 0, 0};
    case Along::Kind::pairs:
      return {2, 2, 0, 0};
    case Along::Kind::threes:
      return {3, 3, 0, 0};
    case Along::Kind::odd:
      return {3, 2, 1, 1};
  }
  throw InternalError("gmg: a kind of transfer without a window");
}

/// The share of the coarse cell that the fine one makes up. An odd n: coarse cell I goes from I n / m to
/// (I + 1) n / m, m being (n + 1) / 2, over the fine cells 2 I - 1, 2 I and 2 I + 1.
Expr Transfer::mean_weight(std::size_t d, int tap, const Expr& index) const {
  const Along& a = along_[d];
  const Scalar type = fine_.type();
  if (a.kind == Along::Kind::keep) return {};
  if (a.kind != Along::Kind::odd) return real(type, 1.0 / a.ratio());
  const double per_cell = 1.0 / static_cast<double>(a.fine);
  const auto m = static_cast<double>(a.coarse);
  if (tap == 0) return per_cell * cast(type, index);
  if (tap == 1) return real(type, m * per_cell);
  return per_cell * (m - 1 - cast(type, index));
}

Expr Transfer::restricted(const Expr& fine) const {
  std::vector<Window> windows;
  for (std::size_t d = 0; d < along_.size(); ++d) windows.push_back(mean_window(d));
  return weighted_sums(fine, windows,
                       [&](std::size_t d, int tap, const Expr& index) { return mean_weight(d, tap, index); });
}

Expr Transfer::restricted(const Coefficient& c, const Expr& fine) const {
  if (!c.faces) return restricted(fine);
  const std::size_t normal = fine_.domain().dimension_of(*c.faces);
  std::vector<Window> windows;
  for (std::size_t d = 0; d < along_.size(); ++d) windows.push_back(mean_window(d));
  // Every ratio-th face; for an odd n, coarse face I at I n / m lies between the fine ones 2 I - 1 and 2 I.
  const Along& a = along_[normal];
  windows[normal] = a.kind == Along::Kind::odd ? Window{2, 2, 1, 1} : Window{1, a.ratio(), 0, 0};
  return weighted_sums(fine, windows, [&](std::size_t d, int tap, const Expr& index) -> Expr {
    if (d != normal) return mean_weight(d, tap, index);
    if (a.kind != Along::Kind::odd) return {};
    const Expr share = (1.0 / static_cast<double>(a.coarse)) * cast(fine_.type(), index);
    return tap == 0 ? share : 1.0 - share;
  });
}

// ---- correction

/// Linear interpolation at the child's centre. The taps are the coarse cells about it: by pairs the two
/// nearest (see corrected), else the cell itself and its two neighbours.
Expr Transfer::child_weight(std::size_t d, int tap, const Expr& child, const Expr& index) const {
  const Along& a = along_[d];
  const Scalar type = fine_.type();
  const auto by_child = [&](double first, double second, double third) {
    return select(eq(child, 0), real(type, first),
                  select(eq(child, 1), real(type, second), real(type, third)));
  };
  switch (a.kind) {
    case Along::Kind::keep:
      return {};
    case Along::Kind::pairs:
      return select(eq(child, tap), real(type, 0.25), real(type, 0.75));
    case Along::Kind::threes:
      return tap == 0   ? by_child(1.0 / 3, 0, 0)
             : tap == 1 ? by_child(2.0 / 3, 1, 2.0 / 3)
                        : by_child(0, 0, 1.0 / 3);
    case Along::Kind::odd:
      break;
  }
  // The centre of child 2 I lies `off` coarse cells above that of I, that of 2 I + 1 a fine cell higher.
  const double per_cell = 1.0 / static_cast<double>(a.fine), m = static_cast<double>(a.coarse);
  const Expr off = per_cell * (cast(type, index) - (m - 1) / 2), zero = real(type, 0);
  const Expr next = off + m * per_cell, above = max(off, zero), below = max(-off, zero);
  if (tap == 0) return select(eq(child, 0), below, zero);
  if (tap == 1) return select(eq(child, 0), 1.0 - above - below, 1.0 - next);
  return select(eq(child, 0), above, next);
}

Expr Transfer::corrected(const Expr& fine, const Expr& coarse) const {
  const int rank = fine_.rank();
  const std::size_t axes = along_.size();
  // Each coarse cell computes its children with one inner map, and a join puts them in place. Children of
  // pairs see two cells each of the window of three; others all of it, which is repeated for them.
  std::vector<Nat> window, ones(axes, 1), seen, children, zeros(axes, 0), more(axes, 0), drop_low(axes, 0),
      inner(axes, 0), overhang(axes, 0);
  std::vector<int> taps;
  bool repeats = false, hangs_over = false, keeps = false;
  for (std::size_t d = 0; d < axes; ++d) {
    const Along& a = along_[d];
    const bool keep = a.kind == Along::Kind::keep, pairs = a.kind == Along::Kind::pairs;
    window.emplace_back(keep ? 1 : 3),
        seen.emplace_back(keep    ? 1
                          : pairs ? 2
                                  : 3),
        children.emplace_back(a.ratio());
    taps.push_back(keep ? 1 : pairs ? 2 : 3);
    if (!keep && !pairs) more[d] = a.ratio() - 1, repeats = true;
    if (keep) inner[d] = 1, keeps = true;  // the pad is as wide on all axes
    if (a.kind == Along::Kind::odd) overhang[d] = 1, hangs_over = true;
  }
  Expr around = coarse_.surrounded(coarse, 1);
  if (keeps) around = drop(inner, inner, around);
  const Expr windows = slide(window, ones, around);
  const Expr target = hangs_over ? pad(zeros, overhang, Boundary::clamp, fine) : fine;
  const auto of_child = [&](const Expr& cell, const Expr& x, const Expr& child, const Expr& corners) {
    std::vector<int> at;
    return x + nested_sum(
                   taps,
                   [&](std::size_t d, int tap) {
                     const int i = static_cast<int>(d);
                     return child_weight(d, tap, get(i, child), get(i, cell));
                   },
                   [&](const std::vector<int>& tap) { return element(corners, tap); }, at);
  };
  const Expr cells = positions(coarse_.shape());
  const Expr all =
      join_n(rank, map_n(
                       rank,
                       [&](Expr cell, Expr w, Expr block) {
                         Expr corners = slide(seen, ones, w);
                         if (repeats) corners = pad(zeros, more, Boundary::clamp, corners);
                         return map_n(
                             rank, [&](Expr x, Expr child, Expr c) { return of_child(cell, x, child, c); },
                             zip_n(rank, {block, positions(children), corners}));
                       },
                       zip_n(rank, {cells, windows, split(children, target)})));
  return hangs_over ? drop(zeros, overhang, all) : all;
}

// ---- programs

Program residual_restriction_program(const Transfer& t) {
  const Grid& g = t.fine();
  const Expr u = g.cells("u");
  std::vector<Expr> arrays{u, g.cells("f")};
  for (const Expr& c : g.coefficients()) arrays.push_back(c);
  return program_of(g, "residual_restriction", arrays, t.restricted(residual_of(g, u)));
}

Program restriction_program(const Transfer& t) {
  const Expr fine = t.fine().cells("fine");
  return program_of(t.fine(), "restriction", {fine}, t.restricted(fine));
}

Program restriction_program(const Transfer& t, const Coefficient& c) {
  for (const Expr& array : t.fine().coefficients())
    if (param_name(array) == c.name)
      return program_of(t.fine(), "restriction_of_" + c.name, {array}, t.restricted(c, array));
  throw UserError("gmg: the equation has no coefficient '" + c.name + "'");
}

Program correction_program(const Transfer& t) {
  const Expr u = t.fine().cells("u"), coarse = t.coarse().cells("coarse");
  const Expr block = t.corrected(u, coarse);
  return program_of(t.coarse(), "correction", {coarse, u},
                    update(u, std::vector<Nat>(t.fine().domain().dimensions(), 0), block), {"u"});
}

}  // namespace lift::gmg
