// Kernels that take their sizes at run time: at many sizes, small ones too, they give the interpreter's
// result bit for bit.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "lower/lower.hpp"
#include "rewrite/engine/derivation.hpp"
#include "runtime/native.hpp"
#include "runtime/parallel.hpp"
#include "tests/spelled.hpp"

using namespace lift;

namespace symbolic_test {
namespace {

struct Case {
  std::string name;
  Nat size;  ///< the variable
  std::function<Program(const Nat&)> build;
  std::string derivation = "";          ///< applied to it
  std::vector<std::string> lacks = {};  ///< in the text
};

template <class F>
Expr low(Op op, F f, const Expr& xs, std::vector<std::int64_t> more = {1, 1, 0, 0}) {
  return map_with(op, 1, function_of(element_of(xs.type(), 1), f), xs, std::move(more));
}
Expr mean(const Expr& w) { return (w[0] + w[1] + w[2]) / 3.0; }

Case one_array(const std::string& name, std::int64_t least, const std::function<Nat(const Nat&)>& length,
               const std::function<Expr(const Expr&, const Nat&)>& body, const std::string& derivation = "",
               std::vector<std::string> lacks = {}) {
  return {name, Nat::size("n", least),
          [=](const Nat& n) {
            const Expr x = param("x", array({length(n)}, f64));
            return Program{name, {x}, body(x, n)};
          },
          derivation, std::move(lacks)};
}
Nat same(const Nat& n) { return n; }

void boundaries(std::vector<Case>& to) {
  const std::pair<const char*, Boundary> all[] = {
      {"clamped", Boundary::clamp},     {"wrapped", Boundary::wrap}, {"mirrored", Boundary::mirror},
      {"reflected", Boundary::reflect}, {"odd", Boundary::odd},      {"constant", Boundary::constant}};
  for (const auto& [name, b] : all)
    for (const std::int64_t least : {b == Boundary::reflect ? 3 : 1, 2})
      for (const int width : {1, 4}) {
        const auto blur = [b = b, width](const Expr& x, const Nat&) {
          return low(width == 1 ? Op::MapSeq : Op::MapVec, mean, pad({1}, {1}, b, x) | slide(3, 1),
                     {width, 1, 0, 0});
        };
        to.push_back(one_array(name + std::to_string(least) + (width == 1 ? "" : "v"), least, same, blur));
      }
  for (const auto& [name, b] : all)  // a wide stencil, in a grid of rows
    to.push_back({std::string("grid_") + name,
                  Nat::size("n", b == Boundary::reflect ? 3 : 2),
                  [b = b, name = name](const Nat& n) {
                    const Expr x = param("x", array({n + 1, n}, f64));
                    const Expr windows = slide({1, 5}, {1, 1}, pad({0, 2}, {0, 2}, b, x));
                    const auto cell = [](Expr w) {
                      return w[0][0] - 2 * w[0][1] + w[0][2] * w[0][3] - w[0][4];
                    };
                    return Program{std::string("grid_") + name,
                                   {x},
                                   low(
                                       Op::MapPar,
                                       [&](Expr row) {
                                         return low(Op::MapVec, cell, row, {4, 1, 1, 0});
                                       },
                                       windows)};
                  },
                  "",
                  {" / 5", " % 5"}});
}

void others(std::vector<Case>& to) {
  const auto twice = [](const Nat& n) { return 2 * n; };
  to.push_back(one_array("halved", 1, twice,
                         [](const Expr& x, const Nat&) {
                           return low(
                               Op::MapSeq, [](Expr w) { return 0.5 * (w[0] + w[1]); }, x | slide(2, 2));
                         },
                         "", {" / ", " % "}));
  to.push_back(one_array("doubled", 1, same,
                         [](const Expr& x, const Nat&) {
                           return interleave({low(
                                                  Op::MapSeq, [](Expr a) { return a * 2.0; }, x),
                                              low(
                                                  Op::MapSeq, [](Expr a) { return a * a; }, x)});
                         },
                         "", {" / ", " % "}));
  for (const bool vectors : {false, true}) {
    const auto each = [vectors](const Expr& x) {
      return low(vectors ? Op::MapVec : Op::MapSeq, [](Expr a) { return a * 2.0 + 1.0; }, x,
                 {vectors ? 4 : 1, 1, 0, 0});
    };
    const std::string name = vectors ? "_v" : "";
    to.push_back(one_array("from_last" + name, 1, same,
                           [each](const Expr& x, const Nat&) { return each(x | reverse()); }));
    for (const auto& [condition, b] :
         {std::pair{"clamp", clamp}, std::pair{"wrap", wrap}, std::pair{"mirror", mirror},
          std::pair{"reflect", reflect}, std::pair{"constant", constant}})
      to.push_back(one_array(
          "gathered_" + std::string(condition) + name, 1, same, [vectors, b = b](const Expr& x, const Nat&) {
            const auto at = [&](const Expr& v) {
              return gather(cast(i32, floor(v * 9.0 - 3.0)), x, b, b == constant ? 0.5 : 0);
            };
            return low(vectors ? Op::MapVec : Op::MapSeq, at, x, {vectors ? 4 : 1, 1, 0, 0});
          }));
    if (!vectors)  // vectors are not stored backwards
      to.push_back(one_array("to_first" + name, 1, same,
                             [each](const Expr& x, const Nat&) { return reverse(each(x)); }));
  }
  to.push_back(one_array(
      "regrouped", 1, [](const Nat& n) { return 5 * n; },
      [](const Expr& x, const Nat&) {
        return low(
            Op::MapSeq, [](Expr a) { return a + 1.0; }, join(transpose(split({Nat(5)}, x))));
      }));
  to.push_back(one_array("summed", 1, same, [](const Expr& x, const Nat&) {
    return make(Op::ReduceSeq, {fun({f64, f64}, [](Expr a, Expr b) { return a + b; }), literal(0, f64), x});
  }));
  to.push_back(one_array("streamed", 1, same, [](const Expr& x, const Nat&) {
    return make(Op::Stream, {low(Op::MapVec, [](Expr a) { return 3 * a; }, x, {4, 1, 0, 0})});
  }));
  to.push_back(one_array(
      "tiled", 1, same,
      [](const Expr& x, const Nat&) { return x | pad(1, 1, Boundary::clamp) | slide(3, 1) | map(mean); },
      "tile 8 at body\n"));
  to.push_back(one_array("last", 1, same, [](const Expr& x, const Nat& n) {
    return low(
        Op::MapSeq, [&](Expr a) { return a + at({n - 1}, x) * cast(f64, nat_value(n)); }, x);
  }));
  for (const bool strided : {true, false})
    to.push_back(
        {strided ? "strided" : "masked",
         Nat::size("n"),
         [strided](const Nat& n) {
           const Expr phi = param("phi", array({n + 2}, f64));
           const Expr windows = zip({generate({n}, [](Expr i) { return tuple({i}); }), phi | slide(3, 1)});
           Attr a;
           a.nats = {1};
           const auto cell = [](Expr at, Expr w) {
             return select(eq(get(0, at) % 2, 0), 0.5 * (w[0] + w[2]), w[1]);
           };
           const Expr block = strided ? low(Op::MapSeq, cell, windows, {1, 2, 0, 0})
                                      : low(Op::MapVec, cell, windows, {4, 1, 0, 0});
           return Program{
               strided ? "strided" : "masked", {phi}, make(Op::UpdateInPlace, {phi, block}, a), {"phi"}};
         },
         "",
         {" / 2;\n  }"}});
}

std::vector<Case> cases() {
  std::vector<Case> all;
  boundaries(all);
  others(all);
  return all;
}

/// Whether the kernel, called at size n, leaves the interpreter's numbers in its result.
bool right(const Case& c, const Kernel& k, const NativeLibrary& library, std::int64_t n) {
  const Program fixed = c.build(n);
  std::vector<std::vector<double>> storage;
  std::vector<void*> pointers;
  std::map<std::string, Value> params;
  long size = n;
  pointers.push_back(&size);
  const auto allocate = [&](const Type& t) {
    std::size_t count = 1;
    for (const Nat& x : shape_of(t)) count *= static_cast<std::size_t>(*x.constant());
    storage.emplace_back(count + 16, std::nan(""));
    void* p = storage.back().data();
    std::size_t room = storage.back().size() * sizeof(double);
    pointers.push_back(std::align(64, count * sizeof(double), p, room));
    return std::span(static_cast<double*>(pointers.back()), count);
  };
  std::map<std::string, std::span<double>> arrays;
  for (const Expr& a : fixed.arguments) {
    const auto x = arrays[param_name(a)] = allocate(a.type());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.7 * static_cast<double>(i) + 1);
    params[param_name(a)] = make_array(x, a.type());
  }
  const std::string result = k.results.at(0);
  if (!arrays.count(result)) arrays[result] = allocate(results_of(fixed).at(0).type);
  Value expected = interpret(fixed.body, params);
  library.function<void(void**)>("liftgen_call")(pointers.data());
  const std::vector<double> want = flatten(expected);
  return want.size() == arrays[result].size() &&
         std::memcmp(want.data(), arrays[result].data(), want.size() * sizeof(double)) == 0;
}

}  // namespace

TEST_CASE("symbolic sizes: the interpreter's result at every size") {
  configure_openmp(2);
  const std::vector<Case> all = cases();
  std::vector<Kernel> kernels;
  std::vector<NativeSource> sources;
  for (const Case& c : all) {
    INFO(c.name);
    const Program program = c.build(c.size);
    kernels.push_back(lower(replay(program, parse_derivation(c.derivation))));
    CHECK(kernels.back().sizes == std::vector<std::string>{"n"});
    const std::string code = test::openmp_of(kernels.back());
    for (const std::string& part : c.lacks)
      CHECK_MESSAGE(code.substr(code.find("void " + c.name + "(")).find(part) == std::string::npos, code);
    sources.push_back({code + emit_trampoline(kernels.back(), kernels.back().name),
                       {"-std=gnu11", "-O1", "-march=native", "-fopenmp", "-ffp-contract=off", "-Wall",
                        "-Wextra", "-Werror"},
                       "",
                       "c"});
  }
  NativeCompiler compiler;
  const auto compiled = compiler.compile_all(sources);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(sources[i].code);
    CHECK_MESSAGE(compiled[i].library, compiled[i].error);
    if (!compiled[i].library) continue;
    const std::int64_t least = *variables(all[i].size)[0]->lower.constant();
    for (std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33}) {
      if (n < least) continue;
      INFO("n = " << n);
      CHECK(right(all[i], kernels[i], *compiled[i].library, n));
    }
  }
}

TEST_CASE("symbolic sizes: what OpenCL cannot launch is refused, with a remedy") {
  const Case c = one_array("grid", 1, same, [](const Expr& x, const Nat&) {
    return map_with(Op::MapGlb, 1, fun(f64, [](Expr a) { return a + 1.0; }), x, {0});
  });
  const Kernel k = lower(c.build(c.size));
  CHECK_THROWS_WITH_AS(nd_range(k), doctest::Contains("fix the size"), UserError);
}

}  // namespace symbolic_test
