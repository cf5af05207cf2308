// What kernels cost, counted on their loops, and the model that is fitted to it.
#include <doctest/doctest.h>

#include <cmath>

#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/cost/cost_model.hpp"
#include "tuning/cost/footprint.hpp"

using namespace lift;

namespace cost_test {
namespace {

double cost(const KernelCosts& costs, std::string_view name) {
  for (std::size_t i = 0; i < kCostNames.size(); ++i)
    if (name == kCostNames[i]) return costs[i];
  FAIL("no such cost");
  return 0;
}

/// Of an operator on one box, for a processor through OpenCL.
KernelCosts on_items(const char* pattern, const std::vector<std::pair<std::string, std::string>>& settings) {
  Problem problem;
  problem.box = 32, problem.boxes = 1;
  SpaceOptions options{.target = Target::opencl, .threads = 1, .vector_bytes = 64};
  options.cpu = true, options.only_layout = kCallersLayout;
  const Space space(find_pattern(pattern).build(problem), options);
  Configuration c;
  for (const auto& [name, text] : settings) c.set(name, text);
  return kernel_costs(lower(space.derived(c).program, {.vector_bytes = 64, .target = Target::opencl}),
                      {.threads = 1, .vector_bytes = 64});
}

/// Of the residual of one box, by a configuration of its space.
KernelCosts costs_of(std::int64_t box, const std::vector<std::pair<std::string, std::string>>& settings,
                     const CostMachine& machine) {
  Problem problem;
  problem.box = box, problem.boxes = 1;
  const Space space(find_pattern("residual3d").build(problem), SpaceOptions{.threads = machine.threads});
  Configuration c;
  for (const auto& [name, text] : settings) c.set(name, text);
  return kernel_costs(lower(space.derived(c).program, {.target = Target::openmp}), machine);
}

ArrayUse use(const char* array, double offset, std::vector<double> strides) {
  ArrayUse u;
  u.array = array, u.offset = offset, u.strides = std::move(strides);
  return u;
}

}  // namespace

TEST_CASE("costs: lines of a nest by what fits into the cache") {
  // for k in 100: for j in 80: for i in 64: x[k][j][i] with neighbours along k, in rows of 64 and planes of
  // 80 rows
  CostNest root;
  CostNest* at = &root;
  for (const double trips : {100.0, 80.0, 64.0}) {
    at = at->children.emplace_back(std::make_unique<CostNest>()).get();
    at->trips = trips;
  }
  const std::vector<double> strides{80 * 64, 64, 1};
  for (const double plane : {-1.0, 0.0, 1.0}) at->accesses.push_back(use("x", plane * 80 * 64, strides));
  const double plane = 80 * 64 * 8 / kLineBytes;  // in lines
  CHECK(footprint(root) == doctest::Approx(102 * plane).epsilon(0.1));
  CHECK(lines_fetched(root, 1e9) == doctest::Approx(102 * plane).epsilon(0.1));
  CHECK(lines_fetched(root, 4 * plane * kLineBytes) == doctest::Approx(102 * plane).epsilon(0.1));
  CHECK(lines_fetched(root, 2 * plane * kLineBytes) == doctest::Approx(3 * 100 * plane).epsilon(0.1));
  at->accesses.front().stores = true;  // goes back
  CHECK(lines_fetched(root, 1e9) == doctest::Approx(202 * plane).epsilon(0.1));
  at->accesses.front().streams = true;
  CHECK(lines_streamed(root) == doctest::Approx(100 * plane).epsilon(0.01));
}

TEST_CASE("costs: jumps are where an array is left, not where a row follows the row before") {
  // 32 rows of 32 in each of 32 planes, without gaps: along them, across them, and with the plane within
  const auto jumps_in = [](const std::vector<double>& strides) {
    CostNest root;
    CostNest* at = &root;
    for (int l = 0; l < 3; ++l) {
      at = at->children.emplace_back(std::make_unique<CostNest>()).get();
      at->trips = 32;
    }
    at->accesses.push_back(use("x", 0, strides));
    return jumps(root, 4096);
  };
  CHECK(jumps_in({32 * 32, 32, 1}) == doctest::Approx(1));
  CHECK(jumps_in({32, 32 * 32, 1}) == doctest::Approx(32 * 32));
  CHECK(jumps_in({0, 32, 1}) == doctest::Approx(32));  // from the end of a plane to its beginning
}

TEST_CASE("costs: what a compiler does not vectorise") {
  const CostMachine one{.threads = 1, .vector_bytes = 32};
  const auto costs = [&](const char* name, const char* setting) {
    return costs_of(32, {{name, setting}, {"inner", "seq"}}, one);
  };
  CHECK(cost(costs("prefetch", "0"), "vectors") > 0);
  CHECK(cost(costs("prefetch", "16"), "vectors") == 0);  // with prefetches in the loop
  CHECK(cost(costs("prefetch", "16"), "scalars") > 4 * cost(costs("prefetch", "0"), "scalars"));
}

TEST_CASE("costs: vectors, threads and tiles are seen in the loops") {
  const CostMachine two{.threads = 2, .vector_bytes = 32}, one{.threads = 1, .vector_bytes = 32};
  const KernelCosts vectors = costs_of(32, {{"inner", "vec"}, {"width", "4"}}, two),
                    alone = costs_of(32, {{"inner", "vec"}, {"width", "4"}}, one),
                    rotated = costs_of(32, {{"kcache", "yes"}}, two);
  CHECK(cost(vectors, "vectors") > 0);
  CHECK(cost(alone, "vectors") == doctest::Approx(2 * cost(vectors, "vectors")));
  CHECK(cost(vectors, "scalars") < 0.2 * cost(vectors, "vectors"));  // from one iteration to the next
  CHECK(cost(rotated, "vectors") == 0);
  CHECK(cost(vectors, "regions") > 0);
}

TEST_CASE("costs: streaming stores leave out what is fetched before it is written") {
  const CostMachine small{.threads = 1, .vector_bytes = 32, .last_bytes = 1 << 16};
  const std::vector<std::pair<std::string, std::string>> stores{{"inner", "vec"}, {"width", "4"}};
  std::vector<std::pair<std::string, std::string>> streams = stores;
  streams.emplace_back("stream", "1");
  CHECK(cost(costs_of(32, streams, small), "last") < 0.95 * cost(costs_of(32, stores, small), "last"));
  CHECK(cost(costs_of(32, streams, small), "streams") > 0);
  CHECK(cost(costs_of(32, stores, small), "streams") == 0);
}

TEST_CASE("costs: work-items") {
  // what is not written as vectors is computed element by element, and a guard lets half of a smoother's
  // through
  const KernelCosts half = on_items("smooth3d", {{"grid", "solo k j"}}),
                    all = on_items("residual3d", {{"grid", "solo k j"}});
  CHECK(cost(half, "vectors") == 0);
  CHECK(cost(all, "vectors") == 0);
  CHECK(cost(half, "scalars") < 0.8 * cost(all, "scalars"));
  // items side by side in a row compute their indices anew
  CHECK(cost(on_items("residual3d", {{"grid", "k j i"}}), "scalars") > 1.5 * cost(all, "scalars"));
}

TEST_CASE("costs: cells of one colour are all over the arrays") {
  // columns of one colour: the next item's cells lie in the next plane
  const std::vector<std::pair<std::string, std::string>> tile{
      {"tile", "j8 i16"}, {"order", "j i k"}, {"grid", "groups"}};
  auto strided = tile;
  strided.emplace_back("inner", "strided");
  const double lines = cost(on_items("smooth3d", strided), "second"),
               guarded = cost(on_items("smooth3d", tile), "second");
  CHECK(lines > 0.7 * guarded);
  CHECK(lines < 2.5 * guarded);
}

TEST_CASE("costs: weights are found again, and are never negative") {
  std::vector<TimedCosts> kernels;
  for (int i = 1; i <= 40; ++i) {
    TimedCosts k{};
    k.costs[0] = i, k.costs[3] = i * 7 % 11, k.costs[5] = i * i % 13;
    k.us = 2 * k.costs[0] + 0.5 * k.costs[3] + 10;
    kernels.push_back(k);
  }
  const CostWeights w = fitted({kernels}, 0);
  CHECK(w[0] == doctest::Approx(2).epsilon(0.01));
  CHECK(w[3] == doctest::Approx(0.5).epsilon(0.01));
  CHECK(w.back() == doctest::Approx(10).epsilon(0.01));
  for (const double weight : w) CHECK(weight >= 0);
  std::vector<TimedCosts> slower = kernels;  // a program of which everything takes twice as long
  for (TimedCosts& k : slower) k.us *= 2;
  const CostWeights both = fitted({kernels, slower}, 0);
  CHECK(both[0] / both[3] == doctest::Approx(4).epsilon(0.02));
  CHECK(expected_us(kernels[4].costs, w) == doctest::Approx(kernels[4].us).epsilon(0.01));
  // what no kernel has is known from elsewhere, and what they tell apart comes from them
  const CostWeights known = fitted({kernels});
  for (const double weight : known) CHECK(weight > 0);
  CHECK(w[1] == 0);
  CHECK(std::abs(known[0] - 2) < 0.5);
  CHECK(std::abs(fitted({kernels}, 1e6)[0] - 2) > 0.5);
}

TEST_CASE("costs: rank correlation") {
  CHECK(rank_correlation({1, 2, 3, 4}, {10, 20, 25, 90}) == doctest::Approx(1));
  CHECK(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}) == doctest::Approx(-1));
  CHECK(rank_correlation({1, 2, 3, 4}, {1, 3, 2, 4}) == doctest::Approx(0.8));
  CHECK(rank_correlation({1, 1, 1, 1}, {1, 3, 2, 4}) == 0);
  CHECK(rank_correlation({1, 2}, {1, 2}) == 0);
}

}  // namespace cost_test
