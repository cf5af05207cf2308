// Values kept in registers along a sequential loop: exactly what the loop computes without, and fewer loads.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "ir/error.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_kernel.hpp"
#include "tests/patterns/operator_cases.hpp"

using namespace lift;
using lift::test::LoopsRun;
using lift::test::run_loops;

namespace rotate_test {
namespace {

SpaceOptions grid_options() {
  SpaceOptions o;
  o.target = Target::opencl, o.vector_bytes = 16;
  return o;
}
Problem problem(std::int64_t box, const std::string& boundary, std::map<std::string, std::string> choices) {
  Problem p;
  p.box = box, p.boxes = 2, p.choices = std::move(choices);
  if (boundary != "ghost") p.boundary = boundary;
  return p;
}

/// The configuration nearest to the wishes; parameters without one take their first value.
Configuration nearest(const Space& space, const Configuration& wishes) {
  Configuration c;
  for (const Parameter& parameter : space.parameters()) {
    const Settings allowed = space.allowed(c, *parameter.key);
    const Setting* wish = wishes.find(*parameter.key);
    c.set(*parameter.key, wish != nullptr && contains(allowed, *wish) ? *wish : allowed.front());
  }
  return c;
}

/// Every configuration along columns that the space admits, against the loops for a CPU. How many there were.
int check_columns(const Pattern& pattern, const Problem& p, const std::vector<unsigned>& seeds = {0, 1}) {
  const Program program = pattern.build(p);
  const Space space(program, grid_options());
  const Parameter& orders = *std::find_if(space.parameters().begin(), space.parameters().end(),
                                          [](const Parameter& x) { return x.name() == "order"; });
  const std::string order = orders.key->text(orders.values.back());
  int checked = 0;
  for (const unsigned seed : seeds) {
    const LoopsRun expected = run_loops(lower(replay(program, Space(program, {}).derive({}))), seed);
    std::set<Configuration> done;
    for (const char* tile : {"none", "k16"})
      for (const char* inner : {"seq", "strided"})
        for (const auto& [kcache, prefetch, unroll] :
             {std::tuple{"no", "0", "1"}, {"yes", "0", "1"}, {"yes", "1", "2"}}) {
          const Configuration c = nearest(space, {{"tile", tile},
                                                  {"order", order},
                                                  {"inner", inner},
                                                  {"kcache", kcache},
                                                  {"prefetch", prefetch},
                                                  {"unroll", unroll}});
          if (c.at("order") != order || !done.insert(c).second) continue;
          const Kernel k = lower(replay(program, space.derive(c)));
          INFO(pattern.name << " box " << p.box << " " << p.boundary << " " << space.structure(c) << "\n"
                            << str(k));
          const LoopsRun got = run_loops(k, seed);
          CHECK(got.results == expected.results);
          CHECK(got.races.empty());
          ++checked;
        }
  }
  return checked;
}

}  // namespace

TEST_CASE("rotate: columns of the smoothers are what the loops for a CPU compute") {
  for (const std::int64_t box : {1, 2, 3, 4})
    for (const char* boundary : {"ghost", "periodic", "dirichlet", "neumann"})
      for (const char* smoother : {"gsrb", "jacobi"}) {
        if (box % 2 != 0 && std::string(smoother) == "gsrb" && std::string(boundary) == "periodic") continue;
        check_columns(smooth3d(), problem(box, boundary, {{"smoother", smoother}}));
      }
  for (const char* shape : {"wide", "box"})
    check_columns(
        smooth3d(),
        problem(5, "dirichlet", {{"smoother", "jacobi"}, {"coefficients", "constant"}, {"stencil", shape}}));
}

TEST_CASE("rotate: columns of the other operators") {
  int checked = 0;
  for (const auto& families : {lift::testing::stencil_families(), lift::testing::transfer_families()})
    for (const auto& family : families)
      for (const auto& choices : family.choices)
        for (const int dim : {2, 3})
          for (const char* boundary : {"ghost", "dirichlet"}) {
            const Pattern pattern = family.make(dim);
            Problem p = problem(family.sides.at(static_cast<std::size_t>(dim - 1)), boundary, choices);
            p.boxes = 1;
            if (dim == 3 && (boundary == std::string("ghost") || pattern.name == "smooth3d"))
              continue;  // takes long; above
            try {
              pattern.build(p);
            } catch (const UserError&) {
              continue;  // these do not go together
            }
            checked += check_columns(pattern, p, {0});
          }
  CHECK(checked > 100);
}

TEST_CASE("rotate: chunks of columns") {
  for (const char* smoother : {"gsrb", "jacobi"}) {
    Problem p = problem(18, "neumann", {{"smoother", smoother}});
    p.boxes = 1;
    CHECK(check_columns(smooth3d(), p, {1}) >= 4);
  }
}

TEST_CASE("rotate: an iteration of a 7-point stencil along k loads five elements, not seven") {
  Problem p = problem(8, "ghost", {{"smoother", "jacobi"}, {"coefficients", "constant"}});
  p.boxes = 1;
  const Program program = smooth3d().build(p);
  const Space space(program, grid_options());
  const auto loads = [&](const char* kcache) {
    return run_loops(lower(replay(program, space.derive({{"order", "j i k"}, {"kcache", kcache}}))), 0)
        .loads.at("phi");
  };
  CHECK(loads("no") == 8 * 8 * (8 * 7));
  CHECK(loads("yes") == 8 * 8 * (8 * 5 + 2));
}

TEST_CASE("prefetch: an iteration asks for what a later one loads, once a line, never beyond the last") {
  Problem p = problem(8, "ghost", {{"smoother", "jacobi"}, {"coefficients", "constant"}});
  p.boxes = 1;
  const Program program = smooth3d().build(p);
  const Space space(program, grid_options());
  const auto prefetches = [&](const char* kcache) {
    std::map<std::string, int> n;
    const Kernel k =
        lower(replay(program, space.derive({{"order", "j i k"}, {"kcache", kcache}, {"prefetch", "2"}})));
    visit(k.body, [&](const Stmt& s) {
      if (const auto* x = std::get_if<Prefetch>(&s.v)) ++n[x->array];
    });
    run_loops(k, 0);  // checks that the positions exist
    return n;
  };
  const std::map<std::string, int> expected{
      {"lambda", 1}, {"phi", 3}, {"rhs", 1}};  // phi[k + 1] and the rows beside it
  CHECK(prefetches("no") == expected);
  CHECK(prefetches("yes") == expected);
}

}  // namespace rotate_test
