// The loop language itself: its text, what goes through all of its statements, names of copies, arrays on
// stacks.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/on_stack.hpp"
#include "lower/loops/own_names.hpp"
#include "tests/lower/run_loops.hpp"
#include "tests/message.hpp"

namespace lift::loops_test {
namespace {

const Nat i = Nat::fresh("i", 0, 7), j = Nat::fresh("j", 0, 7);
const Term x = local_term("x", f64), one = constant_term(1, f64), two = constant_term(2, f64);

Stmt put(const std::string& array, const Nat& at, const Term& value) { return {Store{array, {at}, value}}; }
Term of(const std::string& array, const Nat& at) { return load_term(array, {at}, f64); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
For over(const Nat& v, Block body = {}) {
  For f;
  f.var = v, f.upper = 8, f.body = std::move(body);
  return f;
}
Stmt own_array(const Type& t, AddressSpace space = AddressSpace::Private) {
  return {Allocate{"t", t, space}};
}
std::vector<double> run(const Block& b) {
  Kernel k;
  const Type t = array({8}, f64);
  k.arguments = {{"out", t, Layout({}, t), true, false, {}}};
  k.body = b;
  test::LoopRunner loops;
  loops.arrays["out"].assign(8, 0);
  loops.run(k);
  return loops.arrays["out"];
}

}  // namespace

TEST_CASE("each attribute of a loop is seen in its text, and none that it does not have") {
  struct Case {
    const char* text;
    std::function<void(For&)> set;
  };
  const Case cases[] = {
      {"", [](For&) {}},
      {" collapse 2", [](For& f) { f.collapse = 2; }},
      {" rows 4 columns 16", [](For& f) { f.rows = 4, f.columns = 16; }},
      {" rows 4 columns 16 turns 64", [](For& f) { f.rows = 4, f.columns = 16, f.turns = 64; }},
      {" doacross", [](For& f) { f.doacross = true; }},
      {" waits", [](For& f) { f.waits = true; }},
      {" unroll whole", [](For& f) { f.unroll = whole_loop; }},
      {" unroll 4", [](For& f) { f.unroll = 4; }},
      {" wrg 1", [](For& f) { f.kind = LoopKind::Wrg, f.dim = 1; }},
  };
  for (const Case& c : cases) {
    For f = over(i);
    c.set(f);
    CHECK(str(Block{{f}}) == std::string("for i in [0, 8)") + c.text + "\n");
  }
}

TEST_CASE("statements are text that tells them apart") {
  NDRange plane;
  plane.dims = 2, plane.global = {64, 8, 1}, plane.local = {16, 0, 0};
  const LayoutRequest split{LayoutRequest::Kind::Split};
  struct Case {
    const char* text;
    Stmt s;
  };
  const Case cases[] = {
      {"out[i] = x\n", put("out", i, x)},
      {"out[i] = x (stream)\n", {Store{"out", {i}, x, true}}},
      {"out[i] = x (async)\n", {Store{"out", {i}, x, false, true}}},
      {"alloc t : 8.f64\n", {Allocate{"t", array({8}, f64)}}},
      {"alloc local t : 8.f64 by vectors\n", {Allocate{"t", array({8}, f64), AddressSpace::Local, 0, true}}},
      {"alloc scratch 64 t : 8.f64\n", {Allocate{"t", array({8}, f64), AddressSpace::Scratch, 64}}},
      {"copy 4 elements to t[0] from a[i] (async)\n", {CopyRow{"t", {0}, "a", {i}, 4}}},
      {"first glb 0 lcl 1\n", {First{{{LoopKind::Glb, 0}, {LoopKind::Lcl, 1}}, {}}}},
      {"launch k over 64 by 16, 8\n", {Launch{"k", plane, {}, {}}}},
      {"barrier global copies\n", {Barrier{true, true}}},
  };
  for (const Case& c : cases) CHECK(str(Block{c.s}) == c.text);
  Allocate in_layout{"t", array({8}, f64)};
  in_layout.layout = split;
  CHECK(str(Block{{in_layout}}) == "alloc t : 8.f64 in " + str(split) + "\n");
  Kernel k;
  k.name = "k", k.results = {"out"};
  CHECK(str(k) == "kernel k() -> out\n");
  k.scratch = 256;
  CHECK(str(k) == "kernel k() -> out with 256 bytes a thread\n");
}

TEST_CASE("where a variable is in a statement, it is found, and another one is put in its place") {
  For bounds = over(j);
  bounds.lower = i;
  const Stmt all[] = {
      {CopyRow{"t", {i}, "a", {0}, 4}},
      {CopyRow{"t", {0}, "a", {i}, 4}},
      {CopyRow{"t", {0}, "a", {0}, i}},
      {Prefetch{"a", {i}}},
      put("a", i, one),
      put("a", 0, of("a", i)),
      {If{{compare_term(less(i, 3))}, {}}},
      {bounds},
  };
  for (const Stmt& s : all) {
    INFO(str(Block{s}));
    CHECK(mentions(Block{s}, i));
    CHECK_FALSE(mentions(Block{s}, Nat::fresh("k", 0, 7)));
    const Nat other = Nat::fresh("other", 0, 7);
    const Block replaced = substitute(Block{s}, i, other);
    CHECK_FALSE(mentions(replaced, i));
    CHECK(mentions(replaced, other));
    CHECK(str(substitute(replaced, other, i)) == str(Block{s}));
  }
}

TEST_CASE("arrays of copies side by side have names of their own, where no value has another name, too") {
  const auto copy = [](const Term& value, const Nat& at) {
    return Block{own_array(array({2}, f64)),
                 put("t", 1, value),
                 {Prefetch{"t", {1}}},
                 put("out", at, sum(of("t", 1), one))};
  };
  Block both = copy(one, 0);
  for (Stmt& s : copy(two, 1)) both.push_back(std::move(s));
  const Block apart = distinct_names(both);
  CHECK(str(apart) ==
        "alloc t : 2.f64\nt[1] = 1\nprefetch t[1]\nout[0] = add(t[1], 1)\n"
        "alloc t_2 : 2.f64\nt_2[1] = 2\nprefetch t_2[1]\nout[1] = add(t_2[1], 1)\n");
  CHECK(run(apart) == run(both));
  // In blocks within each other each means its own.
  const Block within{
      own_array(array({2}, f64)), put("t", 1, one), {over(i, copy(two, i))}, put("out", 0, of("t", 1))};
  CHECK(str(distinct_names(within)) == str(within));
}

TEST_CASE("all that a copy declares has a name of its own that nothing else has") {
  const Block b{own_array(array({2}, f64)),
                {Let{x, one}},
                put("t", 0, x),
                {Prefetch{"t", {0}}},
                {over(i, {{Let{x, two}}, put("out", i, sum(x, of("t", 0)))})}};
  std::set<std::string> taken{"x_1", "x", "t"};
  const OwnNames first(b, 1, taken), second(b, 2, taken);
  CHECK(first.of("x") == "x_1_1");  // x_1 is another value's
  CHECK(first.of("t") == "t_1");
  CHECK(second.of("x") == "x_2");
  CHECK(first.of("out") == "out");
  CHECK(str(first.of(b)) ==
        "alloc t_1 : 2.f64\nlet x_1_1 = 1\nt_1[0] = x_1_1\nprefetch t_1[0]\n"
        "for i in [0, 8)\n  let x_1_1 = 2\n  out[i] = add(x_1_1, t_1[0])\n");
  CHECK(run(first.of(b)) == std::vector<double>(8, 3));
  CHECK(run(second.of(b)) == run(b));
  CHECK(taken == std::set<std::string>{"x", "t", "x_1", "x_1_1", "t_1", "x_2", "t_2"});
}

TEST_CASE("an array on a stack is at most as large as one may be; in other memory it may be larger") {
  const auto said = [](const Nat& elements, AddressSpace space) {
    Kernel k;
    k.name = "k", k.body = {{over(i, {own_array(array({elements}, f64), space)})}};
    return test::message<UserError>([&] { check_on_stack(k); });
  };
  const std::int64_t most = kMostOnStack / 8;
  CHECK(said(most, AddressSpace::Private) == "");
  CHECK(said(most + 1, AddressSpace::Private) ==
        "k: the array t of 32776 bytes is too large for a stack, which may hold 32768; store it in global "
        "memory "
        "(to_global), or tile the loops around it");
  CHECK(said(Nat::size("n"), AddressSpace::Private).find("k: the array t of 8*n bytes is too large") == 0);
  for (const AddressSpace space : {AddressSpace::Local, AddressSpace::Global, AddressSpace::Scratch})
    CHECK(said(most + 1, space) == "");
}

}  // namespace lift::loops_test
