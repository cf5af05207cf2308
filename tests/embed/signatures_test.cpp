// Signatures on either side of what an expression needs: results that update an argument by way of named
// values, types that differ, numbers below their range.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "liftgen/lift.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::message;

namespace signatures_test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::vector<double> kBefore{1, 2, 3, 4, 5, 6, 7, 8};

Program steps(const std::string& results) {
  return parse_program(
      "param u : 8.f64\nresult a, b =\nlet s = u |> map(\\v. 2 * v) in\n"
      "let w = update(u, 1, u |> drop(1, 1) |> map(\\v. v + 1)) in\n" +
      results + "\n");
}

}  // namespace

TEST_CASE("signatures: a result below named values updates the argument that it says, and no other does") {
  const std::vector<double> twice{2, 4, 6, 8, 10, 12, 14, 16}, inside{1, 3, 4, 5, 6, 7, 8, 8};
  for (const std::string first : {"w", "update(u, 1, s |> drop(1, 1) |> map(\\v. v * 0.5 + 1))"}) {
    CAPTURE(first);
    std::vector<double> u = kBefore, out(8);
    compile<void(std::span<double>, std::span<double>)>(steps("{" + first + ", s}"))(u, out);
    CHECK(u == inside);
    CHECK(out == twice);
  }
  // Where the argument may not be written, or is no base of an update, each result has an array.
  std::vector<double> a(8), b(8);
  compile<void(std::span<const double>, std::span<double>, std::span<double>)>(steps("{w, s}"))(kBefore, a,
                                                                                                b);
  CHECK(a == inside);
  CHECK(b == twice);
  std::vector<double> u = kBefore;
  compile<void(std::span<double>, std::span<double>, std::span<double>)>(steps("{s, w |> map(\\v. v + 0)}"))(
      u, a, b);
  CHECK(u == kBefore);
  CHECK(a == twice);
  CHECK(b == inside);
}

TEST_CASE("signatures: each type of the language is named in C++") {
  for (const auto& [type, cpp] : std::vector<std::pair<Scalar, std::string>>{
           {f32, "float"}, {i32, "int"}, {i64, "std::int64_t"}, {u8, "std::uint8_t"}}) {
    CAPTURE(cpp);
    const Program p{"p", {param("x", array(type, Nat(4)))}, param("x", array(type, Nat(4))) | map([](Expr x) {
                                                              return x;
                                                            })};
    CHECK(has(message([&] { compile<std::vector<double>(const std::vector<double>&)>(p); }),
              "write " + cpp + " there, or declare the expression over f64"));
  }
  const Expr pairs = param("x", array(Type::tuple({f64, f64}), Nat(4)));
  CHECK(has(message([&] {
              compile<std::vector<double>(const std::vector<double>&)>(
                  Program{"p", {pairs}, pairs | map([](Expr x) { return get(0, x); })});
            }),
            "arguments and results are numbers and arrays of numbers: unzip tuples"));
  const Expr x = param("x", array(f64, Nat(4))), h = param("h", f64);
  CHECK(has(message([&] {
              compile<std::vector<double>(const std::vector<double>&, const std::vector<double>&)>(
                  Program{"p", {x, h}, x | map([=](Expr e) { return e * h; })});
            }),
            "write a number there"));
}

TEST_CASE("signatures: an index below its range is refused as one above is") {
  const Expr x = param("x", array(f64, Nat(2))), at = index_param("at", 1, 3);
  const auto kernel = compile<std::vector<double>(const std::vector<double>&, std::int32_t)>(
      Program{"p", {x, at}, x | map([=](Expr e) { return e * cast(f64, at); })});
  for (const int given : {0, 4, -7})
    CHECK(has(message([&] {
                kernel({1, 2}, given);
              }),
              "argument 2 (at) is " + std::to_string(given) + ", but lies in 1..3"));
  CHECK(kernel({1, 2}, 1) == std::vector<double>{1, 2});
  CHECK(kernel({1, 2}, 3) == std::vector<double>{3, 6});
}

}  // namespace signatures_test
