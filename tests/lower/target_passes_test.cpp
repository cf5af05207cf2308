// The passes that only some targets need: what they decide stands in the loops.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/reserved_words.hpp"
#include "lower/launches.hpp"
#include "lower/passes/grids.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::target_passes_test {
namespace {

using test::count;

const Term one = constant_term(1, f64);

Nat index(const std::string& name) { return Nat::fresh(name, 0, 7); }
For over(const Nat& v, Block body, LoopKind kind, int dim = 0) {
  For f;
  f.var = v, f.upper = 8, f.kind = kind, f.dim = dim, f.body = std::move(body);
  return f;
}
Stmt put(const Nat& at, const Term& value, bool stream = false) {
  return {Store{"out", {at}, value, stream}};
}
Kernel kernel(Block body) {
  const Type t = array({64}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", t, Layout({}, t), false, true, {}}, {"out", t, Layout({}, t), true, false, {}}};
  k.body = std::move(body);
  return k;
}
const Nat i = index("i"), j = index("j");
For streaming() {
  For f = over(i, {put(8 * j + i, broadcast(one, 4), true)}, LoopKind::Vec);
  f.width = 4, f.step = 4;
  return f;
}
const For& loop(const Block& b, std::size_t n = 0) { return std::get<For>(b.at(n).v); }

}  // namespace

TEST_CASE("threads share perfectly nested loops whose bounds do not depend on each other") {
  For inner = over(i, {put(8 * j + i, one)}, LoopKind::Par);
  inner.dynamic = 4;
  const Kernel square = for_target(kernel({{over(j, {{inner}}, LoopKind::Par)}}), Target::openmp);
  CHECK(loop(square.body).collapse == 2);
  CHECK(loop(loop(square.body).body).kind == LoopKind::Seq);
  CHECK(loop(loop(square.body).body).dynamic == 0);
  inner.upper = j + 1;
  const Kernel triangle = for_target(kernel({{over(j, {{inner}}, LoopKind::Par)}}), Target::openmp);
  CHECK(loop(triangle.body).collapse == 1);
  CHECK(loop(loop(triangle.body).body).kind == LoopKind::Seq);
}

TEST_CASE("threads keep together through a loop when its shared loops hold all that it does") {
  const auto team = [](Block body) {
    For f = over(j, std::move(body), LoopKind::Seq);
    f.team = true;
    return form_teams({{std::move(f)}});
  };
  const Stmt shared{over(i, {put(8 * j + i, one)}, LoopKind::Par)};
  const Block formed = team({shared});
  CHECK(loop(formed).team);
  CHECK(std::holds_alternative<Barrier>(loop(formed).body.back().v));
  const Stmt guarded{If{{compare_term(less_equal(j, 3))}, {put(j, one)}}};
  for (const Stmt& once : {put(j, one), guarded})  // each thread would do it
    CHECK_FALSE(loop(team({shared, once})).team);
  CHECK_FALSE(loop(team({put(j, one)})).team);
}

TEST_CASE("threads are called once for a loop around shared ones, and wait after each of these") {
  const Nat t = index("t");
  const auto loads = [](const char* array, const Nat& at) { return load_term(array, {at}, f64); };
  const auto store = [](const char* array, const Term& value) { return Stmt{Store{array, {i}, value}}; };
  const Stmt there{over(i, {store("out", loads("a", i))}, LoopKind::Par)},
      back{over(i, {store("b", loads("out", 7 - i))}, LoopKind::Par)};
  const auto over_time = [&](Block body) { return form_teams({{over(t, std::move(body), LoopKind::Seq)}}); };
  const Block both = over_time({there, back});
  REQUIRE(loop(both).team);
  REQUIRE(loop(both).body.size() == 4);
  CHECK(std::holds_alternative<Barrier>(loop(both).body[1].v));
  CHECK(std::holds_alternative<Barrier>(loop(both).body[3].v));
  const auto named = [&](const char* array) {
    return Stmt{lift::Let{local_term("x", f64), loads(array, t)}};
  };
  CHECK(loop(over_time({named("a"), there, back})).team);
  CHECK_FALSE(loop(over_time({named("b"), there, back})).team);  // another thread may store it already
  CHECK_FALSE(loop(over_time({store("b", one), there})).team);   // each thread would
  CHECK_FALSE(loop(over_time({{If{{compare_term(less_equal(t, 3))}, {store("b", one)}}}, there})).team);
  const Block guarded = over_time({there, {If{{compare_term(less_equal(t, 3))}, {back}}}});
  REQUIRE(loop(guarded).team);
  CHECK(count<Barrier>(guarded) == 2);
  CHECK_FALSE(loop(over_time({{over(j, {}, LoopKind::Seq)}})).team);
  // Loops too small to call threads for are shared where these are anyway, for as many large ones.
  For large = over(i, {store("out", loads("a", i))}, LoopKind::Par), small = large;
  large.upper = 4000;
  const auto shared = [&](Block body) {
    Kernel k = kernel({{over(t, std::move(body), LoopKind::Seq)}});
    k.least_shared = 1000;
    int n = 0;
    visit(form_teams(collapse_loops(k.body, k)), [&](const Stmt& s) {
      const auto* f = std::get_if<For>(&s.v);
      n += f && f->kind == LoopKind::Par;
    });
    return n;
  };
  CHECK(shared({{small}}) == 0);
  CHECK(shared({{large}, {small}}) == 2);
  CHECK(shared({{large}, {small}, {small}}) == 1);
}

TEST_CASE("a fence ends the iterations of shared loops that stream, and kernels that stream outside them") {
  For many = over(Nat::fresh("r", 0, 511), {{streaming()}}, LoopKind::Seq);
  many.upper = 512;
  const Kernel shared = for_target(kernel({{over(j, {{many}}, LoopKind::Par)}}), Target::openmp);
  REQUIRE(loop(shared.body).body.size() == 2);
  CHECK(std::holds_alternative<Fence>(loop(shared.body).body[1].v));
  CHECK(count<Fence>(shared.body) == 1);
  // A few elements are not worth one: they are stored as any others are.
  const Kernel few = for_target(kernel({{over(j, {{streaming()}}, LoopKind::Par)}}), Target::openmp);
  CHECK(count<Fence>(few.body) == 0);
  bool streams = false;
  visit(few.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    streams = streams || (x && x->stream);
  });
  CHECK_FALSE(streams);
  const Kernel alone = for_target(kernel({{over(j, {{streaming()}}, LoopKind::Seq)}}), Target::openmp);
  CHECK(std::holds_alternative<Fence>(alone.body.back().v));
  CHECK(count<Fence>(alone.body) == 1);
  const Kernel plain = for_target(kernel({{over(i, {put(i, one, true)}, LoopKind::Par)}}),
                                  Target::openmp);  // a single element is not streamed
  CHECK(count<Fence>(plain.body) == 0);
}

TEST_CASE("what no loop over the grid tells apart is stored by the first work-item") {
  For group = over(j, {put(j, one), {over(i, {put(8 * j + i, one)}, LoopKind::Lcl)}}, LoopKind::Wrg);
  for (const Target t : {Target::opencl, Target::cuda}) {
    const auto all = launches_in(for_target(kernel({{group}}), t));
    REQUIRE(all.size() == 1);
    CHECK(all[0].range.global[0] == 64);
    CHECK(all[0].range.local[0] == 8);
    const Block& body = loop(all[0].body).body;
    REQUIRE(std::holds_alternative<First>(body.at(0).v));
    CHECK(std::get<First>(body[0].v).axes == std::vector<GridAxis>{{LoopKind::Lcl, 0}});
    CHECK(std::holds_alternative<For>(body.at(1).v));
  }
}

TEST_CASE("groups for a grid that leaves them open divide it") {
  using Sizes = std::array<std::size_t, 3>;
  CHECK(dividing_group({64, 5, 1}, 128) == Sizes{64, 1, 1});
  CHECK(dividing_group({320, 8, 8}, 128) == Sizes{64, 2, 1});
  CHECK(dividing_group({16, 16, 16}, 128) == Sizes{16, 8, 1});
  CHECK(dividing_group({66, 66, 4}, 128) == Sizes{66, 1, 1});
  CHECK(dividing_group({509, 6, 8}, 128) == Sizes{1, 6, 8});
  CHECK(dividing_group({64, 4, 1}, 1) == Sizes{1, 1, 1});
}

TEST_CASE("rows are copied by groups where a target copies so, and contiguous") {
  const Type tile = array({8}, f64);
  const auto copying = [&](const Nat& from) {
    For copy = over(i, {{Store{"t", {i}, load_term("a", {from}, f64), false, true}}}, LoopKind::Lcl);
    For use = over(index("r"), {}, LoopKind::Lcl);
    use.body = {put(8 * j + use.var, load_term("t", {7 - use.var}, f64))};
    return kernel(
        {{over(j, {{Allocate{"t", tile, AddressSpace::Local}}, {copy}, {Barrier{false, true}}, {use}},
               LoopKind::Wrg)}});
  };
  const auto opencl = launches_in(for_target(copying(8 * j + i), Target::opencl));
  CHECK(count<CopyRow>(opencl.at(0).body) == 1);
  CHECK(std::holds_alternative<Allocate>(opencl[0].body.at(0).v));
  const auto cuda = launches_in(for_target(copying(8 * j + i), Target::cuda));
  CHECK(count<CopyRow>(cuda.at(0).body) == 0);
  CHECK_THROWS_WITH_AS(for_target(copying(8 * i + j), Target::opencl), doctest::Contains("not contiguous"),
                       UserError);
}

TEST_CASE("arrays that vectors access are marked") {
  const Type tile = array({8}, f64);
  const auto use = [&](const Nat& at, int width) {
    Block b{{Allocate{"t", tile, AddressSpace::Local}}, {Allocate{"u", tile, AddressSpace::Local}}};
    b.push_back({Store{"t", {at}, load_term("a", {at}, f64)}});
    b.push_back({Store{"u", {at}, load_term("a", {at}, f64)}});
    b.push_back({Barrier{}});
    const Term read = load_term("t", {7 - at}, f64, width), other = load_term("u", {7 - at}, f64);
    const Term first = width > 1 ? shuffle_term({read}, {0}) : read;
    b.push_back({Declare{local_term("x", f64), apply_term(Op::Add, f64, {first, other})}});
    b.push_back({Store{"out", {at}, local_term("x", f64)}});
    return hoist_local_arrays(b);
  };
  CHECK(std::get<Allocate>(use(i, 2).at(0).v).vectors);
  CHECK_FALSE(std::get<Allocate>(use(i, 2).at(1).v).vectors);
  CHECK_FALSE(std::get<Allocate>(use(i, 1).at(0).v).vectors);
}

namespace {

/// A loop of `trips` iterations over the grid that were dealt to `items`, in a launch of `range`.
For dealt(LoopKind kind, std::int64_t trips, int items, std::size_t groups, std::size_t group) {
  Launch l;
  l.range.global = {groups * group, 1, 1}, l.range.local = {group, 1, 1};
  For f = over(i, {put(i, one)}, kind);
  f.upper = trips, f.items = items;
  l.body = {{f}};
  return loop(deal_iterations(l));
}

}  // namespace

TEST_CASE("an item takes one iteration where there are enough items, else some in turn") {
  const For exact = dealt(LoopKind::Glb, 64, 0, 8, 8), idle = dealt(LoopKind::Glb, 60, 0, 8, 8);
  CHECK((exact.dealt == 0 && !exact.surplus));
  CHECK((idle.dealt == 0 && idle.surplus));
  const For enough = dealt(LoopKind::Lcl, 8, 8, 8, 8);
  CHECK((enough.dealt == 0 && !enough.surplus));
  // All items of the launch take part, of a group only those that were asked for.
  const For all = dealt(LoopKind::Glb, 100, 60, 8, 8), own = dealt(LoopKind::Lcl, 100, 6, 8, 8);
  CHECK((all.dealt == 64 && !all.surplus));
  CHECK((own.dealt == 6 && own.surplus));
  const For groups = dealt(LoopKind::Wrg, 100, 8, 8, 8);
  CHECK((groups.dealt == 8 && !groups.surplus));
}

TEST_CASE("what compilers are asked to unroll") {
  const auto unrolling = [](LoopKind kind, std::int64_t trips, int width, std::int64_t dealt_to, Target t) {
    For f = over(i, {put(i, one)}, kind);
    f.upper = trips, f.width = width, f.dealt = dealt_to;
    if (dealt_to > 0) f.most_trips = (trips + dealt_to - 1) / dealt_to;
    return loop(choose_unrolling({{f}}, t)).unroll;
  };
  // a factor that was decided
  for (const Target t : {Target::openmp, Target::opencl, Target::cuda}) {
    CHECK(unrolling(LoopKind::Unroll, 100, 4, 0, t) == 4);
    CHECK(unrolling(LoopKind::Seq, 100, 2, 0, t) == 2);
  }
  // none: the whole loop, where a pragma says that
  CHECK(unrolling(LoopKind::Unroll, 20, 1, 0, Target::openmp) == 20);
  CHECK(unrolling(LoopKind::Unroll, 100, 1, 0, Target::openmp) == 64);
  CHECK(unrolling(LoopKind::Unroll, 100, 1, 0, Target::cuda) == whole_loop);
  // long loops stay as they are only where the compiler is told
  CHECK(unrolling(LoopKind::Seq, 17, 1, 0, Target::cuda) == 1);
  CHECK(unrolling(LoopKind::Seq, 16, 1, 0, Target::cuda) == 0);
  CHECK(unrolling(LoopKind::Seq, 17, 1, 0, Target::opencl) == 0);
  // a few trips through what was dealt
  CHECK(unrolling(LoopKind::Lcl, 64, 1, 8, Target::opencl) == whole_loop);
  CHECK(unrolling(LoopKind::Lcl, 65, 1, 8, Target::opencl) == 0);
  CHECK(unrolling(LoopKind::Wrg, 64, 1, 8, Target::opencl) == 0);
}

TEST_CASE("a kernel is for one target") {
  const Kernel k = for_target(kernel({put(0, one)}), Target::openmp);
  CHECK_THROWS_WITH_AS(for_target(k, Target::cuda), doctest::Contains("for openmp already"), InternalError);
}

TEST_CASE("names that a language owns") {
  const auto named = [](const std::string& kernel_name, const std::string& size = "n") {
    Kernel k = kernel({put(0, one)});
    k.name = kernel_name, k.sizes = {size};
    return k;
  };
  for (const char* word : {"INFINITY", "M_PI", "NAN", "NULL", "_Bool", "_Pragma", "typeof", "linux", "unix",
                           "size_t", "asm", "__attribute__", "static_assert", "double"})
    for (const Target t : {Target::openmp, Target::opencl, Target::cuda}) {
      CAPTURE(word);
      CHECK_THROWS_WITH_AS(for_target(named("k", word), t), doctest::Contains("a word of C or C++"),
                           UserError);
      CHECK_THROWS_WITH_AS(for_target(named(word), t), doctest::Contains("a word of C or C++"), UserError);
    }
  for (const char* function : {"printf", "sqrt", "memcpy"}) {
    CHECK_THROWS_WITH_AS(for_target(named(function), Target::openmp),
                         doctest::Contains("a function of C's library"), UserError);
    CHECK(launches_in(for_target(named(function), Target::cuda)).at(0).name ==
          std::string(function) + "_kernel");
  }
  for (const char* name : {"my kernel", "7th", "a-b", ""}) {
    const std::string expected = "kernel '" + std::string(name) + "' cannot be a name in C; use letters";
    CHECK_THROWS_WITH_AS(for_target(named(name), Target::openmp), doctest::Contains(expected.c_str()),
                         UserError);
  }
  CHECK_NOTHROW(for_target(named("k", "blockIdx"), Target::opencl));
  CHECK_THROWS_WITH_AS(for_target(named("k", "blockIdx"), Target::cuda), doctest::Contains("CUDA C++"),
                       UserError);
}

TEST_CASE("a function of the program's gives way to a word of the language's, and one of its library") {
  for (const std::string name : {"exp", "fma", "y0", "restrict", "INFINITY", "mine"}) {
    Attr f = attributes::user_fun(name, "return x;", f64);
    attributes::add_parameter(f, "x", f64);
    Kernel k = kernel({put(0, call_term(f, {one}))});
    k.user_functions = {f};
    const Kernel c = for_target(k, Target::openmp);
    const std::string expected = name == "mine" ? name : "user_" + name;
    CHECK(user_name(c.user_functions.at(0)) == expected);
    CHECK(std::get<Store>(c.body.at(0).v).value->name == expected);
  }
}

}  // namespace lift::target_passes_test
