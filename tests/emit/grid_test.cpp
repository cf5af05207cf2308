// Kernels over a grid, written by hand in the loop language: what is guarded, hoisted and dealt out, as text
// of both backends, and run on an OpenCL device where there is one.
#include <doctest/doctest.h>

#include <numeric>

#include "hand_built.hpp"
#include "ir/error.hpp"
#include "lower/analyses/index_range.hpp"
#include "runtime/opencl.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace grid_test {
namespace {

Kernel copy_rows(std::int64_t n, std::int64_t m, const std::function<For(const Nat&, Block)>& rows,
                 const std::function<For(const Nat&, Block)>& columns) {
  const Nat j = index_of("j", 0, n - 1), i = index_of("i", 0, m - 1);
  Kernel k = kernel("copy", {array_argument("x", f64, n * m), out_argument("y", f64, n * m)}, "y", {});
  k.body = {{rows(j, {{columns(i, {put("y", m * j + i, binary(Op::Add, at("x", m * j + i), number(1)))})}})}};
  return k;
}

/// y[i] = x[i] + x[i+1] + x[i+2] through tiles of local memory: n / 32 groups load 34 elements each with 32
/// items.
Kernel staged(std::int64_t n) {
  const Nat g = index_of("g", 0, n / 32 - 1), l = index_of("l", 0, 33), i = index_of("i", 0, 31);
  For load = grid(l, 0, 34, {put("tile", l, at("x", 32 * g + l))}, LoopKind::Lcl);
  load.items = 32;
  const Term sum = binary(Op::Add, binary(Op::Add, at("tile", i), at("tile", i + 1)), at("tile", i + 2));
  For add = grid(i, 0, 32, {put("y", 32 * g + i, sum)}, LoopKind::Lcl);
  Block body{{Allocate{"tile", array({Nat(34)}, f64), AddressSpace::Local}}, {load}, {Barrier{}}, {add}};
  return kernel("staged", {array_argument("x", f64, n + 2), out_argument("y", f64, n)}, "y",
                {{grid(g, 0, n / 32, std::move(body), LoopKind::Wrg)}});
}

bool available() {
  const std::string why = opencl::why_unavailable();
  if (!why.empty()) MESSAGE("no OpenCL device, not run: " << why);
  return why.empty();
}

/// The result over x = 0, 1, 2, ...
std::vector<double> run_opencl(const Kernel& k) {
  opencl::Device device;
  const std::string source = test::opencl_of(k);
  const GridBuild built = device.build(source);
  INFO(source);
  REQUIRE_MESSAGE(built.program, built.error);
  const auto size = [&](std::size_t a) {
    return static_cast<std::size_t>(*k.arguments[a].layout.size().constant());
  };
  std::vector<double> x(size(0)), y(size(1), -1);
  std::iota(x.begin(), x.end(), 0);
  const GridMemory in = device.allocate(8 * x.size()), out = device.allocate(8 * y.size());
  device.write(in, x.data(), 8 * x.size()), device.write(out, y.data(), 8 * y.size());
  GridLaunch launch;
  const NDRange r = nd_range(k);
  launch.kernel = built.program->kernel(k.name), launch.global = r.global, launch.local = r.local,
  launch.dims = r.dims;
  launch.args.emplace_back(in), launch.args.emplace_back(out);
  device.run(launch);
  device.read(out, y.data(), 8 * y.size());
  return y;
}

void check_copied(const Kernel& k) {
  if (!available()) return;
  const std::vector<double> y = run_opencl(k);
  for (std::size_t i = 0; i < y.size(); ++i) {
    CAPTURE(i);
    REQUIRE(y[i] == static_cast<double>(i) + 1);
  }
}

const auto sequential = [](const Nat& v, Block b) {
  return over(v, 0, *variables(v)[0]->upper.constant() + 1, std::move(b));
};
/// A grid loop over the variable's range, dealt to `items` where these are given.
auto on_grid(LoopKind kind, int dim, int items = 0) {
  return [=](const Nat& v, Block b) {
    For f = grid(v, 0, variables(v)[0]->upper + 1, std::move(b), kind, dim);
    f.items = items;
    return f;
  };
}

}  // namespace

TEST_CASE("grid: an OpenCL grid of free local size fits exactly; CUDA's has whole blocks and a guard") {
  const Kernel k = copy_rows(7, 100, on_grid(LoopKind::Glb, 1), on_grid(LoopKind::Glb, 0));
  const NDRange free = nd_range(k), blocks = nd_range(k, Target::cuda);
  CHECK(free.global == std::array<std::size_t, 3>{100, 7, 1});
  CHECK(free.local == std::array<std::size_t, 3>{0, 0, 0});
  CHECK(blocks.global == std::array<std::size_t, 3>{128, 7, 1});
  CHECK(blocks.local == std::array<std::size_t, 3>{128, 1, 1});
  CHECK(count(test::opencl_of(k), "if (") == 0);
  const std::string cuda = test::cuda_of(k);
  CAPTURE(cuda);
  CHECK(count(cuda, "if (") == 1);
  CHECK(cuda.find("if (i < 100) {") != std::string::npos);
  CHECK(cuda.find("extern \"C\" __global__ void __launch_bounds__(128) copy(const double *__restrict__ x, "
                  "double *__restrict__ y) {") != std::string::npos);
  CHECK(cuda.find("copy<<<dim3(1, 7, 1), dim3(128, 1, 1)>>>") != std::string::npos);
  check_copied(k);
}

TEST_CASE("grid: blocks of warps along dimension 0 that leave few threads idle") {
  const auto block = [](std::int64_t rows, std::int64_t columns) {
    return nd_range(copy_rows(rows, columns, on_grid(LoopKind::Glb, 1), on_grid(LoopKind::Glb, 0)),
                    Target::cuda)
        .local;
  };
  CHECK(block(64, 256) == std::array<std::size_t, 3>{128, 1, 1});
  CHECK(block(64, 66) == std::array<std::size_t, 3>{32, 4, 1});
  CHECK(block(64, 64) == std::array<std::size_t, 3>{64, 2, 1});
  CHECK(block(64, 8) == std::array<std::size_t, 3>{8, 16, 1});
  CHECK(block(1, 5) == std::array<std::size_t, 3>{8, 1, 1});
}

TEST_CASE("grid: fewer work-items than iterations take them in turn") {
  for (const int items : {1, 3, 32, 100, 200})
    for (const auto& [rows, columns] :
         {std::pair{LoopKind::Glb, LoopKind::Glb}, {LoopKind::Wrg, LoopKind::Lcl}}) {
      CAPTURE(items);
      const Kernel k = copy_rows(5, 100, on_grid(rows, 1, 2), on_grid(columns, 0, items));
      CHECK(nd_range(k).global ==
            std::array<std::size_t, 3>{static_cast<std::size_t>(std::min(items, 100)), 2, 1});
      check_copied(k);
    }
}

TEST_CASE("grid: cooperative loads of a tile with its halo, and one barrier") {
  const Kernel k = staged(128);
  CHECK(nd_range(k).local[0] == 32);
  const std::string opencl = test::opencl_of(k), cuda = test::cuda_of(k);
  INFO(opencl << cuda);
  CHECK(count(opencl, "barrier(CLK_LOCAL_MEM_FENCE);") == 1);
  CHECK(count(opencl, "__local double tile[34];") == 1);
  CHECK(opencl.find("__local") < opencl.find("get_group_id"));
  CHECK(count(cuda, "__syncthreads();") == 1);
  CHECK(count(cuda, "__shared__ double tile[34];") == 1);
  CHECK(count(cuda, "#pragma unroll") == 1);
  if (!available()) return;
  const std::vector<double> y = run_opencl(k);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == 3 * static_cast<double>(i) + 3);
}

TEST_CASE("grid: what only some work-items have to do is guarded, and barriers are not") {
  // Two dimensions of work-items load a tile; those of dimension 0 alone write it.
  const Nat r = index_of("r", 0, 3), l = index_of("l", 0, 31), i = index_of("i", 0, 31),
            j = index_of("j", 0, 3);
  const Block load{
      {grid(r, 0, 4, {{grid(l, 0, 32, {put("tile", 32 * r + l, at("x", 32 * r + l))}, LoopKind::Lcl, 0)}},
            LoopKind::Lcl, 1)}};
  const For write = grid(
      i, 0, 32, {{over(j, 0, 4, {put("y", 32 * j + i, binary(Op::Add, at("tile", 32 * j + i), number(1)))})}},
      LoopKind::Lcl, 0);
  const Kernel k = kernel(
      "some", {array_argument("x", f64, 128), out_argument("y", f64, 128)}, "y",
      {{Allocate{"tile", array({Nat(128)}, f64), AddressSpace::Local}}, load[0], {Barrier{}}, {write}});
  const std::string text = test::opencl_of(k);
  CAPTURE(text);
  CHECK(count(text, "if ((int)get_local_id(1) == 0) {") == 1);
  CHECK(text.find("barrier") < text.find("if ("));
  check_copied(k);
  // A sibling that is shorter than the group.
  const Nat h = index_of("h", 0, 9);
  Kernel two = copy_rows(4, 32, sequential, on_grid(LoopKind::Lcl, 0));
  two.body.push_back(
      {grid(h, 0, 10, {put("y", h, binary(Op::Add, at("x", h), number(1)))}, LoopKind::Lcl, 0)});
  CHECK(count(test::opencl_of(two), "< 10) {") == 1);
  check_copied(two);
}

TEST_CASE("grid: loops whose length varies are guarded, and a name is theirs") {
  const Nat j = index_of("j", 0, 9);
  const auto part = [&](const Nat& lower, const Nat& upper) {
    const Nat i = Nat::fresh("i", lower, upper - 1);
    return Stmt{grid(i, lower, upper, {put("y", 10 * j + i, binary(Op::Add, at("x", 10 * j + i), number(1)))},
                     LoopKind::Lcl)};
  };
  const Kernel k = kernel("triangles", {array_argument("x", f64, 100), out_argument("y", f64, 100)}, "y",
                          {{grid(j, 0, 10, {part(0, j), part(j, 10)}, LoopKind::Wrg)}});
  check_copied(k);
}

TEST_CASE("grid: indices are int where all of them fit, else long") {
  const auto of = [](std::int64_t rows) {
    return copy_rows(rows, 65536, on_grid(LoopKind::Glb, 1), on_grid(LoopKind::Glb, 0));
  };
  CHECK(indices_fit_int(of(32767)));
  CHECK_FALSE(indices_fit_int(of(32769)));
  CHECK(test::cuda_of(of(32767)).find("long") == std::string::npos);
  CHECK(test::cuda_of(of(32769)).find("const long i = ((long)blockIdx.x * 128 + threadIdx.x);") !=
        std::string::npos);
  CHECK(test::opencl_of(of(32769)).find("const long i = (long)get_global_id(0);") != std::string::npos);
  // A part of a sum that does not fit, though the sum does.
  const Nat j = index_of("j", 0, 65535),
            row = Nat::fresh("row", -(std::int64_t{1} << 40), std::int64_t{1} << 40);
  Kernel k = kernel("parts", {array_argument("x", f64, 9), out_argument("y", f64, 9)}, "y", {});
  k.body = {{over(j, 0, 65536,
                  {{Let{index_term(row), index_term(32000 * j)}}, put("y", row - 32000 * j, number(1))})}};
  CHECK_FALSE(indices_fit_int(k));
}

TEST_CASE("grid: what cannot be launched is refused") {
  const auto message = [](const Kernel& k, const char* text) {
    CHECK_THROWS_WITH_AS(test::cuda_of(k), doctest::Contains(text), UserError);
  };
  message(copy_rows(65536, 256, on_grid(LoopKind::Glb, 1), on_grid(LoopKind::Glb, 0)),
          "needs 65536 blocks along dimension 1, where at most 65535 are possible");
  message(copy_rows(64, 2048, on_grid(LoopKind::Wrg, 1), on_grid(LoopKind::Lcl, 0)),
          "blocks of 2048 x 1 x 1 threads");
  message(copy_rows(64, 64, on_grid(LoopKind::Glb, 0), on_grid(LoopKind::Lcl, 0)), "share dimension 0");
  message(copy_rows(64, 64, on_grid(LoopKind::Glb, 3), on_grid(LoopKind::Lcl, 0)), "three dimensions");
  Kernel k = copy_rows(64, 64, on_grid(LoopKind::Glb, 1), on_grid(LoopKind::Glb, 0));
  k.arguments[0].name = "blockIdx";
  message(k, "a word of CUDA C++");
  k.arguments[0].name = "global";
  CHECK_THROWS_WITH_AS(test::opencl_of(k), doctest::Contains("a word of OpenCL C"), UserError);
}

TEST_CASE(
    "grid: of local memory that CUDA's launch asks for, each array begins where copies of 16 bytes may") {
  Kernel k = kernel("two", {out_argument("y", f32, 4)}, "y", {});
  Launch launch;
  launch.name = "two", launch.range.global = launch.range.local = {4, 1, 1}, launch.range.local_bytes = 32;
  launch.body = {{Allocate{"odd", array({Nat(3)}, f32), AddressSpace::Local}},
                 {Allocate{"next", array({Nat(4)}, f32), AddressSpace::Local}},
                 put("next", 0, constant_term(1, f32)),
                 put("odd", 0, constant_term(2, f32))};
  k.body = {{std::move(launch)}}, k.target = Target::cuda;
  const std::string text = emit_cuda(k);
  INFO(text);
  CHECK(text.find("[0];") != std::string::npos);
  CHECK(text.find("[16];") != std::string::npos);
}

}  // namespace grid_test
