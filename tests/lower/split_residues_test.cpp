// Loops that ask which residue their index has: which of them go over several elements an iteration, of known
// residues, and that they do the same.
#include <doctest/doctest.h>

#include "lower/loops/verify.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::split_residues_test {
namespace {

constexpr std::int64_t kLength = 80;

Nat shift() { return Nat::size("shift", 0); }
Nat period() { return Nat::size("period", 1); }
Term x(const Nat& at) { return load_term("x", {at}, f64); }
Stmt put(const Nat& at, const Term& value) { return {Store{"y", {at}, value, false}}; }
Term where(const NatCond& c, const Term& a, const Term& b) {
  return apply_term(Op::Select, f64, {compare_term(c), a, b});
}

using Body = std::function<Block(const Nat&)>;
For loop(LoopKind kind, const Nat& lower, const Nat& upper, const Body& body) {
  For f;
  f.kind = kind, f.width = kind == LoopKind::Vec ? 4 : 1, f.lower = lower, f.upper = upper;
  f.var = Nat::fresh("i", lower, upper - 1);
  f.body = body(f.var);
  return f;
}
std::vector<double> run(Block body) {
  Kernel k;
  k.name = "k", k.results = {"y"};
  const Type t = array({Nat(kLength)}, f64);
  for (const char* name : {"x", "y"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.arguments.push_back({"shift", i32, {}, false, true, {0, 9}});
  k.arguments.push_back({"period", i32, {}, false, true, {1, 9}});
  k.body = std::move(body);
  INFO(str(k));
  verify(k, Form::Positions, "split-residues");
  test::LoopRunner loops;
  loops.index["shift"] = 3, loops.index["period"] = 3;
  for (std::int64_t i = 0; i < kLength; ++i)
    loops.arrays["x"].push_back(static_cast<double>(i * i % 41)), loops.arrays["y"].push_back(-1.0);
  loops.run(k);
  return loops.arrays.at("y");
}
/// Elements an iteration of what a loop becomes: copies of its first store; 1: it stays as it is.
int each(const Body& body, const Nat& upper = 23, const Nat& lower = 0, LoopKind kind = LoopKind::Seq) {
  const Block before{{loop(kind, lower, upper, body)}};
  const Block after = split_residues(before);
  INFO(str(before) << str(after));
  CHECK(run(after) == run(before));
  const auto& f = std::get<For>(after.at(0).v);
  return static_cast<int>(f.body.size() / std::get<For>(before[0].v).body.size());
}

}  // namespace

TEST_CASE("split-residues: as many elements an iteration as have each residue once") {
  const auto asks = [](std::int64_t factor, std::int64_t modulus) {
    return [=](const Nat& i) {
      return Block{put(i, where(equal(mod(factor * i, modulus), 0), x(i), x(2 * i)))};
    };
  };
  CHECK(each(asks(1, 2)) == 2);
  CHECK(each(asks(1, 3)) == 3);
  CHECK(each(asks(1, 4)) == 4);
  CHECK(each(asks(3, 6)) == 2);
  CHECK(each(asks(1, 5)) == 1);  // too many
  CHECK(each(asks(1, 2), 23, 5) == 2);
  CHECK(each(asks(1, 2), shift() + 20, shift()) == 2);  // from anywhere on
  CHECK(each(asks(1, 2), shift()) == 1);                // maybe none
  const auto two = [](const Nat& i) {
    return Block{put(i, where(equal(mod(i, 2), 0), x(i), x(2 * i))),
                 put(i + 30, where(equal(mod(i, 3), 0), x(i), x(2 * i)))};
  };
  CHECK(each(two) == 1);  // six
}

TEST_CASE("split-residues: residues of unknown numbers, by unknown numbers, of quotients stay as they are") {
  const auto asks = [](const std::function<Nat(const Nat&)>& n) {
    return each([&](const Nat& i) { return Block{put(i, where(equal(n(i), 0), x(i), x(2 * i)))}; });
  };
  CHECK(asks([](const Nat& i) { return mod(i, 2); }) == 2);
  CHECK(asks([](const Nat& i) { return mod(period() * i, 2); }) == 1);
  CHECK(asks([](const Nat& i) { return mod(i, period()); }) == 1);
  CHECK(asks([](const Nat& i) { return mod(floordiv(i, 2), 2); }) == 1);  // asks again for that of pairs
  CHECK(asks([](const Nat& i) { return mod(i, 2) + mod(shift(), 2); }) == 2);
}

TEST_CASE("split-residues: positions in loops over vectors ask, too") {
  const auto pairs = [](const Nat& i) { return Block{put(i, x(floordiv(i, 2)))}; };
  CHECK(each(pairs, 23, 0, LoopKind::Vec) == 2);
  CHECK(each(pairs, 23, 0, LoopKind::Seq) == 1);
}

TEST_CASE("split-residues: long bodies are not copied") {
  const auto of = [](int statements) {
    return each([=](const Nat& i) {
      Block b;
      for (int s = 0; s < statements; ++s)
        b.push_back(put(i + s, where(equal(mod(i, 2), 0), x(i), x(2 * i))));
      return b;
    });
  };
  CHECK(of(32) == 2);
  CHECK(of(33) == 1);
}

}  // namespace lift::split_residues_test
