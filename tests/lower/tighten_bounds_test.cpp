// Guards that become bounds, or steps: loops do what they did, for random guards over an index and a size,
// and for each way in which a guard may be written.
#include <doctest/doctest.h>

#include <random>

#include "ir/error.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"
#include "tests/message.hpp"

using namespace lift;

namespace tighten_bounds_test {
namespace {

constexpr std::int64_t kLength = 10;

const Nat& first() {
  static const auto& n = *new Nat(Nat::fresh("first", 0, 5));
  return n;
}
Kernel kernel(Block body) {
  const Type t = array({kLength, kLength}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"out", t, Layout({}, t), true, true, {}}, {"first", i32, {}, false, true, {0, 5}}};
  k.body = std::move(body);
  linearise(k);
  return k;
}
std::vector<double> run(const Kernel& k, std::int64_t at) {
  test::LoopRunner loops;
  loops.index["first"] = at;
  loops.arrays["out"].assign(kLength * kLength, 1);
  loops.run(k);
  CHECK(loops.races.empty());
  return loops.arrays["out"];
}
/// out[j][i] = 3 out[j][i] + number
Stmt put(const Nat& j, const Nat& i, int number) {
  const Term three = constant_term(3, f64), before = load_term("out", {j, i}, f64);
  const Term scaled = apply_term(Op::Mul, f64, {three, before});
  return {Store{"out", {j, i}, apply_term(Op::Add, f64, {scaled, constant_term(number, f64)}), false}};
}
For loop(const char* name, const Nat& lower, const Nat& upper) {
  For f;
  f.var = Nat::fresh(name, lower, upper - 1), f.lower = lower, f.upper = upper;
  return f;
}
using Body = std::function<Block(const Nat&)>;
int asked(const Block& b) {
  int n = 0;
  visit(b, [&](const Stmt& s) { n += std::holds_alternative<If>(s.v); });
  return n;
}
void same(const Block& before, const Block& after) {
  const Kernel x = kernel(before), y = kernel(after);
  INFO(str(x) << str(y));
  for (std::int64_t at = 0; at <= 5; ++at) CHECK(run(x, at) == run(y, at));
}

/// Guards over the indices that are given, the size among them.
class Guards {
 public:
  explicit Guards(unsigned seed) : random_(seed) {}
  int some(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Nat sum(const std::vector<Nat>& of) {
    Nat n = some(-6, 6);
    for (const Nat& x : of)
      if (some(0, 1)) n = n + some(-3, 3) * x;
    return n;
  }
  NatCond condition(const std::vector<Nat>& of) {
    const Nat x = sum(of);
    switch (some(0, 5)) {
      case 0:
        return equal(mod(x, some(2, 4)), some(0, 2));
      case 1:
        return less_equal(some(-4, 4), some(0, 1) ? 2 * floordiv(x, some(2, 4)) : 1 - 2 * floordiv(x, 3));
      case 2:
        return less(floordiv(x, some(2, 3)) + floordiv(sum(of), 2), some(0, 4));
      case 3:
        return some(0, 1) ? equal(x, 0) : negate(equal(x, 0));
      case 4:
        return less(x * x, some(0, 30));
      default:
        return less_equal(0, x);
    }
  }
  Term term(const std::vector<Nat>& of) {
    const Term c = compare_term(condition(of));
    const int how = some(0, 7);
    if (how == 0) return apply_term(Op::And, boolean, {c, compare_term(condition(of))});
    if (how == 1) return apply_term(Op::Or, boolean, {c, compare_term(condition(of))});
    if (how == 2) return constant_term(some(0, 3) ? 1 : 0, boolean);
    return c;
  }
  Block body(const std::vector<Nat>& of, int depth) {
    Block b;
    for (int n = some(1, depth > 0 ? 3 : 2); n > 0; --n) {
      if (depth > 0 && some(0, 2)) {
        std::vector<Term> conditions{term(of)};
        if (some(0, 1)) conditions.push_back(term(of));
        if (!b.empty() && some(0, 1))  // what the one before asks, too
          if (const auto* last = std::get_if<If>(&b.back().v)) conditions[0] = last->conditions.back();
        b.push_back({If{conditions, body(of, depth - 1)}});
      } else {
        b.push_back(put(of[0], of[1], some(1, 9)));
      }
    }
    return b;
  }

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("tighten-bounds: loops with random guards do what they did") {
  int left = 0, before = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Guards guards(seed);
    For j = loop("j", 0, kLength), i = loop("i", guards.some(0, 1) ? Nat(0) : first(), kLength);
    i.body = guards.body({j.var, i.var, first()}, 3);
    j.body = {{i}};
    if (guards.some(0, 1)) j.body = {{If{{guards.term({j.var, first()})}, j.body}}};
    const Block all{{j}};
    CAPTURE(seed);
    const Block after = tighten_bounds(all);
    same(all, after);
    same(all, remove_trivial_loops(after));
    left += asked(after), before += asked(all);
  }
  CHECK(left < before);
}

TEST_CASE("tighten-bounds: which guards become bounds, and which stay") {
  const auto stays = [](const std::function<NatCond(const Nat&)>& guard) {
    For i = loop("i", 0, kLength);
    i.body = {{If{{compare_term(guard(i.var))}, {put(0, i.var, 1)}}}};
    const Block after = tighten_bounds({{i}});
    same({{i}}, after);
    return asked(after) > 0;
  };
  CHECK_FALSE(stays([](const Nat& i) { return less_equal(3, i); }));
  CHECK_FALSE(stays([](const Nat& i) { return less(2 * i, 7); }));
  CHECK_FALSE(stays([](const Nat& i) { return less_equal(first(), 3 * i); }));
  CHECK_FALSE(stays([](const Nat& i) { return less_equal(2, floordiv(i + 1, 3)); }));
  CHECK_FALSE(stays([](const Nat& i) { return less_equal(floordiv(i + first(), 3), 1); }));
  CHECK_FALSE(stays([](const Nat& i) { return less(2 * floordiv(i, 3), 3); }));
  CHECK(stays([](const Nat& i) { return equal(mod(i, 2), 0); }));
  CHECK(stays([](const Nat& i) { return equal(i, first()); }));
  CHECK(stays([](const Nat& i) { return less(i * i, 30); }));
  CHECK(stays([](const Nat& i) { return less(first() * i, 12); }));
  CHECK(stays([](const Nat& i) { return less(floordiv(i, 3) + i, 7); }));
  CHECK(stays([](const Nat& i) { return less(mod(i, 3) + i, 7); }));
  CHECK(stays([](const Nat& i) { return less_equal(1, floordiv(i, first() + 1)); }));
  // What is not about the index stands around the loop; what never holds leaves nothing.
  For i = loop("i", 0, kLength);
  i.body = {{If{{compare_term(less(first(), 3)), compare_term(less(i.var, 4))}, {put(0, i.var, 1)}}}};
  const Block outside = tighten_bounds({{i}});
  REQUIRE(outside.size() == 1);
  CHECK(std::holds_alternative<If>(outside[0].v));
  i.body = {{If{{constant_term(0, boolean)}, {put(0, i.var, 1)}}}};
  CHECK(asked(tighten_bounds({{i}})) == 0);
  same({{i}}, tighten_bounds({{i}}));
}

TEST_CASE("stride-loops: a guard modulo the stride becomes a step; without one every residue has a loop") {
  Guards guards(5);
  for (int trial = 0; trial < 600; ++trial) {
    const int m = guards.some(2, 4), sign = guards.some(0, 1) ? 1 : -1;
    For i = loop("i", guards.some(0, 1) ? Nat(guards.some(0, 3)) : first(), kLength);
    i.stride = m;
    const Nat x = sign * i.var + guards.some(-3, 3) * first() + guards.some(-5, 5);
    const Term own = compare_term(equal(mod(x, guards.some(0, 3) ? m : m + 1), guards.some(0, m - 1)));
    std::vector<Term> conditions{guards.term({i.var, first()}), own};
    if (guards.some(0, 1)) conditions.pop_back();
    if (guards.some(0, 1)) std::swap(conditions.front(), conditions.back());
    i.body = {{If{conditions, {put(0, i.var, 1), put(1, i.var, 2)}}}};
    if (guards.some(0, 3) == 0) i.body.push_back(put(2, i.var, 3));
    CAPTURE(trial);
    const Block after = stride_loops({{i}});
    same({{i}}, after);
    visit(after, [](const Stmt& s) {
      if (const auto* f = std::get_if<For>(&s.v)) CHECK(f->stride == 1);
    });
  }
}

TEST_CASE("stride-loops: work-items without a guard around all that they do are refused a stride") {
  const auto refusal = [](LoopKind kind, const std::function<Block(const Nat&)>& body) {
    For i = loop("i", 0, kLength);
    i.kind = kind, i.stride = 2, i.body = body(i.var);
    return test::message([&] { (void)stride_loops({{i}}); });
  };
  const auto even = [](const Nat& i) {
    return Block{{If{{compare_term(equal(mod(i, 2), 0))}, {put(0, i, 1)}}}};
  };
  const auto all = [](const Nat& i) { return Block{put(0, i, 1)}; };
  const auto third = [](const Nat& i) {
    return Block{{If{{compare_term(equal(mod(i, 3), 0))}, {put(0, i, 1)}}}};
  };
  for (const LoopKind kind : {LoopKind::Par, LoopKind::Glb, LoopKind::Wrg, LoopKind::Lcl}) {
    CHECK(refusal(kind, even) == "");
    for (const auto& body : {std::function<Block(const Nat&)>(all), std::function<Block(const Nat&)>(third)})
      CHECK(refusal(kind, body)
                .find("strided 2: the work-items of i have no guard of the form (i + ...) mod 2 "
                      "== r around all that they do") == 0);
  }
  for (const LoopKind kind : {LoopKind::Seq, LoopKind::Unroll, LoopKind::Vec})
    CHECK(refusal(kind, all) == "");
}

TEST_CASE("tighten-bounds: what guards have in common is asked once, unless the first may change it") {
  const Term x = local_term("x", f64), below = apply_term(Op::Lt, boolean, {x, constant_term(1, f64)});
  const Term small = compare_term(less(first(), 3));
  const Stmt more{Assign{x, apply_term(Op::Add, f64, {x, constant_term(1, f64)})}};
  for (const bool changes : {false, true})
    for (const Term& c : {below, small}) {
      For i = loop("i", 0, kLength);
      i.body = {{If{{c}, {put(0, i.var, 1), changes ? more : put(1, i.var, 2)}}},
                {If{{c}, {put(2, i.var, 3)}}}};
      const Block all{{Declare{x, constant_term(0, f64)}}, {i}}, after = tighten_bounds(all);
      same(all, after);
      CHECK(asked(after) == (c == below ? 2 : 1));
    }
}

TEST_CASE("remove-trivial-loops: the only group stays around its items, and around nothing else") {
  const auto of = [](const char* name, LoopKind kind, std::int64_t length, const Body& body) {
    For f = loop(name, 0, length);
    f.kind = kind, f.body = body(f.var);
    return Stmt{f};
  };
  const auto groups = [&](const Body& body) {
    const Block all{of("g", LoopKind::Wrg, 1, body)}, after = remove_trivial_loops(all);
    same(all, after);
    int left = 0;
    visit(after, [&](const Stmt& s) {
      const auto* f = std::get_if<For>(&s.v);
      left += f && f->kind == LoopKind::Wrg;
    });
    return left;
  };
  const auto items = [&](const Nat& g) {
    return Block{of("l", LoopKind::Lcl, 4, [&](const Nat& l) { return Block{put(g, l, 1)}; })};
  };
  const auto steps = [&](const Body& body) {
    return [&of, body](const Nat& g) {
      return Block{of("s", LoopKind::Seq, 2, [&](const Nat& s) { return body(g + s); })};
    };
  };
  const auto one = [](const Nat& g) { return Block{put(g, 0, 1)}; };
  const auto guarded = [](const Body& body) {
    return [body](const Nat& g) { return Block{{If{{compare_term(less(first(), 3))}, body(g)}}}; };
  };
  CHECK(groups(items) == 1);
  CHECK(groups(steps(items)) == 1);
  CHECK(groups(guarded(items)) == 1);
  CHECK(groups(one) == 0);
  CHECK(groups(steps(one)) == 0);
  CHECK(groups(guarded(one)) == 0);
  // The items are those of the inner group.
  CHECK(groups([&](const Nat& g) {
          return Block{of("h", LoopKind::Wrg, 2, [&](const Nat& h) { return items(g + h); })};
        }) == 1);
}

TEST_CASE("stride-loops: which guards are one modulo the stride") {
  const auto loops = [](const NatCond& guard, const Nat& i, std::int64_t m) {
    For f;
    f.var = i, f.upper = kLength, f.stride = static_cast<int>(m);
    f.body = {{If{{compare_term(guard)}, {put(0, i, 1), put(first(), i, 2)}}}};
    const Block all{{f}}, after = stride_loops(all);
    same(all, after);
    return after.size();
  };
  const Nat i = Nat::fresh("i", 0, kLength - 1);
  CHECK(loops(equal(mod(i, 3), 1), i, 3) == 1);
  CHECK(loops(equal(mod(first() - i, 3), 1), i, 3) == 1 + 2);       // it moves the other way
  const Nat residue = mod(i, 3), late = Nat::fresh("first", 0, 5);  // terms are in the order of their age
  CHECK(loops(equal(residue + first(), 2), i, 3) == 3);
  CHECK(loops(equal(residue + late, 2), i, 3) == 3);
  CHECK(loops(equal(2 * residue, 2), i, 3) == 3);
  CHECK(loops(equal(2 * residue, 3), i, 3) == 3);
  CHECK(loops(equal(i * first(), 6), i, 3) == 3);
  CHECK(loops(equal(mod(i * i, 3), 1), i, 3) == 3);
  CHECK(loops(equal(mod(i * first(), 3), 1), i, 3) == 3);
}

}  // namespace tighten_bounds_test
