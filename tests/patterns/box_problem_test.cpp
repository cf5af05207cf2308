// The benchmark's data: smooth, within its bounds, nowhere constant, different from box to box, and lambda as
// defined.
#include <doctest/doctest.h>

#include "patterns/box_cells.hpp"
#include "patterns/operators.hpp"
#include "tests/message.hpp"
#include "tests/patterns/box_data.hpp"

using namespace lift;
using namespace lift::testing;

namespace box_problem_test {
namespace {

Problem problem(const std::string& boundary, std::int64_t box = 6, std::int64_t ghost = 2) {
  Problem p;
  p.box = box, p.boxes = 2, p.ghost = ghost, p.boundary = boundary;
  return p;
}

}  // namespace

TEST_CASE("coefficients lie within their bounds and no array is constant along any axis") {
  const Pattern pattern = smooth3d();
  for (const char* boundary : {"ghost", "periodic"}) {
    CAPTURE(boundary);
    const BoxData data(pattern, problem(boundary));
    for (const char* name : {"phi", "rhs", "alpha", "beta_i", "beta_j", "beta_k", "lambda"}) {
      CAPTURE(name);
      const auto x = data.values(name);
      const auto n = host::lengths(data.argument(name).type);
      const auto [low, high] = std::minmax_element(x.begin(), x.end());
      CHECK(*high - *low > 0.05);
      if (name[0] == 'a' || name[0] == 'b')
        CHECK((*low >= 0.7 && *high <= 1.3));
      else
        CHECK((*low >= -1.0 && *high <= 1.0));
      const std::size_t strides[] = {static_cast<std::size_t>(n[1] * n[2] * n[3]),
                                     static_cast<std::size_t>(n[2] * n[3]), static_cast<std::size_t>(n[3]),
                                     1};
      for (const std::size_t stride : strides) CHECK(x[0] != x[stride]);
    }
  }
}

TEST_CASE("lambda is the inverse diagonal") {
  const Pattern pattern = smooth3d();
  for (const char* boundary : {"ghost", "neumann"}) {
    const Problem p = problem(boundary);
    const BoxData data(pattern, p);
    const auto boxes = [&](const char* name) {
      return host::BoxCells<const double>({p, 3}, data.argument(name));
    };
    const auto alpha = boxes("alpha"), bi = boxes("beta_i"), bj = boxes("beta_j"), bk = boxes("beta_k"),
               lambda = boxes("lambda");
    for (std::int64_t k = 0; k < p.box; ++k)
      for (std::int64_t j = 0; j < p.box; ++j)
        for (std::int64_t i = 0; i < p.box; ++i) {
          const double beta = bi(1, k, j, i) + bi(1, k, j, i + 1) + bj(1, k, j, i) + bj(1, k, j + 1, i) +
                              bk(1, k, j, i) + bk(1, k + 1, j, i);
          CHECK(lambda(1, k, j, i) == doctest::Approx(1 / (alpha(1, k, j, i) + 0.5 * beta)));
        }
  }
}

TEST_CASE(
    "a cell's data does not depend on the ghost depth, and the ghost zone continues the box periodically") {
  const Pattern pattern = smooth3d();
  const BoxData shallow(pattern, problem("ghost", 6, 1)), deep(pattern, problem("ghost", 6, 3)),
      none(pattern, problem("neumann"));
  for (const char* name : {"phi", "rhs", "alpha", "lambda"}) {
    CAPTURE(name);
    const host::BoxCells<const double> x({problem("ghost", 6, 1), 3}, shallow.argument(name)),
        y({problem("ghost", 6, 3), 3}, deep.argument(name)), z({problem("neumann"), 3}, none.argument(name));
    for (const std::int64_t i : {0, 3, 5}) {
      CHECK(x(1, 2, 4, i) == y(1, 2, 4, i));
      CHECK(x(1, 2, 4, i) == z(1, 2, 4, i));
    }
    CHECK(x(0, 2, 4, -1) == doctest::Approx(x(0, 2, 4, 5)));
    CHECK(y(0, 8, 4, 1) == doctest::Approx(y(0, 2, 4, 1)));
  }
}

TEST_CASE("f32 data is f64 data rounded") {
  const Pattern pattern = smooth3d();
  Problem p = problem("ghost");
  const BoxData wide(pattern, p);
  p.type = f32;
  const BoxData narrow(pattern, p);
  for (const char* name : {"phi", "beta_j", "lambda", "b_h2inv"}) {
    const auto x = wide.values(name), y = narrow.values(name);
    REQUIRE(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == static_cast<double>(static_cast<float>(x[i])));
  }
}

TEST_CASE(
    "shapes: ghost zones for the ghost boundary alone, else one more face than cells; in any dimension") {
  const auto boxes = [](const std::string& boundary, int dim) {
    return BoxProblem(problem(boundary, 6, 2), dim);
  };
  CHECK(cell_array(boxes("ghost", 3)).str() == "2.10.10.10.f64");
  CHECK(face_array(boxes("ghost", 3), 1).str() == "2.10.10.10.f64");
  CHECK(cell_array(boxes("neumann", 3)).str() == "2.6.6.6.f64");
  CHECK(face_array(boxes("neumann", 3), 2).str() == "2.6.6.7.f64");
  CHECK(face_array(boxes("neumann", 3), 1).str() == "2.6.7.6.f64");
  CHECK(face_array(boxes("neumann", 3), 0).str() == "2.7.6.6.f64");
  CHECK(cell_array(boxes("ghost", 1)).str() == "2.10.f64");
  CHECK(face_array(boxes("periodic", 2), 1).str() == "2.6.7.f64");
  Problem p = problem("ghost", 4, 1);
  p.sides = {8, 6, 4};
  CHECK(cell_array(BoxProblem(p, 3)).str() == "2.10.8.6.f64");
  CHECK(cell_array(grown(BoxProblem(p, 3), 1)) == cell_array(BoxProblem(p, 3)));
  p.boundary = "neumann";
  CHECK(face_array(BoxProblem(p, 3), 0).str() == "2.9.6.4.f64");
  CHECK(
      test::message([&] { BoxProblem(p, 2); }) ==
      "--box 8,6,4: these boxes have 2 dimension(s); give one number for all, or one for each, the outermost "
      "first");
  CHECK(axis_name(boxes("ghost", 3), 0) == "k");
  CHECK(axis_name(boxes("ghost", 2), 0) == "j");
  CHECK(axis_name(boxes("ghost", 1), 0) == "i");
}

}  // namespace box_problem_test
