// Storage is decided on the expression: each rule of lower/translate/storage, what users say, and the same
// numbers.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/storage.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;
using namespace lift::test;

namespace storage_test {
namespace {

const Expr xs = param("xs", array({Nat(40)}, f64)), rows = param("rows", array({Nat(6), Nat(40)}, f64));

std::map<std::string, int> storage_of(const Program& p) {
  std::map<std::string, int> n;
  visit(with_storage(p).body, [&](const Expr& e) {
    if (e.is(Op::ToPrivate) || e.is(Op::ToGlobal) || e.is(Op::ToLocal)) ++n[std::string(text(e.op()))];
  });
  return n;
}
using Storage = std::map<std::string, int>;
Expr doubled(const Expr& x) {
  return x | map([](Expr v) { return v * 2.0; });
}
Expr sums(const Expr& x) {
  return x | slide(2, 1) | map([](Expr w) { return w[0] + w[1]; });
}
void check(const Program& p, const Storage& expected) {
  CAPTURE(str(with_storage(p).body));
  CHECK(storage_of(p) == expected);
  CHECK(with_storage(with_storage(p)).body == with_storage(p).body);
  run(p);
}

}  // namespace

TEST_CASE("a named array that is read by position lies in memory; a small one is an iteration's own") {
  check(program({xs}, let(doubled(xs), [](Expr y) { return sums(y); })), {{"to_global", 1}});
  check(program({rows}, rows | map([](Expr row) {
                          return let(doubled(row | drop(0, 30)), [](Expr y) { return sums(y); });
                        })),
        {{"to_private", 1}});
}

TEST_CASE("few numbers that are asked for one by one are in variables") {
  check(program({rows}, rows | map([](Expr row) {
                          return let(doubled(row | drop(0, 37)), [](Expr y) { return y[0] * y[1] + y[2]; });
                        })),
        {});
}

TEST_CASE("a value that the result is made of lies there") {
  check(program({xs}, let(doubled(xs), [](Expr y) { return y | split(8); })), {});
  check(program({xs}, let(doubled(xs), [](Expr y) { return tuple({y, sums(y)}); })), {});
}

TEST_CASE("few numbers in variables are copied to any part of the result") {
  const auto rows_of = [](const std::function<Expr(Expr)>& f) {
    return program({rows}, rows | map([&](Expr row) {
                             return let(doubled(row | drop(0, 37)), [&](Expr y) { return f(y); });
                           }));
  };
  check(rows_of([](const Expr& y) { return concat(y | take(1), doubled(y)); }), {});
  check(rows_of([](const Expr& y) { return concat(doubled(y), y | drop(1, 0)); }), {});
  check(rows_of([](const Expr& y) { return concat(reverse(y), y); }), {});
}

TEST_CASE("a value lies in a part of the result only where nothing else reads what that lacks") {
  const auto last = [](const Expr& y) { return drop({Nat(5)}, {Nat(0)}, y); };
  const auto both = [](const Expr& x, const std::function<Expr(Expr)>& f) {
    return program({rows}, let(x | map([](Expr r) { return doubled(r); }), [&](Expr y) { return f(y); }));
  };
  check(both(rows, [&](const Expr& y) { return tuple({join(last(y)), y}); }), {});
  check(both(rows, [&](const Expr& y) { return tuple({y, join(last(y))}); }), {});
  check(both(rows,
             [&](const Expr& y) {
               return tuple({last(y), y | map([](Expr r) { return sums(r); })});
             }),
        {{"to_global", 1}});
  check(
      both(rows,
           [&](const Expr& y) {
             return let(y | map([](Expr r) { return sums(r); }), [&](Expr z) { return tuple({z, last(y)}); });
           }),
      {{"to_global", 1}});
  check(both(rows,
             [&](const Expr& y) {
               return tuple({last(y), doubled(join(rows))});
             }),
        {});  // nothing else does
}

TEST_CASE("what users say wins") {
  check(program({xs}, let(make(Op::ToPrivate, {doubled(xs)}), [](Expr y) { return sums(y); })),
        {{"to_private", 1}});
  check(program({rows}, rows | map([](Expr row) {
                          return let(make(Op::ToGlobal, {doubled(row | drop(0, 37))}),
                                     [](Expr y) { return y[0] * y[1] + y[2]; });
                        })),
        {{"to_global", 1}});
}

TEST_CASE("scans are stored, unless one loop uses each element as it is computed") {
  const auto sum = [](const Expr& x) {
    return x | scan([](Expr a, Expr v) { return a + v; }, literal(0, f64));
  };
  check(program({xs}, sums(sum(xs))), {{"to_global", 1}});
  check(program({xs}, doubled(sum(xs))), {});
  check(program({xs}, zip({xs, sum(xs)}) | map([](Expr x, Expr s) { return x * s; })), {});
  check(program({xs}, zip({sum(doubled(xs)), sum(xs)}) | map([](Expr x, Expr s) { return x * s; })),
        {{"to_global", 2}});
}

TEST_CASE("the steps of an iteration are stored") {
  const auto step = fun(xs.type(), [](Expr x) {
    return x | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; });
  });
  check(program({xs}, iterate(6, step, xs)), {{"to_global", 1}});
  check(program({xs}, sums(iterate(6, step, xs))), {{"to_global", 2}});
}

TEST_CASE("a reduction of a tile's remainder does not read beyond the array") {
  const Expr a = param("a", array({Nat(30), Nat(40)}, f64));
  const Program p = program({a}, a | map([](Expr row) { return row | sum(); }));
  const auto tiled = apply(find_rule("tile"), p, {}, {"8"});
  REQUIRE(tiled);
  run(*tiled);
}

TEST_CASE("an update that is not in place copies what it does not replace, and nothing else") {
  const Expr a = param("a", array({Nat(6), Nat(9)}, f64));
  const auto block = [&](Op op) {
    return map_with(op, 2, fun(f64, [](Expr v) { return v * 2.0; }), a | drop2(1, 2));
  };
  const auto copies = [&](Op op, const std::vector<Nat>& offsets) {
    const Kernel k = run(program({a}, update(a, offsets, block(op))));
    std::int64_t serial = 0;
    for (const Stmt& s : k.body)
      if (const auto* f = std::get_if<For>(&s.v))
        serial += f->kind != LoopKind::Par && (f->upper - f->lower).constant().value_or(0) > 2;
    return serial;
  };
  CHECK(copies(Op::MapPar, {1, 1}) ==
        0);  // slabs of at most two rows or columns, shared along the other axis
  copies(Op::MapSeq, {0, 2});
  copies(Op::Map, {3, 3});
  LoopRunner loops;
  const Kernel k =
      lower(program({a}, update(a, {1, 1}, block(Op::MapSeq))), {.vector_bytes = 32, .linear = true});
  for (const KernelArgument& x : k.arguments) loops.arrays[x.name].assign(54, 1);
  loops.run(k);
  CHECK(loops.loads.at("a") == 54);  // 18 for the block of 3 by 6, 36 around it
}

}  // namespace storage_test
