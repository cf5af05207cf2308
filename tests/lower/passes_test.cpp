// Single passes over the loop language: the loops that they make do what those that they were given do.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "lower/passes/passes.hpp"
#include "lower/passes/pipeline.hpp"
#include "tests/lower/two_arrays.hpp"

namespace lift::passes_test {
namespace {

using namespace test::two_arrays;

const Term one = constant_term(1, f64);

std::vector<double> run(const Kernel& k, std::int64_t first = 0) {
  test::LoopRunner loops;
  loops.index["first"] = first;
  for (int i = 0; i < kLength; ++i) loops.arrays["a"].push_back(i + 0.5);
  loops.arrays["out"].assign(kLength, -1);
  loops.run(k);
  return loops.arrays["out"];
}

}  // namespace

TEST_CASE("passes: every second iteration, from a lower bound on") {
  const Nat i = Nat::fresh("i", 0, kLength - 1), shown = Nat::fresh("first", 0, 5);
  for (const std::int64_t phase : {0, 1})
    for (const Nat& first : {shown, Nat(0), Nat(1), Nat(2), Nat(3)}) {
      For f;
      f.var = i, f.upper = kLength;
      f.body = {
          {If{{compare_term(equal(mod(i, 2), phase)), compare_term(less_equal(first, i))}, {put(i, a(i))}}}};
      const Kernel before = kernel({{f}}), after = kernel(tighten_bounds({{f}}));
      f.stride = 2;
      const Kernel strided = kernel(stride_loops(tighten_bounds({{f}})));
      INFO(str(after) << str(strided));
      for (std::int64_t at = 0; at <= 5; ++at) {
        CHECK(run(after, at) == run(before, at));
        CHECK(run(strided, at) == run(before, at));
      }
    }
}

TEST_CASE("passes: a condition on memory is asked again after what may have changed it") {
  const Term low = apply_term(Op::Lt, boolean, {a(3), constant_term(100, f64)});
  const Stmt changes{Store{"a", {Nat(3)}, constant_term(1000, f64), false}};
  For once;
  once.var = Nat::fresh("j", 0, 0), once.upper = 1;
  once.body = {{If{{low}, {changes}}}, {If{{low}, {put(0, one)}}}};
  const Kernel before = kernel({{once}});
  Kernel after = before;
  after.body = tighten_bounds(before.body);
  INFO(str(after));
  CHECK(run(before)[0] == -1);
  CHECK(run(after) == run(before));
}

TEST_CASE(
    "passes: what others store before a barrier is loaded after it, and not kept by loops that move on") {
  const Nat k = Nat::fresh("k", 0, 3);
  const auto loop = [&](bool barrier) {
    For f;
    f.var = k, f.upper = 4, f.rotate = true;
    f.body = {put(k, apply_term(Op::Add, f64, {a(k), a(k + 1)}))};
    if (barrier) f.body.push_back({Barrier{}});
    f.body.push_back({Store{"a", {k + 7}, one, false}});  // of no element that this item loads
    return Block{{f}};
  };
  const auto rotated = [&](bool barrier) {
    return str(kernel(rotate_loops(loop(barrier), kernel(loop(barrier)))));
  };
  CHECK(rotated(false) != str(kernel(loop(false))));
  CHECK(rotated(true) == str(kernel(loop(true))));
}

TEST_CASE("passes: a name for a load does not outlive a store to its array, also under a condition") {
  const Term sum = apply_term(Op::Add, f64, {a(3), a(3)});
  const Stmt changes{Store{"a", {Nat(3)}, one, false}};
  const Nat first = Nat::fresh("first", 0, 5);
  for (const Stmt& between : {changes, Stmt{If{{compare_term(less_equal(first, 2))}, {changes}}}}) {
    const Block b{put(0, sum), between, put(1, sum), put(2, a(3))};
    const Kernel before = kernel(b), after = kernel(eliminate_common_subexpressions(b));
    INFO(str(after));
    for (const std::int64_t at : {0, 5}) CHECK(run(after, at) == run(before, at));
  }
}

TEST_CASE("lower: a loop is not split where that multiplies its text") {
  // Borders of four cells on either side of nine: each cell of a row is a case of its own.
  std::string sum = "w[4, 4]";
  for (int i = 0; i < 9; ++i) sum += " + w[4, " + std::to_string(i) + "] * w[" + std::to_string(i) + ", 4]";
  const Program p = parse_program(
      "param x : 9.9.f64\nresult r = x |> pad2(4, 4, constant 0) |> slide2(9, 1) |> "
      "map2(\\w. " +
      sum + ")\n");
  const Kernel k = lower(p, {});
  int statements = 0;
  visit(k.body, [&](const Stmt&) { ++statements; });
  CHECK(statements < 60);
}

namespace {

Term sum(const Term& x, const Term& y) { return apply_term(Op::Add, f64, {x, y}); }
template <class S>
int count(const Block& b) {
  int n = 0;
  visit(b, [&](const Stmt& s) { n += std::holds_alternative<S>(s.v); });
  return n;
}
For loop(const Nat& v, const Nat& length, Block body) {
  For f;
  f.var = v, f.upper = length, f.body = std::move(body);
  return f;
}
const Nat kth = Nat::fresh("k", 0, 7);

}  // namespace

TEST_CASE("unroll-short-loops: within vectors, loops of up to eight iterations become copies") {
  for (const std::int64_t trips : {1, 8, 9, 12}) {
    const Nat r = Nat::fresh("r", 0, trips - 1);
    For lanes = loop(kth, 8, {{loop(r, trips, {put(kth, sum(load_term("out", {kth}, f64), a(r)))})}});
    lanes.kind = LoopKind::Vec, lanes.width = 4;
    const Block all{{lanes}}, after = unroll_short_loops(all);
    CHECK(run(kernel(after)) == run(kernel(all)));
    CHECK(count<For>(after) == (trips <= 8 ? 1 : 2));
  }
}

TEST_CASE("unroll-short-loops: names of copies are no arrays' names") {
  const Term x = local_term("x", f64);
  For f = loop(kth, 3, {{Let{x, a(kth)}}, {Store{"x_1", {kth}, x, false}}, put(kth, x)});
  f.kind = LoopKind::Unroll;
  std::set<std::string> names;
  visit(unroll_short_loops({{f}}), [&](const Stmt& s) {
    if (const auto* l = std::get_if<Let>(&s.v)) names.insert(l->local->name);
  });
  CHECK(names.size() == 3);
  CHECK(names.count("x_1") == 0);
}

TEST_CASE("prefetch-loops: what is stored where no iteration moves is no reason to ask for less") {
  const auto prefetched = [](const Nat& stored) {
    For f = loop(kth, 8, {put(kth, a(kth + 1)), {Store{"a", {stored}, one, false}}});
    f.prefetch = 2;
    Kernel before = kernel({{f}}), after = before;
    after.body = prefetch_loops(before.body, before);
    CHECK(run(after) == run(before));
    test::LoopRunner loops;
    for (const char* name : {"a", "out"}) loops.arrays[name].assign(kLength, 1);
    loops.run(after);
    return loops.prefetched["a"];
  };
  using All = std::vector<std::int64_t>;
  const All asked{3, 4, 5, 6, 7, 8, 8, 8};  // two iterations ahead, up to what the last one loads
  CHECK(prefetched(11) == asked);
  CHECK(prefetched(mod(kth, 2)) == asked);
  CHECK(prefetched(kth) == asked);
  CHECK(prefetched(kth + 3).empty());  // it is there since the iteration that stored it
}

TEST_CASE("propagate-copies: names, and lanes of names, are copies; other values keep theirs") {
  const Term pair = local_term("pair", f64, 2), x = local_term("x", f64),
             turned = local_term("turned", f64, 2);
  const Term loaded = load_term("a", {kth}, f64, 2);
  const auto lets = [&](const Block& names, const Term& value) {
    Block body = names;
    body.push_back(put(kth, value));
    const Block all{{loop(kth, 8, body)}}, after = propagate_copies(all);
    INFO(str(all) << str(after));
    CHECK(run(kernel(after)) == run(kernel(all)));
    return count<Let>(after);
  };
  const Stmt named{Let{pair, loaded}};
  CHECK(lets({named, {Let{x, shuffle_term({pair}, {1})}}}, x) == 1);
  CHECK(lets({{Let{x, shuffle_term({loaded}, {1})}}}, x) == 1);
  CHECK(lets({named, {Let{turned, shuffle_term({pair}, {1, 0})}}}, shuffle_term({turned}, {0})) == 2);
  CHECK(lets({{Let{x, a(kth)}}, {Let{local_term("y", f64), x}}}, local_term("y", f64)) == 1);
  // What changes is no name of a value.
  const Term y = local_term("y", f64);
  CHECK(lets({{Declare{y, a(kth)}}, {Let{x, y}}, {Assign{y, one}}}, sum(x, y)) == 1);
}

TEST_CASE("eliminate-dead-code: names of indices stay") {
  const Nat q = Nat::fresh("q", 0, 10), first = Nat::fresh("first", 0, 5);
  const Stmt named{Let{index_term(q), index_term(2 * first)}}, used = put(q, one);
  const Block dead{{Allocate{"own", array({2}, f64)}}, {Store{"own", {Nat(0)}, one, false}}};
  const Block all{named, dead[0], dead[1], used}, after = eliminate_dead_code(all);
  CHECK(after.size() == 2);
  for (const std::int64_t at : {0, 5}) CHECK(run(kernel(after), at) == run(kernel(all), at));
}

namespace {

/// a[3] + select(first < 3, x 2^11 times, 0): names that values get.
int named(const Term& x) {
  Term many = x;
  for (int n = 0; n < 11; ++n) many = apply_term(Op::Add, x->type, {many, many});
  const Term chosen =
      apply_term(Op::Select, x->type,
                 {compare_term(less(Nat::fresh("first", 0, 5), 3)), many, constant_term(0, x->type)});
  const Block all{put(0, sum(a(3), apply_term(Op::Cast, f64, {chosen})))};
  const Block after = eliminate_common_subexpressions(all);
  Kernel before = kernel(all);
  for (const auto& [name, type] : {std::pair{"x64", f64}, {"x32", f32}, {"n", i32}})
    before.arguments.push_back({name, type, {}, false, true, {}});
  Kernel k = before;
  k.body = after;
  const auto out = [](const Kernel& of, std::int64_t first) {
    test::LoopRunner loops;
    loops.index["first"] = first, loops.scalars = {{"x64", 0.75}, {"x32", 0.5}, {"n", 3}};
    for (const char* array : {"a", "out"}) loops.arrays[array].assign(kLength, 7);
    loops.run(of);
    return loops.arrays["out"];
  };
  for (const std::int64_t at : {0, 5}) CHECK(out(k, at) == out(before, at));
  return count<Let>(after);
}

}  // namespace

TEST_CASE("eliminate-common-subexpressions: what is long within a choice is named where that does no harm") {
  CHECK(named(a(3)) > 0);  // which is loaded anyway
  CHECK(named(argument_term("x64", f64)) > 0);
  CHECK(named(argument_term("x32", f32)) > 0);
  CHECK(named(constant_term(0.5, f64)) == 0);  // a number
  CHECK(named(a(4)) == 0);                     // which may not exist
  CHECK(named(argument_term("n", i32)) == 0);  // which may overflow
  CHECK(named(apply_term(Op::Cast, f64,
                         {apply_term(Op::Add, i32, {argument_term("n", i32), constant_term(1, i32)})})) == 0);
}

TEST_CASE("eliminate-common-subexpressions: new names are none of those that are there, however long") {
  for (const char* taken : {"t7", "t123456789012", "t"}) {
    const Term x = local_term(taken, f64), twice = sum(x, one);
    const Block all{{Let{x, a(2)}}, put(0, apply_term(Op::Mul, f64, {twice, twice}))};
    const Block after = eliminate_common_subexpressions(all);
    CHECK(run(kernel(after)) == run(kernel(all)));
    std::set<std::string> names;
    visit(after, [&](const Stmt& s) {
      if (const auto* l = std::get_if<Let>(&s.v)) names.insert(l->local->name);
    });
    CHECK(names.size() == 2);
  }
}

TEST_CASE("hoist-loop-invariants: what becomes less once a part of it has a name is not named") {
  // Products of three factors, of which less is known than of those with a name.
  const Nat n = Nat::size("extent", 1), first = Nat::fresh("first", 0, 5), t = Nat::fresh("t", 0, n - 1);
  const Nat part = min(6, n * first), j = Nat::fresh("j", 0, 1);
  struct Case {
    Nat position;
    int names;
  };
  for (const auto& [position, names] :
       {Case{mod(t, t * part + n), 1}, Case{mod(2 * t, t * part + 2 * n), 1},
        Case{mod(t + 1, t * part + n + 1), 1}, Case{mod(n * t, t * part + n * n), 1},
        Case{mod(t + 2, t * part + n), 2}}) {
    REQUIRE(mentions(position, first));
    const Block all{{loop(j, 2, {put(j, sum(a(part + j), a(position + j)))})}};
    const Block after = hoist_loop_invariants(all);
    INFO(str(all) << str(after));
    const auto out = [&](const Block& b, std::int64_t length, std::int64_t at, std::int64_t from) {
      test::LoopRunner loops;
      loops.index = {{"extent", length}, {"t", at}, {"first", from}};
      for (int i = 0; i < kLength; ++i) loops.arrays["a"].push_back(i * i);
      loops.arrays["out"].assign(kLength, -1);
      loops.run(kernel(b));
      return loops.arrays["out"];
    };
    for (const std::int64_t length : {1, 2, 3})
      for (std::int64_t at = 0; at < length; ++at)
        for (std::int64_t from = 0; from <= 5; ++from)
          CHECK(out(after, length, at, from) == out(all, length, at, from));
    std::set<std::string> named;
    visit(after, [&](const Stmt& s) {
      if (const auto* l = std::get_if<Let>(&s.v)) named.insert(l->local->nats.at(0).str());
    });
    CHECK(std::count_if(named.begin(), named.end(),
                        [](const std::string& x) { return x.find("row") != 0; }) == names);
  }
}

namespace {

/// An environment variable that is set to a value, or to none, for a while.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("passes: loops are printed after the pass that is asked for, or all, and times where they are") {
  const auto printed = [](const char* after, bool times) {
    const Environment print("LIFTGEN_PRINT_AFTER", after), time("LIFTGEN_TIME_PASSES", times ? "1" : nullptr);
    std::ostringstream text;
    std::streambuf* const own = std::cerr.rdbuf(text.rdbuf());
    Kernel k = kernel({put(0, one)});
    run_passes(k,
               {{"none", [](Kernel&) {}}, {"store-more", [](Kernel& x) { x.body.push_back(put(1, one)); }}});
    std::cerr.rdbuf(own);
    return text.str();
  };
  const std::string before = str(kernel({put(0, one)})), after = str(kernel({put(0, one), put(1, one)}));
  CHECK(printed(nullptr, false) == "");
  CHECK(printed("none", false) == "-- after none\n" + before);
  CHECK(printed("store-more", false) == "-- after store-more\n" + after);
  CHECK(printed("all", false) == "-- after none\n" + before + "-- after store-more\n" + after);
  CHECK(printed("other", false) == "");
  const std::string times = printed(nullptr, true);
  CHECK(times.find("-- none of k: ") == 0);
  CHECK(times.find("ms\n-- store-more of k: ") != std::string::npos);
}

}  // namespace lift::passes_test
