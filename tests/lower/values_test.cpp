// Several results, values with a name, intermediate arrays and reductions: run in the loop language, against
// the interpreter.
#include <doctest/doctest.h>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::values_test {
namespace {

using test::count;
using test::program;
using test::run;

int work_arrays(const Kernel& k) {
  int n = 0;
  for (const KernelArgument& a : k.arguments) n += a.work;
  return n;
}

const Expr xs = param("xs", array({12}, f64)), ys = param("ys", array({12}, f64)),
           m = param("m", array({4, 16}, f64));
const Expr large = param("large", array({6, 2048}, f64));
Expr twice(const Expr& x) { return x * 2.0; }
Expr plus(const Expr& a, const Expr& b) { return a + b; }
Expr add() { return fun({f64, f64}, plus); }
Expr zero() { return literal(0, f64); }
Expr total(const Expr& x) { return reduce(add(), zero(), x); }
Expr pairs(const Expr& r) {
  return slide({Nat(2)}, {Nat(2)}, r) | map([](Expr w) { return w[0] + w[1]; });
}
Expr to_global(const Expr& e) { return make(Op::ToGlobal, {e}); }

}  // namespace

TEST_CASE(
    "small values are variables where elements are asked for at numbers, and arrays where loops go over "
    "them") {
  const Expr small = param("small", array({7}, f64)), table = param("table", array({5, 7}, f64));
  const auto doubled = [](Expr r) { return r | map(twice); };
  const auto smoothed = [](Expr r) {
    return r | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return w[0] + w[1] + w[2]; });
  };
  // at numbers: an element, a short reduction, the value itself
  CHECK(count<Allocate>(
            run(program({small}, let(doubled(small),
                                     [&](Expr r) { return small | map([=](Expr x) { return x + r[3]; }); })))
                .body) == 0);
  CHECK(count<Allocate>(run(program({small}, let(doubled(small),
                                                 [&](Expr r) {
                                                   return small | map([=](Expr x) { return x + total(r); });
                                                 })))
                            .body) == 0);
  CHECK(count<Allocate>(
            run(program({small}, let(doubled(small),
                                     [&](Expr r) { return r | map([=](Expr x) { return x + r[0]; }); })))
                .body) == 0);
  // by loops: a stencil, beside another array, blocks; within a loop over rows too
  CHECK(count<Allocate>(run(program({small}, let(doubled(small), smoothed))).body) == 1);
  CHECK(count<Allocate>(
            run(program({small}, let(doubled(small), [&](Expr r) { return let(smoothed(r), smoothed); })))
                .body) == 2);
  CHECK(count<Allocate>(
            run(program({small}, let(doubled(small),
                                     [&](Expr r) {
                                       return zip({small, r}) | map([](Expr x, Expr y) { return x + y; });
                                     })))
                .body) == 1);
  const Kernel rows = run(program(
      {table},
      map_with(Op::MapPar, 1, fun({array({7}, f64)}, [&](Expr row) { return let(doubled(row), smoothed); }),
               table)));
  CHECK(count<Allocate>(rows.body) == 1);
  CHECK(work_arrays(rows) == 0);
}

TEST_CASE("tuples of accumulators side by side are all computed from the old ones") {
  const Expr rows = param("rows", array({40, 8}, f64));
  const Type pair = Type::tuple({f64, f64});
  const Expr zeros = map([](Expr) { return tuple({zero(), zero()}); }, iota(8));
  const Expr step = fun({array({8}, pair), array({8}, f64)}, [](Expr acc, Expr row) {
    return zip({acc, row}) | map([](Expr p, Expr x) {
             return tuple({get(0, p) + x, get(1, p) + get(0, p)});
           });
  });
  run(program({rows}, make(Op::ReduceSeq, {step, zeros, rows})));
}

TEST_CASE(
    "a named value that is the block of an update in place is computed there, and read there for the other "
    "results") {
  const Expr x = param("x", array({4, 64}, f64)), fine = param("fine", array({4, 66}, f64)),
             coarse = param("coarse", array({4, 34}, f64));
  const auto in_place = [](const Expr& base, const Expr& block) {
    return make(Op::UpdateInPlace, {base, block}, update(base, {1}, block).attr());
  };
  const Expr body =
      zip({x, fine, coarse}) | map([&](Expr r, Expr f, Expr c) {
        return let(r | map(twice), [&](Expr v) { return tuple({in_place(f, v), in_place(c, pairs(v))}); });
      });
  const Kernel k = run(program({x, fine, coarse}, body, {"fine", "coarse"}));
  CHECK(k.results == std::vector<std::string>{"fine", "coarse"});
  CHECK(work_arrays(k) == 0);
  CHECK(count<Allocate>(k.body) == 0);
  CHECK(count<Store>(k.body) == 2);
}

TEST_CASE("without a memory layout loops stay over positions, vectors over elements, and compute the same") {
  const auto said = [](const Expr& e, bool linear) {
    return str(lower(program({xs, m}, e), {.vector_bytes = 32, .linear = linear}).body);
  };
  const Expr rows = m | map([](Expr r) { return r | map(twice); });
  CHECK(said(rows, false).find("out[j, i] = mul(m[j, i], 2)") != std::string::npos);
  CHECK(said(rows, true).find("out[j, i]") == std::string::npos);
  const Expr vectors = map_with(Op::MapVec, 1, fun(f64, twice), xs, {4, 1, 0, 0});
  CHECK(said(vectors, false).find("for i in [0, 12) vec 4\n") == 0);
  CHECK(said(vectors, true).find("for i in [0, 12) step 4 vec 4\n") == 0);
  run(program({xs}, vectors), false);
  run(program({xs}, vectors), true);
}

TEST_CASE("a tuple is several arrays, and so is an array of tuples") {
  const Kernel k = run(program({xs}, tuple({xs | map(twice), xs | map([](Expr x) { return -x; })})));
  CHECK(k.results == std::vector<std::string>{"out0", "out1"});
  run(program({xs, ys}, zip({xs, ys}) | map([](Expr x, Expr y) {
                          return tuple({x + y, tuple({x - y, x * y})});
                        })));
  run(program({m}, m | map([](Expr row) { return tuple({row | map(twice), total(row)}); })));
  Program named = program({xs}, tuple({xs, xs | map(twice)}));
  named.results = {"same", "double"};
  CHECK(run(named).results == named.results);
  named.results = {"one"};
  CHECK_THROWS_WITH_AS(
      run(named), "program p: 1 names for the 2 results of {12.f64, 12.f64}; give one name a result, or none",
      UserError);
}

TEST_CASE("unzip of a map writes both arrays in one loop, also through the structure around it") {
  const auto both = [](const Expr& tile) { return tuple({tile | map(twice), total(tile)}); };
  const Expr tiles = unzip(split({Nat(4)}, xs) | map(both));
  const Expr joined = apply(fun(tiles.type(),
                                [](Expr t) {
                                  return tuple({join(get(0, t)), get(1, t)});
                                }),
                            {tiles});
  CHECK(work_arrays(run(program({xs}, joined))) == 0);
  const Expr lets = let(tiles, [](Expr t) { return tuple({get(1, t), join(get(0, t))}); });
  const Kernel k = run(program({xs}, lets));
  CHECK(work_arrays(k) == 0);
  CHECK(count<Allocate>(k.body) == 0);
}

TEST_CASE("a value with a name is computed once") {
  // ... where the result goes
  const Kernel kept =
      run(program({large}, let(large | map([](Expr r) { return r | map(twice); }), [](Expr r) {
                    return tuple({r, r | map(total)});
                  })));
  CHECK(work_arrays(kept) == 0);
  CHECK(count<Store>(kept.body) == 2);
  // ... in an array of its own, small ones on the stack
  const Kernel work = run(program({large}, let(large | map([](Expr r) { return r | map(twice); }),
                                               [](Expr r) { return join(r | map(pairs)); })));
  CHECK(work_arrays(work) == 1);
  const Kernel stack = run(program(
      {m}, let(m | map([](Expr r) { return r | map(twice); }), [](Expr r) { return join(r | map(pairs)); })));
  CHECK(work_arrays(stack) == 0);
  CHECK(count<Allocate>(stack.body) == 1);
  // ... in variables
  const Kernel small =
      run(program({xs}, split({Nat(2)}, xs) | map([](Expr t) {
                          return let(t | map(twice), [](Expr d) { return d[0] * d[1] + d[0]; });
                        })));
  CHECK(count<Let>(small.body) >= 1);
  CHECK(count<Allocate>(small.body) == 0);
  const Expr both = split({Nat(2)}, xs) | map([](Expr t) {
                      return let(t | map(twice), [](Expr d) { return tuple({d, total(d)}); });
                    });
  run(program({xs}, both));
}

TEST_CASE("to_global stores what is read again; each iteration of a parallel loop has its own") {
  const auto rows = [](Op op) {
    return map_with(
        op, 1, function_of(large.type().element(), [](Expr r) { return pairs(to_global(r | map(twice))); }),
        large);
  };
  const Kernel seq = run(program({large}, rows(Op::MapSeq)));
  CHECK(count<Allocate>(seq.body) == 1);
  const Kernel par = run(program({large}, rows(Op::MapPar)));
  CHECK(work_arrays(par) == 0);
  CHECK(count<Allocate>(par.body) == 1);
  CHECK(work_arrays(run(
            program({large}, map_with(Op::MapGlb, 1,
                                      function_of(large.type().element(),
                                                  [](Expr r) { return pairs(to_global(r | map(twice))); }),
                                      large, {0})))) == 1);
}

TEST_CASE("updates in place, one after the other") {
  const auto inner = [](const Expr& base) {
    return slide({Nat(3)}, {Nat(1)}, base) | map([](Expr w) { return w[1] + 1.0; });
  };
  const auto in_place = [&](const Expr& base) {
    return make(Op::UpdateInPlace, {base, inner(base)}, update(base, {Nat(1)}, inner(base)).attr());
  };
  const Kernel k = run(program({xs}, let(in_place(xs), in_place), {"xs"}));
  CHECK(k.results == std::vector<std::string>{"xs"});
  CHECK(count<For>(k.body) == 2);
  // two arrays, alternately: each sweep overwrites the array before last
  const auto step = [](const Expr& now, const Expr& before) {
    const Expr block =
        zip({now | drop(1, 1), before | drop(1, 1)}) | map([](Expr a, Expr b) { return a * 2.0 - b; });
    return make(Op::UpdateInPlace, {before, block}, update(before, {Nat(1)}, block).attr());
  };
  const Expr chain =
      let(step(xs, ys), [&](Expr a) { return let(step(a, xs), [&](Expr b) { return step(b, a); }); });
  const Kernel c = run(program({xs, ys}, chain, {"xs", "ys"}));
  CHECK(c.results == std::vector<std::string>{"ys"});
  CHECK(work_arrays(c) == 0);
  // in each row of an array
  const Kernel rows = run(program({m}, m | map([&](Expr r) { return let(in_place(r), in_place); }), {"m"}));
  CHECK(rows.results == std::vector<std::string>{"m"});
}

TEST_CASE("reductions: one result, several accumulators, partial results in parallel, lanes") {
  const Expr flat = join(large);
  CHECK(run(program({large}, total(flat))).arguments.back().type == array({1}, f64));
  const Expr tuple_sum = reduce(fun({Type::tuple({f64, f64}), f64},
                                    [](Expr acc, Expr x) {
                                      return tuple({get(0, acc) + x, max(get(1, acc), x + get(0, acc))});
                                    }),
                                tuple({zero(), literal(-1e9, f64)}), flat);
  run(program({large}, tuple_sum));
  run(program({large}, get(1, tuple_sum)));
  const Expr partial = to_global(map_with(Op::MapPar, 1, function_of(array({2048}, f64), total), large));
  const Kernel k = run(program({large}, total(partial)));
  CHECK(count<Allocate>(k.body) == 1);
  const auto lanes = [](const Expr& row) {
    const Expr chunks = split({Nat(8)}, row);
    const Expr zeros = generate({Nat(8)}, [](Expr) { return zero(); });
    const auto body = [](Expr acc, Expr v) {
      return map_with(Op::MapVec, 1,
                      function_of(Type::tuple({f64, f64}), [](Expr a, Expr x) { return a + x; }),
                      zip({acc, v}), {4, 1, 0, 0});
    };
    return total(make(Op::ReduceSeq, {fun({array({8}, f64), array({8}, f64)}, body), zeros, chunks}));
  };
  run(program({large},
              total(to_global(map_with(Op::MapPar, 1, function_of(array({2048}, f64), lanes), large)))));
  const auto shifted = [](Expr acc, Expr v) {
    return zip({acc | pad(0, 1, clamp) | drop(1, 0), v}) | map([](Expr a, Expr x) { return a + x; });
  };
  const Expr zeros = generate({Nat(2048)}, [](Expr) { return zero(); });
  CHECK_THROWS_AS(
      run(program({large}, make(Op::ReduceSeq,
                                {fun({array({2048}, f64), array({2048}, f64)}, shifted), zeros, large}))),
      UserError);
}

TEST_CASE("what parts of a choice share has names, or is refused before its text is longer than memory") {
  const auto squares = [](Expr x) {
    for (int i = 0; i < 40; ++i) x = let(x, [](Expr v) { return v * v; });
    return x;
  };
  const auto in_a_choice = [&](const std::function<Expr(Expr)>& of) {
    return program({xs}, xs | map([&](Expr x) { return select(x < 0.25, squares(of(x)), x); }));
  };
  // 2^40 operations, were it written out; a few hundred of them are
  const Program harmless = in_a_choice([](Expr x) { return x * 0.5; });
  const Kernel k = lower(harmless);
  std::size_t lets = 0;
  visit(k.body, [&](const Stmt& s) { lets += std::holds_alternative<Let>(s.v) ? 1 : 0; });
  CHECK(lets > 4);
  CHECK(emit_openmp(lower(harmless, {.target = Target::openmp})).size() < 40000);
  run(harmless);
  // what is read only there is not read before
  const Program reads = in_a_choice([](Expr) { return at({Nat(3)}, ys); });
  CHECK_THROWS_WITH_AS(
      lower({reads.name, {xs, ys}, reads.body}),
      "a value takes more than 262144 operations, since choices (select, pads, guards) compute again what "
      "their parts share; make a stage of it, by a map of its own: let stage = ... in ...",
      UserError);
}

}  // namespace lift::values_test
