// Transfers against sums over cells in plain C++: by where the cells of both grids lie in the region, axis by
// axis. Ratios 1, 2 and 3 mixed, odd numbers of cells, faces of all kinds.
#include <doctest/doctest.h>

#include "gmg/transfer.hpp"
#include "tests/gmg/random_equation.hpp"
#include "tests/message.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_transfer_test {
namespace {

struct Case {
  std::vector<std::int64_t> cells;
  gmg::Ratios ratios;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{{{4, 6, 8}, {2, 2, 2}},
                                     {{5, 6, 7}, {2, 2, 2}},
                                     {{6, 5, 9}, {3, 1, 3}},
                                     {{7, 4, 6}, {1, 2, 3}},
                                     {{5, 5, 5}, {2, 2, 2}},
                                     {{3, 9, 4}, {2, 3, 1}},
                                     {{7, 9}, {2, 3}},
                                     {{3, 3}, {2, 2}},
                                     {{11}, {2}},
                                     {{12}, {3}},
                                     {{6}, {2}},
                                     {{2, 2, 2}, {2, 2, 2}}};
  return all;
}

/// n x m factors along one dimension.
using Matrix = std::vector<Field>;

/// The share of each fine cell in a coarse one.
Matrix means(std::int64_t n, std::int64_t m) {
  Matrix r(static_cast<std::size_t>(m), Field(static_cast<std::size_t>(n), 0));
  const double width = static_cast<double>(n) / static_cast<double>(m);
  for (std::size_t c = 0; c < r.size(); ++c)
    for (std::size_t f = 0; f < r[c].size(); ++f) {
      const auto low = static_cast<double>(c) * width, high = low + width, x = static_cast<double>(f);
      r[c][f] = std::max(0.0, std::min(high, x + 1) - std::max(low, x)) / width;
    }
  return r;
}

/// Linear interpolation at the coarse faces.
Matrix at_faces(std::int64_t n, std::int64_t m) {
  Matrix r(static_cast<std::size_t>(m + 1), Field(static_cast<std::size_t>(n + 1), 0));
  for (std::size_t c = 0; c < r.size(); ++c)
    for (std::size_t f = 0; f < r[c].size(); ++f) {
      const double x = static_cast<double>(c) * static_cast<double>(n) / static_cast<double>(m);
      r[c][f] = std::max(0.0, 1 - std::abs(x - static_cast<double>(f)));
    }
  for (Field& row : r)
    for (double& x : row)
      if (std::abs(x) < 1e-12) x = 0;
  return r;
}

/// The product of a matrix a dimension with an array.
Field applied(const std::vector<Matrix>& matrices, const Field& x) {
  Position from, to;
  for (const Matrix& m : matrices)
    from.push_back(static_cast<std::int64_t>(m[0].size())), to.push_back(static_cast<std::int64_t>(m.size()));
  Field y(static_cast<std::size_t>(count(to)), 0);
  for_positions(to, [&](const Position& t) {
    for_positions(from, [&](const Position& f) {
      double w = 1;
      for (std::size_t d = 0; d < t.size(); ++d)
        w *= matrices[d][static_cast<std::size_t>(t[d])][static_cast<std::size_t>(f[d])];
      y[flat(to, t)] += w * x[flat(from, f)];
    });
  });
  return y;
}

/// Linear interpolation between coarse centres, cells beyond faces being images.
Field interpolated(const gmg::Domain& fine, const gmg::Domain& coarse, const gmg::Ratios& ratios,
                   const Field& x) {
  Field y;
  for_positions(fine.cells(), [&](const Position& at) {
    std::vector<std::vector<std::pair<std::int64_t, double>>> taps;
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (ratios[d] == 1) {
        taps.push_back({{at[d], 1.0}});
        continue;
      }
      const double centre = (static_cast<double>(at[d]) + 0.5) * static_cast<double>(coarse.cells()[d]) /
                                static_cast<double>(fine.cells()[d]) -
                            0.5;
      const double below = std::floor(centre);
      taps.push_back({{static_cast<std::int64_t>(below), 1 - (centre - below)},
                      {static_cast<std::int64_t>(below) + 1, centre - below}});
    }
    Position lengths;
    for (const auto& t : taps) lengths.push_back(static_cast<std::int64_t>(t.size()));
    double sum = 0;
    for_positions(lengths, [&](const Position& which) {
      Position from;
      double w = 1;
      for (std::size_t d = 0; d < which.size(); ++d) {
        const auto& [index, weight] = taps[d][static_cast<std::size_t>(which[d])];
        from.push_back(index), w *= weight;
      }
      const Image i = image(coarse, from);
      sum += w * i.scale * x[flat(coarse.cells(), i.at)];
    });
    y.push_back(sum);
  });
  return y;
}

void for_random_transfers(
    const std::function<void(std::mt19937&, const Case&, const RandomEquation&, const gmg::Transfer&)>& f) {
  for (unsigned seed = 0; seed < 4; ++seed)
    for (const Case& c : cases()) {
      std::mt19937 random(seed);
      const gmg::Domain domain = random_domain(random, c.cells);
      const RandomEquation e = random_equation(random, domain, 1, true);
      CAPTURE(seed);
      CAPTURE(c.cells);
      CAPTURE(c.ratios);
      f(random, c, e, gmg::Transfer(gmg::Grid(e.equation, domain), c.ratios));
    }
}

}  // namespace

TEST_CASE("restrictions: means of cells and of faces, faces where the coarse ones are") {
  for_random_transfers(
      [](std::mt19937& random, const Case& c, const RandomEquation& e, const gmg::Transfer& t) {
        const std::vector<std::int64_t> coarse = gmg::coarser(c.cells, c.ratios);
        CHECK(t.coarse().domain().cells() == coarse);
        std::vector<Matrix> all;
        for (std::size_t d = 0; d < coarse.size(); ++d) {
          all.push_back(means(c.cells[d], coarse[d]));
          CHECK(t.coarse().domain().spacing(d) * static_cast<double>(coarse[d]) ==
                doctest::Approx(t.fine().domain().spacing(d) * static_cast<double>(c.cells[d])));
        }
        const Field x = random_field(random, t.fine().domain().count());
        CHECK(largest_difference(interpreted(gmg::restriction_program(t), t.fine(), {{"fine", x}}),
                                 applied(all, x)) < 1e-12);
        for (const gmg::Coefficient& k : e.equation.coefficients()) {
          std::vector<Matrix> of = all;
          if (k.faces) {
            const std::size_t d = t.fine().domain().dimension_of(*k.faces);
            of[d] = at_faces(c.cells[d], coarse[d]);
          }
          CHECK(largest_difference(interpreted(gmg::restriction_program(t, k), t.fine(), e.coefficients),
                                   applied(of, e.coefficients.at(k.name))) < 1e-12);
        }
      });
}

TEST_CASE("the residual and its restriction in one program") {
  for_random_transfers(
      [](std::mt19937& random, const Case& c, const RandomEquation& e, const gmg::Transfer& t) {
        const Dense a = dense(t.fine().domain(), e.stencil);
        Fields fields = e.coefficients;
        fields["u"] = random_field(random, t.fine().domain().count());
        fields["f"] = random_field(random, t.fine().domain().count());
        Field r = a.times(fields["u"]);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = fields["f"][i] - r[i];
        std::vector<Matrix> all;
        for (std::size_t d = 0; d < c.cells.size(); ++d)
          all.push_back(means(c.cells[d], t.coarse().domain().cells()[d]));
        CHECK(largest_difference(interpreted(gmg::residual_restriction_program(t), t.fine(), fields),
                                 applied(all, r)) < 1e-11);
      });
}

TEST_CASE("corrections interpolate between the centres, and across faces as the conditions say") {
  for_random_transfers([](std::mt19937& random, const Case& c, const RandomEquation&,
                          const gmg::Transfer& t) {
    const Field u = random_field(random, t.fine().domain().count()),
                coarse = random_field(random, t.coarse().domain().count());
    Field expected = interpolated(t.fine().domain(), t.coarse().domain(), c.ratios, coarse);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += u[i];
    CHECK(largest_difference(
              interpreted(gmg::correction_program(t), t.coarse(), {{"u", u}, {"coarse", coarse}}), expected) <
          1e-12);
  });
}

TEST_CASE("coarsening that is not possible is said in a sentence") {
  using test::message;
  CHECK(message([] { gmg::coarser({8, 8}, {2}); }).find("1 ratios for 2 dimensions") != std::string::npos);
  CHECK(message([] { gmg::coarser({8, 8}, {2, 4}); }).find("a ratio of 4") != std::string::npos);
  CHECK(message([] { gmg::coarser({8, 8}, {2, 3}); }).find("8 cells by 3") != std::string::npos);
}

}  // namespace gmg_transfer_test
