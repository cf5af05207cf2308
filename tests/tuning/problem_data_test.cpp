// Comparison of results, and the data variants are run on.
#include "tuning/problem_data.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ir/error.hpp"
#include "patterns/operators.hpp"

using namespace lift;

namespace problem_data_test {
namespace {

template <class T>
double error_of(std::vector<T> a, std::vector<T> b, Scalar s) {
  const Type type = array({Nat(static_cast<std::int64_t>(a.size()))}, s);
  return relative_error({"a", type, a.data()}, {"b", type, b.data()});
}

}  // namespace

TEST_CASE("verification: the error is relative to the element, or to the mean where the element is small") {
  CHECK(error_of<double>({1, 2, 3}, {1, 2, 3}, f64) == 0);
  CHECK(error_of<double>({1, 2, 4.5}, {1, 2, 3}, f64) == doctest::Approx(0.5));
  CHECK(error_of<double>({1e-9, 3}, {0, 3}, f64) == doctest::Approx(1e-9 / 1.5));
  CHECK(error_of<float>({1, 2.5F}, {1, 2}, f32) == doctest::Approx(0.25));
  CHECK(error_of<double>({0, 0}, {0, 0}, f64) == 0);
  CHECK(error_of<double>({1e-300, 0}, {0, 0}, f64) > 1);
}

TEST_CASE("verification: what was not written, or is not a number, is infinitely wrong") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK(std::isinf(error_of<double>({1, nan}, {1, 2}, f64)));
  CHECK(std::isinf(error_of<double>({1, inf}, {1, 2}, f64)));
  CHECK(std::isinf(error_of<double>({1, 2}, {1, nan}, f64)));
  CHECK(error_of<double>({nan, 2}, {nan, 2}, f64) == 0);
}

TEST_CASE("verification: arrays of different types are not compared") {
  std::vector<double> a(4), b(4);
  CHECK_THROWS_AS(
      relative_error({"a", array({Nat(4)}, f64), a.data()}, {"b", array({Nat(2), Nat(2)}, f64), b.data()}),
      InternalError);
}

TEST_CASE("verification: the tolerance admits rounding and nothing else") {
  CHECK(tolerance(f64) == 1e-12);
  CHECK(tolerance(f32) == 1e-5);
  CHECK(tolerance(i32) == 0);
}

TEST_CASE("data: every argument of a program is filled, and found by its name") {
  const Pattern pattern = smooth3d();
  Problem problem;
  problem.box = 4, problem.boxes = 2;
  const Program program = pattern.build(problem);
  const ProblemData data(pattern, problem, program, 1);
  REQUIRE(data.all().size() == program.arguments.size());
  const HostArray* phi = data.find("phi");
  REQUIRE(phi != nullptr);
  CHECK(bytes_of(phi->type) == 2 * 6 * 6 * 6 * sizeof(double));
  const double* values = static_cast<const double*>(phi->data);
  CHECK(values[0] != values[1]);
  CHECK(data.find("out") == nullptr);
}

}  // namespace problem_data_test
