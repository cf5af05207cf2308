// Laws of blocks: arrays made of D-dimensional blocks that a join_D puts side by side, as prolongation makes
// them (each coarse cell gives a block of 2^D fine cells), and how the loops over cells and over their blocks
// may be ordered.
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/holes.hpp"
#include "rewrite/rules/replaced.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

using holes::f, holes::g, holes::xs, holes::nats, holes::last_to_first;

/// join_D of blocks that are given: each cell is a block of arguments.
Sides rows_of_given_blocks(int d) {
  const auto row = [d](Expr y) {
    return join_n(d - 1, map_n(
                             d - 1, [d](Expr z) { return map_n(d - 1, f, z); }, y));
  };
  return {join_n(d, map_n(
                        d, [d](Expr x) { return map_n(d, f, x); }, xs)),
          join(map([=](Expr x) { return map(row, transpose(last_to_first(d), x)); }, xs))};
}
/// The same of blocks that each cell makes; f does not use the cell itself.
Sides rows_of_blocks(int d) {
  const auto row = [d](Expr y) {
    return join_n(d - 1, map_n(
                             d - 1, [d](Expr z) { return map_n(d - 1, f, z); }, y));
  };
  const auto plane = [=](Expr x) { return map(row, transpose(last_to_first(d), map_n(d - 1, g, x))); };
  return {join_n(d, map_n(
                        d, [d](Expr x) { return map_n(d, f, apply(g, {x})); }, xs)),
          join(map(plane, xs))};
}
/// The same where f uses the cell: it stays beside its part of the block.
Sides rows_of_blocks_with_cells(int d) {
  const auto block = [d](Expr p) {
    return map_n(
        d - 1,
        [&](Expr v) {
          return apply(f, {get(0, p), v});
        },
        get(1, p));
  };
  const auto plane = [=](Expr x) {
    const auto row = [=](Expr y) { return join_n(d - 1, map_n(d - 1, block, zip_n(d - 1, {x, y}))); };
    return map(row, transpose(last_to_first(d), map_n(d - 1, g, x)));
  };
  const auto cell = [d](Expr x) {
    return map_n(
        d,
        [&](Expr v) {
          return apply(f, {x, v});
        },
        apply(g, {x}));
  };
  return {join_n(d, map_n(d, cell, xs)), join(map(plane, xs))};
}

Rule join_map_nest() {
  return rule_of_rank("join-map-nest", 0, 5,
                      [](int i) {
                        return (i < 2   ? rows_of_given_blocks
                                : i < 4 ? rows_of_blocks
                                        : rows_of_blocks_with_cells)(2 + i % 2);
                      })
      .says(
          "blocks are written row by row: the loop over an outer dimension of the blocks goes around the "
          "loops over inner dimensions of the cells");
}

/// The lengths of the blocks that a join_D puts side by side.
std::vector<Nat> block_shape(const Expr& join) {
  const auto d = static_cast<std::size_t>(op_rank(join));
  const std::vector<Nat> all = shape_of(join.child(0).type(), static_cast<int>(2 * d));
  return {all.begin() + static_cast<std::ptrdiff_t>(d), all.end()};
}

Result<Expr> join_of_drop(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Join) || !e.child(0).is(Op::Drop)) return Failure{"needs a join of drop"};
  const auto d = static_cast<std::size_t>(op_rank(e));
  const auto before = low_widths(e.child(0)), after = high_widths(e.child(0));
  if (before.size() != d)
    return Failure{"the drop cuts " + std::to_string(before.size()) + " dimensions, the join has rank " +
                   std::to_string(d)};
  const std::vector<Nat> m = block_shape(e);
  std::vector<Nat> low, high;
  for (std::size_t i = 0; i < d; ++i) low.push_back(before[i] * m[i]), high.push_back(after[i] * m[i]);
  return drop(low, high, join_n(static_cast<int>(d), e.child(0).child(0)));
}

/// zip_D of arrays, one of which at least is made of blocks: all of them are taken apart into such blocks.
Result<Expr> zip_of_join(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Zip)) return Failure{"needs a zip, found " + std::string(text(e.op()))};
  const int d = op_rank(e);
  const auto is_join = [d](const Expr& c) { return is_of_rank(c, Op::Join, d); };
  std::vector<Nat> m;
  for (const Expr& c : e.children())
    if (is_join(c) && m.empty()) m = block_shape(c);
  if (m.empty()) return Failure{"none of the arrays is a join of rank " + std::to_string(d)};
  std::vector<Expr> blocks;
  for (const Expr& c : e.children())
    blocks.push_back(is_join(c) && block_shape(c) == m ? c.child(0) : split(m, c));
  const auto cell = [&](Expr p) {
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < blocks.size(); ++i) parts.push_back(get(static_cast<int>(i), p));
    return zip_n(d, parts);
  };
  const Expr cells = zip_n(d, blocks);
  return join_n(d, map_with(Op::Map, d,
                            function({element_of(cells.type(), d)},
                                     [&](std::span<const Expr> p) { return cell(p[0]); }),
                            cells));
}

/// The part of a function's body, outside functions in it, that maps over blocks of `array` and reads nothing
/// else of it.
std::optional<Expr> map_over_blocks(const Expr& body, const Expr& array, int rank) {
  if (is_of_rank(body, Op::Map, rank) && is_of_rank(body.child(1), Op::Split, rank) &&
      body.child(1).child(0) == array && !contains(body.child(0), [&](const Expr& x) { return x == array; }))
    return body;
  if (body.is(Op::Lambda)) return std::nullopt;
  for (const Expr& c : body.children())
    if (const auto found = map_over_blocks(c, array, rank)) return found;
  return std::nullopt;
}

/// Elements of a tile of so many blocks of m elements, one number a dimension; tiles divide the array of
/// cells.
Result<std::vector<Nat>> tile_lengths(const std::vector<Nat>& m, const Expr& cells, const Arguments& blocks) {
  if (blocks.size() != m.size())
    return Failure{"a map of rank " + std::to_string(m.size()) + " needs as many tile sizes, got " +
                   std::to_string(blocks.size())};
  const std::vector<Nat> n = shape_of(cells.type(), static_cast<int>(m.size()));
  std::vector<Nat> k;
  for (std::size_t i = 0; i < m.size(); ++i) {
    k.push_back(m[i] * number(blocks, i));
    if (k[i] == Nat(0) || !Facts().proves(equal(mod(n[i], k[i]), 0)))
      return Failure{"tiles of " + k[i].str() + " elements do not divide the " + n[i].str() +
                     " elements of dimension " + std::to_string(i)};
  }
  return k;
}

/// What is computed from a named array block by block is computed in tiles, of so many blocks, right after
/// the tile itself.
Result<Expr> let_tile(const Site& site, const Arguments& arguments) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(0).is(Op::Map)) return Failure{"needs a let of a map"};
  const Expr &f_of = e.child(0).child(0), &cells = e.child(0).child(1);
  const int d = op_rank(e.child(0));
  std::vector<Expr> name;
  const Expr body = open(e.child(1), name);
  const auto coarse = map_over_blocks(body, name[0], d);
  if (!coarse) return Failure{"nothing maps over blocks of the named array: map_D g (split_D m r)"};
  const std::vector<Nat>& m = split_lengths(coarse->child(1));
  const auto k = tile_lengths(m, cells, arguments);
  if (!k) return Failure{k.reason()};
  const Expr tiles = split(*k, cells);
  const auto tile = [&](std::span<const Expr> t) {
    return let(map_with(Op::Map, d, f_of, t[0]), [&](Expr r) {
      return tuple({r, map_with(Op::Map, d, coarse->child(0), split(m, r))});
    });
  };
  const Expr both = unzip_n(d, map_with(Op::Map, d, function({element_of(tiles.type(), d)}, tile), tiles));
  return let(both, [&](Expr t) {
    return replaced(body, [&](const Expr& x) -> std::optional<Expr> {
      if (x == *coarse) return join_n(d, get(1, t));
      if (x == name[0]) return join_n(d, get(0, t));
      return std::nullopt;
    });
  });
}

/// Blocks of a computed array are made tile by tile: a tile is computed into an array of its own first.
Result<Expr> tile_blocks(const Site& site, const Arguments& arguments) {
  const Expr& e = site.e;
  if (!e.is(Op::Map) || !e.child(1).is(Op::Split) || !e.child(1).child(0).is(Op::Map))
    return Failure{"needs map_D g (split_D m (map_D f xs))"};
  const int d = op_rank(e);
  const Expr &blocks = e.child(1), &made = blocks.child(0), &cells = made.child(1);
  const std::vector<Nat>& m = split_lengths(blocks);
  if (op_rank(made) != d || m.size() != static_cast<std::size_t>(d))
    return Failure{"the maps and the split must be of one rank"};
  const auto k = tile_lengths(m, cells, arguments);
  if (!k) return Failure{k.reason()};
  const Expr tiles = split(*k, cells);
  const auto tile = [&](std::span<const Expr> t) {
    return map_with(Op::Map, d, e.child(0),
                    split(m, make(Op::ToPrivate, {map_with(Op::Map, d, made.child(0), t[0])})));
  };
  return join_n(d, map_with(Op::Map, d, function({element_of(tiles.type(), d)}, tile), tiles));
}

Result<Expr> identity_map(const Site& site, const Arguments& a) {
  const std::int64_t d = number(a, 0);
  if (d < 1 || rank_of(site.e.type()) < d)
    return Failure{"needs an array of rank " + a[0].str() + " or more, found " + site.e.type().str()};
  const int rank = static_cast<int>(d);
  return map_with(Op::Map, rank,
                  function({element_of(site.e.type(), rank)}, [](std::span<const Expr> x) { return x[0]; }),
                  site.e);
}

Sides drop_of_join(int d) {
  const std::vector<Nat> two(static_cast<std::size_t>(d), 2), one(static_cast<std::size_t>(d), 1);
  const auto rest = [d](Expr blocks) { return drop(nats("l", d), nats("r", d), join_n(d, blocks)); };
  return {rest(xs), join_n(d, map_n(d, rest, slide(two, one, xs)))};
}
/// l + r is the length of a block, so that what is left of two neighbours is again one block.
std::string one_block_dropped(const Match& m) {
  int rank = 0;
  while (m.nats.count(variables(nat_hole("l" + std::to_string(rank)))[0])) ++rank;
  const std::vector<Nat> shape = shape_of(m["xs"].type(), 2 * rank);
  for (int d = 0; d < rank; ++d) {
    const Nat dropped = m.nat("l" + std::to_string(d)) + m.nat("r" + std::to_string(d)),
              block = shape.at(static_cast<std::size_t>(rank + d));
    if (!Facts().proves(equal(dropped, block)))
      return "together " + dropped.str() + " elements are dropped, not one block of " + block.str();
    if (!Facts().proves(less_equal(2, shape[static_cast<std::size_t>(d)])))
      return "there are fewer than two blocks";
  }
  return "";
}

}  // namespace

std::vector<Rule> block_rules() {
  return {
      rule_of_rank("drop-of-join", 1, 3, drop_of_join)
          .with(one_block_dropped, "l + r is the length of a block, and there are two blocks or more")
          .says("blocks are cut from pairs of neighbouring blocks"),
      join_map_nest(),
      rule_of_rank("join-of-join", 1, 3,
                   [](int d) {
                     return Sides{join_n(d, join_n(d, xs)),
                                  join_n(d, map_n(
                                                d, [d](Expr x) { return join_n(d, x); }, xs))};
                   }),
      constructed("join-of-drop",
                  "join_D . drop_D (l, r) = drop_D (m l, m r) . join_D for blocks of m elements",
                  join_of_drop),
      constructed(
          "zip-of-join",
          "zip_D (xs, join_D ys) = join_D . map_D zip_D . zip_D (split_D m xs, ys) for blocks of m elements",
          zip_of_join)
          .says("arrays are taken apart into the blocks that one of them is made of"),
      constructed("let-tile",
                  "let r = map_D f xs in (r, map_D g (split_D m r)) = let t = unzip_D (map_D (\\x. let r = "
                  "map_D f x in (r, map_D g (split_D m r))) (split_D (t m) xs)) in (join_D t.0, join_D t.1)",
                  let_tile)
          .takes("t", "blocks in a tile, one number a dimension", true)
          .says("what is computed from blocks of a kept array is computed tile by tile, of %* blocks, while "
                "the tile is in the cache"),
      constructed("tile-blocks",
                  "map_D g (split_D m (map_D f xs)) = join_D (map_D (\\x. map_D g (split_D m (to_private "
                  "(map_D f x)))) (split_D (t m) xs))",
                  tile_blocks)
          .takes("t", "blocks in a tile, one number a dimension", true)
          .says("blocks of a computed array are made in tiles of %*: a tile is computed into an array of its "
                "own, and read from there"),
      constructed("identity-map", "xs = map_D (\\x. x) xs", identity_map).takes("d", "rank"),
  };
}

}  // namespace lift
