// Views with gaps are passed as they lie; those that cannot be are refused, or copied on request.
#include <doctest/doctest.h>

#include "embed/pitched.hpp"
#include "liftgen/lift.hpp"
#include "tests/embed/guarded.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::Guarded;
using lift::test::message;

namespace views_test {
namespace {

const Nat n = lift::nat("n"), m = lift::nat("m");

/// Means of the neighbours for one colour of the cells inside.
Program red_black() {
  const Expr u = param("u", array({n + 2, m + 2}, f64)), color = index_param("color", 0, 1);
  const auto cell = [=](Expr p, Expr w) {
    const Expr mine = eq((get(0, p) + get(1, p) + color) % 2, 0);
    return select(mine, 0.25 * (w[0][1] + w[1][0] + w[1][2] + w[2][1]), w[1][1]);
  };
  return {"red_black",
          {u, color},
          update(u, {1, 1}, zip_n(2, {positions({n, m}), u | slide2(3, 1)}) | map2(cell))};
}
/// The same for all cells: not safe in place.
Program jacobi() {
  const Expr u = param("u", array({n + 2, m + 2}, f64));
  return {"jacobi",
          {u},
          update(u, {1, 1}, u | slide2(3, 1) | map2([](Expr w) { return 0.5 * (w[0][1] + w[2][1]); }))};
}
Program cross() {
  const Expr a = param("a", array({n, m}, f64));
  return {"cross", {a}, a | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) {
                          return w[1][1] + 10.0 * w[0][1] + 100.0 * w[1][2];
                        })};
}
std::vector<double> ramp(std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<double>((7 * i) % 23);
  return x;
}

/// A block of rows that are `pitch` long; what lies between them is -1, and behind the last element is
/// nothing.
struct Block {
  Block(std::int64_t rows, std::int64_t columns, std::int64_t row_pitch, const std::vector<double>& contents)
      : pitch(row_pitch),
        memory(std::vector<double>(static_cast<std::size_t>((rows - 1) * row_pitch + columns), -1)),
        view(memory.span.data(), {rows, columns}, {row_pitch, std::int64_t{1}}) {
    for (std::int64_t j = 0; j < rows; ++j)
      for (std::int64_t i = 0; i < columns; ++i)
        view(j, i) = contents[static_cast<std::size_t>(j * columns + i)];
  }
  std::vector<double> contents() const {
    std::vector<double> x;
    for (std::int64_t j = 0; j < view.shape[0]; ++j)
      for (std::int64_t i = 0; i < view.shape[1]; ++i) x.push_back(view(j, i));
    return x;
  }
  bool gaps_are_left_alone() const {
    for (std::size_t at = 0; at < memory.span.size(); ++at)
      if (static_cast<std::int64_t>(at) % pitch >= view.shape[1] && memory.span[at] != -1) return false;
    return true;
  }
  std::int64_t pitch;
  Guarded<double> memory;
  array_view<double, 2> view;
};

ArgumentValue value(const Block& b) {
  ArgumentValue v;
  v.data = b.view.data, v.rank = 2;
  v.shape = {b.view.shape[0], b.view.shape[1]}, v.strides = {b.pitch, 1};
  return v;
}

/// The lengths of the arrays of a kernel that is generated for these arguments: what it is passed has gaps.
std::string source_for(const Program& p, const Signature& s, const std::vector<ArgumentValue>& arguments) {
  const Callable kernel(p, s, {}, Where::current());
  return Callable::source(kernel.variant(arguments, Where::current()));
}

}  // namespace

TEST_CASE("arguments and results with gaps are passed as they lie") {
  const auto dense = compile<std::vector<double>(array_view<const double, 2>)>(cross());
  const auto kernel = compile<void(array_view<const double, 2>, array_view<double, 2>)>(cross());
  for (const auto& [rows, columns, pitch] : {std::array{3, 5, 6}, {8, 16, 17}, {20, 33, 40}, {1, 4, 9}}) {
    const auto x = ramp(static_cast<std::size_t>(rows * columns));
    const auto expected = dense(array_view<const double, 2>(x.data(), {rows, columns}));
    const Block in(rows, columns, pitch, x), out(rows, columns, pitch + 3, std::vector<double>(x.size(), 0));
    kernel(in.view, out.view);
    CHECK(out.contents() == expected);
    CHECK(out.gaps_are_left_alone());
    CHECK(in.contents() == x);
    std::vector<double> to(x.size());
    kernel(in.view, array_view(to.data(), {rows, columns}));  // another kernel: of other strides
    CHECK(to == expected);
  }
  const Block in(8, 16, 19, ramp(128)), out(8, 16, 21, ramp(128));
  const ArgumentKind read{f64, 2, false, "a view"}, write{f64, 2, true, "a view"};
  const std::string source = source_for(cross(), {{read, write}, {}}, {value(in), value(out)});
  CHECK(source.find("19") != std::string::npos);
  CHECK(source.find("21") != std::string::npos);
}

TEST_CASE("planes and rows with gaps, in three dimensions") {
  const Expr sum_of_row =
      fun(array({n, n, m}, f64), [](Expr a) { return a | map2([](Expr row) { return row | sum(); }); });
  const auto kernel = compile<std::vector<double>(array_view<const double, 3>)>(sum_of_row);
  const auto data = ramp(1000);
  const auto sums = kernel(array_view<const double, 3>(data.data(), {2, 2, 5}, {96, 12, 1}));
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t j = 0; j < 2; ++j) {
      double expected = 0;
      for (std::size_t i = 0; i < 5; ++i) expected += data[k * 96 + j * 12 + i];
      CHECK(sums[k * 2 + j] == expected);
    }
}

TEST_CASE("an update writes into an array with gaps where it is safe in place, and beside where it is not") {
  for (const auto& program : {red_black(), jacobi()}) {
    const bool safe = program.name == "red_black";
    for (const auto& [rows, columns, pitch] : {std::array{5, 7, 8}, {18, 34, 40}}) {
      auto x = ramp(static_cast<std::size_t>(rows * columns));
      const Block u(rows, columns, pitch, x);
      const array_view dense(x.data(), {rows, columns});
      if (safe) {
        const auto sweep = compile<void(array_view<double, 2>, std::int32_t)>(program);
        sweep(dense, 1), sweep(u.view, 1);
      } else {
        const auto sweep = compile<void(array_view<double, 2>)>(program);
        sweep(dense), sweep(u.view);
      }
      CHECK(u.contents() == x);
      CHECK(u.gaps_are_left_alone());
    }
  }
  const Block u(18, 34, 41, ramp(18 * 34));
  std::int32_t color = 0;
  const Signature s{{{f64, 2, true, "a view"}, {i32, 0, false, "a number"}}, {}};
  const std::string source = source_for(red_black(), s, {value(u), {.data = &color}});
  CHECK(source.find("restrict out") == std::string::npos);
  CHECK(source.find("41") != std::string::npos);
}

TEST_CASE("several results, some with gaps") {
  const Expr both = fun(array({n, m}, f64), [](Expr a) {
    return tuple({a | map2([](Expr x) { return 2.0 * x; }), a | map2([](Expr x) { return x + 1.0; })});
  });
  const auto kernel =
      compile<void(array_view<const double, 2>, array_view<double, 2>, array_view<double, 2>)>(
          both, {.copy_views = true});
  const auto x = ramp(6 * 9);
  const Block twice(6, 9, 11, x), more(6, 9, 9, x);
  kernel(array_view<const double, 2>(x.data(), {6, 9}), twice.view, more.view);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(twice.contents()[i] == 2 * x[i]);
    CHECK(more.contents()[i] == x[i] + 1);
  }
  CHECK(twice.gaps_are_left_alone());
}

TEST_CASE("a derivation holds for arrays with gaps, too") {
  const Expr negative = fun(array({n, m}, f64), [](Expr a) { return a | map2([](Expr x) { return -x; }); });
  CompileOptions options;
  options.derivation = parse_derivation("map-par at body");
  const auto kernel = compile<void(array_view<const double, 2>, array_view<double, 2>)>(
      Program{{}, {}, negative, {}}, options);
  const auto x = ramp(20);
  const Block in(4, 5, 7, x), out(4, 5, 8, x);
  kernel(in.view, out.view);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(out.contents()[i] == -x[i]);
  const Callable callable(Program{{}, {}, negative, {}},
                          {{{f64, 2, false, "a view"}, {f64, 2, true, "a view"}}, {}}, options,
                          Where::current());
  const std::array arguments{value(in), value(out)};
  const auto& v = callable.variant(arguments, Where::current());
  CHECK(str(Callable::derivation(v)).find("map-par at 1") != std::string::npos);
}

TEST_CASE("what cannot be passed is refused, or copied on request") {
  const auto data = ramp(100);
  using Kernel = std::vector<double>(array_view<const double, 2>);
  const auto kernel = compile<Kernel>(cross());
  const array_view<const double, 2> columns(data.data(), {4, 5}, {1, 4}),
      every_second(data.data(), {3, 4}, {20, 2}), slanted(data.data(), {3, 4}, {9, 1});
  const std::string text = message([&] { kernel(columns); });
  CHECK(text.find("cross: argument 1 (a) is a view of 4x5 elements with the strides 1 4, which a kernel "
                  "cannot walk") == 0);
  CHECK(text.find("set CompileOptions::copy_views") != std::string::npos);
  CHECK(message([&] { kernel(every_second); }) != "");
  CHECK(message([&] { kernel(slanted); }) == "");  // its rows are blocks of rows of 9
  const auto copying = compile<Kernel>(cross(), {.copy_views = true});
  for (const auto& view : {columns, every_second}) {
    std::vector<double> same;
    for (std::int64_t j = 0; j < view.shape[0]; ++j)
      for (std::int64_t i = 0; i < view.shape[1]; ++i) same.push_back(view(j, i));
    CHECK(copying(view) == kernel(array_view<const double, 2>(same.data(), {view.shape[0], view.shape[1]})));
  }
}

TEST_CASE("blocks of one array share memory only where they meet") {
  const auto kernel = compile<void(array_view<const double, 2>, array_view<double, 2>)>(cross());
  std::vector<double> whole = ramp(6 * 20);
  const auto block = [&](std::int64_t first, std::int64_t row, std::int64_t width) {
    return array_view(whole.data() + row * 20 + first, {std::int64_t{3}, width}, {20, 1});
  };
  const auto met = [&](const array_view<double, 2>& out) {
    return message([&] { kernel(block(0, 0, 10), out); }).find("shares memory with argument 1") !=
           std::string::npos;
  };
  CHECK_FALSE(met(block(10, 0, 10)));
  CHECK_FALSE(met(block(10, 1, 10)));
  CHECK_FALSE(met(block(0, 3, 10)));
  CHECK(met(block(9, 0, 10)));
  CHECK(met(block(5, 2, 10)));
  CHECK(met(block(0, 0, 10)));
}

TEST_CASE("lengths and strides of a view may be of several integer types") {
  std::vector<double> data = ramp(60);
  const int rows = 4;
  const std::size_t columns = 5;
  const long pitch = 8;
  const array_view dense(data.data(), {rows, columns});
  const array_view wide(data.data(), {rows, columns}, {pitch, 1});
  CHECK(dense.shape == std::array<std::int64_t, 2>{4, 5});
  CHECK(dense.strides == std::array<std::int64_t, 2>{5, 1});
  CHECK(wide.strides == std::array<std::int64_t, 2>{8, 1});
  CHECK(&wide(3, columns - 1) == &data[3 * 8 + 4]);
}

TEST_CASE("views: rows and planes that overlap, or are one and the same, lie in no array around them") {
  const auto lie = [](const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    ArgumentValue v;
    v.rank = static_cast<int>(shape.size());
    std::copy(shape.begin(), shape.end(), v.shape.begin());
    std::copy(strides.begin(), strides.end(), v.strides.begin());
    return lengths_around(v).has_value();
  };
  CHECK(lie({4, 8}, {8, 1}));
  CHECK(lie({4, 8}, {10, 1}));
  CHECK_FALSE(lie({4, 8}, {0, 1}));  // one row, again and again
  CHECK_FALSE(lie({4, 8}, {3, 1}));  // windows that slide along a row
  CHECK(lie({2, 4, 8}, {40, 10, 1}));
  CHECK_FALSE(lie({2, 4, 8}, {0, 10, 1}));
  CHECK_FALSE(lie({2, 4, 8}, {20, 10, 1}));
  CHECK_FALSE(lie({2, 4, 8}, {32, 0, 1}));
}

}  // namespace views_test
