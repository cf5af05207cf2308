// Asynchronous copies of vectors: only where both arrays' rows provably begin and end with whole ones.
#include <doctest/doctest.h>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

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

}  // namespace widen_copies_test
