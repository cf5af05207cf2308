// Chains in step on work-groups compute what the sweeps compute one after the other, bit by bit.
#include "ir/error.hpp"
#include "lower/launches.hpp"
#include "rewrite/space/space.hpp"
#include "tests/groups_in_step.hpp"
#include "tests/lower/run_kernel.hpp"

namespace lift::in_groups_test {
namespace {

using test::Groups;
using test::in_groups;
using test::run_loops;

Problem problem(const std::string& smoother, const std::string& boundary, int sweeps, int box = 5) {
  Problem p;
  p.box = box, p.boxes = 2, p.ghost = boundary == "ghost" ? sweeps : 1, p.sweeps = sweeps;
  p.boundary = boundary, p.choices = {{"smoother", smoother}};
  return p;
}

const std::vector<Groups> kGroups{{{3, 4}, {2, 3}, false}, {{2, 5}, {4, 9}, true}, {{7, 2}, {1, 2}, true}};

std::size_t local_arrays(const Kernel& k) {
  std::size_t n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    n += a && a->space == AddressSpace::Local ? 1 : 0;
  });
  return n;
}

}  // namespace

TEST_CASE("groups in step: smoothers, boundaries, depths and tiles, bit by bit") {
  for (const std::string smoother : {"gsrb", "jacobi"})
    for (const std::string boundary : {"ghost", "dirichlet", "neumann"})
      for (const int sweeps : {2, 3, 4}) {
        if (sweeps != 2 && boundary != "ghost") continue;
        const Program p = find_pattern("smooth3d").build(problem(smoother, boundary, sweeps));
        for (const Groups& g : kGroups) {
          if (sweeps == 4 && g.tile != kGroups[1].tile) continue;
          CAPTURE(smoother);
          CAPTURE(boundary);
          CAPTURE(sweeps);
          CAPTURE(g.tile[0]);
          const Program together = in_groups(p, sweeps, g);
          const Kernel one = lower(p), other = lower(together);
          CHECK(local_arrays(other) == static_cast<std::size_t>(sweeps) - 1);
          CHECK(run_loops(other, 1).results == run_loops(one, 1).results);
        }
      }
}

TEST_CASE(
    "groups in step: arrays that stages of their own load, ahead or not, in chunks of planes, bit by bit") {
  const std::vector<Groups> groups{{{3, 4}, {2, 3}, false, 1, true},     {{3, 4}, {2, 3}, true, 1, true},
                                   {{2, 5}, {4, 9}, false, 2, true},     {{7, 9}, {3, 9}, true, 2, false},
                                   {{3, 4}, {2, 3}, false, 1, false, 3}, {{9, 9}, {4, 9}, false, 1, true, 4}};
  for (const std::string smoother : {"gsrb", "jacobi"})
    for (const int sweeps : {2, 3})
      for (const Groups& g : groups) {
        CAPTURE(smoother);
        CAPTURE(sweeps);
        CAPTURE(g.tile[0]);
        CAPTURE(g.readers);
        Problem deeper = problem(smoother, "ghost", sweeps);
        deeper.ghost += g.chunk > 0 ? 0 : 1;  // so that a base has cells that no sweep reads
        const Program p = find_pattern("smooth3d").build(deeper);
        const Program together = in_groups(p, sweeps, g);
        const Kernel one = lower(p), other = lower(together);
        // All but phi are read by every sweep, and nothing is read of an array that gives its border alone.
        const std::size_t loads = g.readers == 1 ? 7 : 6;
        CHECK(local_arrays(other) == static_cast<std::size_t>(sweeps) - 1 + loads);
        CHECK(run_loops(other, 1).results == run_loops(one, 1).results);
      }
}

TEST_CASE("groups in step: what is copied ahead is there a step before it is read, and no sooner") {
  const auto lags = [](const Groups& g) {
    const Program p = in_groups(find_pattern("smooth3d").build(problem("gsrb", "ghost", 2)), 2, g);
    return chain_of(p).going(Band::skewed).at(0).shifts;
  };
  // phi, rhs, alpha, beta_i, beta_j, beta_k, lambda; the sweeps. phi and beta_k are read a plane ahead.
  CHECK(lags({{3, 4}, {2, 3}, false, 1, true}) == std::vector<std::int64_t>{0, 1, 1, 1, 1, 0, 1, 3, 5});
  CHECK(lags({{3, 4}, {2, 3}, false, 1, false}) == std::vector<std::int64_t>{0, 1, 1, 1, 1, 0, 1, 2, 4});
  CHECK(lags({{3, 4}, {2, 3}, true, 1, true}) == std::vector<std::int64_t>{0, 1, 1, 1, 1, 0, 1, 3, 6});
}

TEST_CASE("groups in step: planes and rows that no sweep reads are not loaded") {
  const Program p = in_groups(find_pattern("smooth3d").build(problem("gsrb", "ghost", 2)), 2,
                              {{9, 9}, {3, 9}, false, 1, true});
  const Kernel k = lower(p);
  std::map<std::string, std::vector<Nat>>
      rows;  // by array: iterations of the loops over items around its copy
  visit(k.body, [&](const Stmt& s) {
    const auto* j = std::get_if<For>(&s.v);
    if (!j || j->kind != LoopKind::Lcl || j->dim != 1) return;
    visit(j->body, [&](const Stmt& x) {
      const auto* i = std::get_if<For>(&x.v);
      const auto* store = i && i->body.size() == 1 ? std::get_if<Store>(&i->body[0].v) : nullptr;
      if (store && store->async) rows[store->value->name] = {j->upper - j->lower, i->upper - i->lower};
    });
  });
  // Cells 1 .. 7 of 9 are computed first; beta_j is read for the next row, too, and phi for its base.
  CHECK(rows.at("rhs") == std::vector<Nat>{7, 7});
  CHECK(rows.at("beta_i") == std::vector<Nat>{7, 8});
  CHECK(rows.at("beta_j") == std::vector<Nat>{8, 7});
  CHECK(rows.at("phi") == std::vector<Nat>{9, 9});
}

TEST_CASE("groups in step: a tile of one axis, of two arrays of sizes of their own") {
  Problem p = problem("gsrb", "ghost", 3, 7);
  const Program two = find_pattern("smooth2d").build(p);
  for (const bool once : {false, true}) {
    const Program together = in_groups(two, 3, {{4}, {3}, once});
    CHECK(run_loops(lower(together), 1).results == run_loops(lower(two), 1).results);
  }
}

TEST_CASE("groups in step: what devices try first, and what there is no room for") {
  SpaceOptions gpu;
  gpu.target = Target::cuda;
  const auto first = [&](const Problem& p) {
    const Program program = find_pattern("smooth3d").build(p);
    const Space space(program, gpu);
    return space.structure(space.seeds().at(0));
  };
  CHECK(first(problem("gsrb", "ghost", 2, 64))
            .find("in step along k, rings of planes, overlapped tiles of j i") != std::string::npos);
  CHECK(first(problem("gsrb", "ghost", 1, 64)).find("in step") == std::string::npos);
  CHECK(first(problem("gsrb", "periodic", 2, 64)).find("in step") == std::string::npos);
  gpu.local_bytes = 1000;
  CHECK(first(problem("gsrb", "ghost", 2, 64)).find("in step") == std::string::npos);
}

TEST_CASE("groups in step: no larger than the device allows") {
  SpaceOptions small;
  small.target = Target::opencl, small.max_work_group = 64;
  const Space space(find_pattern("smooth3d").build(problem("gsrb", "ghost", 2, 64)), small);
  int in_step = 0;
  for (const Configuration& c : space.seeds()) {
    if (space.structure(c).find("overlapped tiles") == std::string::npos) continue;
    const Kernel k = lower(replay(space.program(), space.derive(c)), {.target = Target::opencl});
    for (const Launch& launch : launches_in(k)) {
      const auto& l = launch.range.local;
      CHECK(l[0] * l[1] * l[2] <= 64);
    }
    ++in_step;
  }
  CHECK(in_step > 0);
}

TEST_CASE("groups in step: tiles as large as the device has local memory for, and as many as it has room") {
  SpaceOptions gpu;
  gpu.target = Target::cuda;
  struct Found {
    std::size_t local_bytes, groups;
  };
  const auto first = [&](std::int64_t boxes) {
    Problem p = problem("gsrb", "ghost", 4, 64);
    p.boxes = boxes;
    const Space space(find_pattern("smooth3d").build(p), gpu);
    const Kernel k =
        lower(replay(space.program(), space.derive(space.seeds().at(0))), {.target = Target::cuda});
    const NDRange r = launches_in(k).at(0).range;
    Found found{r.local_bytes, 1};
    for (std::size_t d = 0; d < 3; ++d) found.groups *= r.global[d] / r.local[d];
    return found;
  };
  CHECK(first(4).local_bytes == 0);  // declared in the kernel
  gpu.local_bytes = 163 * 1024;
  const Found large = first(512);
  CHECK(large.local_bytes > 100 * 1024);
  CHECK(large.local_bytes <= 163 * 1024);
  gpu.compute_units = 108;
  CHECK(first(512).local_bytes > 100 * 1024);
  CHECK(first(4).groups >= 108);  // fewer would leave multiprocessors without any
}

TEST_CASE("groups in step: what is tried first on a large device has 512 items a multiprocessor") {
  SpaceOptions gpu;
  gpu.target = Target::cuda, gpu.only_layout = kCallersLayout;
  gpu.local_bytes = std::size_t{227} * 1024, gpu.compute_units = 132;
  for (const auto& [smoother, coefficients, sweeps] :
       {std::tuple{"gsrb", "variable", 2}, std::tuple{"jacobi", "constant", 4}})
    for (const auto& [box, boxes] : {std::pair{64, 64}, std::pair{128, 8}, std::pair{256, 1}}) {
      CAPTURE(smoother);
      CAPTURE(box);
      Problem p = problem(smoother, "ghost", sweeps, box);
      p.boxes = boxes, p.choices["coefficients"] = coefficients;
      const Space space(find_pattern("smooth3d").build(p), gpu);
      const Configuration first = space.seeds().at(0);
      CHECK(space.structure(first).find("arrays loaded ahead") != std::string::npos);
      const NDRange r =
          launches_in(lower(replay(space.program(), space.derive(first)), {.target = Target::cuda}))
              .at(0)
              .range;
      const std::size_t groups = (r.global[0] / r.local[0]) * (r.global[1] / r.local[1]) *
                                 (r.global[2] / r.local[2]),
                        held = std::max<std::size_t>(1, gpu.local_bytes / (r.local_bytes + 1024));
      CHECK(held * r.local[0] * r.local[1] * r.local[2] >= 512);
      CHECK(groups >= gpu.compute_units);
    }
}

TEST_CASE("groups in step: every tile that the space offers is right, and fits into local memory") {
  SpaceOptions gpu;
  gpu.target = Target::cuda;
  const auto bytes_of = [](const Kernel& k, Scalar type) {
    std::int64_t bytes = 0;
    visit(k.body, [&](const Stmt& s) {
      if (const auto* a = std::get_if<Allocate>(&s.v); a && a->space == AddressSpace::Local)
        bytes += *Layout({}, a->type).size().constant() * static_cast<std::int64_t>(size_of(type));
    });
    return bytes;
  };
  for (const Scalar type : {f64, f32})
    for (const int sweeps : {2, 4})
      for (const int box : {9, 64}) {  // the large one is not run
        if (box == 9 && (type == f64) != (sweeps == 2)) continue;
        Problem p = problem("gsrb", "ghost", sweeps, box);
        p.type = type;
        const Program program = find_pattern("smooth3d").build(p);
        const Space space(program, gpu);
        std::vector<std::vector<double>> expected;
        if (box == 9) expected = run_loops(lower(program), 1).results;
        std::size_t tiles = 0;
        for (const Configuration& c : space.seeds()) {
          if (space.structure(c).find("in step") == std::string::npos) continue;
          CAPTURE(space.structure(c));
          const Kernel k = lower(replay(space.program(), space.derive(c)));
          if (box == 9) CHECK(run_loops(k, 1).results == expected);
          CHECK(bytes_of(k, type) <= static_cast<std::int64_t>(gpu.local_bytes));
          ++tiles;
        }
        CHECK(tiles >= 2);
      }
}

}  // namespace lift::in_groups_test
