// What runs loops for other tests computes as compiled kernels do.
#include "tests/lower/run_loops.hpp"

#include <doctest/doctest.h>

namespace lift::run_loops_test {

TEST_CASE("run loops: a number is no truth value before it is cast") {
  Kernel k;
  const Type numbers = array({Nat(4)}, f64), truths = array({Nat(4)}, boolean);
  k.arguments = {{"x", numbers, Layout({}, numbers), false, true, {}},
                 {"y", truths, Layout({}, truths), true, false, {}}};
  For f;
  f.var = Nat::fresh("i", 0, 3), f.lower = 0, f.upper = 4;
  f.body = {{Store{"y", {f.var}, apply_term(Op::Cast, boolean, {load_term("x", {f.var}, f64)}), false}}};
  k.body = {{f}};
  test::LoopRunner loops;
  loops.arrays["x"] = {0, 1, -7, 0.5};
  loops.arrays["y"].assign(4, 9);
  loops.run(k);
  CHECK(loops.arrays["y"] == std::vector<double>{0, 1, 1, 1});
}

}  // namespace lift::run_loops_test
