// Instances of rules about blocks: cells that make blocks from windows of themselves, beside other data or
// not.
#include "tests/rewrite/instances.hpp"

#include <algorithm>

#include "ir/expr/ops.hpp"

namespace lift::test {
namespace {

std::vector<Nat> both(std::vector<Nat> a, const std::vector<Nat>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// join_D (map_D (\x. map_D f (g x)) xs): blocks from windows that slide over a window of each cell, or from
/// given ones; f may use a number that stands beside the cell.
Instance blocks_of_cells(Gen& g) {
  const int d = g.n(2, 3), highest = d == 2 ? 3 : 2;
  const auto cells = g.shape(d, 1, highest), block = g.shape(d, 1, highest);
  const bool windows = g.coin(), beside = g.coin();
  auto given = block;
  if (windows)
    for (Nat& n : given) n = n + 1;
  const Type t = g.element();
  const Expr field = g.array(both(cells, given), windows ? Type(f64) : t), number = g.array(cells, f64);
  const auto parts = [&](const Expr& x) {
    return windows
               ? map_n(
                     d,
                     [d](Expr w) {
                       std::vector<Nat> corner(static_cast<std::size_t>(d), 0);
                       return tuple({at(corner, w), at(std::vector<Nat>(static_cast<std::size_t>(d), 1), w)});
                     },
                     slide(std::vector<Nat>(static_cast<std::size_t>(d), 2),
                           std::vector<Nat>(static_cast<std::size_t>(d), 1), x))
               : x;
  };
  const Type part = windows ? Type::tuple({f64, f64}) : t;
  if (!beside)
    return {join_n(d, map_n(
                          d, [&](Expr x) { return map_n(d, g.fun(part, f64), parts(x)); }, field)),
            {},
            {}};
  const Expr add = g.fun(Type::tuple({f64, part}), f64);
  const auto cell = [&](Expr p) {
    return map_n(
        d,
        [&](Expr v) {
          return apply(add, {tuple({get(0, p), v})});
        },
        parts(get(1, p)));
  };
  return {join_n(d, map_n(d, cell, zip_n(d, {number, field}))), {}, {}};
}

/// A computed array of rank D, what is made of its blocks, and blocks in a tile; one in ten tiles too large.
struct TiledBlocks {
  explicit TiledBlocks(Gen& g) : rank(g.n(1, 3)) {
    const auto tiles = g.shape(rank, 1, 2), blocks = g.shape(rank, 1, 2);
    block = g.shape(rank, 1, 2);
    std::vector<Nat> n;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      n.push_back(tiles[i] * blocks[i] * block[i]);
      tile.push_back((blocks[i] + (g.n(0, 9) == 0)).str());
    }
    const Type a = g.element();
    of_block = g.fun(array(block, Type(f64)), f64);
    made = map_n(rank, g.fun(a, f64), g.array(n, a));
  }
  Expr coarse(const Expr& fine) const { return map_n(rank, of_block, split(block, fine)); }

  int rank;
  std::vector<Nat> block;
  Arguments tile;
  Expr of_block, made;
};

}  // namespace

Generators block_generators() {
  return {
      {"drop-of-join",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const auto outer = g.shape(d, 2, d < 3 ? 4 : 3), block = g.shape(d, 1, 3);
         std::vector<Nat> low, high, whole = outer;
         for (const Nat& k : block)
           low.emplace_back(g.n(0, static_cast<int>(*k.constant()))), high.push_back(k - low.back());
         if (g.n(0, 5) == 0) high[0] = high[0] + 1;  // more than one block
         whole.insert(whole.end(), block.begin(), block.end());
         return {drop(low, high, join_n(d, g.array(whole, g.element()))), {}, {}};
       }},
      {"join-map-nest", blocks_of_cells},
      {"join-of-join",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         return {join_n(d, join_n(d, g.array(g.shape(3 * d, 1, d < 3 ? 3 : 2),
                                             d == 1 ? g.element() : Type(f64)))),
                 {},
                 {}};
       }},
      {"join-of-drop",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const auto l = g.shape(d, 0, 1), r = g.shape(d, 0, 1);
         auto n = g.shape(2 * d, 1, 2);
         for (std::size_t i = 0; i < l.size(); ++i) n[i] = n[i] + l[i] + r[i];
         return {join_n(d, drop(l, r, g.array(n, g.element()))), {}, {}};
       }},
      {"zip-of-join",
       [](Gen& g) -> Instance {
         const int d = g.n(1, 3);
         const auto cells = g.shape(d, 1, 2), block = g.shape(d, 1, 2);
         auto n = cells;
         for (std::size_t i = 0; i < n.size(); ++i) n[i] = n[i] * block[i];
         std::vector<Expr> arrays{join_n(d, g.array(both(cells, block), g.element())),
                                  g.array(n, g.element())};
         if (g.coin()) arrays.push_back(join_n(d, g.array(both(cells, block), f64)));
         std::rotate(arrays.begin(), arrays.begin() + g.n(0, 1), arrays.end());
         return {zip_n(d, arrays), {}, {}};
       }},
      {"let-tile",
       [](Gen& g) -> Instance {
         const TiledBlocks b(g);
         const bool turned = g.coin();
         return {let(b.made,
                     [&](Expr r) {
                       const Expr c = b.coarse(r);
                       return turned ? tuple({c, r}) : tuple({r, c});
                     }),
                 b.tile,
                 {}};
       }},
      {"tile-blocks",
       [](Gen& g) -> Instance {
         const TiledBlocks b(g);
         return {b.coarse(b.made), b.tile, {}};
       }},
      {"identity-map",
       [](Gen& g) -> Instance {
         return {g.array(g.shape(g.n(1, 4), 1, 3), g.element()), {std::to_string(g.n(1, 3))}, {}};
       }},
  };
}

}  // namespace lift::test
