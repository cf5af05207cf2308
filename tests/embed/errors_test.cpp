// The 2D 9-point stencil of the README as a new user writes it, broken in five ways: each message names the
// line, the cause and a remedy. Then the other mistakes that a call can make.
#include <doctest/doctest.h>

#include "liftgen/lift.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::message;

namespace errors_test {
namespace {

const Nat n = lift::nat("n");

/// Says all of it, and names the line.
bool says(const std::string& message, const std::vector<std::string>& parts, int line) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    at = message.find(part, at);
    if (at == std::string::npos) {
      MESSAGE("'" << part << "' is missing in: " << message);
      return false;
    }
  }
  const std::string where = "errors_test.cpp:" + std::to_string(line) + "]";
  if (message.find(where) != std::string::npos) return true;
  MESSAGE(where << " is missing in: " << message);
  return false;
}

Expr pixel(Expr w) {
  return 0.0625 * (w[0][0] + w[0][2] + w[2][0] + w[2][2]) + 0.125 * (w[0][1] + w[1][0] + w[1][2] + w[2][1]) +
         0.25 * w[1][1];
}
Program stencil() {
  const Expr image = param("image", array({n, n}, f64));
  return {"stencil", {image}, image | pad2(1, 1, clamp) | slide2(3, 1) | map2(pixel), {}};
}

using Filter = std::vector<double>(const std::vector<double>&);
using FilterInto = void(array_view<const double, 2>, array_view<double, 2>);

}  // namespace

TEST_CASE("as written it works") {
  const auto kernel = compile<Filter>(stencil());
  const std::vector<double> smoothed = kernel(std::vector<double>(36, 2.0));
  CHECK(smoothed == std::vector<double>(36, 2.0));
}

TEST_CASE("wrong rank") {
  const Expr image = param("image", array(f64, n));
  // in the expression
  const int line = __LINE__ + 1;
  CHECK(
      says(message([&] { image | pad2(1, 1, clamp) | slide2(3, 1) | map2(pixel); }),
           {"pad: needs an array of rank 2, got n.f64", "apply it inside map, or use the form of lower rank"},
           line));
  // in the signature
  const int compiled = __LINE__ + 1;
  CHECK(says(message([] { compile<std::vector<double>(array_view<const double, 3>)>(stencil()); }),
             {"stencil: argument 1 (image) is n.n.f64 in the expression, but lift::array_view<const double, "
              "3> in the signature",
              "a view of rank 2 is needed"},
             compiled));
}

TEST_CASE("wrong size") {
  const auto kernel = compile<Filter>(stencil());
  const int line = __LINE__ + 1;
  CHECK(says(message([&] { kernel(std::vector<double>(35)); }),
             {"stencil: argument 1 (image) has length 35, which cannot be n*n", "image 35",
              "pass arrays of lengths that agree"},
             line));
  const auto into = compile<FilterInto>(stencil());
  std::vector<double> data(100);
  const int call = __LINE__ + 1;
  CHECK(says(message([&] {
               into(array_view(data.data(), {6, 5}), array_view(data.data() + 50, {6, 6}));
             }),
             {"argument 1 (image), dimension 2 of n.n.f64, has length 5, expected n = 6",
              "image 6x5, result 6x6", "pass arrays of lengths that agree"},
             call));
}

TEST_CASE("missing boundary") {
  const Expr image = param("image", array({n, n}, f64));
  const int line = __LINE__ + 1;
  const Program p{"stencil", {image}, image | slide2(3, 1) | map2(pixel), {}};
  const auto into = compile<FilterInto>(p);
  const std::vector<double> in(100);
  std::vector<double> out(100);
  CHECK(
      says(message([&] {
             into(array_view(in.data(), {10, 10}), array_view(out.data(), {10, 10}));
           }),
           {"stencil: argument 2 (the result), dimension 1", "has length 10, expected n - 2 = 8 with n = 10",
            "no pad before it, so there is no result at the boundary: pad the array first"},
           line));
  const int call = __LINE__ + 1;
  CHECK(says(message([&] {
               into(array_view(in.data(), {10, 10}), array_view(out.data(), {10, 10}));
             }),
             {}, call));
}

TEST_CASE("type mismatch") {
  const int line = __LINE__ + 1;
  CHECK(says(message([] { compile<std::vector<float>(const std::vector<float>&)>(stencil()); }),
             {"stencil: argument 1 (image) is n.n.f64 in the expression, but const std::vector<float>& in "
              "the signature",
              "write double there, or declare the expression over f32"},
             line));
  const Expr image = param("image", array({n, n}, f64)), weight = param("weight", f32);
  const int scaled = __LINE__ + 1;
  CHECK(says(message([&] { image | map2([=](Expr x) { return x * weight; }); }),
             {"mul: an operand has type f32, expected f64", "cast one operand to the other's type"}, scaled));
}

TEST_CASE("unknown name") {
  const Expr image = param("image", array({n, n}, f64)), picture = param("picture", array({n, n}, f64));
  const Program p{"stencil", {image}, picture | pad2(1, 1, clamp) | slide2(3, 1) | map2(pixel), {}};
  const int line = __LINE__ + 1;
  CHECK(says(message([&] { compile<Filter>(p); }),
             {"stencil: the expression mentions 'picture' (n.n.f64), which is no argument of the program",
              "add it to the arguments, or correct its name"},
             line));
  const int sized = __LINE__ + 1;
  CHECK(says(message([] {
               compile<Filter>(stencil(), {.sizes = {{"width", 64}}});
             }),
             {"stencil: there is no size 'width'; its sizes are n"}, sized));
  const int explored = __LINE__ + 1;
  CHECK(says(message([] {
               explore(stencil(), {.sizes = {{"m", 64}}});
             }),
             {"stencil: there is no size 'm'; its sizes are n"}, explored));
  const Expr function = fun(array(f64, n), [](Expr xs) { return xs | map([](Expr x) { return -x; }); });
  using namespace std::chrono_literals;
  CHECK(message([&] {
          explore(function, {.sizes = {{"n", 64}}, .budget = 1s, .overwrites = {"y"}});
        }).find("kernel: 'y' is to be overwritten, but is no array among the arguments") == 0);
  CHECK(message([&] {
          explore(function, {.sizes = {{"n", 64}}, .data = {{"y", {}}}});
        }).find("kernel: data is given for 'y', which is no argument; its arguments are x") == 0);
  CHECK(message([&] {
          compile<Filter>(function, {.names = {"a", "b"}});
        }).find("kernel: 2 names for a function of 1 arguments; name each") == 0);
}

TEST_CASE("numbers of arguments and results") {
  const int line = __LINE__ + 1;
  CHECK(
      says(message([] { compile<std::vector<double>()>(stencil()); }),
           {"stencil: the signature has 0 arguments, the expression 1 (image: n.n.f64)", "pass one for each"},
           line));
  CHECK(message([] {
          compile<void(std::span<const double>)>(stencil());
        }).find("which need 2; pass a writable array for each result after the arguments") !=
        std::string::npos);
  CHECK(message([] {
          compile<std::tuple<std::vector<double>, double>(std::span<const double>)>(stencil());
        }).find("has 1 result and 1 argument, the signature returns 2") != std::string::npos);
  CHECK(message([] {
          compile<double(std::span<const double>)>(stencil());
        }).find("result 1 is n.n.f64 in the expression, but double in the signature") != std::string::npos);
  CHECK(
      message([] {
        compile<std::vector<double>(double)>(stencil());
      }).find("but double in the signature; write a std::vector, a std::span or a lift::array_view there") !=
      std::string::npos);
}

TEST_CASE("what may be written") {
  CHECK(message([] {
          compile<void(std::span<const double>, std::span<const double>)>(stencil());
        }).find("argument 2 (the result) receives a result, but is std::span<const double>") !=
        std::string::npos);
  std::vector<double> image(36, 2.0);  // may be written, but is not
  CHECK(compile<std::vector<double>(std::vector<double>&)>(stencil())(image) == image);
  const auto into = compile<FilterInto>(stencil());
  std::vector<double> data(200);
  const int line = __LINE__ + 1;
  CHECK(
      says(message([&] {
             into(array_view(data.data(), {10, 10}), array_view(data.data() + 50, {10, 10}));
           }),
           {"argument 2 (the result) is written, but shares memory with argument 1;", "pass separate arrays"},
           line));
  CHECK(message([&] {
          into(array_view<const double, 2>(nullptr, {10, 10}), array_view(data.data(), {10, 10}));
        }).find("argument 1 (image) has no data") != std::string::npos);
}

TEST_CASE("values and sizes of a call") {
  const Expr x = param("x", array(f64, n)), color = index_param("color", 0, 1);
  const Program p{"scaled", {x, color}, x | map([=](Expr e) { return e * cast(f64, color); }), {}};
  const auto kernel = compile<std::vector<double>(const std::vector<double>&, std::int32_t)>(p);
  CHECK(kernel({1, 2}, 1) == std::vector<double>{1, 2});
  const int line = __LINE__ + 1;
  CHECK(says(message([&] { kernel({1, 2}, 2); }), {"argument 2 (color) is 2, but lies in 0..1"}, line));
  CHECK(message([&] { kernel({}, 0); }).find("n = 0, but n is at least 1") != std::string::npos);

  const Nat m = lift::nat("m");
  const auto flat = compile<std::vector<double>(std::span<const double>)>(
      fun(array({n, m}, f64), [](Expr a) { return a | map2([](Expr e) { return e; }); }));
  const std::vector<double> six(6);
  CHECK(message([&] {
          flat(six);
        }).find("the size 'n' does not follow from the arguments (x 6); pass a lift::array_view") !=
        std::string::npos);

  const Expr valid =
      fun(array(f64, n), [](Expr xs) { return xs | slide(5, 1) | map([](Expr w) { return w[0] + w[4]; }); });
  const auto windows = compile<std::vector<double>(std::span<const double>)>(valid);
  const int slid = __LINE__ - 2;
  CHECK(says(message([&] { windows(std::vector<double>(3)); }),
             {"kernel with n = 3: slide: window of 5 is longer than the length 3",
              "pad the array or make the window smaller"},
             slid));
}

TEST_CASE("a derivation that does not apply is an error, unless the default is to be taken") {
  const Expr negative = fun(array(f64, n), [](Expr xs) { return xs | map([](Expr x) { return -x; }); });
  const auto by = [&](const std::string& derivation, bool or_default) {
    return compile<std::vector<double>(std::span<const double>)>(
        negative, {.derivation = parse_derivation(derivation), .or_default = or_default});
  };
  const std::vector<double> x{1, 2, 3};
  CHECK(message([&] { by("map-par at body\nmap-vek 8 at 0.0", false); })
            .find("the derivation's step 'map-vek 8 at 0.0': rule 'map-vek' does not exist; did you mean "
                  "map-vec?") != std::string::npos);
  CHECK(by("map-vek 8 at 0.0", true)(x) == std::vector<double>{-1, -2, -3});
  const int misplaced = __LINE__ + 1;
  CHECK(says(message([&] { by("map-par at 0.0.0.0", false)(x); }), {"map-par at 0.0.0.0"}, misplaced));
  CHECK(by("map-par at 0.0.0.0", true)(x) == std::vector<double>{-1, -2, -3});
  CHECK(message([&] { by("tile 2 into the blue", false); }) != "");
}

TEST_CASE("C text of a user function that does not compile is the user's") {
  const UserFun broken("broken", {{"x", f64}}, f64, "return x + ;",
                       [](std::span<const double> x) { return x[0]; });
  const auto kernel = compile<std::vector<double>(std::span<const double>)>(
      fun(array(f64, n), [&](Expr xs) { return xs | map([&](Expr x) { return broken(x); }); }));
  CHECK(message([&] {
          kernel(std::vector<double>(3));
        }).find("look at the C text of the user function broken") != std::string::npos);
}

}  // namespace errors_test
