// A host that compiles and explores one program after the other does not grow with them, and what it holds
// stays valid.
#include <doctest/doctest.h>

#include <limits>

#include "emit/emit.hpp"
#include "liftgen/lift.hpp"

using namespace lift;

namespace many_programs_test {
namespace {

using F = std::vector<double>(const std::vector<double>&);

/// No two are alike.
Expr program(int k) {
  return fun(array(f64, nat("n")), [k](const Expr& xs) {
    return xs | pad(1, 1, clamp) | slide(3, 1) |
           map([k](const Expr& w) { return w[0] * (k + 0.25) + w[1] + w[2] * (k + 0.5); });
  });
}
std::vector<double> expected(int k) { return {3 * k + 2.25, 4 * k + 3.75, 5 * k + 5.0}; }  // of 1, 2, 3

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// The nodes that are there after `times` calls of f and were not before; `made`: those that f makes.
struct Grown {
  double left = 0, made = 0;  ///< a call
};
template <class Call>
Grown grown(int times, const Call& f) {
  const auto sweep = [] {
    set_sweep_after(0);
    { const Region last; }
    set_sweep_after(kNever);
  };
  const std::size_t after = set_sweep_after(kNever);
  f();  // what is made once
  sweep();
  const Swept before = swept();
  for (int i = 0; i < times; ++i) f();
  const double made = static_cast<double>(swept().may_go) - static_cast<double>(before.may_go);
  sweep();
  const double gone = static_cast<double>(swept().gone - before.gone);
  set_sweep_after(after);
  return {(made - gone) / times, made / times};
}

constexpr int kTimes = 12;

/// Within another region nothing goes before that ends: LIFTGEN_TEST_REGIONS.
bool cannot_go() {
  if (detail::within_region()) MESSAGE("what goes with regions is not tested: each test case has its own");
  return detail::within_region();
}

}  // namespace

TEST_CASE("many programs: compiled one after the other, each in a region of the host's, nothing is left") {
  if (cannot_go()) return;
  int k = 1000;
  const Grown g = grown(kTimes, [&] {
    const Region region;
    ++k;
    CHECK(compile<F>(program(k))({1, 2, 3}) == expected(k));
  });
  CHECK(g.made > 100);
  CHECK(g.left < 1);
}

TEST_CASE(
    "many programs: without regions of the host's, their own expressions are left, and nothing of "
    "compiling") {
  if (cannot_go()) return;
  int k = 2000;
  const Grown own = grown(kTimes, [&] { (void)program(++k); });
  const Grown g = grown(kTimes, [&] {
    ++k;
    CHECK(compile<F>(program(k))({1, 2, 3}) == expected(k));
  });
  CAPTURE(own.left);
  CHECK(g.made > own.made + 50);
  CHECK(g.left <= own.left + 2);
}

TEST_CASE("many programs: kernels are called, read and made for other sizes when what made them has gone") {
  const std::size_t after = set_sweep_after(0);
  std::vector<TypedKernel<F>> kernels;
  for (int k = 3000; k < 3003; ++k) {
    const Region region;
    kernels.push_back(compile<F>(program(k)));
    CHECK(kernels.back()({1, 2, 3}) == expected(k));
  }
  const std::string source = kernels[0].source({{"n", 3}});
  for (int k = 3010; k < 3013; ++k) {
    const Region region;
    (void)program(k);
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(kernels[static_cast<std::size_t>(i)]({1, 2, 3}) == expected(3000 + i));
    CHECK(kernels[static_cast<std::size_t>(i)](std::vector<double>(5 + i, 1.0)).size() == 5U + i);
  }
  CHECK(kernels[0].source({{"n", 3}}) == source);
  set_sweep_after(after);
}

TEST_CASE("many programs: what a kernel is made of for a size stays with it") {
  if (cannot_go()) return;
  std::vector<TypedKernel<F>> kernels;
  int k = 5000;
  const auto held = [&](bool called) {
    return grown(kTimes,
                 [&, called] {
                   const Region region;
                   kernels.push_back(compile<F>(program(++k)));
                   if (called) (void)kernels.back()(std::vector<double>(static_cast<std::size_t>(k), 1.0));
                 })
        .left;
  };
  const double uncalled = held(false), called = held(true);
  CAPTURE(uncalled);
  CHECK(called >= uncalled + 1);
}

TEST_CASE("many programs: loops of the host over launches outlive what made them") {
  const std::size_t after = set_sweep_after(0);
  using G = std::vector<double>(const std::vector<double>&, std::int32_t);
  std::optional<TypedKernel<G>> kernel;
  {
    const Region region;
    const Expr xs = param("xs", array(f64, {300})), times = index_param("times", 0, 9);
    const Program p{
        "again",
        {xs, times},
        iterate(times,
                fun(xs.type(), [](const Expr& x) { return x | map([](const Expr& v) { return v * 2.0; }); }),
                xs),
        {}};
    CompileOptions options;
    options.device = Device::emulated_cuda();
    kernel.emplace(compile<G>(p, options));
  }
  for (int k = 4000; k < 4003; ++k) {
    const Region region;
    (void)program(k);
  }
  CHECK((*kernel)(std::vector<double>(300, 1.0), 5) == std::vector<double>(300, 32.0));
  set_sweep_after(after);
}

TEST_CASE("many programs: of explorations only what they found is left, and that for as long as it is held") {
  if (cannot_go()) return;
  int k = 5000;
  ExpressionOptions options{.sizes = {{"n", 1000}}, .budget = std::chrono::milliseconds(200)};
  options.more.configurations = 3, options.more.rivals = options.more.plain = false;
  const Grown own = grown(2, [&] { (void)program(++k); });
  const Grown g = grown(2, [&] { (void)explore(program(++k), options); });
  CAPTURE(own.left);
  CHECK(g.made > 500);
  CHECK(g.left < own.left + 20);

  const std::size_t after = set_sweep_after(0);
  const Tuned tuned = explore(program(6000), options);
  REQUIRE(tuned.report.best);
  const Variant best = tuned.report.variants[*tuned.report.best];
  for (k = 6001; k < 6004; ++k) {
    const Region region;
    (void)program(k);
  }
  CHECK(emit_source(best.kernel) == best.source);
  CHECK(tuned.kernel<F>()({1, 2, 3}) == expected(6000));
  set_sweep_after(after);
}

}  // namespace many_programs_test
