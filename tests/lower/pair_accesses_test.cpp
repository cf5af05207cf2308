// Neighbouring elements that are loaded, stored or copied together: which become one access, and that memory
// is afterwards what it was.
#include <doctest/doctest.h>

#include "lower/loops/visit.hpp"
#include "lower/passes/pair_accesses.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::pair_accesses_test {
namespace {

constexpr std::int64_t kLength = 32;

const Nat& index() {
  static const auto& i = *new Nat(Nat::fresh("i", 0, 3));
  return i;
}
/// for i in [0, 4): body, over arrays a, b, tile and out of numbers, and flags of booleans.
Kernel kernel(Block body, Scalar type) {
  For f;
  f.var = index(), f.upper = 4, f.body = std::move(body);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"a", "b", "tile", "out"}) {
    const Type t = array({kLength}, type);
    k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  }
  k.body = {{std::move(f)}};
  return k;
}
std::map<std::string, std::vector<double>> arrays_after(const Kernel& k) {
  test::LoopRunner loops;
  double n = 1;
  for (const KernelArgument& a : k.arguments)
    for (std::int64_t i = 0; i < kLength; ++i) loops.arrays[a.name].push_back(n++);
  loops.run(k);
  return loops.arrays;
}

/// The widths of loads and of stores in a body, in their order, once neighbours are one.
struct Widths {
  std::vector<int> loads, stores;
};
Widths widths(const Block& body, Scalar type = f64) {
  const Kernel before = kernel(body, type);
  Kernel after = before;
  after.body = pair_accesses(before.body, before);
  INFO(str(before) << str(after));
  CHECK(arrays_after(after) == arrays_after(before));
  Widths r;
  visit(after.body, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) {
      if (!a.store) r.loads.push_back(a.width);
    });
    if (const auto* x = std::get_if<Store>(&s.v)) r.stores.push_back(x->value->width);
  });
  return r;
}
using All = std::vector<int>;

Term load(const char* array, const Nat& at, Scalar type = f64, int width = 1) {
  return load_term(array, {at}, type, width);
}
Stmt store(const char* array, const Nat& at, const Term& value) { return {Store{array, {at}, value, false}}; }
Stmt copy(const char* to, const Nat& at, const char* from, const Nat& of, Scalar type = f64, int width = 1) {
  return {Store{to, {at}, load(from, of, type, width), false, true}};
}

}  // namespace

TEST_CASE("pair-accesses: asynchronous copies of an aligned vector's elements to another are one") {
  const Nat i = index(), at = 4 * i;
  const auto copies = [](const Block& b, Scalar type = f64) { return widths(b, type).stores; };
  const Stmt first = copy("tile", at, "a", at);
  CHECK(copies({first, copy("tile", at + 1, "a", at + 1)}) == All{2});
  CHECK(copies({first}) == All{1});
  CHECK(copies({first, copy("tile", at + 1, "a", at + 1), copy("tile", at + 2, "a", at + 2)}) == All{2, 1});
  CHECK(copies({first, copy("tile", at + 1, "a", at + 3)}) == All{1, 1});
  CHECK(copies({first, copy("tile", at + 2, "a", at + 1)}) == All{1, 1});
  CHECK(copies({first, copy("out", at + 1, "a", at + 1)}) == All{1, 1});
  CHECK(copies({first, copy("tile", at + 1, "b", at + 1)}) == All{1, 1});
  CHECK(copies({first, copy("tile", at + 1, "a", 6 * i + 1)}) == All{1, 1});
  CHECK(copies({first, copy("tile", 6 * i + 1, "a", at + 1)}) == All{1, 1});
  CHECK(copies({copy("tile", at + 1, "a", at + 1), first}) == All{1, 1});
  // Not at the beginning of a vector.
  CHECK(copies({copy("tile", at, "a", at + 1), copy("tile", at + 1, "a", at + 2)}) == All{1, 1});
  CHECK(copies({copy("tile", at + 1, "a", at), copy("tile", at + 2, "a", at + 1)}) == All{1, 1});
  // Something else between them, or one that is a vector already.
  CHECK(copies({first, store("tile", at + 1, load("a", at + 1))}) == All{1, 1});
  const Term x = local_term("x", f64);
  CHECK(copies({first, {Let{x, load("b", i)}}, copy("tile", at + 1, "a", at + 1)}) == All{1, 1});
  CHECK(copies({{Let{x, load("b", i)}},
                {Store{"tile", {at}, x, false, true}},
                copy("tile", at + 1, "a", at + 1)}) == All{1, 1});
  CHECK(copies({copy("tile", at, "a", at, f64, 2), copy("tile", at + 2, "a", at + 2),
                copy("tile", at + 3, "a", at + 3)}) == All{2, 2});
}

TEST_CASE("pair-accesses: 16 bytes at once, and four elements") {
  const Nat at = 8 * index();
  const auto copies = [&](int begin, int end, Scalar type) {
    Block b;
    for (int l = begin; l < end; ++l) b.push_back(copy("tile", at + l, "a", at + l, type));
    return widths(b, type).stores;
  };
  CHECK(copies(0, 4, f32) == All{4});
  CHECK(copies(0, 6, f32) == All{4, 2});
  CHECK(copies(0, 3, f32) == All{2, 1});
  CHECK(copies(2, 8, f32) == All{2, 4});
  CHECK(copies(1, 6, f32) == All{1, 2, 2});
  CHECK(copies(0, 4, f64) == All{2, 2});
  CHECK(copies(0, 4, u8) == All{4});
  CHECK(copies(0, 2, boolean) == All{1, 1});
}

TEST_CASE("pair-accesses: vectors that are there stay, and their elements are not moved over") {
  const Nat at = 8 * index();
  const Term pair = local_term("pair", f64, 2), one = constant_term(1, f64);
  const Stmt named{Let{pair, load("a", at, f64, 2)}};
  // Their elements have other names than those of the vector.
  const Widths w = widths({named, store("out", at, pair), store("out", at + 2, load("a", at + 2)),
                           store("out", at + 3, load("a", at + 3))});
  CHECK(w.loads == All{2, 2});
  CHECK(w.stores == All{2, 2});
  // Of an element that was stored as part of a vector, the load stays behind it.
  CHECK(widths({store("out", at, broadcast(one, 2)), store("b", at, load("out", at)),
                store("b", at + 1, load("out", at + 1))})
            .loads == All{1, 1});
}

TEST_CASE("pair-accesses: a store waits for its neighbour where nothing asks for the element meanwhile") {
  const Nat i = index(), at = 4 * i;
  const Term x = load("a", i), y = load("b", i);
  const Stmt first = store("out", at, x), second = store("out", at + 1, y);
  const auto stores = [&](const Stmt& between) { return widths({first, between, second}).stores; };
  CHECK(widths({first, second}).stores == All{2});
  CHECK(widths({second, first}).stores == All{2});
  CHECK(stores(store("b", i, load("a", at + 3))) == All{1, 2});
  CHECK(stores(store("b", i, load("out", at + 2))) == All{1, 2});
  CHECK(stores(store("b", i, load("out", at))) == All{1, 1, 1});
  CHECK(stores(store("b", i, load("out", 5 * i))) == All{1, 1, 1});
  CHECK(stores(store("out", at, y)) == All{1, 1, 1});
  CHECK(stores(store("out", 3 * i, y)) == All{1, 1, 1});
  CHECK(widths({store("out", at + 1, x), store("out", at + 2, y)}).stores == All{1, 1});
  CHECK(widths({first, {If{{compare_term(less(i, 3))}, {second}}}}).stores == All{1, 1});
}

TEST_CASE("pair-accesses: loads are of one vector where no store between them may change it") {
  const Nat i = index(), at = 4 * i;
  const auto loads = [&](const Stmt& between) {
    return widths({store("out", at, load("a", at)), between, store("out", at + 2, load("a", at + 1))}).loads;
  };
  CHECK(loads(store("b", i, constant_term(0, f64))) == All{2});
  CHECK(loads(store("a", at + 2, constant_term(0, f64))) == All{2});
  CHECK(loads(store("a", at + 1, constant_term(0, f64))) == All{1, 1});
  CHECK(loads(store("a", at, constant_term(0, f64))) == All{2});  // it has been loaded by then
  CHECK(loads(store("a", 5 * i, constant_term(0, f64))) == All{1, 1});
}

}  // namespace lift::pair_accesses_test
