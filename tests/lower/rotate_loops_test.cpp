// Loops along which values stay in registers, by hand: what is kept, and what is not because an iteration
// that the loop leaves out would load it, or because something else stores it.
#include <doctest/doctest.h>

#include "lower/passes/passes.hpp"
#include "tests/lower/two_arrays.hpp"

using namespace lift;
using namespace lift::test::two_arrays;

namespace rotate_loops_test {
namespace {

Term sum(const Term& x, const Term& y) { return apply_term(Op::Add, f64, {x, y}); }
Stmt put_a(const Nat& at, const Term& value) { return {Store{"a", {at}, value, false}}; }
Stmt where(const NatCond& c, Block body) { return {If{{compare_term(c)}, std::move(body)}}; }

using Body = std::function<Block(const Nat& k)>;

For loop(const Nat& lower, const Nat& upper, const Body& body, std::int64_t step = 1) {
  For f;
  f.var = Nat::fresh("k", lower, upper - 1), f.lower = lower, f.upper = upper, f.step = step;
  f.rotate = true, f.body = body(f.var);
  return f;
}
struct Ran {
  std::vector<double> a, out;
  std::size_t loads = 0;
};
Ran run(const Kernel& k, std::int64_t first) {
  test::LoopRunner loops;
  loops.index["first"] = first;
  for (int i = 0; i < kLength; ++i) loops.arrays["a"].push_back(i * i + 0.5);
  loops.arrays["out"].assign(kLength, -1);
  loops.run(k);
  return {loops.arrays["a"], loops.arrays["out"], loops.loads["a"]};
}
/// Loads of `a` that keeping values saves; the results are the same, and nothing that does not exist is
/// loaded.
int saved(const Block& body, std::int64_t first = 0) {
  const Kernel before = kernel(body), after = kernel(rotate_loops(body, before));
  INFO(str(before) << str(after));
  const Ran x = run(before, first), y = run(after, first);
  CHECK(x.out == y.out);
  CHECK(x.a == y.a);
  return static_cast<int>(x.loads) - static_cast<int>(y.loads);
}
int saved(const Nat& lower, const Nat& upper, const Body& body, std::int64_t step = 1) {
  return saved({{loop(lower, upper, body, step)}});
}

}  // namespace

TEST_CASE("rotate-loops: neighbours along a loop are loaded once, up to eight iterations apart") {
  const auto apart = [](std::int64_t n) {
    return saved(0, 3, [&](const Nat& k) { return Block{put(k, sum(a(k), a(k + n)))}; });
  };
  CHECK(apart(1) == 2);
  CHECK(apart(2) == 1);
  CHECK(apart(8) == -5);  // before the loop; it is long enough for that elsewhere
  CHECK(apart(9) == 0);
  // By steps of two every second element is a neighbour.
  const auto by_two = [](std::int64_t n) {
    return saved(
        0, 8, [&](const Nat& k) { return Block{put(k, sum(a(k), a(k + n)))}; }, 2);
  };
  CHECK(by_two(2) == 3);
  CHECK(by_two(1) == 0);
  // One iteration has no neighbours, and a loop that is not asked to keeps nothing.
  CHECK(saved(3, 4, [](const Nat& k) { return Block{put(k, sum(a(k), a(k + 1)))}; }) == 0);
  For f = loop(0, 3, [](const Nat& k) { return Block{put(k, sum(a(k), a(k + 1)))}; });
  f.rotate = false;
  CHECK(saved({{f}}) == 0);
}

TEST_CASE("rotate-loops: what a guard leaves out is loaded where it exists, and nothing else") {
  // The first iteration has no element before it, the last one none after it.
  CHECK(saved(0, kLength, [](const Nat& k) {
          return Block{where(less_equal(1, k), {put(k, sum(a(k - 1), a(k)))})};
        }) == 0);
  CHECK(saved(0, kLength, [](const Nat& k) {
          return Block{where(less(k, kLength - 1), {put(k, sum(a(k), a(k + 1)))})};
        }) == 0);
  CHECK(saved(1, kLength, [](const Nat& k) {
          return Block{where(less_equal(2, k), {put(k, sum(a(k - 1), a(k)))})};
        }) > 0);
  // The same within a choice of a value; its condition is computed always.
  const auto chosen = [](const Nat& lower) {
    return saved(lower, kLength, [](const Nat& k) {
      const Term beside = sum(a(k - 1), a(k));
      return Block{put(
          k, apply_term(Op::Select, f64, {compare_term(less_equal(1, k)), beside, constant_term(0, f64)}))};
    });
  };
  CHECK(chosen(0) == 0);
  CHECK(chosen(1) > 0);
}

TEST_CASE("rotate-loops: a loop without iterations loads nothing") {
  const Nat first = Nat::fresh("first", 0, 5);
  const Block body{{loop(first, 5, [](const Nat& k) { return Block{put(k, sum(a(k), a(k + 1)))}; })}};
  CHECK(saved(body, 5) == 0);
  CHECK(saved(body, 4) == 0);
  CHECK(saved(body, 0) == 4);
}

TEST_CASE("rotate-loops: an element that the loop stores is the one that is kept, or nothing is") {
  const Term one = constant_term(1, f64);
  // The newest, the oldest, one between them: assigned to, too.
  for (const int at : {0, 1, 2})
    CHECK(saved(0, 9, [&](const Nat& k) {
            return Block{put(k, sum(a(k), sum(a(k + 1), a(k + 2)))), put_a(k + at, sum(a(k + at), one))};
          }) > 0);
  // Elements that no iteration keeps, any element, and one that moves the other way.
  CHECK(saved(0, 5, [&](const Nat& k) { return Block{put(k, sum(a(k), a(k + 1))), put_a(k + 5, one)}; }) > 0);
  CHECK(saved(0, 9, [&](const Nat& k) {
          return Block{put(k, sum(a(k), a(k + 1))), put_a(4, sum(a(4), one))};
        }) == 0);
  CHECK(saved(0, 9, [&](const Nat& k) {
          return Block{put(k, sum(a(k), a(k + 1))), put_a(Nat(8) - k, one)};
        }) == 0);
  const Nat first = Nat::fresh("first", 0, 5);
  for (const std::int64_t at : {0, 3, 5})
    CHECK(saved({{loop(0, 9,
                       [&](const Nat& k) {
                         return Block{put(k, sum(a(k), a(k + 1))), put_a(first + 1, one)};
                       })}},
                at) == 0);
  // Stored under a condition.
  CHECK(saved(0, 9, [&](const Nat& k) {
          return Block{put(k, sum(a(k), a(k + 1))), where(equal(mod(k, 2), 0), {put_a(k + 1, one)})};
        }) > 0);
  // Within a loop of its own.
  CHECK(saved(0, 9, [&](const Nat& k) {
          For inner = loop(0, 3, [&](const Nat&) { return Block{put_a(k + 1, sum(a(k + 1), one))}; });
          inner.rotate = false;
          return Block{put(k, sum(a(k), a(k + 1))), {inner}};
        }) > 0);
}

TEST_CASE("rotate-loops: what is stored to elsewhere is loaded where a guard admits it, not before") {
  const Term one = constant_term(1, f64);
  // Of a line of one's own: early or not is the same.
  CHECK(saved(1, 9, [&](const Nat& k) {
          return Block{where(equal(mod(k, 2), 0), {put_a(k, sum(a(k - 1), a(k + 1)))})};
        }) != 0);
  // Of another line, although it is apart from what is loaded here.
  const auto other = [&](bool guarded) {
    return saved(0, 5, [&](const Nat& k) {
      const Block body{put(k, sum(a(k), a(k + 1)))};
      return Block{guarded ? where(less(k, 4), body) : body.front(), put_a(Nat(11) - k, one)};
    });
  };
  CHECK(other(false) == 4);
  CHECK(other(true) == 0);
  // Of a line that items share, each having a chunk of it: others store what would be loaded before its time.
  const auto chunks = [&](bool shared) {
    For items;
    items.var = Nat::fresh("p", 0, 1), items.upper = 2, items.kind = LoopKind::Par;
    items.body = {{loop(0, 3, [&](const Nat& k) {
      const Nat at = shared ? 4 * items.var + k : k;
      return Block{where(equal(mod(k, 2), 0), {put_a(at, sum(a(at), a(at + 1)))})};
    })}};
    if (!shared) items.upper = 1;
    const Block body{{items}};
    return str(kernel(rotate_loops(body, kernel(body)))) != str(kernel(body));
  };
  CHECK(chunks(false));
  CHECK_FALSE(chunks(true));
}

TEST_CASE("rotate-loops: values of the iteration alone are no stream") {
  // An array that each iteration allocates, a name that it gives, an index of its own.
  CHECK(saved(0, 4, [](const Nat& k) {
          const Type two = array({2}, f64);
          const auto own = [&](const Nat& i) { return load_term("own", {i}, f64); };
          return Block{{Allocate{"own", two}},
                       {Store{"own", {mod(k, 2)}, a(k), false}},
                       {Store{"own", {mod(k + 1, 2)}, a(k), false}},
                       put(k, sum(own(mod(k, 2)), own(mod(k + 1, 2))))};
        }) == 0);
  const auto choice = [](const Term& c, const Nat& k) {
    return apply_term(Op::Select, f64, {c, a(k), a(k + 1)});
  };
  // A choice that is the same in each iteration is kept as a whole.
  const Nat first = Nat::fresh("first", 0, 5);
  const Term same = compare_term(less(first, 3));
  for (const std::int64_t at : {0, 5})
    CHECK(saved({{loop(
                    0, 4,
                    [&](const Nat& k) { return Block{put(k, sum(choice(same, k), choice(same, k + 1)))}; })}},
                at) > 0);
  // One that asks for the iteration is not; what it chooses among is.
  for (const bool by_index : {false, true})
    (void)saved(0, 4, [&](const Nat& k) {
      const Term now = by_index ? apply_term(Op::Lt, boolean, {index_term(k), constant_term(2, i32)})
                                : compare_term(less(k, 2));
      return Block{put(k, sum(choice(now, k), choice(now, k + 1)))};
    });
}

TEST_CASE("rotate-loops: a guard within a guard loads what it asks for where the outer one holds") {
  const auto small = [](const Term& x) {
    return Stmt{If{{apply_term(Op::Lt, boolean, {x, constant_term(30, f64)})}, {put(0, x)}}};
  };
  // The element before the first one does not exist.
  CHECK(saved(0, 9, [&](const Nat& k) {
          return Block{where(less_equal(1, k), {small(sum(a(k - 1), a(k)))})};
        }) == 0);
  CHECK(saved(1, 9, [&](const Nat& k) {
          return Block{where(less_equal(2, k), {small(sum(a(k - 1), a(k)))})};
        }) > 0);
}

TEST_CASE("rotate-loops: choices and neighbours of which some do not exist") {
  const Nat first = Nat::fresh("first", 0, 5);
  const Term left = compare_term(less(first, 3));
  const auto one_of = [&](const Nat& k) { return apply_term(Op::Select, f64, {left, a(k - 1), a(k + 1)}); };
  for (const std::int64_t at : {0, 5}) {
    // Neither the element before the first one nor that after the last one.
    CHECK(saved({{loop(0, kLength,
                       [&](const Nat& k) {
                         return Block{
                             where(less_equal(2, k),
                                   {where(less(k, kLength - 1), {put(k, sum(one_of(k - 1), one_of(k)))})})};
                       })}},
                at) == 0);
    CHECK(saved({{loop(2, kLength - 1,
                       [&](const Nat& k) {
                         return Block{where(less_equal(3, k), {put(k, sum(one_of(k - 1), one_of(k)))})};
                       })}},
                at) > 0);
  }
  // Two elements are kept, the one before them is loaded where it exists.
  CHECK(saved(0, 9, [](const Nat& k) {
          return Block{put(k, sum(a(k), a(k + 1))), where(less_equal(1, k), {put(k, a(k - 1))})};
        }) == 8);
}

TEST_CASE("rotate-loops: what is stored by no whole number of iterations apart may be any element") {
  const Term one = constant_term(1, f64);
  const auto kept = [&](bool guarded) {
    return saved(0, 5, [&](const Nat& k) {
      const Block body{put(k, sum(a(k), a(k + 1)))};
      return Block{guarded ? where(less(k, 4), body) : body.front(), put_a(mod(k, 2) + 8, one)};
    });
  };
  CHECK(kept(false) == 4);
  CHECK(kept(true) == 0);
  // A choice whose elements the loop stores: neither the first of them nor a later one may change.
  const Nat first = Nat::fresh("first", 0, 5);
  const Term left = compare_term(less(first, 3));
  const auto one_of = [&](const Nat& k) { return apply_term(Op::Select, f64, {left, a(k), a(k + 2)}); };
  for (const int stored : {0, 1, 2, 3, 4}) {
    const Block body{{loop(0, 5, [&](const Nat& k) {
      return Block{put(k, sum(one_of(k), one_of(k + 1))), put_a(k + stored, one)};
    })}};
    for (const std::int64_t at : {0, 5}) (void)saved(body, at);
    int choices = 0;
    visit(rotate_loops(body, kernel(body)), [&](const Stmt& s) {
      const auto* d = std::get_if<Declare>(&s.v);
      choices += d && d->value->op == Op::Select;
    });
    CHECK(choices == (stored == 4 ? 2 : 0));
  }
}

TEST_CASE("rotate-loops: where items wait, choices of what none of them stores are kept") {
  const Nat first = Nat::fresh("first", 0, 5);
  const Term left = compare_term(less(first, 3));
  const auto one_of = [&](const Nat& k) { return apply_term(Op::Select, f64, {left, a(k), a(k + 1)}); };
  const auto kept = [&](const Stmt& stored) {
    return saved({{loop(0, 5, [&](const Nat& k) {
      return Block{put(k, sum(one_of(k), one_of(k + 1))), {Barrier{}}, stored};
    })}});
  };
  CHECK(kept(put(11, constant_term(1, f64))) > 0);
  CHECK(kept(put_a(11, constant_term(1, f64))) == 0);
}

TEST_CASE("rotate-loops: variables have names that nothing else has") {
  Kernel k = kernel({{loop(0, 5, [](const Nat& i) { return Block{put(i, sum(a(i), a(i + 1)))}; })}});
  const Type t = array({kLength}, f64);
  for (const char* taken : {"a_new", "a2_ago1"})
    k.arguments.push_back({taken, t, Layout({}, t), true, true, {}});
  const std::string text = str(kernel(rotate_loops(k.body, k)));
  CHECK(text.find("a3_new") != std::string::npos);
  CHECK(text.find("a3_ago1") != std::string::npos);
}

}  // namespace rotate_loops_test
