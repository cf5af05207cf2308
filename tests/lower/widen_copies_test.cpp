// Asynchronous copies of vectors: only where both arrays' rows provably begin and end with whole ones.
#include <doctest/doctest.h>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"

using namespace lift;

namespace widen_copies_test {
namespace {

/// Rows of a tile, copied by 8 x 2 items: elements [first, end) of rows `from_pitch` apart in x, to where
/// they lie from `to_first` on in rows `to_pitch` apart.
struct Rows {
  Nat first = 0, end = 8;
  std::int64_t from_pitch = 8, to_pitch = 8;
  Nat to_first = 0;
  Scalar type = f64;
};

Block copies(const Rows& r) {
  For j, i;
  j.var = Nat::fresh("j", 0, 4), j.lower = 0, j.upper = 5, j.items = 2, j.dim = 1;
  i.var = Nat::fresh("i", r.first, r.end - 1), i.lower = r.first, i.upper = r.end, i.items = 8, i.dim = 0;
  j.kind = i.kind = LoopKind::Lcl, j.most_trips = 3, i.most_trips = 1;
  const Nat row = Nat::fresh("row", 0, 1000);
  Store s{"tile", {r.to_pitch * j.var + i.var - r.first + r.to_first}, load_term("x", {row + i.var}, r.type)};
  s.async = true;
  i.body = {{std::move(s)}};
  j.body = {{Let{index_term(row), index_term(r.from_pitch * j.var)}}, {std::move(i)}};
  return {{std::move(j)}};
}

struct Found {
  int width = 0;      ///< of what is copied at once
  std::int64_t rows;  ///< that the outer loop still has
};
Found widened(const Rows& r) {
  Found found;
  const Block b = widen_copies(copies(r));
  found.rows = *(std::get<For>(b.at(0).v).upper - std::get<For>(b.at(0).v).lower).constant();
  visit(b, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) found.width = x->value->width;
  });
  return found;
}
int width(const Rows& r) { return widened(r).width; }

}  // namespace

TEST_CASE("widen-copies: 16 bytes at once where both rows are whole vectors, and less where they are not") {
  CHECK(width({}) == 2);
  CHECK(width({.type = f32}) == 4);
  CHECK(width({.end = 6, .type = f32}) == 2);
  CHECK(width({.from_pitch = 10, .type = f32}) == 2);
  CHECK(width({.type = boolean}) == 1);
  CHECK(width({.end = 7}) == 1);
  CHECK(width({.from_pitch = 9}) == 1);
  CHECK(width({.to_pitch = 9}) == 1);
  CHECK(width({.first = 1, .end = 7}) == 1);  // in x
  CHECK(width({.to_first = 1}) == 1);
  CHECK(width({.first = 1, .end = 7, .to_first = 1}) == 1);
}

TEST_CASE("widen-copies: where a tile begins and ends at the greater or the lesser of two positions") {
  const Nat t = Nat::fresh("t", 0, 9);
  CHECK(width({.first = max(2, 6 * t), .end = max(2, 6 * t) + 6}) == 2);
  CHECK(width({.first = max(3, 6 * t), .end = max(3, 6 * t) + 6}) == 1);
  CHECK(width({.first = max(2, 3 * t), .end = max(2, 3 * t) + 6}) == 1);
  CHECK(width({.first = 6 * t, .end = min(60, 6 * t + 6)}) == 2);
  CHECK(width({.first = 6 * t, .end = min(59, 6 * t + 6)}) == 1);
}

TEST_CASE("widen-copies: items that have nothing to copy in a row copy the next ones") {
  CHECK(widened({}).rows == 4);             // 4 pairs, two rows a round: three rounds of two rows became two
  CHECK(widened({.type = f32}).rows == 2);  // 2 vectors, four rows: one round
  CHECK(widened({.end = 10}).rows == 5);    // more than one a round along the row
  CHECK(widened({.end = 7}).rows == 5);
}

namespace {

constexpr std::int64_t kLength = 96;

/// A loop over 8 items along dimension 0, or over 2 along dimension 1.
For items(const Nat& var, const Nat& upper, int dim, Block body) {
  For f;
  f.var = var, f.upper = upper, f.kind = LoopKind::Lcl, f.dim = dim, f.items = dim == 0 ? 8 : 2;
  f.most_trips = 3, f.body = std::move(body);
  return f;
}
Stmt copy(const Nat& to, const Nat& from, int width = 1) {
  return {Store{"tile", {to}, load_term("x", {from}, f64, width), false, true}};
}
/// What `tile` holds after loops, for a number of rows and of elements in them.
std::vector<double> tile_after(const Block& b, std::int64_t n) {
  const Type t = array({kLength}, f64);
  Kernel k;
  k.name = "k";
  for (const char* name : {"x", "tile"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.body = b;
  test::LoopRunner loops;
  loops.index["n"] = n;
  for (std::int64_t i = 0; i < kLength; ++i) loops.arrays["x"].push_back(static_cast<double>(i) + 0.5);
  loops.arrays["tile"].assign(kLength, -1);
  loops.run(k);
  CHECK_MESSAGE(loops.races.empty(), str(b));
  return loops.arrays["tile"];
}
/// The width of what is copied at once; the copies are what they were.
int width(const Block& b) {
  const Block after = widen_copies(b);
  INFO(str(b) << str(after));
  for (const std::int64_t n : {0, 1, 2, 3, 4, 5}) CHECK(tile_after(after, n) == tile_after(b, n));
  int w = 0;
  visit(after, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) w = x->value->width;
  });
  return w;
}
int conditions(const Block& b) {
  int n = 0;
  visit(b, [&](const Stmt& s) {
    if (const auto* i = std::get_if<If>(&s.v)) n += static_cast<int>(i->conditions.size());
  });
  return n;
}

}  // namespace

TEST_CASE("widen-copies: only copies of neighbours to neighbours, by items side by side") {
  const Nat i = Nat::fresh("i", 0, 7), j = Nat::fresh("j", 0, 4);
  const auto row = [&](const Stmt& s) { return width({{items(i, 8, 0, {s})}}); };
  CHECK(row(copy(i, i)) == 2);
  CHECK(row(copy(2 * i, i)) == 1);
  CHECK(row(copy(i, 2 * i)) == 1);
  CHECK(row({Store{"tile", {i}, load_term("x", {i}, f64), false}}) == 1);  // at once
  CHECK(row({Store{"tile", {i}, constant_term(1, f64), false, true}}) == 1);
  CHECK(row(copy(4 * i, 4 * i, 4)) == 4);  // vectors already
  // A row that each of the items copies by itself.
  For alone;
  alone.var = i, alone.upper = 8, alone.body = {copy(8 * j + i, 8 * j + i)};
  CHECK(width({{items(j, 5, 1, {{alone}})}}) == 1);
  // A row, and something before it: vectors of the row, by its own items.
  const Stmt begin{Store{"x", {8 * j + 90 - 7 * j}, constant_term(3, f64), false}};
  const Block after =
      widen_copies({{items(j, 5, 1, {begin, {items(i, 8, 0, {copy(8 * j + i, 8 * j + i)})}})}});
  CHECK(*std::get<For>(after[0].v).upper.constant() == 5);
  CHECK(width({{items(j, 5, 1, {begin, {items(i, 8, 0, {copy(8 * j + i, 8 * j + i)})}})}}) == 2);
  // No iteration does anything.
  CHECK(widen_copies({{items(j, 5, 1, {})}}).size() == 1);
}

TEST_CASE("widen-copies: rows of as many elements as are known only when it runs") {
  const Nat n = Nat::fresh("n", 0, 5);
  const auto rows_of = [&](const Nat& rows, const Nat& elements, std::int64_t trips) {
    const Nat v = Nat::fresh("i", 0, elements - 1), r = Nat::fresh("j", 0, rows - 1);
    For outer = items(r, rows, 1, {{items(v, elements, 0, {copy(12 * r + v, 12 * r + v)})}});
    outer.most_trips = trips;
    return Block{{outer}};
  };
  // Up to eight, which the items copy at once: those that this leaves idle copy the next row.
  CHECK(width(rows_of(5, min(8, 2 * n), 3)) == 2);
  CHECK(*std::get<For>(widen_copies(rows_of(5, min(8, 2 * n), 3))[0].v).upper.constant() == 4);
  // More than that.
  CHECK(width(rows_of(5, 2 * n, 3)) == 2);
  CHECK(*std::get<For>(widen_copies(rows_of(5, 2 * n, 3))[0].v).upper.constant() == 5);
  CHECK(width(rows_of(5, n, 3)) == 1);
  // So many rows, of which no one knows how many times an item goes round.
  CHECK(width(rows_of(n, 8, 0)) == 2);
  CHECK(std::get<For>(widen_copies(rows_of(n, 8, 0))[0].v).upper == ceildiv(n, 2));
}

TEST_CASE(
    "widen-copies: whether there is such a row, and such a vector, is asked where it may not be there") {
  const auto asked = [](std::int64_t rows, const Nat& elements) {
    const Nat v = Nat::fresh("i", 0, elements - 1), r = Nat::fresh("j", 0, rows - 1);
    For outer = items(r, rows, 1, {{items(v, elements, 0, {copy(12 * r + v, 12 * r + v)})}});
    outer.most_trips = (rows + 1) / 2;
    CHECK(width({{outer}}) == 2);
    return conditions(widen_copies({{outer}}));
  };
  const Nat n = Nat::fresh("n", 0, 5);
  CHECK(asked(4, 8) == 0);
  CHECK(asked(5, 8) == 1);
  CHECK(asked(4, min(8, 2 * n)) == 1);
  CHECK(asked(5, min(8, 2 * n)) == 2);
}

}  // namespace widen_copies_test
