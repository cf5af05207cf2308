// Views whose strides lead further than there are numbers, and views of which one element is at several
// positions, against all their elements one by one.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "embed/arguments.hpp"
#include "liftgen/lift.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::message;

namespace views_in_reach_test {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t two_to_the(int n) { return std::int64_t{1} << n; }
using Lengths = std::vector<std::int64_t>;

ArgumentValue view(const Lengths& shape, const Lengths& strides) {
  ArgumentValue v;
  v.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), v.shape.begin());
  std::copy(strides.begin(), strides.end(), v.strides.begin());
  return v;
}

/// Whether two positions of a view are as far from its first element.
bool has_one_element_twice(const ArgumentValue& v) {
  Lengths all;
  for (std::int64_t k = 0; k < v.shape[0]; ++k)
    for (std::int64_t j = 0; j < v.shape[1]; ++j)
      for (std::int64_t i = 0; i < v.shape[2]; ++i)
        all.push_back(k * v.strides[0] + j * v.strides[1] + i * v.strides[2]);
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

Expr twice(const Expr& x) {
  return x | map2([](Expr e) { return e * 2.0; });
}

}  // namespace

TEST_CASE("views: what lies further from the first element than a number says is out of reach") {
  struct Case {
    Lengths shape, strides;
    bool in_reach;
  };
  const std::int64_t far = two_to_the(62), near = two_to_the(40);
  const std::vector<Case> cases{
      {{near + 1}, {near}, false},        // 2^80 elements further
      {{near + 1}, {-near}, false},       // and before
      {{3}, {far}, false},                // 2^63
      {{2, 2}, {far, far}, false},        // each is a number, but not both together
      {{2, 2}, {far, -far}, false},       // apart from one another
      {{2, 2, 2}, {far, 1, far}, false},  // not by the last alone
      {{2}, {two_to_the(61)}, false},     // 2^64 bytes
      {{2}, {-two_to_the(61)}, false},
      {{5}, {two_to_the(58)}, false},  // each step is near enough, but not all of them
      {{31, 31}, {two_to_the(58), two_to_the(58)}, false},
      {{2}, {std::numeric_limits<std::int64_t>::min()}, false},
      {{1}, {std::numeric_limits<std::int64_t>::min()}, true},
      {{2, 2}, {near, near}, true},
      {{1, 1, 3}, {kMost, kMost, 2}, true},  // a length of one has no stride
      {{two_to_the(31), two_to_the(31)}, {0, 0}, true},
      {{two_to_the(32), two_to_the(32)}, {0, 0}, false},  // all at hand, but too many
  };
  for (const Case& c : cases) {
    CAPTURE(c.shape.size());
    CAPTURE(c.shape[0]);
    CAPTURE(c.strides[0]);
    CHECK(view(c.shape, c.strides).in_reach() == c.in_reach);
  }
}

TEST_CASE("views: a call with a view that leads out of reach says so") {
  const Nat n = lift::nat("n"), m = lift::nat("m");
  const Expr x = param("x", array({n, m}, f64));
  const auto kernel =
      compile<void(array_view<const double, 2>, array_view<double, 2>)>(Program{"p", {x}, twice(x)});
  std::vector<double> data(6, 1), to(6, -1);
  const std::int64_t far = two_to_the(62);
  const std::string said = message([&] {
    kernel(array_view<const double, 2>(data.data(), {2L, 3L}, {far, far}),
           array_view<double, 2>(to.data(), {2, 3}));
  });
  CHECK(said.find("p: argument 1 (x) is a view of 2x3 elements with the strides 4611686018427387904 "
                  "4611686018427387904, which no memory holds; correct its lengths") == 0);
  CHECK(to == std::vector<double>(6, -1));
}

TEST_CASE("views: one has an element at several positions exactly where two of them are as far on") {
  int repeated = 0, once = 0, none = 0;
  const auto check = [&](const Lengths& shape, const Lengths& strides) {
    const ArgumentValue v = view(shape, strides);
    const bool expected = has_one_element_twice(v);
    if (repeats(v) != expected)
      FAIL_CHECK(shape_text(v) << " with the strides " << strides[0] << " " << strides[1] << " "
                               << strides[2]);
    (v.count() == 0 ? none : expected ? repeated : once) += 1;
  };
  for (std::int64_t a = 0; a < 4; ++a)
    for (std::int64_t b = 0; b < 4; ++b)
      for (std::int64_t c = 0; c < 4; ++c)
        for (std::int64_t x = -3; x < 8; ++x)
          for (std::int64_t y = -2; y < 5; ++y)
            for (std::int64_t z = -1; z < 3; ++z) check({a, b, c}, {x, y, z});
  CHECK(repeated > 1000);
  CHECK(once > 1000);
  CHECK(none > 1000);
}

TEST_CASE("views: one without elements is refused for its lengths, not for its strides") {
  const Nat n = lift::nat("n"), m = lift::nat("m");
  const Expr x = param("x", array({n, m}, f64));
  const auto kernel = compile<void(array_view<const double, 2>, array_view<double, 2>)>(
      Program{"p", {x}, twice(x)}, {.copy_views = true});
  std::vector<double> data(3, 1);
  const auto said = [&](std::int64_t rows) {
    return message([&] {
      kernel(array_view<const double, 2>(data.data(), {rows, std::int64_t{3}}),
             array_view<double, 2>(data.data(), {rows, std::int64_t{3}}, {0, 0}));
    });
  };
  CHECK(said(0).find("n is at least 1") != std::string::npos);
  CHECK(said(1).find("argument 2 (the result) is a view of 1x3 elements with the strides 0 0, and is "
                     "written, but has one element at several positions") != std::string::npos);
}

}  // namespace views_in_reach_test
