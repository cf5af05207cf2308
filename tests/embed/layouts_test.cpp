// Arrays in layouts of their own where a kernel, or one of its results, has another one.
#include <doctest/doctest.h>

#include "liftgen/lift.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::message;

namespace layouts_test {
namespace {

const Nat n = lift::nat("n");
using Of = stored_array<double, 2>;

Of stored(const char* layout, std::int64_t length = 5) {
  Of a(parse_layout(layout), {length, length});
  for (std::int64_t j = 0; j < length; ++j)
    for (std::int64_t i = 0; i < length; ++i) a(j, i) = static_cast<double>(10 * j + i);
  return a;
}
Program of(const std::function<Expr(Expr)>& f, const Nat& length = n) {
  const Expr x = param("x", array({length, length}, f64));
  return {"p", {x}, f(x)};
}
Expr twice(const Expr& x) {
  return x | map2([](Expr e) { return e * 2.0; });
}
Expr sums_of_rows(const Expr& x) {
  return x | map([](Expr row) { return row | sum(); });
}

}  // namespace

TEST_CASE(
    "layouts: numbers and results of lower rank are as the caller has them, whatever lies in a layout") {
  const auto total = compile<void(const Of&, double&)>(of([](Expr x) { return sums_of_rows(x) | sum(); }));
  for (const char* layout : {"split 2 1", "rows 8 1", "caller"}) {
    CAPTURE(layout);
    double sum = -1;
    total(stored(layout), sum);
    CHECK(sum == 550);
  }
  // Colours are of two dimensions; a row may be padded itself.
  const auto rows = compile<std::vector<double>(const Of&)>(of(sums_of_rows));
  CHECK(rows(stored("split 2 1")) == std::vector<double>{10, 60, 110, 160, 210});
  CHECK(message([&] { rows(stored("rows 8 1")); }).find("result 1 is stored in the layout 'rows 8 1'") !=
        std::string::npos);
}

TEST_CASE("layouts: an array of one element is returned where it lies like one of rows") {
  const Expr x = param("x", array({1}, f64));
  const auto kernel = compile<std::vector<double>(const stored_array<double, 1>&)>(
      Program{"p", {x}, x | map([](Expr e) { return e * 2.0; })});
  const auto of_layout = [&](const char* layout) {
    stored_array<double, 1> one(parse_layout(layout), {1});
    one(0) = 3;
    return kernel(one);
  };
  CHECK(of_layout("rows 4 0") == std::vector<double>{6});
  CHECK(message([&] {
          of_layout("rows 8 1");
        }).find("p: result 1 is stored in the layout 'rows 8 1', but returned") == 0);
}

TEST_CASE("layouts: where a derivation stores some arrays only, those of a call lie otherwise") {
  const Expr x = param("x", array({5, 5}, f64)), y = param("y", array({5, 5}, f64));
  const Program p{"p", {x, y}, zip_n(2, {x, y}) | map2([](Expr a, Expr b) { return a + b; })};
  CompileOptions options;
  options.derivation = parse_derivation("layout split 2 1 x at body");
  CHECK(message([&] {
          compile<std::vector<double>(const std::vector<double>&, const std::vector<double>&)>(p, options);
        }).find("p: argument 1 (x) is taken in the layout 'split 2 1', not in 'caller'") == 0);
}

TEST_CASE("layouts: kernels for all sizes, and those that are kept, are made anew for arrays in a layout") {
  const auto all_sizes = compile<void(const Of&, Of&)>(of(twice), {.symbolic = true}),
             kept = compile<void(const Of&, Of&)>(of(twice, 5), {.keep_finished = true});
  for (const auto* kernel : {&all_sizes, &kept})
    for (const char* layout : {"split 2 1", "caller", "rows 8 1"}) {
      CAPTURE(layout);
      Of to(parse_layout(layout), {5, 5});
      (*kernel)(stored(layout), to);
      for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i) CHECK(to(j, i) == 20 * j + 2 * i);
    }
}

TEST_CASE("layouts: single elements are read where they lie") {
  const auto kernel = compile<double(const Of&)>(of([](Expr x) { return x[1][2] * x[2][2] + x[4][3]; }));
  for (const char* layout : {"split 2 1", "rows 8 1", "caller"})
    CHECK(kernel(stored(layout)) == 12 * 22 + 43);
}

TEST_CASE("layouts: an update that is not safe in place is computed beside it in the layout") {
  const auto kernel = compile<void(Of&)>(of([](Expr x) {
    return update(x, {1, 1}, x | slide2(3, 1) | map2([](Expr w) { return w[0][1] + 2.0 * w[1][0]; }));
  }));
  for (const char* layout : {"split 2 1", "rows 8 1"}) {
    CAPTURE(layout);
    const Of before = stored(layout);
    Of x = stored(layout);
    kernel(x);
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i) {
        const bool inside = j > 0 && j < 4 && i > 0 && i < 4;
        CHECK(x(j, i) == (inside ? before(j - 1, i) + 2 * before(j, i - 1) : before(j, i)));
      }
  }
}

TEST_CASE("layouts: stored arrays are copied to arrays without gaps, and to no array of another shape") {
  const Of a = stored("split 2 1", 3);
  std::vector<double> rows(9, -1);
  a.copy_to(array_view(rows.data(), {3, 3}));
  CHECK(rows == std::vector<double>{0, 1, 2, 10, 11, 12, 20, 21, 22});
  // Of another rank, which types do not tell here.
  const std::int64_t shape[] = {3, 3};
  const Stored untyped(f64, shape, parse_layout("split 2 1"));
  ArgumentValue line;
  line.data = rows.data(), line.rank = 1, line.shape = {3, 3}, line.strides = {1};
  CHECK(message([&] { untyped.copy_to(line); }) == "stored_array: 3x3 elements are stored, the view has 3");
}

}  // namespace layouts_test
