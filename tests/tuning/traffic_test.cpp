// Compulsory traffic against the numbers of the literature (000, section 5.2; write-allocate counted).
#include "tuning/traffic.hpp"

#include <doctest/doctest.h>

#include "patterns/operators.hpp"

using namespace lift;

namespace {

Traffic smoother_traffic(const std::string& smoother, const std::string& boundary, Scalar type = f64) {
  Problem problem;
  problem.box = 16, problem.boxes = 2, problem.boundary = boundary, problem.type = type;
  problem.choices["smoother"] = smoother;
  return traffic(smooth3d().build(problem));
}

}  // namespace

TEST_CASE("traffic: bytes a cell of the variable-coefficient smoothers") {
  for (const char* boundary : {"ghost", "periodic", "dirichlet"}) {
    CAPTURE(boundary);
    CHECK(smoother_traffic("gsrb", boundary).bytes_per_cell() == doctest::Approx(64));
    CHECK(smoother_traffic("jacobi", boundary).bytes_per_cell() == doctest::Approx(72));
    CHECK(smoother_traffic("jacobi", boundary, f32).bytes_per_cell() == doctest::Approx(36));
  }
}

TEST_CASE("traffic: cells and flops") {
  const Traffic t = smoother_traffic("jacobi", "ghost");
  CHECK(t.cells == 2 * 16 * 16 * 16);
  // a*alpha*phi: 2; six faces: a difference and a product each: 12, summed: 5; b/h^2: 1; two subtractions; w*lambda: 2; +: 1
  CHECK(t.flops_per_cell() == doctest::Approx(25));
  CHECK(smoother_traffic("gsrb", "ghost").flops_per_cell() == doctest::Approx(12));
}
