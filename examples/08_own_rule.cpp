// An operator and a rewrite rule of one's own. The operator turns an array around by k elements (a periodic
// shift), put together from primitives; the rule says that two turns are one. It is applied wherever it fits,
// looked at, and tested against the interpreter, as is a wrong one.
#include <cstdio>
#include <liftgen/lift.hpp>
#include <liftgen/rewriting.hpp>
#include <random>

using namespace lift;

namespace {

/// turn(k) xs: element i is element (i + k) mod n of xs.
Expr turn(const Nat& k, const Expr& xs) { return drop({k}, {Nat(0)}, pad({Nat(0)}, {k}, wrap, xs)); }
Partial turn(const Nat& k) {
  return {[=](const Expr& xs) { return turn(k, xs); }};
}

// ---- the rule: both sides as equations over holes

Rule turn_of_turn() {
  const Expr xs = hole("xs");
  const Nat a = nat_hole("a"), b = nat_hole("b");
  return rule("turn-of-turn", turn(a, turn(b, xs)), turn(a + b, xs)).says("two turns are one");
}
Rule wrong_rule() {
  const Expr xs = hole("xs");
  const Nat a = nat_hole("a"), b = nat_hole("b");
  return rule("turn-of-turn-wrong", turn(a, turn(b, xs)), turn(a + a, xs));
}

/// A rule as a strategy, so that top_down, repeat and the others apply to it.
Strategy everywhere(const Rule& r) {
  return repeat(top_down([r](const Rewriting& now, const Place& at) -> Result<Rewriting> {
    const Result<Program> next = apply(r, now.program, at);
    if (!next) return Failure{next.reason()};
    Rewriting after{*next, now.steps};
    after.steps.push_back({r.name, {}, at});
    return after;
  }));
}

// ---- a program that has use for it

/// Upwind advection to the left, `steps` at once: x[i] + c * (x[i + 1] - x[i]), then turned so that the wave
/// stands still.
Program advection(const Nat& n, int steps) {
  const Expr x = param("x", array(f64, n)), c = param("c", f64);
  Expr now = x;
  for (int s = 0; s < steps; ++s) now = now | turn(1);
  return {"advection", {x, c}, zip({x, now}) | map([=](Expr here, Expr there) {
                                 return here + c * (there - here);
                               })};
}

/// Applies the rule to a random turn of a turn and compares both sides, in the interpreter.
bool holds(const Rule& r, int rounds) {
  std::mt19937_64 random(1);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t n = number(1, 12);
    const Expr x = param("x", array(f64, Nat(n)));
    const Expr before = turn(number(0, 9), turn(number(0, 9), x));
    const Result<Expr> after = apply(r, {before, {}});
    if (!after) return std::printf("%s does not apply: %s\n", r.name.c_str(), after.reason().c_str()), false;
    std::vector<double> data(static_cast<std::size_t>(n));
    for (double& d : data) d = static_cast<double>(number(-99, 99));
    const std::map<std::string, Value> values{{"x", make_array(data, x.type())}};
    if (identical(interpret(before, values), interpret(*after, values))) continue;
    std::printf("%s is wrong:\n  %s\n  %s\n", r.name.c_str(), str(before).c_str(), str(*after).c_str());
    return false;
  }
  return true;
}

}  // namespace

int main() try {
  const Rule mine = turn_of_turn();
  for (const std::string& complaint : lint({mine})) std::printf("%s\n", complaint.c_str());
  const bool right = holds(mine, 500), wrong = holds(wrong_rule(), 500);
  std::printf("%s: %s; %s: %s\n\n", mine.name.c_str(), right ? "holds" : "does not hold",
              wrong_rule().name.c_str(), wrong ? "holds" : "caught");

  const Program before = advection(nat("n"), 4);
  const Rewriting after = run(everywhere(mine), {before, {}});
  std::printf("before: %s\n\nafter %zu steps: %s\n\n", pretty(before.body).c_str(), after.steps.size(),
              pretty(after.program.body).c_str());

  // Both are the same kernel in meaning.
  using Advect = std::vector<double>(const std::vector<double>&, double);
  const std::vector<double> wave{0, 0, 1, 4, 9, 4, 1, 0};
  const bool same = compile<Advect>(before)(wave, 0.5) == compile<Advect>(after.program)(wave, 0.5);
  return right && !wrong && same && after.steps.size() == 3 ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
