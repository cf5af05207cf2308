// Results that are not where one expects them: beside an argument that the kernel overwrites all the same, in
// the caller's layout while all arrays are in another one, in arrays with gaps by a derivation that updates
// in place.
#include <doctest/doctest.h>

#include "embed/pitched.hpp"
#include "liftgen/lift.hpp"
#include "rewrite/rules/layout_step.hpp"
#include "tests/embed/guarded.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::Guarded;
using lift::test::message;

namespace results_beside_test {
namespace {

constexpr int kRows = 6, kColumns = 8;
using Cells = std::vector<double>;
using View = array_view<double, 2>;
using ReadView = array_view<const double, 2>;

std::size_t at(int j, int i) { return static_cast<std::size_t>(j * kColumns + i); }
bool is_inside(int j, int i) { return j > 0 && j < kRows - 1 && i > 0 && i < kColumns - 1; }
Cells cells(const std::function<double(int j, int i)>& f) {
  Cells x;
  for (int j = 0; j < kRows; ++j)
    for (int i = 0; i < kColumns; ++i) x.push_back(f(j, i));
  return x;
}
double ramp(int j, int i) { return (13 * j + 5 * i) % 17; }

/// Twice as much inside; then of what that gives, the cell above and ten times the one to the left, which
/// cannot be written over what is still to be read.
Program doubled_then_moved() {
  const Expr u = param("u", array({kRows, kColumns}, f64));
  return {
      "moved",
      {u},
      let(update(u, {1, 1}, u | drop2(1, 1) | map2([](Expr e) { return e * 2.0; })), [](Expr s) {
        return update(s, {1, 1}, s | slide2(3, 1) | map2([](Expr w) { return w[0][1] + 10.0 * w[1][0]; }));
      })};
}
Cells doubled_then_moved(const Cells& u) {
  const Cells s = cells([&](int j, int i) { return (is_inside(j, i) ? 2 : 1) * u[at(j, i)]; });
  return cells(
      [&](int j, int i) { return is_inside(j, i) ? s[at(j - 1, i)] + 10 * s[at(j, i - 1)] : s[at(j, i)]; });
}

/// f times as much inside.
Expr inside(const Expr& x, double f) {
  return update(x, {1, 1}, x | drop2(1, 1) | map2([=](Expr e) { return e * f; }));
}

}  // namespace

TEST_CASE("results beside: an argument is overwritten on the way, and gets the result that lies beside it") {
  for (const char* derivation : {"", "overwrite-bases at body"}) {
    CAPTURE(std::string(derivation));
    CompileOptions options;
    if (*derivation != 0) options.derivation = parse_derivation(derivation);
    const ArgumentKind updated{f64, 2, true, "a view"};
    const Callable kernel(doubled_then_moved(), {{updated}, {}}, options, Where::current());
    for (const int pitch : {kColumns, kColumns + 3}) {
      CAPTURE(pitch);
      // Within an array with gaps all is computed beside it, and that is not what the derivation asks for.
      if (pitch > kColumns && *derivation != 0) continue;
      const Guarded<double> memory(Cells(static_cast<std::size_t>((kRows - 1) * pitch + kColumns), -1));
      const View u(memory.span.data(), {kRows, kColumns}, {pitch, 1});
      for (int j = 0; j < kRows; ++j)
        for (int i = 0; i < kColumns; ++i) u(j, i) = ramp(j, i);
      ArgumentValue value;
      value.data = u.data, value.rank = 2, value.shape = {kRows, kColumns}, value.strides = {pitch, 1};
      const std::vector<ArgumentValue> arguments{value};
      const auto& variant = kernel.variant(arguments, Where::current());
      if (pitch == kColumns) {  // both are written
        CHECK(Callable::kernel(variant).arguments.at(0).written);
        CHECK(Callable::kernel(variant).results.at(0) != "u");
      }
      CHECK(message([&] { kernel.run(variant, arguments, {}, Where::current()); }) == "");
      CHECK(cells([&](int j, int i) { return u(j, i); }) == doubled_then_moved(cells(ramp)));
      for (std::size_t e = 0; e < memory.span.size(); ++e)
        if (static_cast<int>(e) % pitch >= kColumns) CHECK(memory.span[e] == -1);
    }
  }
}

TEST_CASE("results beside: of several, none is written into an array that is stored in another way") {
  using Of = stored_array<double, 2>;
  const Expr u = param("u", array({kRows, kColumns}, f64));
  const auto times = [&](double f) { return u | map2([=](Expr e) { return e * f; }); };
  const Program p{"two", {u}, tuple({times(2), times(3)})};
  for (const char* layout : {"split 2 1", "rows 8 1", "rows 16 0"})
    for (const bool by_derivation : {false, true}) {
      CAPTURE(std::string(layout));
      CAPTURE(by_derivation);
      CompileOptions options;
      if (by_derivation) options.derivation = Derivation{layout_step(parse_layout(layout))};
      const LayoutRequest wanted = parse_layout(layout);
      Of x(wanted, {kRows, kColumns}), twice(wanted, {kRows, kColumns}), thrice(wanted, {kRows, kColumns});
      const std::string said =
          message([&] { compile<void(const Of&, Of&, Of&)>(p, options)(x, twice, thrice); });
      CHECK(said.starts_with("two: argument 2 (the result) is written in the layout 'caller', not in '" +
                             std::string(layout) + "', asked for in"));
    }
  // In the caller's layout there are both.
  Of x(kCallersLayout, {kRows, kColumns}), twice(kCallersLayout, {kRows, kColumns}),
      thrice(kCallersLayout, {kRows, kColumns});
  x(2, 3) = 5;
  compile<void(const Of&, Of&, Of&)>(p)(x, twice, thrice);
  CHECK(twice(2, 3) == 10);
  CHECK(thrice(2, 3) == 15);
  CHECK(thrice(3, 2) == 0);
}

TEST_CASE("results beside: what a derivation updates in place, within arrays with gaps it updates once") {
  const Nat n = lift::nat("n");
  const Expr u = param("u", array({n, kColumns}, f64)), v = param("v", array({n, kColumns}, f64));
  for (const bool is_update : {true, false})
    for (const char* derivation : {"update-in-place at body", "update-in-place at body\nmap-par at 0.1"}) {
      CAPTURE(is_update);
      CAPTURE(std::string(derivation));
      // v is not to be written: what updates it is a new array, with gaps of its own.
      const Expr second = is_update ? inside(v, 3) : v | map2([](Expr e) { return e * 3.0; });
      const auto kernel = compile<void(View, ReadView, View)>(
          Program{"p", {u, v}, tuple({inside(u, 5), second})}, {.derivation = parse_derivation(derivation)});
      const Cells from = cells([](int j, int i) { return ramp(j, i) + 1; });
      const auto elements = [](int pitch) {
        return static_cast<std::size_t>((kRows - 1) * pitch + kColumns);
      };
      const Guarded<double> around_u(Cells(elements(9), -1)), around_to(Cells(elements(11), -1));
      const View x(around_u.span.data(), {kRows, kColumns}, {9, 1}),
          to(around_to.span.data(), {kRows, kColumns}, {11, 1});
      for (int j = 0; j < kRows; ++j)
        for (int i = 0; i < kColumns; ++i) x(j, i) = ramp(j, i);
      CHECK(message([&] { kernel(x, ReadView(from.data(), {kRows, kColumns}), to); }) == "");
      CHECK(cells([&](int j, int i) { return x(j, i); }) ==
            cells([](int j, int i) { return (is_inside(j, i) ? 5 : 1) * ramp(j, i); }));
      CHECK(cells([&](int j, int i) { return to(j, i); }) ==
            cells([&](int j, int i) { return (is_inside(j, i) || !is_update ? 3 : 1) * from[at(j, i)]; }));
      for (std::size_t e = 0; e < around_u.span.size(); ++e)
        if (e % 9 >= kColumns) CHECK(around_u.span[e] == -1);
      for (std::size_t e = 0; e < around_to.span.size(); ++e)
        if (e % 11 >= kColumns) CHECK(around_to.span[e] == -1);
    }
}

TEST_CASE("results beside: all are updated in place by one step, which a derivation has or gets") {
  const auto moved_to = [](const std::string& derivation, const std::vector<std::string>& into) {
    const Pitched p{{}, into, {{1}}};
    return str(moved(parse_derivation(derivation), p));
  };
  const std::vector<std::string> all{"u", "b_around"};
  CHECK(moved_to("map-par at 0\nmap-par at 1\n", all) ==
        "update-in-place at body\nmap-par at 0\nmap-par at 1.1\n");
  CHECK(moved_to("update-in-place at body\nmap-par at 1.0\n", all) ==
        "update-in-place at body\nmap-par at 1.1.0\n");
  // One for the step of an iteration says nothing of the results.
  CHECK(moved_to("update-in-place at 0.2\nmap-par at body\n", all) ==
        "update-in-place at body\nupdate-in-place at 0.2\nmap-par at body\n");
  CHECK(moved_to("map-par at body\n", {"", "b_around"}) == "map-par at body\n");
}

}  // namespace results_beside_test
