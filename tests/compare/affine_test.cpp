// Loops in the words of integer sets: what is understood, and what is refused by name.
#include "compare/affine.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>

#include "tests/message.hpp"

namespace lift::compare_affine_test {
namespace {

const Nat& index() {
  static const auto& i = *new Nat(Nat::fresh("i", 0, 9));
  return i;
}
Term at(const char* array, const Nat& i) { return load_term(array, {i}, f64); }
Stmt store(const Nat& i, const Term& value) { return {Store{"out", {i}, value, false}}; }
Term both(const Term& a, const Term& b) { return apply_term(Op::And, boolean, {a, b}); }
Term negated(const Term& a) { return apply_term(Op::Not, boolean, {a}); }
Term one_of(const Term& c, const Term& a, const Term& b) { return apply_term(Op::Select, f64, {c, a, b}); }

Kernel loop(Block body, const std::function<void(For&)>& change = {}) {
  const Type t = array({Nat(10)}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"x", "y", "out"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  For f;
  f.var = index(), f.upper = 10, f.body = std::move(body);
  if (change) change(f);
  k.body = {{f}};
  return k;
}
affine::Statement read(Block body) {
  const affine::Reader reader(loop(std::move(body)));
  REQUIRE(reader.statements.size() == 1);
  return reader.statements[0];
}
std::string refusal(Block body, const std::function<void(For&)>& change = {}) {
  return test::message<std::runtime_error>([&] { affine::Reader(loop(std::move(body), change)); });
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Under which condition x is loaded where c holds, and y where it does not.
std::pair<std::string, std::string> sides(const Term& c) {
  std::pair<std::string, std::string> r{"always", "always"};
  for (const affine::Load& l : read({store(index(), one_of(c, at("x", index()), at("y", index())))}).loads)
    if (!l.conditions.empty()) (l.array == "x" ? r.first : r.second) = affine::joined(l.conditions, " and ");
  return r;
}

}  // namespace

TEST_CASE("compare: which iterations load is known of conditions on indices, and of no others") {
  const Term low = compare_term(less(index(), 3)), third = compare_term(equal(index(), 3));
  using Sides = std::pair<std::string, std::string>;
  const auto [is_low, is_high] = sides(low);
  CHECK(has(is_low, ">= 0"));
  CHECK(is_low != is_high);
  CHECK(sides(negated(low)) == Sides{is_high, is_low});
  CHECK(has(sides(third).first, " = 0"));
  CHECK(has(sides(third).second, " != 0"));
  const auto [is_third, is_other] = sides(third);
  CHECK(sides(both(low, third)) ==
        Sides{"((" + is_low + ") and (" + is_third + "))", "((" + is_high + ") or (" + is_other + "))"});
  CHECK(sides(apply_term(Op::Or, boolean, {low, third})) ==
        Sides{"((" + is_low + ") or (" + is_third + "))", "((" + is_high + ") and (" + is_other + "))"});
  // What depends on what is stored is known of neither side; nor is what is combined with it.
  const Term stored = apply_term(Op::Lt, boolean, {at("x", 0), constant_term(1, f64)});
  const Term flag = load_term("x", {0}, boolean);
  for (const Term& c : {stored, flag, both(low, stored), both(stored, low), negated(stored)}) {
    CAPTURE(str(c));
    const Block chosen{store(index(), one_of(c, at("y", index()), at("y", index() + 1)))};
    for (const affine::Load& l : read(chosen).loads) CHECK(l.conditions.empty());
  }
  // A selection within a selection, on either side, and in the condition itself.
  const auto inner = read({store(
      index(), one_of(low, one_of(third, at("x", index()), constant_term(0, f64)), at("y", index())))});
  REQUIRE(inner.loads.size() == 2);
  CHECK(inner.loads[0].conditions == affine::Texts{is_low, is_third});
  CHECK(inner.loads[1].conditions == affine::Texts{is_high});
}

TEST_CASE(
    "compare: indices are written for isl: quotients, remainders, minima; a product of two is refused") {
  const auto cell = [](const Nat& n) { return read({store(n, constant_term(1, f64))}).cell.at(0); };
  const Nat i = index();
  CHECK(has(cell(floordiv(i, 3)), "floor((1 * c0)/3)"));
  CHECK(has(cell(mod(i, 3)), "((1 * c0) mod 3)"));
  CHECK(has(cell(min(i, Nat(4))), "min("));
  CHECK(has(cell(max(i, Nat(4))), "max("));
  CHECK(cell(Nat(0)) == "0");
  const std::string start = "isl is not told of ";
  CHECK(refusal({store(i * i, constant_term(1, f64))}).starts_with(start));
  CHECK(refusal({store(i * mod(i, 3), constant_term(1, f64))}).starts_with(start));
}

TEST_CASE("compare: an element as it is is a copy; sums of it are none") {
  CHECK(read({store(index(), at("x", index()))}).copy);
  CHECK_FALSE(read({store(index(), apply_term(Op::Add, f64, {at("x", index()), at("x", index())}))}).copy);
}

TEST_CASE("compare: statements that integer sets have no words for are refused by name") {
  const Nat i = index();
  const Term local = local_term("v", f64), one = constant_term(1, f64);
  CHECK(has(refusal({store(i, local)}), "local values"));
  CHECK(has(refusal({{Let{local, one}}}), "isl is not told of "));
  CHECK(has(refusal({{Barrier{}}}), "isl is not told of "));
  const Term stored = apply_term(Op::Lt, boolean, {at("x", 0), one});
  CHECK(has(refusal({{If{{stored}, {store(i, one)}}}}), "the condition "));
  CHECK(refusal({{If{{compare_term(less(i, 3))}, {store(i, one)}}}}) == "");
  const auto known = [&](double holds) {
    return read({{If{{constant_term(holds, boolean)}, {store(i, one)}}}}).domain.back();
  };
  CHECK(known(1) == "true");
  CHECK(known(0) == "false");
  CHECK(has(refusal({store(i, one)}, [](For& f) { f.step = 2; }), "a loop by steps"));
  for (const LoopKind kind : {LoopKind::Vec, LoopKind::Glb, LoopKind::Host})
    CHECK(has(refusal({store(i, one)}, [&](For& f) { f.kind = kind; }), "loops of a kind"));
  for (const LoopKind kind : {LoopKind::Seq, LoopKind::Unroll, LoopKind::Par, LoopKind::Wrg, LoopKind::Lcl})
    CHECK(refusal({store(i, one)}, [&](For& f) { f.kind = kind; }) == "");
  const Stmt own{Allocate{"own", array({Nat(4)}, f64)}};
  CHECK(refusal({own, store(i, one)}) == "");
  CHECK(has(refusal({own, own}), "two arrays of one name"));
}

TEST_CASE("compare: what a thread allocates is each iteration's own") {
  const Stmt own{Allocate{"own", array({Nat(4)}, f64)}};
  const affine::Reader reader(loop({own,
                                    {Store{"own", {Nat(2)}, constant_term(1, f64), false}},
                                    store(index(), load_term("own", {2}, f64))},
                                   [](For& f) { f.kind = LoopKind::Par; }));
  REQUIRE(reader.statements.size() == 2);
  CHECK(reader.own.count("own") == 1);
  CHECK(reader.statements[0].cell == affine::Texts{"c0", "2"});
  CHECK(reader.statements[1].loads.at(0).cell == affine::Texts{"c0", "2"});
  CHECK(reader.statements[0].position == affine::Texts{"2"});
}

namespace {

/// A loop of ten iterations around what `body` makes of its variable.
Stmt over(const std::function<void(For&)>& change, const std::function<Block(Nat)>& body) {
  For f;
  f.var = Nat::fresh("v", 0, 9), f.upper = 10, f.body = body(f.var);
  change(f);
  return {f};
}
/// Of each statement, the loops whose iterations run at the same time: depth, which loop, with how many
/// variables in common; "team" and "turns" where it is shared by a team, or in turns.
std::vector<std::string> parallel_loops(const Block& b) {
  Kernel k = loop({});
  k.body = b;
  std::vector<std::string> all;
  const affine::Reader reader(k);
  for (const affine::Statement& s : reader.statements) {
    all.emplace_back();
    for (const affine::ParallelLoop& p : s.parallel)
      all.back() += (all.back().empty() ? "" : ", ") + std::to_string(p.depth) + " #" + std::to_string(p.id) +
                    " of " + std::to_string(p.shared) + (p.team ? " team" : "") + (p.turns ? " turns" : "");
  }
  return all;
}

}  // namespace

TEST_CASE("compare: which iterations run at the same time, by the schedules of the loops around them") {
  const auto plain = [](For&) {};
  const auto par = [](For& f) { f.kind = LoopKind::Par; };
  const auto team = [](For& f) { f.team = true; };
  const auto doacross = [](For& f) { f.doacross = true; };
  const auto waits = [](For& f) { f.waits = true; };
  const auto put = [](const Nat& i) { return Block{store(i, constant_term(1, f64))}; };
  const auto within = [&](const std::function<void(For&)>& change, const std::function<Block(Nat)>& body) {
    return [=](const Nat&) { return Block{over(change, body)}; };
  };
  using All = std::vector<std::string>;
  // Threads wait for one another behind a shared loop, so that only its own iterations meet.
  CHECK(parallel_loops({over(plain, put)}) == All{""});
  CHECK(parallel_loops({over(par, put), over(par, put)}) == All{"0 #1 of 0", "0 #2 of 0"});
  CHECK(parallel_loops({over(plain, within(par, put))}) == All{"1 #1 of 1"});
  CHECK(parallel_loops({over(par, within(par, put))}) == All{"0 #1 of 0, 1 #2 of 1"});
  // In a team they wait once a step, so that all of a step's loops meet; those behind it do not.
  const auto two = [&](const Nat&) { return Block{over(par, put), over(par, put)}; };
  CHECK(parallel_loops({over(team, two), over(par, put)}) ==
        All{"1 #1 of 1 team", "1 #2 of 1 team", "0 #3 of 0"});
  CHECK(parallel_loops({over(plain, within(team, two))}) == All{"2 #1 of 2 team", "2 #2 of 2 team"});
  CHECK(parallel_loops({over(team, within(par, within(par, put)))}) == All{"1 #1 of 1 team, 2 #2 of 2"});
  CHECK(parallel_loops({over(team, within(plain, within(par, put)))}) == All{"2 #1 of 1 team"});
  // In turns: an iteration of both loops, and earlier ones of later turns.
  CHECK(parallel_loops({over(doacross, within(waits, put))}) == All{"1 #1 of 0 turns"});
  CHECK(parallel_loops({over(plain, within(doacross, within(waits, put)))}) == All{"2 #1 of 1 turns"});
  CHECK(parallel_loops({over(doacross, within(waits, within(par, put)))}) ==
        All{"1 #1 of 0 turns, 2 #2 of 2"});
  CHECK(parallel_loops({over(doacross, within(plain, put))}) == All{""});
  CHECK(parallel_loops({over(doacross, within(plain, within(waits, put)))}) == All{""});
}

}  // namespace lift::compare_affine_test
