// Chains and their stage graphs: against the same, found by going through all elements at constant positions.
#include <doctest/doctest.h>

#include <chrono>

#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/view.hpp"
#include "patterns/operators.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/stage_graph.hpp"

namespace lift {
namespace {

using Position = std::vector<std::int64_t>;
using Load = std::pair<std::string, Position>;

/// What a stage writes, and what it loads for that.
using Elements = std::map<Position, std::vector<Load>>;

void for_positions(const std::vector<std::int64_t>& shape, const std::function<void(const Position&)>& f,
                   Position p = {}) {
  if (p.size() == shape.size()) return f(p);
  for (std::int64_t i = 0; i < shape[p.size()]; ++i) {
    p.push_back(i);
    for_positions(shape, f, p);
    p.pop_back();
  }
}

/// `base`: the array that the stage overwrites; where it keeps an element of it, it writes nothing.
Elements elements_of(const Chain& chain, std::size_t stage, const std::optional<std::string>& base) {
  const Expr& value = chain.stages[stage].value;
  std::vector<std::int64_t> shape;
  for (const Nat& n : shape_of(value.type())) shape.push_back(*n.constant());
  Views views;
  const View array = views.eval(value, nullptr);
  Elements r;
  for_positions(shape, [&](const Position& p) {
    View v = array;
    for (const std::int64_t i : p) v = v[Nat(i)];
    const Term t = simplify(v.term(), Facts());
    const auto at = [](const Term& load) {
      Position q;
      for (const Nat& n : load->nats) q.push_back(simplify(n).constant().value());
      return q;
    };
    if (base && t->kind == TermKind::Load && t->name == *base && at(t) == p) return;
    std::vector<Load>& loads = r[p];
    visit(t, [&](const Term& x) {
      if (x->kind == TermKind::Load) loads.emplace_back(x->name, at(x));
    });
  });
  return r;
}

using Hulls = std::vector<std::pair<std::int64_t, std::int64_t>>;
void include(Hulls& h, const Position& distance) {
  if (h.empty())
    for (const std::int64_t d : distance) h.emplace_back(d, d);
  for (std::size_t a = 0; a < distance.size(); ++a)
    h[a] = {std::min(h[a].first, distance[a]), std::max(h[a].second, distance[a])};
}
Position difference(const Position& r, const std::vector<std::int64_t>& a, const Position& w,
                    const std::vector<std::int64_t>& b) {
  Position d;
  for (std::size_t i = 0; i < w.size(); ++i) d.push_back(a[i] * r[i] - b[i] * w[i]);
  return d;
}

/// All dependences, by going through all elements.
std::map<std::tuple<std::size_t, std::size_t, Dependence::Kind>, Hulls> by_brute_force(const Chain& chain,
                                                                                       const StageGraph& g) {
  std::vector<Elements> all;
  std::map<std::string, std::string> storage;
  std::map<std::string, std::size_t> version;
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const std::string& name = chain.stages[i].name;
    all.push_back(
        elements_of(chain, i, g.stages[i].storage != name ? g.stages[i].base : std::optional<std::string>()));
    storage[name] = g.stages[i].storage, version[name] = i;
  }
  const auto stored_in = [&](const std::string& array) {
    const auto it = storage.find(array);
    return it == storage.end() ? array : it->second;
  };
  std::map<std::tuple<std::size_t, std::size_t, Dependence::Kind>, Hulls> r;
  const auto add = [&](std::size_t i, std::size_t j, Dependence::Kind k, const Position& d) {
    include(r[{i, j, k}], d);
  };
  for (std::size_t j = 0; j < all.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const std::string &si = g.stages[i].storage, &sj = g.stages[j].storage;
      const auto &a = g.stages[i].scale, &b = g.stages[j].scale;
      for (const auto& [w, loads] : all[j]) {
        if (si == sj && all[i].contains(w)) add(i, j, Dependence::Kind::Output, Position(w.size(), 0));
        for (const auto& [array, p] : loads)
          if (version.contains(array) && version[array] >= i && storage[array] == si && all[i].contains(p))
            add(i, j, Dependence::Kind::Flow, difference(p, a, w, b));
      }
      for (const auto& [w, loads] : all[i])
        for (const auto& [array, p] : loads)
          if (stored_in(array) == sj && all[j].contains(p))
            add(i, j, Dependence::Kind::Anti, difference(p, b, w, a));
    }
  return r;
}

/// The same pairs; the same ends, except that those at a periodic boundary are unbounded. Returns the number
/// of these.
int compare(const Program& p) {
  const Chain chain = chain_of(p);
  const StageGraph g = stage_graph(chain);
  const std::string table = str(g, chain);
  CAPTURE(table);
  auto expected = by_brute_force(chain, g);
  int unbounded = 0;
  for (const Dependence& d : g.dependences) {
    CAPTURE(d.from);
    CAPTURE(d.to);
    CAPTURE(text(d.kind));
    const auto it = expected.find({d.from, d.to, d.kind});
    REQUIRE(it != expected.end());
    REQUIRE(it->second.size() == d.distance.size());
    for (std::size_t a = 0; a < d.distance.size(); ++a) {
      const Distance& x = d.distance[a];
      const auto& [low, high] = it->second[a];
      unbounded += !x.bounded();
      if (x.min)
        CHECK(*x.min == low);
      else
        CHECK_MESSAGE((low < -2 && x.why.find("periodic") != std::string::npos), x.why);
      if (x.max)
        CHECK(*x.max == high);
      else
        CHECK_MESSAGE((high > 2 && x.why.find("periodic") != std::string::npos), x.why);
    }
    expected.erase(it);
  }
  CHECK(expected.empty());
  return unbounded;
}

Program operator_program(const std::string& name, const std::string& boundary, std::int64_t box,
                         std::map<std::string, std::string> choices) {
  Problem problem;
  problem.box = box, problem.boxes = 1, problem.ghost = name == "horizontal_diffusion" ? 2 : 1;
  problem.boundary = boundary, problem.choices = std::move(choices);
  return find_pattern(name).build(problem);
}
const char* const kBoundaries[] = {"ghost", "periodic", "dirichlet", "neumann"};

const Expr u = param("u", array({Nat(7), Nat(9)}, f64));
Expr sum_of(const Expr& window, std::int64_t side) {
  Expr sum = window[0][0];
  for (std::int64_t j = 0; j < side; ++j)
    for (std::int64_t i = j == 0 ? 1 : 0; i < side; ++i) sum = sum + window[j][i];
  return sum;
}
Expr box_filter(const Expr& x, std::int64_t radius, Boundary b) {
  const std::int64_t side = 2 * radius + 1;
  return x | pad2(radius, radius, b) | slide2(side, 1) | map2([=](Expr w) { return sum_of(w, side); });
}
/// Cells with j % 2 == a and i % 2 == b become the sum of those around them.
Expr coloured(const Expr& x, int a, int b) {
  return update(
      x, {0, 0},
      zip_n(2, {positions({7, 9}), x | pad2(1, 1, clamp) | slide2(3, 1)}) | map2([=](Expr at, Expr w) {
        return select(eq(get(0, at) % 2, a) && eq(get(1, at) % 2, b), sum_of(w, 3), w[1][1]);
      }));
}

/// Half-sweeps of alternating colours over n elements.
Program line_of_half_sweeps(int sweeps, const Nat& n) {
  const Expr x0 = param("x", array({n + 2}, f64));
  const std::function<Expr(Expr, int)> from = [&](Expr x, int t) {
    const Expr half = update(x, {1}, zip({iota(n), x | slide(3, 1)}) | map([t](Expr i, Expr w) {
                                       return select(eq((i + t % 2) % 2, 0), w[0] + w[2], w[1]);
                                     }));
    return t + 1 == sweeps ? half : let(half, [&](Expr y) { return from(y, t + 1); });
  };
  return {"line", {x0}, from(x0, 0), {"x"}, {}};
}

}  // namespace

TEST_CASE("stage graphs of smoothers are those that brute force finds") {
  for (const char* boundary : kBoundaries)
    for (const std::int64_t box : {4, 5, 6}) {
      CAPTURE(boundary);
      CAPTURE(box);
      if (std::string(boundary) != "periodic" || box % 2 == 0)
        compare(operator_program("smooth2d", boundary, box, {{"smoother", "symmetric-gsrb"}}));
      const int unbounded =
          compare(operator_program("smooth2d", boundary, box, {{"smoother", "chebyshev"}, {"degree", "4"}}));
      CHECK((unbounded > 0) == (std::string(boundary) == "periodic"));
      if (box == 5) compare(operator_program("smooth2d", boundary, box, {{"smoother", "jacobi"}}));
    }
  compare(operator_program("smooth3d", "dirichlet", 4, {{"smoother", "symmetric-gsrb"}}));
}

TEST_CASE("stages on grids of different size, and below maps") {
  for (const char* boundary : kBoundaries) {
    CAPTURE(boundary);
    compare(operator_program("residual_restriction2d", boundary, 6, {{"keep", "yes"}}));
    compare(operator_program("horizontal_diffusion", boundary, 5, {}));
  }
  const Program p = operator_program("residual_restriction2d", "neumann", 6, {{"keep", "yes"}});
  const StageGraph g = stage_graph(chain_of(p));
  REQUIRE(g.stages.size() == 3);  // the residual, which is then kept, and restricted
  CHECK(g.stages[0].scale == std::vector<std::int64_t>{1, 1});
  CHECK(g.stages[2].scale == std::vector<std::int64_t>{2, 2});
  CHECK(g.stages[2].storage == "coarse");
}

TEST_CASE("a user's chain of 9-point stencils") {
  for (const Boundary b : {clamp, wrap, mirror, reflect, odd, Boundary::constant}) {
    CAPTURE(text(b));
    compare({"filters", {u}, let(box_filter(u, 1, b), [&](Expr x) {
               return let(box_filter(x, 2, b), [&](Expr y) { return box_filter(y, 1, b); });
             })});
  }
  const Program four_colours{"four",
                             {u},
                             let(coloured(u, 0, 0),
                                 [](Expr x) {
                                   return let(coloured(x, 1, 1), [](Expr y) {
                                     return let(coloured(y, 1, 0), [](Expr z) { return coloured(z, 0, 1); });
                                   });
                                 }),
                             {"u"},
                             {}};
  compare(four_colours);
  for (const StageWrites& w : stage_graph(chain_of(four_colours)).stages) CHECK(w.storage == "u");
  // a base that is needed again, and one that the caller needs, are copied
  compare({"used again",
           {u},
           let(coloured(u, 0, 0),
               [](Expr x) {
                 return zip_n(2, {coloured(u, 1, 1), x}) | map2([](Expr v, Expr w) { return v + w; });
               }),
           {"u"},
           {}});
  compare({"needed", {u}, let(coloured(u, 0, 0), [](Expr x) { return coloured(x, 1, 1); }), {}, {}});
}

TEST_CASE("from fine to coarse and back") {
  const Expr x = param("x", array({Nat(12)}, f64));
  const Program p{
      "levels", {x}, let(x | slide(2, 2) | map([](Expr w) { return w[0] + w[1]; }), [](Expr c) {
        return interleave({c | map([](Expr v) { return v * 2.0; }), c | map([](Expr v) { return v; })});
      })};
  compare(p);
  const StageGraph g = stage_graph(chain_of(p));
  CHECK(g.stages[0].scale[0] == 2);
  CHECK(g.stages[1].scale[0] == 1);
}

TEST_CASE("a stage of two dimensions that reads one of a single dimension leaves it with one scale") {
  const Expr x = param("x", array({Nat(6)}, f64));
  const StageGraph g = stage_graph(chain_of(
      {"outer",
       {x},
       let(x | map([](Expr v) { return v * 2.0; }),
           [](Expr a) { return a | map([&](Expr v) { return a | map([&](Expr w) { return v + w; }); }); }),
       {},
       {}}));
  REQUIRE(g.stages.size() == 2);
  CHECK(g.stages[0].scale == std::vector<std::int64_t>{1});
  CHECK(g.stages[1].scale == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("symbolic sizes, and a load that the interval is named after") {
  const Chain chain = chain_of(line_of_half_sweeps(3, Nat::size("n")));
  const StageGraph g = stage_graph(chain);
  REQUIRE(g.dependences.size() == 5);  // flow and anti of neighbours, output of the two of one colour
  for (const Dependence& d : g.dependences) {
    REQUIRE(d.distance.size() == 1);
    const Distance& x = d.distance[0];
    const bool output = d.kind == Dependence::Kind::Output;
    CHECK(output == (d.from == 0 && d.to == 2));
    CHECK(*x.max == (output ? 0 : 1));
    CHECK(*x.min == (output ? 0 : -1));
    if (output) continue;
    CHECK(x.at_max == (d.kind == Dependence::Kind::Flow ? chain.stages[d.from].name
                       : d.from == 0                    ? "x"
                                                        : chain.stages[d.from - 1].name) +
                          "[i + 2]");
  }
}

TEST_CASE("64 equal half-sweeps are analysed in milliseconds") {
  const Program p = line_of_half_sweeps(64, 1000);
  const auto start = std::chrono::steady_clock::now();
  const StageGraph g = stage_graph(chain_of(p));
  const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK(g.stages.size() == 64);
  CHECK(g.dependences.size() > 3000);
  MESSAGE("64 stages, seconds: ", s);
  CHECK(s < 1);  // inlining would need 2^64 terms; no test depends on the clock beyond that
}

TEST_CASE("stage graphs: what an update leaves of a base that it copies is read, too") {
  const Expr x = param("x", array({Nat(9)}, f64));
  const auto twice = [](const Expr& a) { return a | map([](Expr v) { return v * 2.0; }); };
  const Program p{
      "copied", {x}, let(twice(x), [&](Expr a) { return update(a, {0}, twice(drop({1}, {0}, a))); }), {}, {}};
  compare(p);
  const StageGraph g = stage_graph(chain_of(p));
  REQUIRE(g.dependences.size() == 1);
  CHECK(g.dependences[0].kind == Dependence::Kind::Flow);
  CHECK(g.dependences[0].distance[0].min == 0);  // the last element, as it is
  CHECK(g.dependences[0].distance[0].max == 1);
}

TEST_CASE("stage graphs: an update has the scale of the base that it copies, whatever else it reads") {
  const Expr x = param("x", array({Nat(12)}, f64)), y = param("y", array({Nat(4)}, f64));
  const auto twice = [](const Expr& a) { return a | map([](Expr v) { return v * 2.0; }); };
  const auto pairs = [](const Expr& a) { return a | slide(2, 2) | map([](Expr w) { return w[0] + w[1]; }); };
  for (const bool copied : {false, true}) {  // a base that is a result, too, is copied
    CAPTURE(copied);
    const Program p{"copied", {x, y}, let(twice(x), [&](Expr fine) {
                      return let(pairs(fine), [&](Expr coarse) {
                        const Expr made = update(coarse, {1}, y | map([&](Expr v) { return v + coarse[0]; }));
                        return copied ? tuple({made, coarse}) : made;
                      });
                    })};
    compare(p);
    const StageGraph g = stage_graph(chain_of(p));
    REQUIRE(g.stages.size() == 3);
    CHECK(g.stages[2].storage == (copied ? "stage 3" : "stage 2"));
    CHECK(g.stages[0].scale[0] == 1);
    CHECK(g.stages[1].scale[0] == 2);
    CHECK(g.stages[2].scale[0] == 2);
  }
}

TEST_CASE("stage graphs: their table says how stages go, or why that is not known") {
  const Expr u = param("u", array({Nat(4), Nat(6)}, f64));
  const auto pairs = [](const Expr& row) {
    return join(row | split(Nat(2)) | map([](Expr p) { return p | map([](Expr v) { return v * 2.0; }); }));
  };
  const Program p{
      "table", {u}, let(u | map(pairs), [](Expr a) {
        return a | map([](Expr row) {
                 return scan(fun({f64, f64}, [](Expr s, Expr v) { return s + v; }), literal(0, f64), row);
               });
      })};
  const Chain chain = chain_of(p);
  const StageGraph g = stage_graph(chain);
  const std::string table = str(g, chain);
  CAPTURE(table);
  CHECK(table.find("stage 1: writes stage 1[0, 4)[0, 6), 2 positions an iteration\n") != std::string::npos);
  CHECK(table.find("stage 2: writes stage 2[0, 4)[0, 6); ") != std::string::npos);
  CHECK(g.stages[1].unknown.find("scan") != std::string::npos);
  CHECK(depth_of(g.stages[0], 0) == 0);
  CHECK(depth_of(g.stages[0], 1) == 1);
  CHECK(depth_of(g.stages[1], 1) == 0);  // of no loops that are known
  REQUIRE(g.dependences.size() == 1);
  CHECK(!g.dependences[0].distance[0].bounded());
}

TEST_CASE(
    "stage graphs: a stage that makes several planes at once stays behind for its own, not for those "
    "before") {
  const Expr x = param("x", array({Nat(9)}, f64));
  const auto twice = [](const Expr& a) { return a | map([](Expr v) { return v * 2.0; }); };
  const Program p{"chain", {x}, let(twice(x), [&](Expr a) { return twice(a); }), {}, {}};
  const Chain chain = chain_of(p);
  for (const std::int64_t first : {1, 2, 4})
    for (const std::int64_t second : {1, 2, 4}) {
      StageGraph g = stage_graph(chain);
      g.stages[0].each = {first}, g.stages[1].each = {second};
      g.dependences[0].distance[0].min = g.dependences[0].distance[0].max = 3;
      const Shifts lags = least_shifts(chain, g, Band::skewed, 0);
      CHECK(lags.obstacle.empty());
      REQUIRE(lags.by_stage.size() == 2);
      CHECK(lags.by_stage[1] - lags.by_stage[0] == 3 + second - 1);
    }
}

}  // namespace lift
