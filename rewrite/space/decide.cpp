#include "rewrite/space/decide.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/nat/shift.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {

std::string chosen(const Configuration& c, const std::string& name, const std::string& otherwise) {
  const auto it = c.find(name);
  return it == c.end() ? otherwise : it->second;
}
bool is_in_place(const SpaceFacts& f, const Configuration& c) {
  return f.in_place && chosen(c, "in_place", "yes") == "yes";
}
bool is_vector(const Configuration& c) {
  const std::string inner = chosen(c, "inner", "seq");
  return inner == "vec" || inner == "strided vec";
}
bool is_split(const Configuration& c) { return chosen(c, "layout", "caller").rfind("split", 0) == 0; }
Values order_values(const SpaceFacts& f) {
  if (f.columns) return f.axes.size() > 1 ? Values{"j i k", "j k i"} : Values{"i k", "k i"};
  const bool grid = is_grid(f.options.target);  // where columns are the inner loops of work-items
  if (f.inner_rank >= 3) return {"k j", grid ? "j i k" : "j k"};
  if (f.inner_rank == 2 && grid) return {"j i", "i j"};
  return {"k j"};
}
bool is_by_columns(const SpaceFacts& f, const Configuration& c) {
  const std::string order = chosen(c, "order", order_values(f).front());
  return f.columns ? order.back() == 'k' : order == "j i k" || order == "i j";
}
bool is_by_levels(const SpaceFacts& f, const Configuration& c) { return f.columns && !is_by_columns(f, c); }
bool always(const SpaceFacts&, const Configuration&, const std::string&) { return true; }
bool is_chunk(const SpaceFacts& f, const std::string& tile) {
  const auto ws = words(tile);
  if (f.inner_rank < 2 || ws.size() != 1) return false;
  return ws[0].substr(0, ws[0].find_first_of("0123456789")) == f.axes[f.axes.size() - f.inner_rank].name;
}
bool is_fused(const Configuration& c) { return chosen(c, "stages", "fused") == "fused"; }
bool is_by_rows(const Configuration& c) { return chosen(c, "block", "none").rfind("rows", 0) == 0; }
bool is_solo(const Configuration& c) { return chosen(c, "grid", "none").rfind("solo ", 0) == 0; }
std::string shared_loops(const Configuration& c) {
  return is_solo(c) ? chosen(c, "grid", "none").substr(5) : chosen(c, "parallel", "none");
}

std::string loop_axis(std::size_t from_inside) {
  static const std::vector<std::string> names{"i", "j", "k", "box", "c", "d"};
  return from_inside < names.size() ? names[from_inside] : std::string(from_inside - names.size() + 1, 'e');
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> r;
  for (std::string w; in >> w;) r.push_back(w);
  return r;
}

namespace {

/// Whether the last level computes the small block of elements that a join puts in the place of each cell of
/// the level before.
bool makes_blocks(const Expr& body, const Nest& nest) {
  if (nest.levels.size() < 2) return false;
  const NestLevel &block = nest.levels.back(), &cells = nest.levels[nest.levels.size() - 2];
  Place within = cells.place, around = cells.place;
  within.insert(within.end(), {0, 0});
  if (cells.place.empty() || block.place != within || block.extents.size() != cells.extents.size())
    return false;
  around.pop_back();
  const Expr join = part_at(body, around);
  std::int64_t elements = 1;
  for (const Nat& n : block.extents) elements *= n.constant().value_or(1000);
  return join.is(Op::Join) && op_rank(join) == static_cast<std::int64_t>(cells.extents.size()) &&
         elements > 1 && elements <= 8;
}

void name_axes(const Expr& body, SpaceFacts& f) {
  std::vector<NestLevel> levels = f.nest.levels;
  if (makes_blocks(body, f.nest)) {
    for (const Nat& n : levels.back().extents) f.block.push_back({"", n.constant()});
    levels.pop_back();
  }
  for (const NestLevel& l : levels)
    for (const Nat& n : l.extents) f.axes.push_back({"", n.constant()});
  for (std::size_t a = 0; a < f.axes.size(); ++a) f.axes[a].name = loop_axis(f.axes.size() - 1 - a);
  for (std::size_t a = 0; a < f.block.size(); ++a)
    f.block[a].name = f.axes[f.axes.size() - f.block.size() + a].name + "2";
  if (!levels.empty()) f.inner_rank = levels.back().extents.size();
}

Scalar scalar_of(const Type& t) {
  const Type e = element_of(t);
  if (e.is_scalar()) return e.scalar();
  return e.is_tuple() && e.parts()[0].is_scalar() ? e.parts()[0].scalar() : f64;
}

/// Where the program is made of scans, the loops around them are the axes: points of a row, rows, boxes.
bool column_axes(const Expr& body, SpaceFacts& f) {
  const std::size_t levels = levels_around_scans(body, f.nest);
  if (levels == 0) return false;
  static const std::vector<std::string> names{"i", "j", "box", "c", "d"};
  f.nest.levels.resize(levels);
  f.axes.clear(), f.block.clear();
  for (const NestLevel& l : f.nest.levels)
    for (const Nat& n : l.extents) f.axes.push_back({"", n.constant()});
  for (std::size_t a = 0; a < f.axes.size(); ++a)
    f.axes[f.axes.size() - 1 - a].name = a < names.size() ? names[a] : "e" + std::to_string(a);
  f.lanes = std::max<std::int64_t>(
      1, f.options.vector_bytes / static_cast<std::int64_t>(size_of(scalar_of(body.type()))));
  f.inner_rank = 1;
  visit(part_at(body, f.nest.levels.back().place), [&](const Expr& e) {
    if (!e.is(Op::Let) || !has_scan(e.child(0))) return;
    for (const Type& t : component_arrays(e.child(0).type())) {
      std::int64_t n = 1;
      for (const Nat& length : shape_of(t)) n *= length.constant().value_or(0);
      f.named_columns += n;
    }
  });
  return f.columns = true;
}

/// Whether blocks can be written row by row: the rule applies where the join stands.
bool rows_apply(const Program& program, const SpaceFacts& f) {
  if (f.block.size() < 2) return false;
  Place join = f.cells().place;
  join.pop_back();
  return static_cast<bool>(apply(find_rule("join-map-nest"), program, join));
}

/// A tile of one block in each dimension but the last, which it fills: where that applies, and the tile fits
/// into a stack.
std::vector<std::string> buffer_of(const Program& program, const SpaceFacts& f) {
  if (!f.block.empty() || f.inner_rank < 2 || !on_processors(f.options) || !f.axes.back().extent) return {};
  std::vector<std::string> tile(f.inner_rank, "1");
  tile.back() = std::to_string(*f.axes.back().extent);
  const Place cells = f.cells().place;
  const Expr e = part_at(program.body, cells);
  if (!apply(find_rule("tile-blocks"), program, cells, tile)) return {};
  std::int64_t scalars = *f.axes.back().extent;
  for (const Nat& m : split_lengths(e.child(1))) scalars *= m.constant().value_or(1 << 20);
  return scalars <= 8192 ? tile : std::vector<std::string>{};
}

/// Atoms x mod m of a condition, with constant m.
std::vector<std::pair<Nat, std::int64_t>> moduli(const NatCond& c) {
  std::vector<std::pair<Nat, std::int64_t>> r;
  for (const NatTerm& t : terms(c.a))
    for (const NatFactor& x : t.factors)
      if (x.atom->kind == AtomKind::Mod && x.atom->b.is_constant())
        r.emplace_back(x.atom->a, *x.atom->b.constant());
  return r;
}
std::optional<std::int64_t> coefficient(const Nat& n, const Nat& variable) {
  const auto a = affine_in(n, variable);
  return a ? a->coefficient.constant() : std::nullopt;
}

/// The guard's modulus, when stepping by it in the innermost index keeps the guard's value and nothing
/// smaller does.
void read_guard(const Footprint& print, SpaceFacts& f) {
  for (const NatCond& c : print.guard) {
    if (c.kind != NatCond::Kind::Zero || print.index.empty()) continue;
    for (const auto& [n, m] : moduli(c)) {
      const auto inner = coefficient(n, print.index.back());
      if (m < 2 || !inner || std::gcd(*inner, m) != 1) continue;
      f.modulus = m;
      for (std::size_t d = print.index.size(); m == 2 && d-- > 0;) {
        const auto k = coefficient(n, print.index[d]);
        if (!k || *k % 2 == 0) break;
        f.parity_axes = static_cast<std::int64_t>(print.index.size() - d);
      }
    }
  }
}

/// The base of the update, when it is an argument read at other elements than the written one.
bool reads_elsewhere(const Footprint& print) {
  for (const auto& [array, position] : print.writes)
    if (const auto it = print.reads.find(array); it != print.reads.end())
      for (const auto& p : it->second.positions)
        if (p != position) return true;
  return false;
}

/// Whether vectors of neighbouring elements along the innermost axis can be loaded from a position: it moves
/// by at most two elements of a row from one cell to the next, as far as can be seen away from boundaries.
bool loads_vectors(std::vector<Nat> position, const Nat& innermost, const Nat& cells, const Nat& block) {
  const Nat cell = Nat::fresh("cell", 0, cells - 1);
  for (Nat r = 0; !(r == block); r = r + 1)
    for (std::size_t d = 0; d < position.size(); ++d) {
      const auto a = affine_in(simplify(substitute(position[d], innermost, block * cell + r)), cell);
      if (!a) continue;
      const auto stride = a->coefficient.constant();
      if (!stride || *stride < 0 || *stride > (d + 1 == position.size() ? 2 : 0)) return false;
    }
  return true;
}
bool loads_vectors(const Footprint& print, const SpaceFacts& f) {
  if (print.index.empty() || f.axes.empty()) return true;
  const Nat block = f.block.empty() ? 1 : *f.block.back().extent, cells = f.cells().extents.back();
  for (const auto& [array, reads] : print.reads)
    for (const auto& p : reads.positions)
      if (!loads_vectors(p, print.index.back(), cells, block)) return false;
  return true;
}

/// After how many cells along an axis an element is read again, as far as can be seen away from boundaries.
std::vector<std::int64_t> repeats_along(const Footprint& print, const Nat& index, std::int64_t block) {
  const Nat cell = Nat::fresh("cell", 0, 1 << 20);
  std::vector<std::int64_t> r;
  for (const auto& [array, reads] : print.reads) {
    std::vector<ShiftedPosition> seen;
    for (const auto& p : reads.positions)
      for (std::int64_t b = 0; b < block; ++b) {
        std::vector<Nat> q;
        for (const Nat& n : p) q.push_back(simplify(substitute(n, index, block * cell + b)));
        const auto s = shifted(q, cell);
        if (!s) continue;
        for (const ShiftedPosition& other : seen)
          if (const std::int64_t apart = std::abs(other.shift - s->shift);
              apart > 0 && other.origin == s->origin)
            r.push_back(apart);
        seen.push_back(*s);
      }
  }
  std::sort(r.begin(), r.end());
  r.erase(std::unique(r.begin(), r.end()), r.end());
  return r;
}
void read_repeats(const Footprint& print, SpaceFacts& f) {
  f.repeats.assign(f.axes.size(), {});
  if (print.index.size() != f.axes.size()) return;
  for (std::size_t a = 0; a < f.axes.size(); ++a) {
    const std::size_t first = f.axes.size() - f.block.size();
    f.repeats[a] =
        repeats_along(print, print.index[a], a < first ? 1 : f.block[a - first].extent.value_or(1));
  }
}

bool same_nest(const Nest& a, const Nest& b) {
  return a.update == b.update && std::equal(a.levels.begin(), a.levels.end(), b.levels.begin(),
                                            b.levels.end(), [](const NestLevel& x, const NestLevel& y) {
                                              return x.place == y.place && x.extents == y.extents;
                                            });
}

/// Axes of the levels that have loops of further results inside, beside those of the main nest.
std::size_t axes_above_others(const Expr& body, const Nest& nest) {
  std::size_t most = 0;
  const auto is_below = [](const Place& p, const Place& around) {
    return p.size() >= around.size() && std::equal(around.begin(), around.end(), p.begin());
  };
  for (const Place& p : loop_places(body)) {
    if (nest.levels.empty() || is_below(p, nest.levels.back().place)) continue;
    std::size_t axes = 0;
    for (const NestLevel& l : nest.levels) {
      if (!is_below(p, l.place) || p == l.place) break;
      axes += l.extents.size();
    }
    if (std::none_of(nest.levels.begin(), nest.levels.end(),
                     [&](const NestLevel& l) { return l.place == p; }))
      most = std::max(most, axes);
  }
  return most;
}

}  // namespace

SpaceFacts facts_of(const Program& whole, const SpaceOptions& options) {
  SpaceFacts f;
  f.options = options;
  f.sweeps = sweeps_of(whole.body).size();
  const Program program = single_sweep(whole, 0);
  f.nest = main_nest(program.body);
  name_axes(program.body, f);
  for (std::size_t s = 1; s < f.sweeps; ++s)
    if (!same_nest(
            f.nest,
            main_nest(single_sweep(whole, s).body))) {  // nothing can be decided for all of them together
      f.axes.clear(), f.block.clear(), f.nest = {};
      return f;
    }
  f.reads_only = static_cast<bool>(apply(find_rule("read-only"), program, {}));
  if (column_axes(program.body, f)) return f;
  f.stage_elements = elements_of_stages(program.body);
  f.rows = rows_apply(program, f);
  f.buffer = buffer_of(program, f);
  f.above_others = axes_above_others(program.body, f.nest);
  f.update = f.nest.update.has_value();
  for (std::size_t l = 0; l < f.nest.above_update; ++l) f.above_update += f.nest.levels[l].extents.size();
  f.lanes = std::max<std::int64_t>(
      1, options.vector_bytes / static_cast<std::int64_t>(size_of(scalar_of(program.body.type()))));
  if (f.update)
    if (const auto offset = update_offsets(part_at(program.body, *f.nest.update)).back().constant())
      f.lead = *offset;
  f.reduction = f.sweeps == 1 ? reductions_of(program) : ReductionFacts{};
  if (f.axes.empty()) return f;  // nothing is written element by element
  try {
    const auto in_place = apply(find_rule("update-in-place"), whole, {});
    f.in_place = static_cast<bool>(in_place);
    const Footprint print = footprint(program);
    if (f.block.empty()) read_guard(print, f);
    f.reads_target = reads_elsewhere(print);
    f.vectors = loads_vectors(print, f);
    read_repeats(print, f);
  } catch (const UserError&) {  // no footprint: the decisions that need one are not offered
    f.reads_target = true;
  }
  f.windows = window_arrays(program, f);
  for (const Expr& a : program.arguments)  // all arrays take the layout together
    if (a.type().is_array() && rank_of(a.type()) < f.parity_axes) f.parity_axes = 0;
  return f;
}

std::vector<std::int64_t> tile_sizes(const SpaceFacts& f, const std::string& tile) {
  std::vector<std::int64_t> sizes;
  if (tile == "none") return sizes;
  const std::size_t first = f.axes.size() - f.inner_rank;
  for (std::size_t a = first; a < f.axes.size(); ++a) sizes.push_back(f.axes[a].extent.value_or(0));
  for (const std::string& w : words(tile)) {
    const std::size_t digits = w.find_first_of("0123456789");
    for (std::size_t a = first; digits != std::string::npos && a < f.axes.size(); ++a)
      if (w.substr(0, digits) == f.axes[a].name) sizes[a - first] = std::stoll(w.substr(digits));
  }
  return sizes;
}

std::vector<PlannedLoop> planned_loops(const SpaceFacts& f, const Configuration& c) {
  std::vector<PlannedLoop> loops;
  const std::vector<std::int64_t> tile = tile_sizes(f, chosen(c, "tile", "none"));
  const std::size_t first = f.axes.size() - f.inner_rank;
  const auto below = [&](std::size_t a) { return f.update && a >= f.above_update; };
  for (std::size_t a = 0; a < first; ++a)
    loops.push_back({f.axes[a].name, f.axes[a].extent, false, below(a)});
  if (!tile.empty())
    for (std::size_t a = first; a < f.axes.size(); ++a) {
      const std::int64_t k = tile[a - first];
      loops.push_back({f.axes[a].name + f.axes[a].name, (*f.axes[a].extent + k - 1) / k, true, below(a)});
    }
  const auto block = [&](std::size_t a) {
    const NestAxis& axis = f.block[a - first];
    loops.push_back({axis.name, axis.extent, false, below(a), true});
  };
  for (std::size_t a = first; a < f.axes.size(); ++a) {
    loops.push_back({f.axes[a].name, tile.empty() ? f.axes[a].extent : tile[a - first], false, below(a)});
    if (is_by_rows(c)) block(a);
  }
  if (f.inner_rank >= 3 && chosen(c, "order", "k j") == "j k")
    std::swap(loops[loops.size() - 3], loops[loops.size() - 2]);
  if (is_by_columns(f, c))
    std::rotate(loops.end() - static_cast<std::ptrdiff_t>(f.inner_rank),
                loops.end() - static_cast<std::ptrdiff_t>(f.inner_rank) + 1, loops.end());
  for (std::size_t a = first; !f.block.empty() && !is_by_rows(c) && a < f.axes.size(); ++a) block(a);
  return loops;
}

std::size_t inner_loop(const std::vector<PlannedLoop>& loops) {
  std::size_t i = loops.size();
  while (i-- > 0)
    if (!loops[i].block) return i;
  return 0;
}

std::vector<bool> covered(const std::vector<PlannedLoop>& loops, const std::string& names) {
  std::vector<bool> r(loops.size(), false);
  const std::vector<std::string> wanted = words(names);
  std::size_t first = loops.size(), last = 0;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (std::find(wanted.begin(), wanted.end(), loops[i].name) != wanted.end())
      first = std::min(first, i), last = i;
  for (std::size_t i = first; i <= last && i < loops.size(); ++i) r[i] = true;
  return r;
}

}  // namespace lift
