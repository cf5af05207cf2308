// Stage graphs at their edges: updates of which the program decides some, distances beyond all axes.
#include <doctest/doctest.h>

#include <limits>

#include "ir/text/parse.hpp"
#include "rewrite/analysis/stage_loads.hpp"

using namespace lift;

namespace stage_graph_edges_test {
namespace {

bool both_write(const StageGraph& g) {
  for (const Dependence& d : g.dependences)
    if (d.kind == Dependence::Kind::Output) return true;
  return false;
}

}  // namespace

TEST_CASE("stage graphs: half-sweeps write apart where both leave the other's elements alone") {
  const auto half = [](const std::string& update, const std::string& base, int colour) {
    return update + "(" + base + ", 0, zip(" + base +
           ", iota(12)) |> map(\\(v, i). select(i % 2 == " + std::to_string(colour) + ", v + 1.0, v)))";
  };
  for (const std::string first : {"update", "update_in_place"})
    for (const std::string second : {"update", "update_in_place"}) {
      if (first == "update" && second != first) continue;  // into an array that is computed
      CAPTURE(first);
      CAPTURE(second);
      const Chain chain = chain_of(
          parse_program("program p\nparam x : 12.f64\noverwrite x\nresult = let a = " + half(first, "x", 0) +
                            " in " + half(second, "a", 1),
                        "p.lift"));
      const StageGraph possible = stage_graph(chain), decided = stage_graph(chain, Updates::as_decided);
      INFO(str(decided, chain));
      for (const StageGraph* g : {&possible, &decided}) {
        REQUIRE(g->stages.size() == 2);
        CHECK(g->stages[0].storage == "x");
        CHECK(g->stages[1].storage == "x");
      }
      CHECK(!both_write(possible));
      // One that is no update in place stores the other colour, too, when it is its turn.
      CHECK(both_write(decided) == (first == "update" || second == "update"));
    }
}

TEST_CASE("stage graphs: what an update leaves is made of its base, which may be computed") {
  // Distances at which the last stage reads a; it reads b for its block alone.
  const auto distances = [](const std::string& last) {
    const Chain chain =
        chain_of(parse_program("program p\nparam x : 12.f64\nresult = let a = x |> map(\\v. v * 2.0) in let "
                               "b = x |> map(\\v. v * 3.0) in " +
                                   last,
                               "p.lift"));
    const StageGraph g = stage_graph(chain, Updates::as_decided);
    std::vector<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>> r;
    for (const Dependence& d : g.dependences)
      if (d.kind == Dependence::Kind::Flow && d.from == 0 && d.to == 2)
        r.emplace_back(d.distance[0].min, d.distance[0].max);
    return r;
  };
  using Distances = decltype(distances(""));
  const std::string block = ", 1, b |> drop(1, 1) |> map(\\v. v + 1.0))";
  CHECK(distances("update(a" + block) == Distances{{0, 0}});  // copied
  CHECK(distances("update(a |> map(\\v. v + 1.0)" + block) == Distances{{0, 0}});
  CHECK(distances("update(a |> pad(0, 2, clamp) |> drop(2, 0) |> map(\\v. v + 1.0)" + block) ==
        Distances{{0, 2}});
  CHECK(distances("update(a |> pad(0, 2, wrap) |> drop(2, 0) |> map(\\v. v + 1.0)" + block) ==
        Distances{{std::nullopt, 2}});
  // Of the base of the base: what is read for its block, and what is copied.
  const std::string shifted = "update(a, 0, a |> drop(3, 0) |> map(\\v. v + 1.0))";
  CHECK(distances(shifted + " |> map(\\v. v)") != Distances{});
  CHECK(distances("update(" + shifted + block) == Distances{{0, 3}});
  CHECK(distances("update(update(x" + block + block).empty());
}

TEST_CASE("stage graphs: distances between the rows of one array and the columns of another") {
  for (const int power : {4, 20, 40}) {
    CAPTURE(power);
    const std::int64_t apart = std::int64_t{1} << power;
    const Chain chain =
        chain_of(parse_program("program p\nsize n\nparam x : (2 * n + " + std::to_string(apart) +
                                   ").n.f64\nresult = let a = x |> map2(\\v. v * 2.0) in a |> drop(n + " +
                                   std::to_string(apart) + ", 0) |> transpose |> map2(\\v. v + 1.0)",
                               "p.lift"));
    const StageGraph g = stage_graph(chain);
    INFO(str(g, chain));
    REQUIRE(g.dependences.size() == 1);
    // Element i of row j reads row n + apart + i; n + i - j is 1 at least, and 2 * n - 1 at most.
    const Distance& d = g.dependences[0].distance[0];
    CHECK(d.min == apart + 1);
    CHECK(!d.max);
  }
}

TEST_CASE("stage graphs: what is known where updates may be in place is not taken for what was decided") {
  // What a keeps of x is there before it; where a is an array of its own, it copies that.
  const auto chain = [](int last) {
    return chain_of(
        parse_program("program p\nparam x : 12.f64\noverwrite x\n"
                      "result = let a = update(x, 0, x |> drop(0, 6) |> map(\\v. v * 2.0)) in "
                      "a |> drop(" +
                          std::to_string(last) + ", 0) |> map(\\v. v + 1.0)",
                      "p.lift"));
  };
  const auto flows = [](const Chain& c, Updates updates) {
    const StageGraph g = stage_graph(c, updates);
    return std::any_of(g.dependences.begin(), g.dependences.end(),
                       [](const Dependence& d) { return d.kind == Dependence::Kind::Flow; });
  };
  const Chain one = chain(7), other = chain(8);
  CHECK(!flows(one, Updates::where_possible));
  CHECK(flows(one, Updates::as_decided));
  CHECK(flows(other, Updates::as_decided));
  CHECK(!flows(other, Updates::where_possible));
}

TEST_CASE("stage graphs: distances as far as numbers go, of which those beyond all axes are one") {
  const Nat n = Nat::size("n"), i = Nat::fresh("i", 0, n - 1), j = Nat::fresh("j", 0, n - 1);
  WrittenElement w;
  w.index = w.position = {i};
  constexpr std::int64_t longest = std::int64_t{1} << 48, greatest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t apart : {longest / 2, 2 * longest, greatest / 4, greatest / 2 + 1, greatest - 4}) {
    CAPTURE(apart);
    const Distance d = distance_of({"x", {{n + j + apart}, {}, {false}}, "x"}, w, 0, 1, 1);
    REQUIRE(d.min);
    CHECK(*d.min <= apart + 1);
    CHECK(*d.min >= std::min(apart + 1, longest));
    CHECK(!d.max);
  }
}

}  // namespace stage_graph_edges_test
