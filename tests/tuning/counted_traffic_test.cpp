// What first-tried kernels for CUDA do in global memory, counted without a device.
#include "tuning/cost/counted_traffic.hpp"

#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"

using namespace lift;
using cuda_host::Accesses;
using cuda_host::kSectorBytes;
using cuda_host::LaunchTraffic;

namespace counted_traffic_test {
namespace {

constexpr std::int64_t kBox = 64, kBoxes = 2;

Problem gsrb(Scalar type, int sweeps) {
  Problem p;
  p.box = kBox, p.boxes = kBoxes, p.type = type, p.sweeps = sweeps, p.ghost = sweeps;
  p.choices = {{"smoother", "gsrb"}, {"coefficients", "variable"}};
  return p;
}

/// Of the kernel that a CUDA device is given first; of those in the caller's layout, where that is asked for.
LaunchTraffic first(const char* pattern, const Problem& problem, bool callers_layout = true,
                    SpaceOptions options = {}) {
  options.target = Target::cuda;
  if (callers_layout) options.only_layout = kCallersLayout;
  const Space space(find_pattern(pattern).build(problem), options);
  const Configuration c = space.seeds().at(0);
  INFO(space.structure(c));
  NativeCompiler compiler;
  return total(
      counted_traffic(lower(replay(space.program(), space.derive(c)), {.target = Target::cuda}), compiler));
}

/// Bytes of sectors a cell and sweep: each once a launch, or as counted otherwise.
double bytes_of_sectors(const LaunchTraffic& t, const Problem& p,
                        std::uint64_t Accesses::*counted = &Accesses::sectors) {
  return static_cast<double>((t.loads().*counted + t.stores().*counted) * kSectorBytes) /
         static_cast<double>(kBox * kBox * kBox * kBoxes * p.sweeps);
}

/// Ten steps of a stencil over an image whose border is continued, as an iteration or as ten names.
LaunchTraffic ten_steps(const std::string& result, std::size_t& launches) {
  SpaceOptions options;
  options.target = Target::cuda, options.only_layout = kCallersLayout;
  const Space space(parse_program("param u : 256.256.f64\n"
                                  "def row(w) = w[0] + 2 * w[1] + w[2]\n"
                                  "def sweep(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> "
                                  "map2(\\w. (row(w[0]) + 2 * row(w[1]) + row(w[2])) / 16)\n"
                                  "result smooth = " +
                                  result + "\n"),
                    options);
  const Configuration c = space.seeds().at(0);
  INFO(space.structure(c));
  NativeCompiler compiler;
  const auto each =
      counted_traffic(lower(replay(space.program(), space.derive(c)), {.target = Target::cuda}), compiler);
  launches = each.size();
  return total(each);
}

}  // namespace

TEST_CASE("counted traffic: a sum of two arrays moves 24 bytes an element") {
  Problem p;
  p.box = 32, p.boxes = 2;
  const LaunchTraffic t = first("axpy3d", p);
  CHECK(t.loads().bytes == 2 * 8 * 32 * 32 * 32 * 2);
  CHECK(t.stores().bytes == 8 * 32 * 32 * 32 * 2);
}

TEST_CASE("counted traffic: with the colours apart a half-sweep moves 48 bytes a cell, and the halo") {
  const LaunchTraffic t = first("smooth3d", gsrb(f64, 1), false);
  CHECK(bytes_of_sectors(t, gsrb(f64, 1)) >= 48);
  CHECK(bytes_of_sectors(t, gsrb(f64, 1)) <= 1.04 * 48);
  // Lanes of a warp have neighbouring cells: hardly more is asked for than the stencil's 18 numbers of half
  // the cells.
  const double asked = bytes_of_sectors(t, gsrb(f64, 1), &Accesses::by_warp);
  CHECK(asked <= 1.05 * 18 * 8 / 2);
}

TEST_CASE(
    "counted traffic: arrays that are loaded ahead are asked for once, where a block has much local memory") {
  SpaceOptions large;
  large.local_bytes = 227 * 1024, large.compute_units = 4;
  const LaunchTraffic two = first("smooth3d", gsrb(f64, 2), true, large);
  CHECK(bytes_of_sectors(two, gsrb(f64, 2)) <= 38);
  CHECK(bytes_of_sectors(two, gsrb(f64, 2), &Accesses::by_warp) <= 55);
  Problem jacobi = gsrb(f64, 4);
  jacobi.choices = {{"smoother", "jacobi"}, {"coefficients", "constant"}};
  CHECK(bytes_of_sectors(first("smooth3d", jacobi, true, large), jacobi) <= 12);
}

TEST_CASE("counted traffic: several half-sweeps in one pass move a part of what single ones do") {
  for (const Scalar type : {f64, f32}) {
    const double one = bytes_of_sectors(first("smooth3d", gsrb(type, 1)), gsrb(type, 1));
    for (const auto& [sweeps, most] : {std::pair{2, 0.65}, std::pair{4, 0.45}}) {
      CAPTURE(sweeps);
      const Problem p = gsrb(type, sweeps);
      const LaunchTraffic together = first("smooth3d", p);
      CHECK(bytes_of_sectors(together, p) <= most * one);
      // Were nothing of a block's in a cache when its neighbours read it.
      CHECK(bytes_of_sectors(together, p, &Accesses::by_block) <= 0.65 * one);
    }
  }
}

TEST_CASE(
    "counted traffic: ten steps of a user's stencil read and write an image once a launch, of several "
    "steps") {
  const std::string steps = "u |> iterate(10, sweep)";
  std::string names;
  for (int i = 1; i < 10; ++i)
    names +=
        "let x" + std::to_string(i) + " = sweep(" + (i == 1 ? "u" : "x" + std::to_string(i - 1)) + ") in ";
  for (const auto& [text, passes] : {std::pair{steps, 2}, std::pair{names + "sweep(x9)", 1}}) {
    INFO(text);
    std::size_t launches = 0;
    const LaunchTraffic t = ten_steps(text, launches);
    CHECK(launches == static_cast<std::size_t>(passes));
    const double cells = 256.0 * 256.0, bytes = 16.0 * passes;
    CHECK(static_cast<double>(t.loads().bytes + t.stores().bytes) / cells == bytes);
    CHECK(static_cast<double>((t.loads().by_block + t.stores().by_block) * kSectorBytes) / cells < 2 * bytes);
    CHECK(t.blocks >= 8);
  }
}

TEST_CASE(
    "counted traffic: rings of elements that are wider than those of the result fit into local memory") {
  SpaceOptions options;
  options.target = Target::cuda, options.only_layout = kCallersLayout;
  const Space space(
      parse_program("param u : 1024.1024.u8\n"
                    "def blur(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> "
                    "map2(\\w. (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]) / 4)\n"
                    "result r = let a = u |> map2(f64) in let b = blur(a) in let c = blur(b) in "
                    "let d = blur(c) in let e = blur(d) in blur(e) |> map2(u8)\n"),
      options);
  NativeCompiler compiler;
  int in_step = 0;
  for (const Configuration& c : space.seeds()) {
    if (space.structure(c).find("in step along") == std::string::npos) continue;
    INFO(space.structure(c));
    const auto t = total(
        counted_traffic(lower(replay(space.program(), space.derive(c)), {.target = Target::cuda}), compiler));
    CHECK(t.shared_bytes <= options.local_bytes);
    if (++in_step == 2) break;
  }
  CHECK(in_step == 2);
}

}  // namespace counted_traffic_test
