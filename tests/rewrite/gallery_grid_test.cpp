// On a grid no program of the gallery or of bench/users goes over cells in a single work-item; what the space
// proposes first for them is not refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
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

/// A loop that stores numbers, each of which needs the one before; a sum has no such.
bool is_scan_of_numbers(const Launch& l) {
  return holds(l.body, [](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    return f != nullptr &&
           holds(f->body, [](const Stmt& x) { return std::holds_alternative<Assign>(x.v); }) &&
           holds(f->body, [](const Stmt& x) { return std::holds_alternative<Store>(x.v); });
  });
}

Space space_of(const std::filesystem::path& file, Target target) {
  const PatternProblem made = load_lift_file(file, Sizes{});
  Problem problem = made.problem;
  problem.symbolic = false;
  SpaceOptions o;
  o.target = target, o.threads = 2, o.only_layout = kCallersLayout;
  o.cpu = target == Target::opencl;  // as PoCL is
  return Space(made.pattern.build(problem), o);
}

/// The first kernel that can be lowered, of so many that its space proposes.
Kernel kernel_of(const std::filesystem::path& file, Target target, int proposals) {
  const Space space = space_of(file, target);
  const Program& program = space.program();
  LowerOptions lowering;
  lowering.target = target;
  std::string why = file.string() + ": nothing is proposed";
  for (const Configuration& c : space.seeds()) {
    if (proposals-- == 0) break;
    try {
      return lower(replay(program, space.derive(c)), lowering);
    } catch (const UserError& e) {
      why = e.what();
    }
  }
  throw UserError(why);
}
Kernel first_kernel(const std::filesystem::path& file) { return kernel_of(file, Target::cuda, 100); }

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

TEST_CASE("users' programs: on a grid no launch but of a scan goes over cells in one work-item") {
  for (const auto& file : programs_in("/bench/users")) {
    CAPTURE(file);
    for (const Launch& l : launches_in(first_kernel(file)))
      if (l.range.global[0] * l.range.global[1] * l.range.global[2] == 1)
        CHECK_MESSAGE((!goes_over_cells(l) || is_scan_of_numbers(l)), l.name);
  }
}

TEST_CASE("users' programs, gallery: there is something to decide about each, on both targets") {
  // Reductions alone, and rows each of which is a scan of the one before.
  const std::set<std::string> few{"roughness",    "needleman_wunsch",     "pathfinder",
                                  "gauss_seidel", "dynamic_time_warping", "smith_waterman"};
  for (const char* folder : {"/bench/users", "/examples/gallery"})
    for (const auto& file : programs_in(folder))
      for (const Target target : {Target::openmp, Target::cuda}) {
        CAPTURE(file);
        CAPTURE(text(target));
        const Space space = space_of(file, target);
        CHECK(space.parameters().size() + space.comparisons().size() >=
              (few.contains(file.stem().string()) ? 1U : 7U));
      }
}

TEST_CASE("users' programs: on a grid items that keep sums of rows go through the rows themselves") {
  for (const char* name : {"softmax", "layer_norm"}) {
    const Space space =
        space_of(LIFTGEN_SOURCE_DIR "/bench/users/" + std::string(name) + ".lift", Target::cuda);
    LowerOptions lowering;
    lowering.target = Target::cuda;
    const std::vector<Configuration> seeds = space.seeds();
    for (std::size_t n = 0; n < std::min<std::size_t>(5, seeds.size()); ++n) {
      CAPTURE(name);
      CAPTURE(space.structure(seeds[n]));
      CHECK_NOTHROW(lower(replay(space.program(), space.derive(seeds[n])), lowering));
    }
  }
}

TEST_CASE("gallery: on a grid no large base of an update is copied as a whole") {
  for (const char* name : {"leg_of_cycle", "v_cycle", "two_grid", "heat_chain", "red_black_border"}) {
    CAPTURE(name);
    const Space space =
        space_of(LIFTGEN_SOURCE_DIR "/examples/gallery/" + std::string(name) + ".lift", Target::cuda);
    Rewriting r{space.program(), {}};
    for (const Step& s : space.derive(space.seeds().front())) {
      if (s.rule == "copy-base") {
        std::int64_t elements = 1;
        const Expr update = part_at(r.program.body, s.place);
        for (const Nat& n : shape_of(update.type(), op_rank(update))) elements *= n.constant().value_or(1);
        CHECK(elements < (1 << 20));
      }
      r.program = replay(r.program, {s});
    }
  }
}

TEST_CASE("users' programs, gallery: what the space proposes first can be computed") {
  for (const char* folder : {"/bench/users", "/examples/gallery"})
    for (const auto& file : programs_in(folder))
      for (const Target target : {Target::openmp, Target::cuda, Target::opencl}) {
        CAPTURE(file);
        CHECK_NOTHROW(kernel_of(file, target, target == Target::opencl ? 100 : 1));  // some for large stacks
      }
}

}  // namespace gallery_grid_test
