// Decisions of grids: local memory that the work-items of a group fill together, and how many of them share a
// loop.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/instantiate.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

Result<Expr> items(const Site& site, const Arguments& a) {
  const Expr& e = site.e;
  if (!is_map_on_grid(e.op()) || op_rank(e) != 1)
    return Failure{"needs map_glb, map_wrg or map_lcl of rank 1, found " + std::string(text(e.op()))};
  const std::int64_t n = number(a, 0);
  if (n < 1) return Failure{"a loop is shared by 1 work-item or more"};
  return with_option(e, LoopOption::Items, n);
}

// ---- windows of tiles

/// What is cut into tiles: zip_D of arrays, or one array, padded at its ends or not.
struct Tiled {
  int rank = 0;
  std::vector<Nat> k, rest;  ///< elements of a tile; what the arrays are padded with
  std::vector<Expr> arrays;
  bool zipped = false;
};
Result<Tiled> tiled(const Expr& e) {
  if (!is_map(e.op()) || !e.child(1).is(Op::Split))
    return Failure{"needs a map over tiles: map_D f (split_D k xs)"};
  Tiled t;
  t.rank = op_rank(e);
  t.k = split_lengths(e.child(1));
  if (t.k.size() != static_cast<std::size_t>(t.rank))
    return Failure{"the map and the split must be of one rank"};
  Expr whole = e.child(1).child(0);
  t.rest.assign(t.k.size(), 0);
  if (whole.is(Op::Pad)) {
    const auto before = low_widths(whole), behind = high_widths(whole);
    const bool after = std::all_of(before.begin(), before.end(), [](const Nat& n) { return n == Nat(0); });
    if (behind.size() != t.k.size() || !after || pad_boundary(whole) != Boundary::undefined)
      return Failure{"the tiles' array is padded otherwise than rule tile does"};
    t.rest.assign(behind.begin(), behind.end());
    whole = whole.child(0);
  }
  t.zipped = whole.is(Op::Zip);
  if (t.zipped && op_rank(whole) != t.rank) return Failure{"the zip is of another rank than the tiles"};
  t.arrays = t.zipped ? std::vector<Expr>(whole.children().begin(), whole.children().end())
                      : std::vector<Expr>{whole};
  return t;
}

/// An array of windows as tiles of what the windows are taken from: those of one tile are windows of one
/// larger window. Nothing where it is no such array.
struct Windows {
  Expr tiles;
  std::vector<Nat> size, step;
};
std::optional<Windows> window_tiles(const Expr& array, const Tiled& t) {
  if (!array.is(Op::Slide) || slide_sizes(array).size() != t.k.size()) return std::nullopt;
  const std::size_t d = t.k.size();
  const auto sizes = slide_sizes(array), steps = slide_steps(array);
  Windows w{{}, {sizes.begin(), sizes.end()}, {steps.begin(), steps.end()}};
  std::vector<Nat> size, step, zero(d, 0), high;
  for (std::size_t i = 0; i < d; ++i) {
    size.push_back((t.k[i] - 1) * w.step[i] + w.size[i]);
    step.push_back(t.k[i] * w.step[i]);
    high.push_back(t.rest[i] * w.step[i]);
  }
  const bool exact = std::all_of(high.begin(), high.end(), [](const Nat& n) { return n == Nat(0); });
  // Tiles that stick out are read, though nothing is computed from it: there must be something.
  w.tiles = slide(size, step, exact ? array.child(0) : pad(zero, high, Boundary::clamp, array.child(0)));
  return w;
}
Expr plain_tiles(const Expr& array, const Tiled& t) {
  const bool exact = std::all_of(t.rest.begin(), t.rest.end(), [](const Nat& n) { return n == Nat(0); });
  return split(t.k, exact ? array : pad(std::vector<Nat>(t.k.size(), 0), t.rest, Boundary::undefined, array));
}

/// xs, copied element by element.
Expr copied(const Expr& xs, int rank) {
  return map_with(Op::Map, rank,
                  function({element_of(xs.type(), rank)}, [](std::span<const Expr> x) { return x[0]; }), xs);
}
/// Windows of the arrays chosen are taken from copies of their tiles that `store` makes.
Result<Expr> from_copies(const Site& site, const Arguments& which,
                         const std::function<Expr(const Expr& tile, const Windows&, int rank)>& store) {
  const Expr& e = site.e;
  const auto t = tiled(e);
  if (!t) return Failure{t.reason()};
  std::map<std::size_t, Windows> windows;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const auto c = static_cast<std::size_t>(number(which, i));
    if (c >= t->arrays.size())
      return Failure{"there are " + std::to_string(t->arrays.size()) + " arrays, the first is 0; " +
                     which[i].str() + " is none of them"};
    const auto w = window_tiles(t->arrays[c], *t);
    if (!w)
      return Failure{"array " + which[i].str() +
                     " is no array of windows: only slide_D can be taken from a tile"};
    windows.emplace(c, *w);
  }
  std::vector<Expr> tiles;
  for (std::size_t i = 0; i < t->arrays.size(); ++i)
    tiles.push_back(windows.count(i) ? windows.at(i).tiles : plain_tiles(t->arrays[i], *t));
  const auto part = [&](const Expr& tile, std::size_t i) {
    return windows.count(i)
               ? slide(windows.at(i).size, windows.at(i).step, store(tile, windows.at(i), t->rank))
               : tile;
  };
  const auto body = [&](std::span<const Expr> p) {
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < tiles.size(); ++i)
      parts.push_back(part(t->zipped ? get(static_cast<int>(i), p[0]) : p[0], i));
    const Expr arguments[] = {t->zipped ? zip_n(t->rank, parts) : parts[0]};
    return instantiate(e.child(0), arguments);
  };
  const Expr all = t->zipped ? zip_n(t->rank, tiles) : tiles[0];
  return make(e.op(), {function({element_of(all.type(), t->rank)}, body), all}, e.attr(), origin(e));
}

/// An array, or several, of which nothing else is known.
Expr opaque(const Type& t) {
  if (!t.is_tuple()) return fresh_param("x", t);
  std::vector<Expr> parts;
  for (const Type& part : t.parts()) parts.push_back(opaque(part));
  return tuple(parts);
}
/// An update in place lies where its base does.
Expr where_it_lies(const Expr& e) {
  if (e.is(Op::UpdateInPlace)) return where_it_lies(e.child(0));
  return contains(e, [](const Expr& x) { return x.is(Op::UpdateInPlace); }) ? map_children(e, where_it_lies)
                                                                            : e;
}
/// What the variables of the lambdas around name: a way of looking at other arrays, or another array.
std::vector<std::vector<Expr>> names_around(const Site& site) {
  std::vector<std::vector<Expr>> scopes;
  for (std::size_t i = 0; i < site.around.size(); ++i) {
    const Expr& e = site.around[i];
    if (!e.is(Op::Lambda)) continue;
    std::vector<Expr> names;
    for (const Type& t : parameter_types(e)) names.push_back(opaque(t));
    if (i > 0 && site.around[i - 1].is(Op::Let)) {
      const Expr& value = site.around[i - 1].child(0);
      const Expr lies = where_it_lies(value);
      if (!is_computed(value) || !(lies == value)) names = {instantiate_in(lies, scopes)};
    }
    scopes.push_back(std::move(names));
  }
  return scopes;
}

/// Bases of updates in place that the value of a let is the block of, which is stored there at once.
std::vector<Expr> bases_of_value(const Expr& let) {
  std::vector<Expr> names, bases;
  const Expr body = open(let.child(1), names);
  if (body.is(Op::Tuple))
    for (const Expr& e : body.children())
      if (e.is(Op::UpdateInPlace) && e.child(1) == names.at(0)) bases.push_back(e.child(0));
  return bases;
}

/// A copy of what other groups overwrite meanwhile would be taken while they do.
bool is_overwritten(const Site& site, const Expr& array) {
  bool below_function = false;  // what is above it is not to be compared with
  for (std::size_t i = site.around.size(); i-- > 0;) {
    const Expr &e = site.around[i], &part = i + 1 < site.around.size() ? site.around[i + 1] : site.e;
    below_function = below_function || e.is(Op::Lambda);
    std::vector<Expr> bases;
    if (e.is(Op::UpdateInPlace)) bases = {e.child(0)};
    if (e.is(Op::Let) && part == e.child(0)) bases = bases_of_value(e);
    if (bases.empty()) continue;
    if (below_function) return true;
    const auto names = names_around(site);
    const auto arrays = [&](const Expr& x) {
      return params_of(components_taken(where_it_lies(instantiate_in(x, names))));
    };
    const std::vector<Expr> read = arrays(array);
    for (const Expr& base : bases)
      for (const Expr& written : arrays(base))
        if (std::find(read.begin(), read.end(), written) != read.end()) return true;
  }
  return false;
}

std::string overwritten(const Site& site, const Arguments& which) {
  const auto t = tiled(site.e);
  for (std::size_t i = 0; t && i < which.size(); ++i)
    if (const auto c = static_cast<std::size_t>(number(which, i));
        c < t->arrays.size() && is_overwritten(site, t->arrays[c]))
      return "array " + which[i].str() +
             " is overwritten: a tile holds neighbours that other work-groups write in the meantime; use two "
             "arrays";
  return "";
}

Result<Expr> stage(const Site& site, const Arguments& which) {
  if (const std::string why = overwritten(site, which); !why.empty()) return Failure{why};
  return from_copies(site, which, [](const Expr& tile, const Windows&, int rank) {
    return make(Op::ToLocal, {copied(tile, rank)});
  });
}

/// The copies of the last `slots` planes of each tile.
Result<Expr> stage_planes(const Site& site, const Arguments& a) {
  const std::int64_t slots = number(a, 0);
  const Arguments which(a.begin() + 1, a.end());
  if (which.empty()) return Failure{"needs the number of planes, then the arrays"};
  if (const std::string why = overwritten(site, which); !why.empty()) return Failure{why};
  bool fit = true;
  const auto r = from_copies(site, which, [&](const Expr& tile, const Windows& w, int rank) {
    fit = fit && Facts().proves(less_equal(w.size[0], slots));
    const Expr planes = map_with(
        Op::Map, 1,
        function({element_of(tile.type(), 1)},
                 [rank](std::span<const Expr> p) { return rank > 1 ? copied(p[0], rank - 1) : p[0]; }),
        tile);
    return make(Op::CircularBuffer, {planes}, attributes::nats({Nat(slots)}));
  });
  if (r && !fit) return Failure{a[0].str() + " planes do not hold a window; use more"};
  return r;
}

}  // namespace

std::vector<Rule> grid_rules() {
  return {
      constructed("items", "map_x d f shared by n work-items: item w takes w, w + n, ...", items)
          .takes("n", "work-items")
          .says("the iterations are dealt to %1 work-items"),
      constructed("stage",
                  "map_D f (split_D k (slide_D (n, s) xs)) = map_D (\\t. f (slide_D (n, s) (to_local (map_D "
                  "(\\x. x) t)))) (slide_D ((k - 1) s + n, k s) xs)",
                  stage)
          .takes("c", "arrays of the zip, the first is 0", true)
          .says("the tiles of array %*, with what its windows read around them, are copied to local memory "
                "by all work-items of the group"),
      constructed("stage-planes",
                  "map_D f (split_D k (slide_D (n, s) xs)) = map_D (\\t. f (slide_D (n, s) (circular_buffer "
                  "m (map (map_(D-1) (\\x. x)) t)))) (slide_D ((k - 1) s + n, k s) xs), m >= n",
                  stage_planes)
          .takes("m", "planes in local memory")
          .takes("c", "arrays of the zip, the first is 0", true)
          .says("of the tiles of array %*, after the first number, so many planes at a time are in local "
                "memory: each is copied once, by all work-items of the group"),
  };
}

}  // namespace lift
