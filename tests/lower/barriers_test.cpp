// Tiles in local memory: cooperative stores, barriers where and only where they are needed.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "tests/lower/run_loops.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::barriers_test {
namespace {

using test::count;
using test::program;
using test::run;

Expr low(Op op, int dim, const std::function<Expr(Expr)>& f, const Expr& xs, int items = 0) {
  return map_with(op, 1, function_of(element_of(xs.type(), 1), f), xs, {dim, 1, 0, 0, items});
}
Expr wrg(int dim, const std::function<Expr(Expr)>& f, const Expr& xs, int groups = 0) {
  return low(Op::MapWrg, dim, f, xs, groups);
}
Expr lcl(int dim, const std::function<Expr(Expr)>& f, const Expr& xs, int items = 0) {
  return low(Op::MapLcl, dim, f, xs, items);
}
Expr seq(const std::function<Expr(Expr)>& f, const Expr& xs) {
  return map_with(Op::MapSeq, 1, function_of(element_of(xs.type(), 1), f), xs);
}
Expr same(Expr x) { return x; }
Expr in_local(const Expr& e) { return make(Op::ToLocal, {e}); }
/// A copy made by `items` work-items.
Expr staged(const Expr& tile, int items = 0) { return in_local(lcl(0, same, tile, items)); }
Expr staged2(const Expr& tile, int rows, int columns) {
  return in_local(lcl(
      1, [=](Expr row) { return lcl(0, same, row, columns); }, tile, rows));
}
Expr windows(const Expr& xs, int n = 3) { return slide({Nat(n)}, {Nat(1)}, xs); }
Expr tiles(const Expr& xs, int n, int step) { return slide({Nat(n)}, {Nat(step)}, xs); }
Expr sum3(Expr w) { return w[0] + w[1] * 2.0 + w[2]; }
int barriers(const Kernel& k) { return count<Barrier>(k.body); }

const Expr xs = param("xs", array({34}, f64)), ys = param("ys", array({34}, f64)),
           m = param("m", array({10, 18}, f64));

}  // namespace

TEST_CASE("one tile in local memory, halo included, takes one barrier") {
  const auto in_tile = [](Expr t) { return lcl(0, sum3, windows(staged(t, 8)), 8); };
  const Kernel k = run(program({xs}, join(wrg(0, in_tile, tiles(xs, 10, 8)))));
  CHECK(barriers(k) == 1);
  CHECK(count<Allocate>(k.body) == 1);
  const Kernel named = run(program(
      {xs},
      join(wrg(
          0, [](Expr t) { return let(staged(t, 8), [](Expr s) { return lcl(0, sum3, windows(s), 8); }); },
          tiles(xs, 10, 8)))));
  CHECK(barriers(named) == 1);
}

TEST_CASE("two arrays staged together wait once") {
  const auto in_tile = [](Expr t) {
    return lcl(
        0, [](Expr p) { return sum3(get(0, p)) * get(1, p)[1]; },
        zip({windows(staged(get(0, t), 8)), windows(staged(get(1, t), 8))}), 8);
  };
  const Kernel k = run(program({xs, ys}, join(wrg(0, in_tile, zip({tiles(xs, 10, 8), tiles(ys, 10, 8)})))));
  CHECK(barriers(k) == 1);
  CHECK(count<Allocate>(k.body) == 2);
}

TEST_CASE("copies are waited for where they are met, however many barriers come before") {
  const auto in_tile = [](Expr t) {
    return let(in_local(make(Op::Async, {lcl(0, same, get(0, t), 8)})), [&](Expr copied) {
      return let(staged(get(1, t), 8), [&](Expr stored) {
        return let(in_local(lcl(0, sum3, windows(stored), 8)), [&](Expr sums) {
          return lcl(
              0, [](Expr p) { return sum3(get(0, p)) * get(1, p); }, zip({windows(copied), sums}), 8);
        });
      });
    });
  };
  const Kernel k = run(program({xs, ys}, join(wrg(0, in_tile, zip({tiles(xs, 10, 8), tiles(ys, 10, 8)})))));
  std::vector<bool> copies;
  visit(k.body, [&](const Stmt& s) {
    if (const auto* barrier = std::get_if<Barrier>(&s.v)) copies.push_back(barrier->copies);
  });
  CHECK(copies == std::vector<bool>{false, true});
}

TEST_CASE("a tile that is staged again in a loop is waited for before and after") {
  const auto rows = [](Expr t) {
    return seq([](Expr row) { return lcl(0, sum3, windows(staged(row, 8)), 8); }, t);
  };
  const Expr by_tile = wrg(
      0,
      [&](Expr t) {
        return rows(transpose({1, 0}, t));
      },
      tiles(transpose({1, 0}, m), 10, 8));
  const Kernel k = run(program({m}, by_tile));
  CHECK(barriers(k) == 2);
}

TEST_CASE("a tile staged before a loop that only reads it is waited for before the loop") {
  const Kernel k =
      run(program({xs}, wrg(
                            0,
                            [](Expr t) {
                              return let(staged(t, 8), [](Expr s) {
                                return seq(
                                    [&](Expr i) {
                                      return lcl(
                                          0, [&](Expr w) { return sum3(w) * cast(f64, i); }, windows(s), 8);
                                    },
                                    iota(4));
                              });
                            },
                            tiles(xs, 10, 8))));
  CHECK(barriers(k) == 1);
  REQUIRE(std::holds_alternative<For>(k.body.at(0).v));
  const For& group = std::get<For>(k.body[0].v);
  CHECK(std::any_of(group.body.begin(), group.body.end(),
                    [](const Stmt& s) { return std::holds_alternative<Barrier>(s.v); }));
}

TEST_CASE("no barrier where each item reads what it wrote itself") {
  const auto own = [](Expr t) {
    return lcl(
        0, [](Expr x) { return x * 2.0; },
        in_local(lcl(
            0, [](Expr x) { return x + 1.0; }, t)));
  };
  CHECK(barriers(run(program({xs}, join(wrg(0, own, split({Nat(17)}, xs)))))) == 0);
  // several trips a work-item, dealt alike
  const auto dealt = [](Expr t) {
    return lcl(
        0, [](Expr x) { return x * 2.0; },
        in_local(lcl(
            0, [](Expr x) { return x + 1.0; }, t, 4)),
        4);
  };
  CHECK(barriers(run(program({xs}, join(wrg(0, dealt, split({Nat(17)}, xs)))))) == 0);
  // dealt otherwise: another item reads
  const auto other = [](Expr t) {
    return lcl(
        0, [](Expr x) { return x * 2.0; },
        in_local(lcl(
            0, [](Expr x) { return x + 1.0; }, t, 4)),
        8);
  };
  CHECK(barriers(run(program({xs}, join(wrg(0, other, split({Nat(17)}, xs)))))) == 1);
  // one item in each group
  const auto alone = [](Expr t) { return seq(sum3, windows(in_local(seq(same, t)))); };
  CHECK(barriers(run(program({xs}, join(wrg(0, alone, tiles(xs, 10, 8)))))) == 0);
}

TEST_CASE("tiles of two dimensions") {
  const auto in_tile = [](Expr t) {
    const Expr s = staged2(t, 4, 8);
    return lcl(
        1,
        [](Expr r) {
          return lcl(
              0, [](Expr w) { return w[0][1] + w[1][0] + w[1][1] * 2.0 + w[1][2] + w[2][1]; }, r);
        },
        slide({Nat(3), Nat(3)}, {Nat(1), Nat(1)}, s));
  };
  const Expr of = slide({Nat(6), Nat(10)}, {Nat(4), Nat(8)}, m);
  const Kernel k = run(program({m}, wrg(
                                        1, [&](Expr row) { return wrg(0, in_tile, row); }, of)));
  CHECK(barriers(k) == 1);
  // one row of items stages: the others wait, too
  const auto by_row = [](Expr t) {
    const Expr s = in_local(seq([](Expr row) { return lcl(0, same, row, 8); }, t));
    return lcl(
        1,
        [](Expr r) {
          return lcl(
              0, [](Expr w) { return w[0][1] + w[2][1]; }, r);
        },
        slide({Nat(3), Nat(3)}, {Nat(1), Nat(1)}, s));
  };
  CHECK(barriers(run(program({m}, wrg(
                                      1, [&](Expr row) { return wrg(0, by_row, row); }, of)))) == 1);
}

TEST_CASE("groups that work on several tiles in turn wait before the next one") {
  const auto in_tile = [](Expr t) { return lcl(0, sum3, windows(staged(t, 8)), 8); };
  CHECK(barriers(run(program({xs}, join(wrg(0, in_tile, tiles(xs, 10, 8), 2))))) == 2);
}

TEST_CASE("an intermediate stage in local memory") {
  const auto in_tile = [](Expr t) {
    return lcl(0, sum3, windows(in_local(lcl(0, sum3, windows(staged(t, 8)), 8))), 8);
  };
  const Kernel k = run(program(
      {xs},
      join(wrg(0, in_tile, tiles(xs | drop(3, 3), 12, 8)))));  // 3 tiles of 12 with a halo of 2 on each side
  CHECK(barriers(k) == 2);
  const auto not_staged = [](Expr t) {
    return lcl(0, sum3, windows(in_local(lcl(0, sum3, windows(t), 8))), 8);
  };
  CHECK(barriers(run(program({xs}, join(wrg(0, not_staged, tiles(xs | drop(3, 3), 12, 8)))))) == 1);
}

namespace {

/// Planes of m in a circular buffer, while a sequential loop goes along them; columns by the items of a
/// group.
Expr along_rows(int slots, int size, int step) {
  const auto in_group = [=](Expr columns) {
    const Expr planes = transpose({1, 0}, columns);
    Attr a;
    a.nats = {Nat(slots)};
    const Expr ring =
        make(Op::CircularBuffer, {map([](Expr row) { return lcl(0, same, row, 8); }, planes)}, a);
    return seq(
        [=](Expr w) {
          return lcl(
              0, [=](Expr v) { return v[0][1] + v[size - 1][1] * 3.0; },
              slide({Nat(size), Nat(2)}, {Nat(1), Nat(1)}, w)[0], 8);
        },
        size == 1 && step == 1 ? slide({Nat(1)}, {Nat(1)}, ring) : slide({Nat(size)}, {Nat(step)}, ring));
  };
  return wrg(0, in_group, slide({Nat(10)}, {Nat(8)}, transpose({1, 0}, m)));
}
int in_loops(const Block& b) {
  int n = 0;
  visit(b, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (f && f->kind == LoopKind::Seq) n += count<Barrier>(f->body);
  });
  return n;
}

}  // namespace

TEST_CASE("planes in a circular buffer: one barrier an iteration where there is a slot to spare, else two") {
  const Kernel spare = run(program({m}, along_rows(4, 3, 1)));
  CHECK(barriers(spare) == 1);
  CHECK(in_loops(spare.body) == 1);
  const Kernel tight = run(program({m}, along_rows(3, 3, 1)));
  CHECK(barriers(tight) == 2);
  CHECK(in_loops(tight.body) == 2);
  CHECK(barriers(run(program({m}, along_rows(5, 3, 1)))) == 1);
  CHECK(count<Allocate>(spare.body) == 1);
}

TEST_CASE("a slot that its next writer alone still reads needs no second barrier") {
  const auto in_group = [](Expr columns) {
    Attr a;
    a.nats = {Nat(3)};
    const Expr ring =
        make(Op::CircularBuffer,
             {map([](Expr row) { return lcl(0, same, row, 8); }, transpose({1, 0}, columns))}, a);
    return seq(
        [](Expr w) {
          return lcl(
              0, [](Expr v) { return v[0][0] + v[2][1]; }, slide({Nat(3), Nat(2)}, {Nat(1), Nat(1)}, w)[0],
              8);
        },
        slide({Nat(3)}, {Nat(1)}, ring));
  };
  CHECK(barriers(run(program({m}, wrg(0, in_group, slide({Nat(10)}, {Nat(8)}, transpose({1, 0}, m)))))) == 1);
}

TEST_CASE("windows of a circular buffer that move by more than one plane") {
  run(program({m}, along_rows(4, 4, 2)));  // two new planes an iteration
  run(program({m}, along_rows(6, 4, 2)));
  run(program({m}, along_rows(2, 1, 3)));  // planes between windows are not made
  run(program({m}, along_rows(1, 1, 1)));
}

TEST_CASE("a circular buffer is read by the sequential loop around it") {
  CHECK_THROWS_WITH_AS(lower(program({m}, along_rows(2, 3, 1))),
                       doctest::Contains("2 planes do not hold a window of 3"), UserError);
  const auto elsewhere = [](Expr columns) {
    Attr a;
    a.nats = {Nat(4)};
    const Expr ring =
        make(Op::CircularBuffer, {map([](Expr row) { return lcl(0, same, row, 8); }, columns)}, a);
    return let(ring, [](Expr r) {
      return lcl(
          0, [](Expr row) { return row[0]; }, r, 8);
    });
  };
  CHECK_THROWS_WITH_AS(
      lower(program({m}, wrg(0, elsewhere, slide({Nat(10)}, {Nat(8)}, transpose({1, 0}, m))))),
      doctest::Contains("circular_buffer"), UserError);
}

TEST_CASE("local memory where items cannot wait is refused") {
  const auto by_row = [](Expr t) {
    return lcl(
        1, [](Expr row) { return lcl(0, sum3, windows(staged(row, 8))); }, t);
  };
  const Expr staged_by_row = wrg(
      1, [&](Expr row) { return wrg(0, by_row, row); }, slide({Nat(5), Nat(10)}, {Nat(5), Nat(8)}, m));
  CHECK_THROWS_WITH_AS(lower(program({m}, staged_by_row)),
                       doctest::Contains("put to_local outside the map_lcl"), UserError);
  const Expr any = param("any", array({Nat::size("n")}, f64));
  CHECK_THROWS_WITH_AS(lower(program({any}, wrg(
                                                0,
                                                [&](Expr) {
                                                  return lcl(
                                                      0, [](Expr x) { return x + 1.0; }, staged(any, 8));
                                                },
                                                iota(4)))),
                       doctest::Contains("local memory takes arrays of constant size"), UserError);
}

}  // namespace lift::barriers_test
