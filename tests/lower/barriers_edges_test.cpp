// Barriers in loops written by hand: conditions that items decide alike or not, loops that may have no
// iterations, copies that an earlier iteration has begun. A group's work-items are run side by side, and what
// two of them do to one element between two barriers is a race.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/place_barriers.hpp"
#include "tests/lower/run_groups.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::barriers_edges_test {
namespace {

using test::count;

constexpr std::int64_t kItems = 8;
const Nat any_n = Nat::fresh("n", 1, 5);

using test::GroupsRun;

Stmt loop(LoopKind kind, const Nat& n, const std::function<Block(const Nat&)>& body, int items = 0) {
  For f;
  f.var = Nat::fresh(kind == LoopKind::Lcl ? "i" : "g", 0, n - 1), f.upper = n, f.kind = kind;
  f.items = items, f.body = body(f.var);
  return {f};
}
/// By the items of a group, an element each.
Stmt items(const std::function<Stmt(const Nat& i)>& body) {
  return loop(LoopKind::Lcl, kItems, [&](const Nat& i) { return Block{body(i)}; });
}
Term at(const std::string& array, const Nat& i) { return load_term(array, {i}, f64); }
Stmt put(const std::string& array, const Nat& i, const Term& value, bool async = false) {
  return {Store{array, {i}, value, false, async}};
}
Stmt copy(const std::string& to, const std::string& from, const Nat& first = 0, bool async = false) {
  return items([&](const Nat& i) { return put(to, i, at(from, first + i), async); });
}
/// out[first + i] is the element of a local array on the other side.
Stmt mirrored(const Nat& first, const std::string& from) {
  return items([&](const Nat& i) { return put("out", first + i, at(from, Nat(kItems - 1) - i)); });
}
Nat mirror(const Nat& i) { return Nat(kItems - 1) - i; }
Term sum(const Term& x, const Term& y) { return apply_term(Op::Add, f64, {x, y}); }

/// Over a and out, which are long enough, with local arrays of an element an item, of one row
/// of groups.
Kernel kernel(const std::vector<std::string>& local, const Block& body) {
  const Type t = array({Nat(16 * kItems)}, f64), own = array({Nat(kItems)}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", t, Layout({}, t), false, true, {}},
                 {"out", t, Layout({}, t), true, true, {}},
                 {"n", i32, {}, false, true, {1, 5}}};
  For group;
  group.var = Nat::fresh("r", 0, 0), group.upper = 1, group.kind = LoopKind::Wrg, group.dim = 1;
  for (const std::string& name : local) group.body.push_back({Allocate{name, own, AddressSpace::Local}});
  group.body.insert(group.body.end(), body.begin(), body.end());
  k.body = {{group}};
  return k;
}
std::vector<double> out_of(const Kernel& k, std::int64_t n) {
  test::LoopRunner loops;
  loops.index["n"] = n;
  for (const char* name : {"a", "out"})
    for (std::int64_t i = 0; i < 16 * kItems; ++i)
      loops.arrays[name].push_back(name == std::string("a") ? static_cast<double>(i) : -1);
  loops.run(k);
  return loops.arrays.at("out");
}
/// With barriers, which keep everything as it is; items race without them if `needs` some.
Block placed(const Kernel& k, bool needs = true, std::int64_t n = 3) {
  verify(k, Form::Positions, "the test");
  GroupsRun before(k);
  before.numbers["n"] = n, before.run();
  CHECK(before.races.empty() == !needs);
  Kernel after = k;
  after.body = place_barriers(k.body, {{"out", false}});
  INFO(str(after));
  verify(after, Form::Positions, "place-barriers");
  GroupsRun with(after);
  with.numbers["n"] = n, with.run();
  CHECK(with.races.empty());
  CHECK(out_of(after, n) == out_of(k, n));
  return after.body;
}
/// All barriers of a body, in order: whether they wait for copies.
std::vector<bool> waits_of(const Block& b) {
  std::vector<bool> all;
  visit(b, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Barrier>(&s.v)) all.push_back(x->copies);
  });
  return all;
}

}  // namespace

TEST_CASE("barriers: what a group does under a condition on indices waits outside of it") {
  const auto under = [](const std::vector<Term>& conditions) {
    return kernel({"s"}, {loop(LoopKind::Seq, 4, [&](const Nat& j) {
                    std::vector<Term> asked;
                    for (const Term& c : conditions) asked.push_back(c ? c : compare_term(less(j, any_n)));
                    return Block{{If{asked, {copy("s", "a", 8 * j), mirrored(8 * j, "s")}}}};
                  })});
  };
  const Block b = placed(under({Term()}));
  CHECK(count<Barrier>(b) == 2);
  CHECK(count<If>(b) == 2);
  visit(b, [](const Stmt& s) {
    if (const auto* i = std::get_if<If>(&s.v)) CHECK(count<Barrier>(i->body) == 0);
  });
  // Conditions of several parts are not taken apart, and hold what they say of indices.
  const Term some =
      apply_term(Op::Or, boolean, {compare_term(equal(any_n, 3)), compare_term(less(3, any_n))});
  REQUIRE(some->kind == TermKind::Apply);
  CHECK(count<Barrier>(placed(under({some, Term()}))) == 2);
}

TEST_CASE("barriers: accesses under conditions that exclude each other do not meet, others may") {
  for (const bool apart : {true, false}) {
    const Term n_is_3 = compare_term(equal(any_n, 3)),
               otherwise = compare_term(apart ? negate(equal(any_n, 3)) : less(2, any_n));
    const Block b = placed(
        kernel({"s"}, {{If{{n_is_3}, {copy("s", "a")}}}, {If{{otherwise}, {mirrored(0, "s")}}}}), !apart);
    CHECK(count<Barrier>(b) == (apart ? 0 : 1));
  }
  // Of one iteration they exclude each other, and meet from one to the next.
  CHECK(count<Barrier>(placed(kernel({"s"}, {loop(LoopKind::Seq, 4, [&](const Nat& j) {
                                       return Block{
                                           {If{{compare_term(less(j, 1))}, {copy("s", "a")}}},
                                           {If{{compare_term(less_equal(1, j))}, {mirrored(0, "s")}}}};
                                     })}))) >= 1);
}

TEST_CASE("barriers: a condition that asks memory is asked once, and nobody waits below it") {
  const Term positive = apply_term(Op::Lt, boolean, {constant_term(0, f64), at("a", 3)}),
             named = local_term("yes", boolean);
  const auto under = [&](const Term& c, const Stmt& second) {
    return kernel({"s"}, {{lift::Let{named, positive}}, {If{{c}, {copy("s", "a"), second}}}});
  };
  for (const Term& c : {positive, named}) {
    CHECK_THROWS_WITH_AS(place_barriers(under(c, mirrored(0, "s")).body, {{"out", false}}),
                         doctest::Contains("work-items share s, elements of which one of them writes"),
                         UserError);
    // Each item reads what it has stored.
    const Block b = placed(under(c, items([](const Nat& i) { return put("out", i, at("s", i)); })), false);
    CHECK(count<Barrier>(b) == 0);
    CHECK(count<If>(b) == 1);
  }
}

TEST_CASE("barriers: under a condition that names values, items wait within it") {
  const Term x = local_term("x", f64);
  const auto scaled = [&](const Nat& i) { return put("s", i, apply_term(Op::Mul, f64, {x, at("a", i)})); };
  const Type pair = array({Nat(2)}, f64);
  const Stmt read = items([](const Nat& i) { return put("out", i, sum(at("s", mirror(i)), at("p", 0))); });
  const std::vector<std::pair<Block, Stmt>> named{
      {{{lift::Let{x, at("a", 5)}}},
       items([&](const Nat& i) { return put("out", i, sum(at("s", mirror(i)), x)); })},
      {{{Declare{x, at("a", 5)}}},
       items([&](const Nat& i) { return put("out", i, sum(at("s", mirror(i)), x)); })},
      {{{Allocate{"p", pair}}, put("p", 0, at("a", 5)), {lift::Let{x, at("p", 0)}}}, read},
      {{{Allocate{"p", pair}}, put("p", 0, at("a", 5))}, read}};
  for (const auto& [first, last] : named) {
    const bool value = std::holds_alternative<Allocate>(first.at(0).v) && first.size() == 2;
    Block body = first;
    body.push_back(value ? copy("s", "a") : items(scaled));
    body.push_back(last);
    const Block b = placed(kernel({"s"}, {{If{{compare_term(less(2, any_n))}, body}}}));
    REQUIRE(count<If>(b) == 1);
    CHECK(count<Barrier>(b) == 1);
    visit(b, [](const Stmt& s) {
      if (const auto* i = std::get_if<If>(&s.v)) CHECK(count<Barrier>(i->body) == 1);
    });
  }
  // What the group has in common ends with no condition.
  const Stmt local{Allocate{"t", array({Nat(kItems)}, f64), AddressSpace::Local}};
  const Block b = placed(
      kernel({}, {{If{{compare_term(less(2, any_n))}, {copy("out", "a"), local, copy("t", "a")}}}}), false);
  CHECK(count<Barrier>(b) == 0);
  // What others have stored before is waited for in front of the condition.
  const Block before = placed(kernel(
      {"s"},
      {copy("s", "a"), {If{{compare_term(less(2, any_n))}, {{lift::Let{x, at("s", 5)}}, items(scaled)}}}}));
  CHECK(count<Barrier>(before) == 2);
}

TEST_CASE("barriers: what stands before a loop that may have no iteration is waited for behind it") {
  const auto around = [](const Nat& trips) {
    return kernel({"s", "t"}, {copy("s", "a"),
                               loop(LoopKind::Seq, trips,
                                    [](const Nat& j) {
                                      return Block{copy("t", "a", 8 * j), mirrored(8 * j, "t")};
                                    }),
                               mirrored(64, "s")});
  };
  for (const std::int64_t n : {1, 2, 4}) CHECK(count<Barrier>(placed(around(any_n - 1), true, n)) == 3);
  CHECK(count<Barrier>(placed(around(2))) == 2);
}

TEST_CASE("barriers: loops within others wait for what stands before them all, if they have iterations") {
  const auto around = [](LoopKind kind, const Nat& trips) {
    return kernel({"s", "t"}, {copy("s", "a"), loop(LoopKind::Seq, 2, [&](const Nat& o) {
                                 return Block{
                                     loop(kind, trips,
                                          [&](const Nat& j) {
                                            return Block{copy("t", "a", 8 * j), mirrored(8 * j, "t")};
                                          }),
                                     mirrored(64 + 8 * o, "s")};
                               })});
  };
  CHECK(count<Barrier>(placed(around(LoopKind::Seq, 2))) == 2);
  placed(around(LoopKind::Wrg, 3));
  for (const std::int64_t n : {1, 2, 4})
    CHECK(count<Barrier>(placed(around(LoopKind::Seq, any_n - 1), true, n)) == 3);
}

TEST_CASE("barriers: below a loop over work-items of the grid nobody waits") {
  const auto in_items = [](const std::function<Stmt(const Nat&)>& last) {
    Stmt s = loop(LoopKind::Glb, 1, [&](const Nat& g) { return Block{copy("s", "a"), last(8 * g)}; });
    std::get<For>(s.v).dim = 2;
    return kernel({"s"}, {s});
  };
  CHECK_THROWS_WITH_AS(
      place_barriers(in_items([](const Nat& first) { return mirrored(first, "s"); }).body, {{"out", false}}),
      doctest::Contains("put to_local outside the map_lcl around it"), UserError);
  CHECK(count<Barrier>(placed(in_items([](const Nat& first) {
                                return items([&](const Nat& i) { return put("out", first + i, at("s", i)); });
                              }),
                              false)) == 0);
}

TEST_CASE("barriers: copies that an iteration has begun are waited for with those who wait anyway") {
  // t is stored and read, s read and then copied anew, u copied and read at once.
  const Stmt both =
      items([](const Nat& i) { return put("out", i, sum(at("t", mirror(i)), at("s", mirror(i)))); });
  const Kernel k =
      kernel({"s", "t", "u"}, {copy("s", "a", 0, true), loop(LoopKind::Seq, 3, [&](const Nat& j) {
                                 return Block{copy("t", "a", 8 * j), both, copy("u", "a", 16 + 8 * j, true),
                                              mirrored(16 + 8 * j, "u"), copy("s", "a", 64 + 8 * j, true)};
                               })});
  CHECK(waits_of(placed(k)) == std::vector<bool>{true, true});
}

TEST_CASE("barriers: loops that copy ahead within another loop") {
  const auto slot = [](const Nat& j, const Nat& i) { return std::vector<Nat>{mod(j, 2), i}; };
  const auto ahead = [&](const Nat& j, const Nat& from) {
    return items([&](const Nat& i) {
      return Stmt{Store{"ring", slot(j, i), at("a", from + i), false, true}};
    });
  };
  Kernel k = kernel({}, {loop(LoopKind::Seq, 2, [&](const Nat& o) {
                      return Block{ahead(0, 64 * o), loop(LoopKind::Seq, 3, [&](const Nat& j) {
                                     const Stmt read = items([&](const Nat& i) {
                                       return put("out", 32 * o + 8 * j + i,
                                                  load_term("ring", slot(j, mirror(i)), f64));
                                     });
                                     return Block{read, ahead(j + 1, 64 * o + 8 + 8 * j)};
                                   })};
                    })});
  Block& group = std::get<For>(k.body.at(0).v).body;
  group.insert(group.begin(), {Allocate{"ring", array({Nat(2), Nat(kItems)}, f64), AddressSpace::Local}});
  const Block b = placed(k);
  CHECK(waits_of(b) == std::vector<bool>{false, true});
}

}  // namespace lift::barriers_edges_test
