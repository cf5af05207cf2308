// Names that are declared anew further in, for a while, and sizes of which not all numbers are admitted: the
// verifier and passes tell them apart.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/pair_accesses.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/message.hpp"

namespace lift::hidden_names_test {
namespace {

const Term c = local_term("c", boolean), v = local_term("v", f64), w = local_term("w", f64);

Term number(double n) { return constant_term(n, f64); }
Term truth(bool b) { return constant_term(b, boolean); }
Term at(const char* array, const Nat& i, int width = 1) { return load_term(array, {i}, f64, width); }
Stmt put(const char* array, const Nat& i, const Term& value) { return {Store{array, {i}, value, false}}; }
Stmt loop(std::int64_t n, const std::function<Block(const Nat&)>& body, LoopKind kind = LoopKind::Seq) {
  For f;
  f.var = Nat::fresh("i", 0, n - 1), f.upper = n, f.kind = kind;
  f.body = body(f.var);
  return {std::move(f)};
}
/// a and out: 16 numbers each.
Kernel kernel(Block body) {
  const Type t = array({16}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"a", "out"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.body = std::move(body);
  return k;
}
std::string complaint(const Kernel& k) {
  return test::message<InternalError>([&] { verify(k, Form::Positions, "the test"); });
}
std::map<std::string, std::vector<double>> arrays_after(const Kernel& k) {
  test::LoopRunner loops;
  for (const KernelArgument& x : k.arguments)
    for (int i = 0; i < 16; ++i) loops.arrays[x.name].push_back(i + (x.name == "a" ? 0.5 : 100));
  loops.run(k);
  return loops.arrays;
}
/// What a pass makes of a body, which computes the same.
Block after(const std::function<Block(const Kernel&)>& pass, const Kernel& before, Form form) {
  verify(before, form, "the test");
  Kernel k = before;
  k.body = pass(before);
  INFO(str(before) << str(k));
  verify(k, form, "the pass");
  CHECK(arrays_after(k) == arrays_after(before));
  return k.body;
}

}  // namespace

TEST_CASE("within-arrays: what is hidden further in is there again afterwards") {
  const auto beyond = [](const Term& when) { return Stmt{If{{when}, {put("out", 20, number(1))}}}; };
  const auto name = [](const Term& local, const Term& value) { return Stmt{Let{local, value}}; };
  CHECK(complaint(kernel({name(c, truth(false)),
                          loop(8,
                               [&](const Nat& j) {
                                 return Block{name(c, truth(true)), {If{{c}, {put("out", j, number(1))}}}};
                               }),
                          beyond(c)})) == "");
  CHECK(complaint(kernel({name(c, truth(true)), loop(8, [&](const Nat&) {
                            return Block{{Declare{c, truth(false)}}, beyond(c)};
                          })})) == "");
  const auto own = [](std::int64_t n) { return Stmt{Allocate{"a", array({n}, f64), AddressSpace::Private}}; };
  CHECK(complaint(kernel({loop(8,
                               [&](const Nat&) {
                                 return Block{own(4), put("a", 3, number(1))};
                               }),
                          put("out", 0, at("a", 15))})) == "");
  // What is there is asked.
  CHECK(complaint(kernel({name(c, truth(true)), beyond(c)})) != "");
  CHECK(complaint(kernel({loop(8, [&](const Nat&) {
          return Block{own(4), put("a", 5, number(1))};
        })})) != "");
}

TEST_CASE("within-arrays: sizes are those that a program admits") {
  const Nat n = Nat::size("n"), k = Nat::size("m");
  const auto plus_one = [](Expr x) { return x + 1.0; };
  const Expr eight = param("xs", array({8}, f64)), xs = param("xs", array({n}, f64)),
             ys = param("ys", array({k}, f64));
  CHECK_NOTHROW((void)lower(test::program({eight}, eight | take(n) | map(plus_one))));
  CHECK_NOTHROW((void)lower(test::program(
      {xs, ys}, zip({xs | pad(1, 0, clamp), ys | take(n + 1)}) | map([](Expr a, Expr b) { return a + b; }))));
  const Nat many = Nat::size("n", 2000);
  const Expr zs = param("zs", array({many}, f64));
  CHECK_NOTHROW((void)lower(test::program({zs}, zs | take(1500) | map(plus_one))));
}

TEST_CASE("propagate-copies: a copy stays where what it copies is hidden by another one") {
  const auto body = [](const Term& inner) {
    return Block{loop(16, [&](const Nat& i) {
      return Block{{Let{v, at("a", i)}},
                   {Let{w, v}},
                   {If{{apply_term(Op::Lt, boolean, {w, number(9)})},
                       {{Let{inner, number(5)}}, put("out", i, apply_term(Op::Add, f64, {inner, w}))}}}};
    })};
  };
  const auto pass = [](const Kernel& k) { return propagate_copies(k.body); };
  CHECK(test::count<Let>(after(pass, kernel(body(v)), Form::Flat)) == 3);
  CHECK(test::count<Let>(after(pass, kernel(body(local_term("u", f64))), Form::Flat)) == 2);
}

TEST_CASE("unroll-short-loops: named indices of an unrolled loop are those of each copy") {
  const auto indexed = [](const Nat& i, const std::function<Block(const Nat&)>& rest) {
    const Nat q = Nat::fresh("q", 0, 6);
    Block b = rest(q);
    b.insert(b.begin(), {Let{index_term(q), index_term(2 * i)}});
    return b;
  };
  const auto pass = [](const Kernel& k) { return unroll_short_loops(k.body); };
  const Block all = after(
      pass,
      kernel({loop(
          4,
          [&](const Nat& i) {
            return indexed(i, [](const Nat& q) { return Block{{Let{v, at("a", q + 1)}}, put("out", q, v)}; });
          },
          LoopKind::Unroll)}),
      Form::Flat);
  CHECK(test::count<For>(all) == 0);
  CHECK(test::count<Store>(all) == 4);
}

TEST_CASE("pair-accesses: a store does not wait for the next one beyond a vector that loads it") {
  const Term both = local_term("both", f64, 2);
  const auto stores = [&](const Nat& loaded) {
    const Kernel k = kernel({loop(4, [&](const Nat& i) {
      return Block{put("a", 4 * i + 1, number(7)),
                   {Let{both, at("a", 4 * i + loaded, 2)}},
                   put("a", 4 * i, number(8)),
                   put("out", 4 * i, both)};
    })});
    return test::count<Store>(
        after([](const Kernel& x) { return pair_accesses(x.body, x); }, k, Form::Vectors));
  };
  CHECK(stores(0) == 3);
  CHECK(stores(2) == 2);
}

}  // namespace lift::hidden_names_test
