// Arrays in layouts of their own: converted, accessed by position, taken by kernels that store them so.
#include <doctest/doctest.h>

#include "liftgen/lift.hpp"
#include "rewrite/rules/layout_step.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::message;

namespace stored_test {
namespace {

const Nat n = lift::nat("n");

Expr neighbours(const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1]; }

/// One colour of the cells inside, in place.
Program half_sweep() {
  const Expr u = param("u", array({n + 2, n + 2}, f64)), f = param("f", array({n + 2, n + 2}, f64)),
             color = index_param("color", 0, 1);
  const auto cell = [=](Expr p, Expr w, Expr f) {
    return select(eq((get(0, p) + get(1, p) + color) % 2, 0), 0.25 * (neighbours(w) - f), w[1][1]);
  };
  return {"half_sweep",
          {u, f, color},
          update(u, {1, 1}, zip_n(2, {positions({n, n}), u | slide2(3, 1), f | drop2(1, 1)}) | map2(cell)),
          {"u"}};
}
/// f - A u for all cells: a new array.
Program residual() {
  const Expr u = param("u", array({n + 2, n + 2}, f64)), f = param("f", array({n + 2, n + 2}, f64));
  const auto cell = [](Expr w, Expr f) { return f - (neighbours(w) - 4.0 * w[1][1]); };
  return {"residual", {u, f}, zip_n(2, {u | slide2(3, 1), f | drop2(1, 1)}) | map2(cell)};
}
Program norm() {
  const Expr u = param("u", array({n + 2, n + 2}, f64));
  return {
      "norm", {u}, u | map([](Expr row) { return row | map([](Expr x) { return x * x; }) | sum(); }) | sum()};
}

std::vector<double> ramp(std::int64_t cells, int factor) {
  std::vector<double> x(static_cast<std::size_t>(cells));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>((static_cast<std::size_t>(factor) * i) % 23);
  return x;
}

const char* const kLayouts[] = {"split 2 1", "split 2 4", "split 1 2", "rows 8 1", "caller"};

}  // namespace

TEST_CASE("stored arrays hold what they were given, at its position, in every layout") {
  const std::vector<double> values = ramp(3 * 5 * 7, 5);
  for (const char* layout : {"split 3 1", "split 2 4", "split 1 1", "rows 8 1", "rows 4 0", "caller"}) {
    CAPTURE(layout);
    stored_array x(parse_layout(layout), array_view(values.data(), {3, 5, 7}));
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 7; ++i)
          REQUIRE(x(k, j, i) == values[static_cast<std::size_t>((k * 5 + j) * 7 + i)]);
    x(2, 1, 4) = -1;
    std::vector<double> wide(3 * 5 * 9, 7);  // rows with gaps
    x.copy_to(array_view(wide.data(), {3, 5, 7}, {45, 9, 1}));
    for (std::size_t e = 0; e < wide.size(); ++e) {
      const std::size_t row = e / 9, i = e % 9;
      CHECK(wide[e] == (i >= 7 ? 7 : row == 11 && i == 4 ? -1 : values[row * 7 + i]));
    }
    x.assign(array_view(values.data(), {3, 5, 7}));
    CHECK(x(2, 1, 4) == values[11 * 7 + 4]);
    CHECK(message([&] {
            x.assign(array_view(values.data(), {5, 3, 7}));
          }).find("3x5x7") != std::string::npos);
  }
  CHECK(message([] { stored_array<double, 1>(parse_layout("split 2 1"), {4}); }).find("rank") !=
        std::string::npos);
  CHECK(message([] { stored_array<double, 1>(kCallersLayout, {0}); }).find("at least 1") !=
        std::string::npos);
}

TEST_CASE("kernels compute the same on stored arrays: updates in place, new arrays, sums") {
  using View = void(array_view<double, 2>, array_view<const double, 2>, std::int32_t);
  using Of = stored_array<double, 2>;
  const auto plain = compile<View>(half_sweep());
  const auto swept = compile<void(Of&, const Of&, std::int32_t)>(half_sweep());
  const auto rest = compile<void(const Of&, const Of&, Of&)>(residual());
  const auto plain_rest =
      compile<std::vector<double>(array_view<const double, 2>, array_view<const double, 2>)>(residual());
  const auto summed = compile<double(const Of&)>(norm());
  for (const std::int64_t cells : {5, 16, 33}) {
    const std::int64_t m = cells + 2;
    const std::vector<double> f = ramp(m * m, 7);
    std::vector<double> u = ramp(m * m, 11);
    const array_view view(u.data(), {m, m}), rhs(const_cast<double*>(f.data()), {m, m});
    std::vector<Of> us;
    for (const char* layout : kLayouts) us.emplace_back(parse_layout(layout), view);
    for (const int color : {0, 1, 0}) plain(view, rhs, color);
    const std::vector<double> r = plain_rest(view, rhs);
    double squares = 0;
    for (const double x : u) squares += x * x;
    for (Of& x : us) {
      CAPTURE(str(x.layout()));
      const Of y(x.layout(), rhs);
      for (const int color : {0, 1, 0}) swept(x, y, color);
      bool same = true;
      for (std::int64_t j = 0; j < m; ++j)
        for (std::int64_t i = 0; i < m; ++i) same &= x(j, i) == view(j, i);
      CHECK(same);
      Of z(x.layout(), {cells, cells});
      rest(x, y, z);
      for (std::int64_t e = 0; e < cells * cells; ++e)
        same &= std::abs(z(e / cells, e % cells) - r[static_cast<std::size_t>(e)]) < 1e-10;
      CHECK(same);
      CHECK(summed(x) == doctest::Approx(squares).epsilon(1e-12));
    }
  }
}

TEST_CASE("arrays of one call are in one layout, and in that of the kernel") {
  using Of = stored_array<double, 2>;
  const LayoutRequest split = parse_layout("split 2 1");
  Of u(split, {7, 7}), padded(parse_layout("rows 8 1"), {7, 7});
  const auto swept = compile<void(Of&, const Of&, std::int32_t)>(half_sweep());
  const std::string mixed = message([&] { swept(u, padded, 0); });
  CHECK(mixed.find("(u) in 'split 2 1'") != std::string::npos);
  CHECK(mixed.find("(f) in 'rows 8 1'") != std::string::npos);
  CHECK(mixed.find("stored_array") != std::string::npos);

  CompileOptions by_split;
  by_split.derivation = Derivation{Step{"update-in-place", {}, {}}, layout_step(split)};
  by_split.or_default = true;  // which is for sizes, not for arrays that lie otherwise
  const auto only = compile<void(Of&, const Of&, std::int32_t)>(half_sweep(), by_split);
  CHECK_NOTHROW(only(u, Of(split, {7, 7}), 0));
  CHECK(message([&] { only(padded, padded, 0); }).find("'split 2 1' by its derivation") != std::string::npos);

  const auto returned = compile<std::vector<double>(const Of&, const Of&)>(residual());
  CHECK(message([&] { returned(u, u); }).find("returned as a std::vector") != std::string::npos);
  const auto both = compile<void(const Of&, const Of&, Of&)>(residual());
  CHECK(message([&] { both(u, u, u); }).find("result 7x7") != std::string::npos);
}

TEST_CASE("explored in any layout, an operator gives kernels for arrays in the fastest") {
  ExpressionOptions options;
  options.sizes = {{"n", 62}}, options.budget = std::chrono::seconds(600), options.more.configurations = 6;
  options.more.rivals = false, options.layout = parse_layout("split 2 1"),
  options.database = "/dev/null/none";
  const Tuned tuned = lift::explore(half_sweep(), options);
  CHECK(str(tuned.layout) == "split 2 1");
  CHECK(tuned.ms > 0);
  using Of = stored_array<double, 2>;
  const auto kernel = tuned.kernel<void(Of&, const Of&, std::int32_t)>();
  Of u(tuned.layout, {64, 64});
  u(5, 5) = 4;
  kernel(u, Of(tuned.layout, {64, 64}), 1);  // the neighbours of (5, 5) are of the odd colour
  CHECK(u(5, 6) == 1);
  CHECK(u(4, 5) == 1);
}

TEST_CASE("what is kept between stages has room for all its elements") {
  constexpr std::int64_t kLength = 1 << 20;  // beyond what lies behind a small buffer
  for (const Nat& length : {n, Nat(kLength)}) {
    const Expr x = param("x", array({length}, f64));
    const Program p{"twice", {x}, let(x | map([](Expr v) { return v * 2.0; }), [](Expr y) {
                      return y | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; });
                    })};
    CompileOptions options;
    options.derivation = Derivation{Step{"to-global", {}, {0}}};
    const auto kernel = compile<std::vector<double>(const std::vector<double>&)>(p, options);
    const std::vector<double> in = ramp(kLength, 3);
    const std::vector<double> out = kernel(in);
    REQUIRE(out.size() == in.size() - 2);
    bool same = true;
    for (std::size_t i = 0; i < out.size(); ++i) same &= out[i] == 2 * (in[i] + in[i + 2]);
    CHECK(same);
  }
}

TEST_CASE(
    "operators that share arrays are explored in one layout, the one in which a round takes least time") {
  ExpressionOptions options;
  options.sizes = {{"n", 62}}, options.budget = std::chrono::seconds(600), options.more.configurations = 2;
  options.more.rivals = options.more.plain = options.more.check_small = false;
  options.database = "/dev/null/none";
  const TunedTogether all = lift::explore_together({half_sweep(), residual()}, options, {4, 1});
  REQUIRE(all.operators.size() == 2);
  CHECK(all.costs.size() >= 3);  // the caller's, rows, split
  CHECK(std::any_of(all.costs.begin(), all.costs.end(),
                    [](const LayoutCost& c) { return str(c.layout) == "split 2 1"; }));
  double least = 0;
  for (const LayoutCost& c : all.costs) {
    CHECK((c.ms > 0) == c.why_not.empty());
    if (c.ms > 0 && (least == 0 || c.ms < least)) least = c.ms;
  }
  for (const LayoutCost& c : all.costs) CHECK((c.layout == all.layout) == (c.ms == least));
  CHECK(4 * all.operators[0].ms + all.operators[1].ms == doctest::Approx(least));
  for (const Tuned& t : all.operators) CHECK(t.layout == all.layout);
  CHECK(message([&] {
          lift::explore_together({half_sweep()}, options, {1, 2});
        }).find("1 operators") != std::string::npos);
}

}  // namespace stored_test
