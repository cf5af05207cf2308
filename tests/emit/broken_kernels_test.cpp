// Generated kernels with tiles in local memory, broken on purpose: the emulation of CUDA, and oclgrind for
// OpenCL, see what is wrong with each, and nothing wrong with those that are whole.
#include <doctest/doctest.h>

#include <cstdio>

#include "broken.hpp"
#include "grid_run.hpp"
#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/lower.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"
#include "tests/spelled.hpp"
#include "together.hpp"

using namespace lift;
using namespace lift::test;

namespace broken_kernels_test {
namespace {

Expr low(Op op, int dim, const std::function<Expr(Expr)>& f, const Expr& xs, int items = 0) {
  return map_with(op, 1, function_of(element_of(xs.type(), 1), f), xs, {dim, 1, 0, 0, items});
}
Expr wrg(int dim, const std::function<Expr(Expr)>& f, const Expr& xs) { return low(Op::MapWrg, dim, f, xs); }
Expr lcl(int dim, const std::function<Expr(Expr)>& f, const Expr& xs, int items = 0) {
  return low(Op::MapLcl, dim, f, xs, items);
}
Expr seq(const std::function<Expr(Expr)>& f, const Expr& xs) {
  return map_with(Op::MapSeq, 1, function_of(element_of(xs.type(), 1), f), xs);
}
Expr same(Expr x) { return x; }
Expr in_local(const Expr& e) { return make(Op::ToLocal, {e}); }
Expr sum3(Expr w) { return w[0] + w[1] * 2.0 + w[2]; }

Kernel lowered(const std::string& name, const std::vector<Expr>& arguments, const Expr& body) {
  return lower({name, arguments, body, {}, {}});
}

/// How work-items copy to local memory.
using Copy = Expr (*)(const Expr&);
Expr directly(const Expr& e) { return e; }
Expr async(const Expr& e) { return make(Op::Async, {e}); }

/// A tile of 10 with its halo, loaded by 8 work-items.
Kernel tile(Copy how = directly) {
  const Expr xs = param("xs", array({34}, f64));
  const auto in_tile = [=](Expr t) {
    return lcl(0, sum3, slide({Nat(3)}, {Nat(1)}, in_local(how(lcl(0, same, t, 8)))), 8);
  };
  return lowered("tile", {xs}, join(wrg(0, in_tile, slide({Nat(10)}, {Nat(8)}, xs))));
}
/// In two dimensions: tiles of 4 x 8.
Kernel tile2d() {
  const Expr m = param("m", array({10, 18}, f32));
  const auto in_tile = [](Expr t) {
    const Expr s = in_local(lcl(
        1, [](Expr row) { return lcl(0, same, row, 8); }, t, 4));
    return lcl(
        1,
        [](Expr r) {
          return lcl(
              0, [](Expr w) { return w[0][1] + w[1][0] + w[1][1] * 2.0 + w[1][2] + w[2][1]; }, r);
        },
        slide({Nat(3), Nat(3)}, {Nat(1), Nat(1)}, s));
  };
  return lowered(
      "tile2d", {m},
      wrg(
          1, [&](Expr row) { return wrg(0, in_tile, row); }, slide({Nat(6), Nat(10)}, {Nat(4), Nat(8)}, m)));
}
/// Row after row through one tile: a barrier after it is loaded, and one before it is loaded again.
Kernel rows(Copy how = directly) {
  const Expr m = param("m", array({10, 18}, f64));
  const auto by_row = [=](Expr t) {
    return seq(
        [=](Expr row) {
          return lcl(0, sum3, slide({Nat(3)}, {Nat(1)}, in_local(how(lcl(0, same, row, 8)))), 8);
        },
        t);
  };
  return lowered("rows", {m},
                 wrg(
                     0,
                     [&](Expr t) {
                       return by_row(transpose({1, 0}, t));
                     },
                     slide({Nat(10)}, {Nat(8)}, transpose({1, 0}, m))));
}
/// Windows of three rows that move along a circular buffer of four: a row is copied while those before it are
/// read.
Kernel planes(Copy how = directly) {
  const Expr m = param("m", array({10, 18}, f64));
  const auto in_group = [=](Expr columns) {
    Attr slots;
    slots.nats = {Nat(4)};
    const Expr ring =
        make(Op::CircularBuffer,
             {map([=](Expr row) { return how(lcl(0, same, row, 8)); }, transpose({1, 0}, columns))}, slots);
    const auto of_window = [](Expr w) {
      return lcl(
          0, [](Expr v) { return v[0][1] + v[2][1] * 3.0; }, slide({Nat(3), Nat(2)}, {Nat(1), Nat(1)}, w)[0],
          8);
    };
    return seq(of_window, slide({Nat(3)}, {Nat(1)}, ring));
  };
  return lowered("planes", {m}, wrg(0, in_group, slide({Nat(10)}, {Nat(8)}, transpose({1, 0}, m))));
}

bool is_load_loop(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  if (!f || f->kind != LoopKind::Lcl || f->dim != 0) return false;
  const auto trips = (f->upper - f->lower).constant();
  return trips && *trips == 10;
}
/// Only the first five work-items come to the barrier.
Kernel with_divergent_barrier(const Kernel& k) {
  return changed(k, 0, is_barrier, [](Stmt s) {
    For some;
    some.var = Nat::fresh("some", 0, 4), some.lower = 0, some.upper = 5, some.kind = LoopKind::Lcl,
    some.body = {std::move(s)};
    return Block{{some}};
  });
}
/// The tile's last element of dimension 0 is not loaded.
Kernel with_short_halo(const Kernel& k) {
  return changed(k, 0, is_load_loop, [](Stmt s) {
    auto& f = std::get<For>(s.v);
    f.upper = f.upper - 1;
    return Block{std::move(s)};
  });
}
/// The tile's loads go one element beyond it.
Kernel with_long_halo(const Kernel& k) {
  return changed(k, 0, is_load_loop, [](Stmt s) {
    auto& f = std::get<For>(s.v);
    f.upper = f.upper + 1;
    return Block{std::move(s)};
  });
}
/// Nobody waits for the copies before the barrier.
Kernel without_wait(const Kernel& k) {
  return changed(k, 0, is_barrier, [](Stmt s) {
    std::get<Barrier>(s.v).copies = false;
    return Block{std::move(s)};
  });
}
/// The last tile's halo lies beyond the array, which is one element short.
Kernel with_short_array(const Kernel& k) {
  Kernel r = k;
  const Type t = array({*k.arguments[0].layout.size().constant() - 1}, element_of(k.arguments[0].type));
  r.arguments[0].type = t, r.arguments[0].layout = Layout({}, t);
  return r;
}

struct Broken {
  std::string what;
  Kernel kernel;
  std::string cuda, opencl;  ///< parts of what is reported; empty: nothing is
};
std::vector<Broken> all_kernels() {
  const std::string order = "as the order of threads goes", race = "data race",
                    uninitialised = "Uninitialized";
  std::vector<Broken> all{
      {"whole tile", tile(), "", ""}, {"whole tile2d", tile2d(), "", ""}, {"whole rows", rows(), "", ""}};
  for (const Kernel& k : {tile(), tile2d()}) {
    all.push_back({k.name + " without its barrier", without_barrier(k, 0), order, race});
    all.push_back({k.name + " with a barrier in divergent code", with_divergent_barrier(k),
                   "is not reached by all threads", "divergence"});
    all.push_back({k.name + " with a short halo", with_short_halo(k), order, uninitialised});
    all.push_back({k.name + " of a short array", with_short_array(k), "access to element", "Invalid read"});
  }
  all.push_back({"tile with a long halo", with_long_halo(tile()), "undefined", "Invalid write"});
  all.push_back({"whole tile that is copied asynchronously", tile(async), "", ""});
  all.push_back({"tile that is copied asynchronously without a wait", without_wait(tile(async)), order,
                 "without waiting for events"});
  for (const int n : {0, 1})
    all.push_back({"rows without barrier " + std::to_string(n), without_barrier(rows(), n), order, race});
  return all;
}

struct Storage {
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<void*> pointers;
  explicit Storage(const Kernel& k) {
    for (const KernelArgument& a : k.arguments) {
      const auto n = static_cast<std::size_t>(*a.layout.size().constant());
      const bool single = element_of(a.type) == Type(f32);
      bytes.emplace_back(n * (single ? 4 : 8), static_cast<unsigned char>(0xff));
      pointers.push_back(bytes.back().data());
      for (std::size_t i = 0; i < n && !a.written; ++i) {
        const double v = static_cast<double>(i * i % 31);
        const auto f = static_cast<float>(v);
        std::memcpy(&bytes.back()[i * (single ? 4 : 8)], single ? static_cast<const void*>(&f) : &v,
                    single ? 4 : 8);
      }
    }
  }
};

/// The source without the n-th of its lines that say `what`.
std::string without_line(std::string source, const std::string& what, std::size_t n) {
  std::size_t at = source.find(what);
  for (; n > 0; --n) at = source.find(what, at + 1);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = source.rfind('\n', at) + 1;
  return source.erase(begin, source.find('\n', at) + 1 - begin);
}
std::size_t lines_with(const std::string& source, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = source.find(what); at != std::string::npos; at = source.find(what, at + 1)) ++n;
  return n;
}

/// What the emulation says.
std::string fault(GridDevice& device, const Kernel& k) {
  Storage data(k);
  try {
    run_on(device, k, Target::cuda, data.pointers);
  } catch (const KernelFault& wrong) {
    return wrong.what();
  }
  return "";
}

}  // namespace

TEST_CASE("broken kernels on the emulation of CUDA") {
  const Unverified on_purpose;
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  for (const Broken& b : all_kernels()) {
    const std::string why = fault(*device, b.kernel);
    INFO(b.what << ": " << why << "\n" << test::cuda_of(b.kernel));
    if (b.cuda.empty())
      CHECK(why.empty());
    else
      CHECK(why.find(b.cuda) != std::string::npos);
  }
}

TEST_CASE("asynchronous copies on the emulation of CUDA: no wait for them, and no barrier, can be left out") {
  struct Variant {
    Kernel kernel;
    std::string what;  ///< that is left out; empty: nothing
  };
  std::vector<Variant> variants;
  Together source;
  for (Kernel k : {tile(async), rows(async), planes(async)}) {
    const std::string name = k.name, whole = test::cuda_of(k);
    for (const std::string& what :
         {std::string(), std::string("wait_for_copies();"), std::string("__syncthreads();")}) {
      const std::size_t lines = what.empty() ? 1 : lines_with(whole, what);
      CHECK(lines > 0);
      for (std::size_t n = 0; n < lines; ++n) {
        k.name = name + "_" + std::to_string(variants.size());
        const std::string text = test::cuda_of(k);
        source.add(what.empty() ? text : without_line(text, what, n));
        variants.push_back({k, what});
      }
    }
  }
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  const GridBuild built = device->build(source.code(), kCompiledSoon);
  REQUIRE_MESSAGE(built.program, built.error);
  INFO(source.code());
  for (const Variant& v : variants) {
    INFO(v.kernel.name << " without " << v.what);
    Storage data(v.kernel);
    std::string why;
    try {
      run_on(*device, *built.program, v.kernel, Target::cuda, data.pointers);
    } catch (const KernelFault& wrong) {
      why = wrong.what();
    }
    CHECK_MESSAGE(
        (v.what.empty() ? why.empty() : why.find("as the order of threads goes") != std::string::npos), why);
    if (!v.what.empty()) continue;
    const Kernel direct = v.kernel.name.starts_with("tile")   ? tile()
                          : v.kernel.name.starts_with("rows") ? rows()
                                                              : planes();
    Storage expected(direct);
    run_on(*device, direct, Target::cuda, expected.pointers);
    CHECK(data.bytes == expected.bytes);
  }
}

TEST_CASE("oclgrind runs broken kernels" * doctest::skip()) {
  const Unverified on_purpose;
  opencl::Device device;
  for (const Broken& b : all_kernels()) {
    std::printf("=== %s\n", b.what.c_str());
    std::fflush(stdout);
    Storage data(b.kernel);
    run_on(device, b.kernel, Target::opencl, data.pointers);
  }
}

TEST_CASE("broken kernels under oclgrind") {
  const Unverified on_purpose;
  if (!has_oclgrind()) return;
  const std::string all = under_oclgrind({"--data-races", "--uninitialized"}, "oclgrind runs broken kernels");
  for (const Broken& b : all_kernels()) {
    const std::size_t begin = all.find("=== " + b.what + "\n");
    REQUIRE(begin != std::string::npos);
    const std::string part = all.substr(begin, all.find("===", begin + 4) - begin);
    INFO(part << test::opencl_of(b.kernel));
    if (b.opencl.empty()) {
      for (const char* word : {"race", "Uninitialized", "Invalid", "divergence", "waiting"})
        CHECK(part.find(word) == std::string::npos);
    } else {
      CHECK(part.find(b.opencl) != std::string::npos);
    }
  }
}

}  // namespace broken_kernels_test
