// Explorations of small problems from end to end. They assert what is found and verified, never a time.
#include "tuning/explore.hpp"

#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/opencl.hpp"
#include "tuning/report.hpp"

using namespace lift;

namespace explore_test {
namespace {

Problem small(const std::string& smoother) {
  Problem problem;
  problem.box = 12, problem.boxes = 2;
  problem.choices["smoother"] = smoother;
  return problem;
}

ExploreOptions brief(int configurations) {
  ExploreOptions options;
  options.configurations = configurations, options.budget_seconds = 3600, options.rivals = false;
  return options;
}

void check_consistent(const ExploreResult& r) {
  REQUIRE(r.best.has_value());
  const Variant& best = r.variants[*r.best];
  CHECK(best.verified);
  CHECK(best.status == Status::ok);
  CHECK(best.error <= 1e-12);
  CHECK(best.ms > 0);
  CHECK(best.final_round);
  CHECK_FALSE(best.derivation.empty());
  CHECK_FALSE(best.source.empty());
  for (const Variant& v : r.variants) {
    CAPTURE(v.name);
    CAPTURE(v.message);
    CHECK(v.status != Status::wrong);
    CHECK(v.status != Status::compile_failed);
    if (v.final_round && v.status == Status::ok) CHECK(best.ms <= v.ms);
    if (!v.final_round)
      CHECK((v.speedup == 0 && v.roofline == 0));  // plain loops were timed at another moment
  }
  CHECK(r.counts.wrong == 0);
  CHECK(r.counts.timed <= r.counts.compiled);
  CHECK(r.counts.compiled <= r.counts.configurations);
  REQUIRE(r.baseline.has_value());
  CHECK(best.speedup == doctest::Approx(r.rivals[*r.baseline].ms / best.ms));
  if (r.twin_ms > 0) CHECK(best.roofline == doctest::Approx(r.twin_ms / best.ms));
}

}  // namespace

TEST_CASE("explore: a budget that is spent before the search begins times something all the same") {
  ExploreOptions options = brief(0);
  options.budget_seconds = 1e-6;
  const ExploreResult r = explore(smooth3d(), small("gsrb"), options);
  check_consistent(r);
  CHECK(r.counts.configurations <= 8);
}

TEST_CASE("explore: what there is without a search is compared with the best at last") {
  const ExploreResult r = explore(smooth3d(), small("jacobi"), brief(20));
  check_consistent(r);
  const Variant* first = nullptr;  // that was tried
  for (const Variant& v : r.variants)
    if (v.explored_s > 0 && (first == nullptr || v.explored_s < first->explored_s)) first = &v;
  REQUIRE(first != nullptr);
  CHECK(first->status == Status::ok);
  CHECK(first->final_round);
}

TEST_CASE("explore: finds verified variants of the smoothers") {
  for (const char* smoother : {"gsrb", "jacobi"}) {
    CAPTURE(smoother);
    const ExploreResult r = explore(smooth3d(), small(smoother), brief(6));
    check_consistent(r);
    CHECK(r.counts.configurations == 6);
    CHECK(r.twin_ms > 0);
    CHECK(r.twin_gbs == doctest::Approx(r.traffic.bytes / r.twin_ms * 1e-6));
    if (r.best)
      CHECK(r.variants[*r.best].gbs == doctest::Approx(r.traffic.bytes / r.variants[*r.best].ms * 1e-6));
    CHECK(r.traffic.cells == 2 * 12 * 12 * 12);
    if (r.best_caller) CHECK(r.variants[*r.best_caller].layout.empty());
  }
}

TEST_CASE("explore: f32, and a box without ghost zone") {
  Problem problem = small("jacobi");
  problem.type = f32, problem.boundary = "dirichlet";
  ExploreOptions options = brief(3);
  options.only_layout = kCallersLayout;
  const ExploreResult r = explore(smooth3d(), problem, options);
  REQUIRE(r.best.has_value());
  CHECK(r.variants[*r.best].error <= 1e-5);
  CHECK(r.variants[*r.best].layout.empty());
}

TEST_CASE("explore: without a reference of its own a pattern is held against the kernel without decisions") {
  Pattern pattern = smooth3d();
  pattern.reference = nullptr;
  check_consistent(explore(pattern, small("gsrb"), brief(2)));
}

TEST_CASE("explore: a result that differs from the reference is wrong, and never the best") {
  Pattern pattern = smooth3d();
  const auto honest = pattern.reference;
  pattern.reference = [=](const Problem& p, const std::vector<HostArray>& arguments,
                          const std::vector<HostArray>& results) {
    honest(p, arguments, results);
    double* ghost = static_cast<double*>(results.at(0).data);
    ghost[0] += 1e-6;  // one cell of the ghost zone
  };
  const ExploreResult r = explore(pattern, small("gsrb"), brief(3));
  CHECK_FALSE(r.best.has_value());
  CHECK(r.counts.wrong == 3);
  CHECK(r.counts.timed == 0);
  CHECK_FALSE(r.baseline.has_value());
  REQUIRE_FALSE(r.rivals.empty());
  for (const Rival& rival : r.rivals) CHECK(rival.status == Status::wrong);
  for (const Variant& v : r.variants) CHECK(v.error > 1e-12);
}

TEST_CASE("explore: measures one given derivation") {
  const ExploreResult found = explore(smooth3d(), small("gsrb"), brief(1));
  REQUIRE(found.best.has_value());
  ExploreOptions options = brief(0);
  options.only = found.variants[*found.best].derivation;
  const ExploreResult r = explore(smooth3d(), small("gsrb"), options);
  REQUIRE(r.best.has_value());
  CHECK(r.variants.size() == 1);
  CHECK(r.variants[0].derivation == *options.only);
}

TEST_CASE("explore: a budget that is almost nothing still leaves a verified variant or an honest nothing") {
  ExploreOptions options = brief(0);
  options.budget_seconds = 0.01, options.check_small = false;
  const ExploreResult r = explore(smooth3d(), small("jacobi"), options);
  if (r.best) CHECK(r.variants[*r.best].verified);
  CHECK(r.counts.configurations <= 16);
}

TEST_CASE("explore: an interruption keeps the best so far") {
  ExploreOptions options = brief(0);
  options.on_progress = [](const Progress& p) {
    if (p.timed >= 2) request_interrupt();
  };
  const ExploreResult r = explore(smooth3d(), small("gsrb"), options);
  CHECK(r.interrupted);
  REQUIRE(r.best.has_value());
  CHECK(r.variants[*r.best].verified);
  CHECK_FALSE(interrupted());
}

TEST_CASE("explore: on an OpenCL device") {
  if (!opencl::why_unavailable().empty()) {
    MESSAGE("no OpenCL device: " << opencl::why_unavailable());
    return;
  }
  ExploreOptions options = brief(3);
  options.target = Target::opencl;
  const ExploreResult r = explore(smooth3d(), small("gsrb"), options);
  REQUIRE(r.best.has_value());
  CHECK(r.variants[*r.best].error <= 1e-12);
  CHECK(r.variants[*r.best].source.find("__kernel") != std::string::npos);
  CHECK(r.counts.wrong == 0);
}

TEST_CASE("explore: errors of use") {
  ExploreOptions options;
  options.search = "luck";
  CHECK_THROWS_AS(explore(smooth3d(), small("gsrb"), options), UserError);
  options = {};
  options.budget_seconds = 0;
  CHECK_THROWS_WITH_AS(explore(smooth3d(), small("gsrb"), options), "--budget must be more than 0 seconds",
                       UserError);
  Problem thin = small("gsrb");
  thin.ghost = 0;
  CHECK_THROWS_AS(explore(smooth3d(), thin, {}), UserError);
}

}  // namespace explore_test
