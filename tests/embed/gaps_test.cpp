// Arrays with gaps of programs whose results are not simply one update or one new array: below named values,
// of several updates, several results, by derivations of the program without gaps.
#include <doctest/doctest.h>

#include "embed/pitched.hpp"
#include "ir/text/parse.hpp"
#include "liftgen/lift.hpp"
#include "tests/embed/guarded.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::Guarded;
using lift::test::message;

namespace gaps_test {
namespace {

constexpr int kRows = 4, kColumns = 6;
using Cells = std::vector<double>;
using View = array_view<double, 2>;

Cells ramp() {
  Cells x;
  for (int j = 0; j < kRows; ++j)
    for (int i = 0; i < kColumns; ++i) x.push_back(10 * j + i);
  return x;
}

/// The ramp in rows that are `pitch` long, with -1 between them, and nothing behind the last element.
struct Block {
  explicit Block(int row_pitch)
      : pitch(row_pitch),
        memory(Cells(static_cast<std::size_t>((kRows - 1) * row_pitch + kColumns), -1)),
        view(memory.span.data(), {kRows, kColumns}, {row_pitch, 1}) {
    for (int j = 0; j < kRows; ++j)
      for (int i = 0; i < kColumns; ++i) view(j, i) = 10 * j + i;
  }
  Cells contents() const {
    Cells x;
    for (int j = 0; j < kRows; ++j)
      for (int i = 0; i < kColumns; ++i) x.push_back(view(j, i));
    return x;
  }
  bool gaps_are_left_alone() const {
    for (std::size_t at = 0; at < memory.span.size(); ++at)
      if (static_cast<int>(at) % pitch >= kColumns && memory.span[at] != -1) return false;
    return true;
  }
  int pitch;
  Guarded<double> memory;
  View view;
};

template <class F>
Cells cells(const F& f) {
  Cells x;
  for (int j = 0; j < kRows; ++j)
    for (int i = 0; i < kColumns; ++i) x.push_back(f(j, i));
  return x;
}
bool is_inside(int j, int i) { return j > 0 && j < kRows - 1 && i > 0 && i < kColumns - 1; }
Cells with_more_inside() {
  return cells([](int j, int i) { return 10.0 * j + i + (is_inside(j, i) ? 1 : 0); });
}

/// {u with 1 more inside, 2 u}: two results below named values.
Program named() {
  return parse_program(
      "param u : 4.6.f64\nresult a, b =\nlet s = u |> map2(\\v. 2 * v) in\n"
      "let w = update2(u, 1, u |> drop2(1, 1) |> map2(\\v. v + 1)) in {w, s}\n");
}
/// {2 u, 3 u}
Program two_results() {
  const Expr u = param("u", array({kRows, kColumns}, f64));
  const auto times = [&](double f) { return u | map2([=](Expr e) { return e * f; }); };
  return {"two", {u}, tuple({times(2), times(3)})};
}

}  // namespace

TEST_CASE("gaps: a result below named values that updates an array with gaps leaves its gaps alone") {
  const Program p = named();
  for (const bool copies : {false, true}) {
    CAPTURE(copies);
    const auto kernel = compile<void(View, View)>(p, {.copy_views = copies});
    Block u(8);
    Cells twice(kRows * kColumns);
    kernel(u.view, View(twice.data(), {kRows, kColumns}));
    CHECK(u.contents() == with_more_inside());
    CHECK(u.gaps_are_left_alone());
    CHECK(twice == cells([](int j, int i) { return 20.0 * j + 2 * i; }));
    // The other one has gaps, too: it is no update, and there is no array around it that it is a block of.
    Block v(9), out(7);
    const std::string said = message([&] { kernel(v.view, out.view); });
    CHECK(v.gaps_are_left_alone());
    CHECK(out.gaps_are_left_alone());
    if (copies) {
      CHECK(said.empty());
      CHECK(v.contents() == with_more_inside());
      CHECK(out.contents() == twice);
    } else {
      CHECK(said.find("argument 2 (the result) is a view with gaps, which this result cannot be written into "
                      "without a copy") != std::string::npos);
      CHECK(v.contents() == ramp());
      CHECK(out.contents() == ramp());
    }
  }
}

TEST_CASE("gaps: updates of an array that was updated, named or not, see what the first one wrote") {
  const Cells corner = cells([](int j, int i) {
    const double before = 10.0 * j + i;
    return is_inside(j, i) ? before + 1 : j == 0 && i < 3 ? 2 * before : before;
  });
  for (const char* body : {"let s = update2(u, 0, u |> drop2(0, 3) |> map2(\\v. 2 * v)) in\n"
                           "update2(s, 1, s |> drop2(1, 1) |> map2(\\v. v + 1))",
                           "update2(update2(u, 0, u |> drop2(0, 3) |> map2(\\v. 2 * v)), 1,\n"
                           "u |> drop2(1, 1) |> map2(\\v. v + 1))"}) {
    CAPTURE(body);
    const auto kernel =
        compile<void(View)>(parse_program("param u : 4.6.f64\nresult a =\n" + std::string(body) + "\n"));
    for (const int pitch : {kColumns, 8}) {
      Block u(pitch);
      kernel(u.view);
      CHECK(u.contents() == corner);
      CHECK(u.gaps_are_left_alone());
    }
  }
}

TEST_CASE("gaps: of several results each has its own, whatever is asked for of the program without them") {
  for (const char* derivation :
       {"", "map-par at 0\nmap-par at 1", "map-par at 1", "read-only at body\nmap-par at 0"}) {
    CAPTURE(derivation);
    CompileOptions options;
    if (*derivation != 0) options.derivation = parse_derivation(derivation), options.or_default = true;
    const auto kernel = compile<void(View, View, View)>(two_results(), options);
    Block u(7), twice(8), thrice(9);
    kernel(u.view, twice.view, thrice.view);
    CHECK(u.contents() == ramp());
    CHECK(twice.contents() == cells([](int j, int i) { return 20.0 * j + 2 * i; }));
    CHECK(thrice.contents() == cells([](int j, int i) { return 30.0 * j + 3 * i; }));
    CHECK(twice.gaps_are_left_alone());
    CHECK(thrice.gaps_are_left_alone());
  }
}

TEST_CASE("gaps: of results that do not stand one by one none is written within the array around it") {
  const Expr u = param("u", array({kRows, kColumns}, f64));
  const auto times = [&](double f) { return u | map2([=](Expr e) { return e * f; }); };
  const ArgumentKind in{f64, 2, false, "in"}, out{f64, 2, true, "out"};
  const std::vector<std::int64_t> rows_of_eight{kRows, 8};
  for (const auto& [body, into] :
       std::vector<std::pair<Expr, std::string>>{{tuple({times(2), tuple({times(3), times(4)})}), ""},
                                                 {tuple({times(2), times(3), times(4)}), "out2_around"}}) {
    const Plan plan = plan_of({"p", {u}, body, {}}, {{in, out, out, out}, {}}, {}, "");
    const Pitched p =
        within(plan.program, plan, {rows_of_eight, {}, {}, rows_of_eight}, {false, false, true});
    CHECK(p.into == std::vector<std::string>{"", "", into});
    CHECK(p.wrapped.size() == (into.empty() ? 0 : 1));
    CHECK(p.program.arguments[0].type() == array({kRows, 8}, f64));
    // All that reads u reads its block of the longer rows.
    const std::vector<ProgramResult> results = results_of(p.program);
    REQUIRE(results.size() == 3);
    CHECK(results[0].type == array({kRows, kColumns}, f64));
    CHECK(results[2].type == array({kRows, into.empty() ? kColumns : 8}, f64));
  }
}

TEST_CASE("gaps: a tuple of one result is copied where copies are asked for, else refused") {
  const Expr u = param("u", array({kRows, kColumns}, f64));
  const Program p{"single", {u}, tuple({u | map2([](Expr e) { return e * 2.0; })}), {}};
  for (const bool copies : {false, true}) {
    const auto kernel = compile<void(View, View)>(p, {.copy_views = copies});
    Block in(8), out(7);
    const std::string said = message([&] { kernel(in.view, out.view); });
    CHECK(said.empty() == copies);
    CHECK((copies || said.find("argument 2 (the result) is a view with gaps") != std::string::npos));
    CHECK(out.contents() == (copies ? cells([](int j, int i) { return 20.0 * j + 2 * i; }) : ramp()));
    CHECK(out.gaps_are_left_alone());
  }
}

TEST_CASE("gaps: a kernel for all sizes, or one that is kept, is not the one for arrays with gaps") {
  const Nat n = lift::nat("n"), m = lift::nat("m");
  const auto negative = [](const Expr& a) { return a | map2([](Expr e) { return -e; }); };
  const Expr any = param("u", array({n, m}, f64)), fixed = param("u", array({kRows, kColumns}, f64));
  const Cells expected = cells([](int j, int i) { return -10.0 * j - i; });
  const auto all_sizes =
                 compile<void(View, View)>(Program{"minus", {any}, negative(any)}, {.symbolic = true}),
             kept = compile<void(View, View)>(Program{"minus", {fixed}, negative(fixed)},
                                              {.keep_finished = true}),
             solved =
                 compile<void(View, View)>(Program{"minus", {any}, negative(any)}, {.keep_finished = true});
  for (const auto* kernel : {&all_sizes, &kept, &solved})
    for (const auto& [in, out] : {std::pair{kColumns, kColumns}, {8, kColumns}, {kColumns, 9}, {8, 7}}) {
      CAPTURE(in);
      CAPTURE(out);
      Block u(in), to(out);
      (*kernel)(u.view, to.view);
      CHECK(to.contents() == expected);
      CHECK(to.gaps_are_left_alone());
      CHECK(u.contents() == ramp());
    }
}

TEST_CASE("gaps: behind rows, planes and boxes, each with or without") {
  using Boxes = array_view<double, 4>;
  const Expr a = param("a", array({2, 3, 4, 5}, f64));
  const auto kernel = compile<void(Boxes, Boxes)>(
      Program{"four", {a}, a | map([](Expr x) { return x | map3([](Expr e) { return e * 2.0; }); }), {}});
  for (const auto& [behind_row, behind_plane, behind_box] : {std::array{0, 0, 1}, {0, 2, 0}, {3, 1, 1}}) {
    const std::int64_t row = 5 + behind_row, plane = row * (4 + behind_plane), box = plane * (3 + behind_box);
    // Up to the last element, and not further.
    const auto elements = static_cast<std::size_t>(box + 2 * plane + 3 * row + 5);
    const Guarded<double> in(Cells(elements, -5)), out(Cells(elements, -1));
    Cells expected(elements, -1);
    const Boxes from(in.span.data(), {2, 3, 4, 5}, {box, plane, row, std::int64_t{1}}),
        to(out.span.data(), {2, 3, 4, 5}, {box, plane, row, std::int64_t{1}});
    for (int b = 0; b < 2; ++b)
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 4; ++j)
          for (int i = 0; i < 5; ++i) {
            from(b, k, j, i) = 1000 * b + 100 * k + 10 * j + i;
            expected[static_cast<std::size_t>(b * box + k * plane + j * row + i)] = 2 * from(b, k, j, i);
          }
    kernel(from, to);
    CHECK(out.contents() == expected);
  }
}

TEST_CASE("gaps: views that go backwards, and one element many times, are read by a copy") {
  const Nat n = lift::nat("n"), m = lift::nat("m");
  const auto twice = compile<Cells(array_view<const double, 1>)>(
      fun(array(f64, n), [](Expr x) { return x | map([](Expr e) { return e * 2.0; }); }),
      {.copy_views = true});
  const Guarded<double> x({1, 2, 3});
  CHECK(twice(array_view<const double, 1>(x.span.data() + 2, {3}, {-1})) == Cells{6, 4, 2});
  const auto total = compile<double(array_view<const double, 2>)>(
      fun(array({n, m}, f64), [](Expr a) { return a | map([](Expr r) { return r | sum(); }) | sum(); }),
      {.copy_views = true});
  CHECK(total(array_view<const double, 2>(x.span.data() + 2, {3, 5}, {0, 0})) == 45);
  // Windows that slide along a row: 1 2, 2 3.
  CHECK(total(array_view<const double, 2>(x.span.data(), {2, 2}, {1, 1})) == 8);
}

}  // namespace gaps_test
