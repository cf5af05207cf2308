// Operators of the library as functions of C++ arrays, against their plain C++ references.
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

#include "liftgen/lift.hpp"
#include "patterns/host_data.hpp"
#include "tests/message.hpp"

namespace lift {
namespace {

using test::message;

/// The arguments of an operator, with its own data, and the results of plain loops.
struct Case {
  std::vector<std::vector<double>> arguments, results;
  std::vector<std::string> names;

  Case(const std::string& name, const Problem& problem) {
    const Pattern& pattern = find_pattern(name);
    const Program program = pattern.build(problem);
    std::vector<HostArray> given, expected;
    const auto make = [](auto& to, auto& hosts, const std::string& n, const Type& t) {
      to.emplace_back(static_cast<std::size_t>(host::count(t)));
      hosts.push_back({n, t, to.back().data()});
    };
    arguments.reserve(program.arguments.size());
    for (const Expr& a : program.arguments) {
      make(arguments, given, param_name(a), a.type());
      pattern.fill(problem, given.back());
      names.push_back(param_name(a));
    }
    const std::vector<ProgramResult> all = results_of(program);
    results.reserve(all.size());
    for (const ProgramResult& r : all) make(results, expected, r.name, r.type);
    pattern.reference(problem, given, expected);
  }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

using In = array_view<const double, 3>;
using Out = array_view<double, 3>;

TEST_CASE("operators are functions with the documented order of arguments") {
  Problem problem;
  problem.box = 6, problem.boxes = 2;
  Case c("residual2d", problem);
  CHECK(c.names ==
        std::vector<std::string>{"phi", "rhs", "alpha", "beta_i", "beta_j", "res", "a", "b_h2inv"});
  const auto view = [&](std::size_t i) { return In(c.arguments[i].data(), {2, 8, 8}); };
  const auto residual =
      compile<void(In, In, In, In, In, Out, double, double)>(operators::residual({.dimensions = 2}));
  residual(view(0), view(1), view(2), view(3), view(4), Out(c.arguments[5].data(), {2, 8, 8}),
           c.arguments[6][0], c.arguments[7][0]);
  CHECK(distance(c.arguments[5], c.results[0]) < 1e-12);
}

TEST_CASE("operators are for boxes of given sizes, too") {
  Problem problem;
  problem.box = 4, problem.sides = {4, 6, 8}, problem.boxes = 1;
  Case c("dot3d", problem);
  using View = array_view<const double, 4>;
  const auto dot = compile<double(View, View)>(operators::dot({.cells = {4, 6, 8}}));
  CHECK(std::abs(dot(View(c.arguments[0].data(), {1, 6, 8, 10}), View(c.arguments[1].data(), {1, 6, 8, 10})) -
                 c.results[0][0]) < 1e-10);
}

TEST_CASE("allocated arrays are passed as they are, on huge pages, beginning at different places") {
  auto x = allocate<double>({2, 8, 8});
  CHECK((x.size() == 128 && x(1, 7, 7) == 0 && reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0));
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i);
  auto y = allocate<double>({2, 8, 8});
  const auto shift = compile<void(In, Out)>(fun(array({nat("b"), nat("n"), nat("m")}, f64), [](Expr a) {
    return a | map3([](Expr v) { return v + 1.0; });
  }));
  shift(x, y);
  CHECK((y(0, 0, 0) == 1 && y(1, 7, 7) == 128));
  const allocated<double, 3> kept = std::move(y);
  CHECK(kept(1, 7, 7) == 128);

  const auto a = allocate<float>({16, 1 << 20}), b = allocate<float>({16, 1 << 20});
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 4096 !=
        reinterpret_cast<std::uintptr_t>(b.data()) % 4096);
  // The kernel says of each mapping whether huge pages were asked for.
  std::ifstream maps("/proc/self/smaps");
  bool within = false, huge = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2)
      within = from <= reinterpret_cast<std::uintptr_t>(a.data()) &&
               reinterpret_cast<std::uintptr_t>(a.data()) < to;
    else if (within && line.starts_with("VmFlags:"))
      huge = line.find(" hg") != std::string::npos;
  }
  CHECK(huge);
}

TEST_CASE("forms of operators that there are not are refused") {
  CHECK(message([] {
          (void)operators::smooth({.choices = {{"smoother", "sor"}}});
        }).starts_with("smooth3d: smoother = 'sor'; use one of gsrb, jacobi, chebyshev"));
  CHECK(message([] {
          (void)operators::axpy({.choices = {{"smoother", "gsrb"}}});
        }) == "axpy3d: there is no choice 'smoother'; it has none");
  CHECK(message([] { (void)operators::smooth({.dimensions = 4}); }).find("smooth4d") != std::string::npos);
}

}  // namespace
}  // namespace lift
