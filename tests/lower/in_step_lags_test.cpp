// Lags that one kind of dependence alone asks for.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/lower/run_kernel.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;

namespace in_step_lags_test {
namespace {

Program stepped(const Program& p, const std::string& rule, const Arguments& a = {}) {
  const auto r = apply(find_rule(rule), p, {}, a);
  INFO(rule << ": " << (r ? "" : r.reason()));
  REQUIRE(r);
  return *r;
}

std::vector<std::int64_t> lags_of(const Program& p) {
  std::vector<std::int64_t> r;
  visit(p.body, [&](const Expr& e) {
    if (is_band(e, Band::skewed)) r = band_of(e).shifts;
  });
  return r;
}

}  // namespace

TEST_CASE("in step: a stage that overwrites what another still reads waits for it, from where each begins") {
  // Position i of y reads x two positions behind; x is overwritten from position 3 on, and reads itself
  // alone.
  const Program p = parse_program(R"(program behind
param x : 40.f64
param y : 40.f64
overwrite x, y
result =
let y1 = update(y, 0, zip(y, x |> drop(0, 2) |> pad(2, 0, clamp)) |> map(\(a, b). a + b)) in
let x1 = update(x, 3, x |> drop(3, 0) |> map(\a. a * 0.5)) in
{y1, x1}
)",
                                  "behind.lift");
  const Program in_place = stepped(p, "overwrite-bases"), together = stepped(in_place, "in-step", {0, 1});
  // x1 is at position i - 3 + lag when y1 is at i: what y1 reads there at i + 2 has to be read by then.
  CHECK(lags_of(together) == std::vector<std::int64_t>{0, 5});
  const Kernel one = lower(in_place), other = lower(together);
  for (const unsigned seed : {1U, 2U})
    CHECK_MESSAGE(test::run_loops(other, seed).results == test::run_loops(one, seed).results,
                  lift::str(other.body));
}

}  // namespace in_step_lags_test
