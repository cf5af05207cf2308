// Lowering of the smoother with every kind of decision, run in the loop language and compared with the plain
// reference.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/layout.hpp"
#include "lower/lower.hpp"
#include "ops_rewrite.hpp"
#include "patterns/operators.hpp"
#include "run_loops.hpp"

using namespace lift;
using lift::test::Decisions;
using lift::test::LoopRunner;

namespace smooth_test {
namespace {

std::size_t count(const Type& t) {
  std::size_t n = 1;
  for (const Nat& d : shape_of(t)) n *= static_cast<std::size_t>(*d.constant());
  return n;
}

/// Positions of an array in row-major order.
void positions(const Type& t, const std::function<void(std::size_t, const std::vector<Nat>&)>& f) {
  const auto shape = shape_of(t);
  for (std::size_t x = 0; x < count(t); ++x) {
    std::vector<Nat> p(shape.size());
    std::size_t rest = x;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const auto n = static_cast<std::size_t>(*shape[d].constant());
      p[d] = static_cast<std::int64_t>(rest % n), rest /= n;
    }
    f(x, p);
  }
}

Decisions decisions(bool in_place, bool parallel, int width = 1, int stride = 1, bool late = false,
                    int prefetch = 0, const std::string& layout = "") {
  Decisions d;
  d.in_place = in_place, d.parallel = parallel, d.width = width, d.stride = stride, d.late = late,
  d.prefetch = prefetch, d.layout = layout;
  return d;
}

struct Outcome {
  double error = 0;
  std::vector<std::string> races;
  std::string loops;
};

Outcome run(const Problem& problem, const Decisions& decisions, int color) {
  const Pattern pattern = smooth3d();
  const Program program = pattern.build(problem);
  const Program derived = lift::test::decide(program, decisions);
  const Kernel k = lower(derived);
  LoopRunner runner;
  std::vector<std::vector<double>> data(program.arguments.size());
  std::vector<HostArray> host;
  std::vector<std::int32_t> integers(program.arguments.size());
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    const Type t = program.arguments[i].type();
    const std::string name = param_name(program.arguments[i]);
    data[i].resize(count(t));
    const bool integer = t.is_scalar() && t.scalar() == i32;
    host.push_back({name, t, integer ? static_cast<void*>(&integers[i]) : data[i].data()});
    pattern.fill(problem, host.back());
    if (integer) integers[i] = color;
  }
  std::vector<double> expected(count(program.body.type()));
  pattern.reference(problem, host, {{"out", program.body.type(), expected.data()}});
  for (const KernelArgument& a : k.arguments) {
    std::size_t i = 0;
    while (i < host.size() && host[i].name != a.name) ++i;
    if (a.type.is_array()) {
      auto& to = runner.arrays[a.name];
      to.assign(static_cast<std::size_t>(*a.layout.size().constant()), 0);
      if (i < host.size())
        positions(a.type, [&](std::size_t x, const std::vector<Nat>& p) {
          to[static_cast<std::size_t>(*a.layout.index(p).constant())] = data[i][x];
        });
    } else if (!a.range.empty()) {
      runner.index[a.name] = integers[i];
    } else {
      runner.scalars[a.name] = data[i][0];
    }
  }
  runner.run(k);
  Outcome r;
  r.races = runner.races, r.loops = str(k);
  for (const KernelArgument& a : k.arguments)
    if (a.name == k.results.at(0))
      positions(a.type, [&](std::size_t x, const std::vector<Nat>& p) {
        const double got = runner.arrays[a.name][static_cast<std::size_t>(*a.layout.index(p).constant())];
        r.error = std::max(r.error, std::abs(got - expected[x]));
      });
  return r;
}

void check(const Problem& problem, const Decisions& decisions) {
  for (const int color : {0, 1}) {
    const Outcome o = run(problem, decisions, color);
    INFO(decisions.text());
    INFO("box " << problem.box << ", boundary " << problem.boundary << ", color " << color);
    INFO(o.loops);
    CHECK(o.error < 1e-13);
    CHECK(o.races.empty());
  }
}

}  // namespace

TEST_CASE("smooth3d: every decision gives the reference's result, without races") {
  for (const std::int64_t box : {3, 5, 10})
    for (const std::int64_t ghost : {1, 2})
      for (const char* smoother : {"gsrb", "jacobi"}) {
        Problem p;
        p.box = box, p.boxes = 2, p.ghost = ghost, p.choices["smoother"] = smoother;
        check(p, {});
        check(p, decisions(true, true));
        check(p, decisions(true, true, 4));
        check(p, decisions(true, true, 4, 1, true));
        check(p, decisions(true, true, 8, 1, true, 16));
        check(p, decisions(true, true, 1, 1, false, 0, "rows 8 1"));
        if (p.choices["smoother"] == "gsrb") {
          check(p, decisions(true, false, 1, 2));
          check(p, decisions(true, true, 1, 2, false, 0, "split 3 4"));
          check(p, decisions(true, true, 4, 2, false, 0, "split 3 4"));
          check(p, decisions(true, true, 4, 2, true, 0, "split 3 8"));
        }
      }
}

TEST_CASE("smooth3d: boundaries without ghost zones") {
  for (const char* boundary : {"periodic", "dirichlet", "neumann"})
    for (const std::int64_t box : {4, 10})
      for (const char* smoother : {"gsrb", "jacobi"}) {
        Problem p;
        p.box = box, p.boxes = 2, p.boundary = boundary, p.choices["smoother"] = smoother;
        check(p, decisions(true, true));
        check(p, decisions(true, true, 4));
        check(p, decisions(true, true, 4, 1, true));
      }
}

}  // namespace smooth_test
