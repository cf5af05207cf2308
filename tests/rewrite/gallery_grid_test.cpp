// On a grid no program of the gallery goes over cells in a single work-item; those of bench/users can be
// lowered.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ir/error.hpp"
#include "lower/launches.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/lift_problem.hpp"

using namespace lift;

namespace gallery_grid_test {
namespace {

bool goes_over_cells(const Launch& l) {
  bool cells = false;
  visit(l.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    cells =
        cells || (f != nullptr && (f->upper - f->lower).constant().value_or(kFewScalars + 1) > kFewScalars);
  });
  return cells;
}

/// The first kernel that its space proposes.
Kernel first_kernel(const std::filesystem::path& file) {
  const PatternProblem made = load_lift_file(file, Sizes{});
  Problem problem = made.problem;
  problem.symbolic = false;
  const Program program = made.pattern.build(problem);
  SpaceOptions o;
  o.target = Target::cuda, o.threads = 2, o.only_layout = kCallersLayout;
  const Space space(program, o);
  LowerOptions lowering;
  lowering.target = Target::cuda;
  for (const Configuration& c : space.seeds()) {
    try {
      return lower(replay(program, space.derive(c)), lowering);
    } catch (const UserError&) {
    }
  }
  throw UserError(file.string() + ": nothing can be lowered");
}

std::vector<std::filesystem::path> programs_in(const std::string& folder) {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(LIFTGEN_SOURCE_DIR + folder))
    if (entry.path().extension() == ".lift") all.push_back(entry.path());
  REQUIRE_FALSE(all.empty());
  return all;
}

}  // namespace

TEST_CASE("gallery: on a grid no launch goes over cells in one work-item") {
  for (const auto& file : programs_in("/examples/gallery")) {
    CAPTURE(file);
    for (const Launch& l : launches_in(first_kernel(file)))
      if (l.range.global[0] * l.range.global[1] * l.range.global[2] == 1)
        CHECK_MESSAGE(!goes_over_cells(l), l.name);
  }
}

TEST_CASE(
    "users' programs: on a grid each has a first kernel, which goes over its cells in many work-items") {
  for (const auto& file : programs_in("/bench/users")) {
    CAPTURE(file);
    std::size_t most = 0;
    for (const Launch& l : launches_in(first_kernel(file)))
      most = std::max(most, l.range.global[0] * l.range.global[1] * l.range.global[2]);
    CHECK(most >= 256);
  }
}

}  // namespace gallery_grid_test
