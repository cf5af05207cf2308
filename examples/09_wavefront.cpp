// Several time steps in one pass over memory. Four steps of the heat equation are a chain of stages; its
// stage graph says what they demand of each other, two rules put them in two arrays and in step, and the
// kernel computes what the steps compute one after the other, bit by bit. A lag that is too small is refused.
#include <cstdio>
#include <liftgen/lift.hpp>
#include <liftgen/rewriting.hpp>

using namespace lift;

namespace {

/// One step inside, the border stays.
Expr step(const Expr& u) {
  return update(u, {1, 1}, u | slide2(3, 1) | map2([](Expr w) {
                             return w[1][1] + 0.125 * (w[0][1] + w[1][0] + w[1][2] + w[2][1] - 4.0 * w[1][1]);
                           }));
}
Expr steps(int n, const Expr& u) {
  return n == 1 ? step(u) : let(step(u), [n](Expr next) { return steps(n - 1, next); });
}

/// Why a program cannot be lowered; "" where it can.
std::string refusal(const Program& p) {
  try {
    check_bands(p);
    return "";
  } catch (const UserError& e) {
    return e.what();
  }
}

}  // namespace

int main() try {
  const int n = 300;
  const Expr u = param("u", array({Nat(n), Nat(n)}, f64));
  const Program plain{"heat", {u}, steps(4, u)};

  const Rewriting two = run(use("two-arrays"), {plain, {}});
  const Chain chain = chain_of(two.program);
  std::printf("%s\n", str(stage_graph(chain), chain).c_str());

  const Rewriting together = run(use("in-step", {"0", "1"}), two);
  for (const Step& s : together.steps) std::printf("- %s\n", prose(s).c_str());

  using Heat = std::vector<double>(const std::vector<double>&);
  std::vector<double> data(static_cast<std::size_t>(n) * n);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<double>(i * i % 1009);
  const bool same = compile<Heat>(plain)(data) == compile<Heat>(together.program)(data);
  std::printf("\nthe same numbers: %s\n", same ? "yes" : "NO");

  // The chain again, each stage right behind the one before: it would read what is not there yet.
  const Place at = chain.place();
  Program hasty = two.program;
  hasty.body = replaced_at(hasty.body, at,
                           make(Op::Band, {part_at(hasty.body, at)},
                                attributes::band({.axis = 0, .width = 1, .shifts = {0, 0, 0, 0}})));
  const std::string why = refusal(hasty);
  std::printf("without lags: %s\n", why.c_str());
  return same && !why.empty() ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
