// Bands that are written by hand, on either side of what check_bands and check_rings let pass; and what is
// said about graphs of two stages, against all their elements.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/nat/nat_atoms.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/rings.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift::bands_test {
namespace {

/// Why a program's bands, then its rings, are refused; empty: they are not.
std::string refusal(const std::string& program) {
  const Program p = parse_program(program, "bands.lift");
  try {
    check_bands(p);
    check_rings(p);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
void check_refusals(const std::vector<std::pair<std::string, std::string>>& cases) {
  for (const auto& [program, expected] : cases) {
    CAPTURE(program);
    const std::string found = refusal(program);
    if (expected.empty())
      CHECK(found == "");
    else
      CHECK_MESSAGE(found.find(expected) != std::string::npos, found);
  }
}
std::string in_step_refusal(const std::string& program, const std::string& rule = "in-step",
                            const Arguments& arguments = {"0", "1"}) {
  const auto r = apply(find_rule(rule), parse_program(program, "bands.lift"), {}, arguments);
  return r ? "" : r.reason();
}

const std::string plate = "param u : 12.10.f64\nresult = ",
                  two = "(let a = u |> map2(\\v. v + 1.0) in a |> map2(\\v. v * 2.0))",
                  line = "param x : 12.f64\nparam y : 10.f64\noverwrite x\nresult = ";

/// Two stages of one axis that begin at 0; the second reads the first from `least` to `most` planes further
/// on.
struct Pair {
  std::int64_t scale, each, scale_of_reader, each_of_reader, least, most;
  StageGraph graph() const {
    StageGraph g;
    g.stages.resize(2);
    for (StageWrites& w : g.stages) w.begins = {0};
    g.stages[0].scale = {scale}, g.stages[0].each = {each};
    g.stages[1].scale = {scale_of_reader}, g.stages[1].each = {each_of_reader};
    g.dependences = {{Dependence::Kind::Flow, 0, 1, "stage 1", {Distance{least, most, "", "", ""}}}};
    return g;
  }
  /// Whether each element is read in the step in which it is made, of the first steps up to the one that
  /// they all repeat themselves after.
  bool stays(std::int64_t width, std::int64_t lag, std::int64_t lag_of_reader) const {
    const auto step = [&](std::int64_t p, std::int64_t s, std::int64_t e, std::int64_t l) {
      return detail::floor_div(s * e * detail::floor_div(p, e) + l, width);
    };
    for (std::int64_t p = 0; p < 5 * 12 * width; ++p)
      for (std::int64_t d = least; d <= most; ++d)
        if ((scale_of_reader * p + d) % scale == 0 &&
            step((scale_of_reader * p + d) / scale, scale, each, lag) !=
                step(p, scale_of_reader, each_of_reader, lag_of_reader))
          return false;
    return true;
  }
};

}  // namespace

TEST_CASE("bands: where one may stand among others") {
  check_refusals({
      {plate + two + " |> band<skewed>(0, 1, (0, 0))", ""},
      {plate + two + " |> band<skewed>(0, 1, (0, 0)) |> band<skewed>(1, 2, (0, 0))", ""},
      {plate + two + " |> band<skewed>(0, 1, (0, 0)) |> band<skewed>(0, 2, (0, 0))",
       "axis 0 is gone along twice"},
      {plate + two + " |> band<phases>(0, 4, (0, 0)) |> band<skewed>(0, 1, (0, 0))",
       "put it outside of band<skewed>"},
      {plate + two + " |> band<skewed>(1, 1, (0, 0)) |> band<phases>(0, 4, (0, 0))", ""},
      {plate + two + " |> band<phases>(0, 4, (0, 0)) |> band<phases>(1, 4, (0, 0))",
       "put one around let x1 = ... in ..., and no other tiles beside it"},
      {plate + two + " |> band<overlapped>(1, 4, (0, 0)) |> band<phases>(0, 4, (0, 0))",
       "put one around let x1 = ... in ..., and no other tiles beside it"},
      {plate + "(let a = u |> map2(\\v. v + 1.0) |> ring(12) in a |> map2(\\v. v * 2.0)) |> "
               "band<phases>(1, 4, (0, 0)) |> band<overlapped>(0, 4, (0, 0))",
       "put one around let x1 = ... in ..., and no other tiles beside it"},
      {plate + two + " |> band<skewed, team>(0, 1, (0, 1)) |> band<skewed>(1, 2, (0, 0))", ""},
      {plate + two + " |> band<skewed>(0, 1, (0, 0)) |> band<skewed, team>(1, 2, (0, 2))",
       "another axis is gone along within a step; use it for the innermost"},
      {plate + two + " |> band<skewed>(0, 1, (0, 0)) |> band<skewed, turns>(1, 2, (0, 0))", ""},
      {plate + two + " |> band<skewed, turns>(0, 1, (0, 0)) |> band<skewed>(1, 2, (0, 0))",
       "another axis is gone along around it; use it for the outermost"},
      {plate + two + " |> band<skewed, turns>(0, 1, (0, 0))",
       "threads take the steps along one axis in turn while each goes along another"},
      {plate + "let b = " + two + " |> band<skewed>(0, 1, (0, 0)) in b |> map2(\\v. v + 3.0)",
       "the program has 1 of them, but 0 around its chain"},
      {plate +
           "(let a = u |> map2(\\v. v + 1.0) in let b = a |> transpose |> transpose in b |> map2(\\v. v * "
           "2.0)) |> band<skewed>(0, 1, (0, 0, 0))",
       "3 shifts for 2 stages"},
      {plate + two + " |> band<skewed>(0, 1, (1, 0))",
       "stage 2 reads stage 1[j][i], which stage 1 has written (flow): along axis 0 stage 2 has to stay 0 "
       "behind stage 1, not -1"},
  });
}

TEST_CASE("bands: turns within tiles take the steps of their tile") {
  check_refusals({
      {plate + "(let a = u |> map2(\\v. v + 1.0) in {a, u |> map2(\\v. v * 2.0)}) |> "
               "band<skewed>(0, 1, (0, 0)) |> band<skewed, turns>(1, 2, (0, 0)) |> band<overlapped>(0, 4, "
               "(0, 0))",
       ""},
  });
}

TEST_CASE("bands: two stages that only write the same cells stay in their order") {
  const auto chain = [](const std::string& lags) {
    return line +
           "(let a = update_in_place(x, 1, y |> map(\\v. v * 2.0)) in "
           "update_in_place(a, 1, y |> map(\\v. v + 1.0))) |> band<skewed>(0, 1, " +
           lags + ")";
  };
  check_refusals({{chain("(0, 0)"), ""},
                  {chain("(0, 3)"), ""},
                  {chain("(1, 0)"),
                   "stage 2 writes x where stage 1 does (output): along axis 0 stage 2 has "
                   "to stay 0 behind stage 1, not -1"}});
}

TEST_CASE("bands: what is copied before all steps is computed by no stage") {
  // Of 12 elements the update replaces so many from `first` on; the others are copies of what stage 1 makes.
  const auto chain = [](int first, int count) {
    return "param x : 12.f64\nresult = let a = x |> drop(1, 1) |> map(\\v. v + 1.0) in update(a, " +
           std::to_string(first) + ", x |> drop(0, " + std::to_string(12 - count) + ") |> map(\\v. v * 3.0))";
  };
  CHECK(in_step_refusal(chain(0, 10)) == "");
  for (const auto& [first, count] : {std::pair{0, 9}, {1, 9}, {2, 5}}) {
    CAPTURE(first);
    CHECK(in_step_refusal(chain(first, count)) ==
          "stage 2 copies stage 1 before all steps, but stage 1 computes some of what is copied: update it "
          "in place, or keep the stages in rings");
  }
  // Bands that no rule has made are held to it, too.
  const auto banded = [](const std::string& block) {
    return "param x : 12.f64\nresult = (let a = x |> map(\\v. v + 1.0) in update(a, 0, x |> drop(0, " +
           block + ") |> map(\\v. v * 3.0))) |> band<skewed>(0, 1, (0, 0))";
  };
  check_refusals({{banded("0"), ""}, {banded("1"), "stage 2 copies stage 1 before all steps"}});
}

TEST_CASE("bands: a stage that no loop along the axis makes goes in no steps, whoever asks for them") {
  const std::string views =
      "param u : 12.10.f64\nresult = (let a = u |> map2(\\v. v + 1.0) in a |> transpose)";
  CHECK(in_step_refusal(views) == "stage 2 is no loop over what it writes along axis 0");
  check_refusals(
      {{views + " |> band<skewed>(0, 1, (0, 0))", "stage 2 is no loop over what it writes along axis 0"}});
}

TEST_CASE("bands: the least width of tiles in phases is twice the largest shift") {
  CHECK(least_width({}) == 1);
  CHECK(least_width({0, 0}) == 1);
  CHECK(least_width({0, 3, 2}) == 6);
}

TEST_CASE("rings: which of them are stages of a chain in step") {
  const std::string whole = "(let a = u |> map2(\\v. v + 1.0) |> ring(12) in a |> map2(\\v. v * 2.0))",
                    cube =
                        "param u : 4.5.6.f64\nresult = (let a = u |> map3(\\v. v + 1.0) |> ring(4) in a |> "
                        "map3(\\v. v * 2.0))",
                    outermost = "ring: its planes follow one another along the outermost axis";
  check_refusals({
      {plate + whole + " |> band<skewed>(0, 1, (0, 0))", ""},
      {plate + whole + " |> band<skewed>(1, 1, (0, 0))", outermost},
      {plate + whole, outermost},
      {plate + whole +
           " |> band<skewed>(0, 1, (0, 0)) |> band<skewed>(1, 2, (0, 0)) |> band<overlapped>(0, 4, (0, 0))",
       outermost},
      {plate + "(let a = u |> map2(\\v. v + 1.0) |> ring(12) |> map2(\\v. v * 3.0) in a |> map2(\\v. v * "
               "2.0)) |> "
               "band<skewed>(0, 1, (0, 0))",
       "ring: only a named stage of a chain in step can be one, and no result"},
      {cube + " |> band<skewed>(0, 1, (0, 0)) |> band<skewed>(1, 2, (0, 0))", ""},
      {cube + " |> band<skewed>(0, 1, (0, 0)) |> band<skewed>(2, 2, (0, 0))", outermost},
  });
}

TEST_CASE("rings: the lags along the rows are the least with which all that they keep is of one step") {
  const auto chain = [](const std::string& stages) {
    return parse_program("param u : 8.16.f64\nresult = " + stages, "rows.lift");
  };
  const auto lags = [](const Program& p, std::int64_t width) {
    const auto rings = apply(find_rule("rings"), p, {}, {});
    REQUIRE(rings);
    const Chain c = chain_of(*rings);
    return lags_around_rings(c, stage_graph(c), 1, width);
  };
  // The third stage stays four columns behind the second, for what it reads there; so does the first, then,
  // whose elements it reads in the columns that it makes.
  const Program later = chain(
      "let q = u |> map2(\\v. v + 1.0) in let p = u |> map2(\\v. v * 2.0) in "
      "zip2(q |> drop2(0, (0, 4)), p |> drop2((0, 4), 0)) |> map2(\\(a, b). a + b)");
  CHECK(lags(later, 2).by_stage == std::vector<std::int64_t>{4, 0, 4});
  // The second reads the first where the third, which stays four columns behind it, reads it, too.
  const Program never = chain(
      "let q = u |> map2(\\v. v + 1.0) in let p = q |> map2(\\v. v * 2.0) in "
      "zip2(q |> drop2(0, (0, 4)), p |> drop2((0, 4), 0)) |> map2(\\(a, b). a + b)");
  const std::string why = lags(never, 2).obstacle;
  CHECK_MESSAGE(
      why.find("not in one step of 2 rows, whose rows are all that a ring keeps") != std::string::npos, why);
  CHECK(lags(chain("let q = u |> map2(\\v. v + 1.0) in q |> transpose"), 2).obstacle ==
        "stage 2 is no loop over what it writes along axis 1");
}

TEST_CASE("rings: where a stage begins at no number, or reads from any distance, all is kept") {
  const Program p = parse_program(
      "param x : 12.f64\nresult = (let a = x |> map(\\v. v + 1.0) |> ring(12) in a |> pad(1, 1, clamp) |> "
      "slide(3, 1) |> map(\\w. w[0] + w[2])) |> band<skewed>(0, 1, (0, 1))",
      "planes.lift");
  const Chain chain = chain_of(p);
  const StageGraph graph = stage_graph(chain);
  CHECK(planes_of_rings(chain, graph) == std::vector<Nat>{3, 1});
  StageGraph far = graph, late = graph;
  far.dependences.at(0).distance[0].min.reset();
  CHECK(planes_of_rings(chain, far) == std::vector<Nat>{12, 1});
  late.stages[1].begins[0] = Nat::size("begin");
  CHECK(planes_of_rings(chain, late) == std::vector<Nat>{12, 1});

  const Pair pair{1, 1, 1, 1, 0, 0};
  StageGraph two_stages = pair.graph();
  CHECK(stays_in_step(two_stages, two_stages.dependences[0], 0, 2, {0, 0}));
  two_stages.dependences[0].distance[0].max.reset();
  CHECK(!stays_in_step(two_stages, two_stages.dependences[0], 0, 2, {0, 0}));
  two_stages = pair.graph(), two_stages.stages[0].begins[0] = Nat::size("begin");
  CHECK(!stays_in_step(two_stages, two_stages.dependences[0], 0, 2, {0, 0}));
}

TEST_CASE("rings: a number has one plane, and stays in no step") {
  const Chain chain = chain_of(parse_program("param x : 12.f64\nresult = x |> sum", "sum.lift"));
  const StageGraph graph = stage_graph(chain);
  CHECK(planes_of_rings(chain, graph) == std::vector<Nat>{1});
  CHECK(!can_stay_in_step(chain, graph, 0, 0, 2));
}

TEST_CASE("rings: each read is within a step of rows, by all elements of them") {
  int stay = 0, cross = 0;
  for (const auto& [scale, each, of_reader] :
       {std::tuple{1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {1, 2, 2}, {2, 1, 2}, {2, 2, 4}})
    for (const std::int64_t width : {4, 8})
      for (const std::int64_t least : {-2, -1, 0, 1})
        for (const std::int64_t most : {least, least + 1, least + 2})
          for (const std::int64_t lag : {0, 1, 2})
            for (const std::int64_t behind : {0, 1, 2, 3}) {
              const Pair p{scale, each, 1, of_reader, least, most};
              const StageGraph g = p.graph();
              const bool in_order = lag + behind - lag >= most + depth_of(g.stages[1], 0);
              if (!in_order) continue;
              CAPTURE(scale);
              CAPTURE(each);
              CAPTURE(of_reader);
              CAPTURE(width);
              CAPTURE(least);
              CAPTURE(most);
              CAPTURE(lag);
              CAPTURE(behind);
              const bool stays = stays_in_step(g, g.dependences[0], 0, width, {lag, lag + behind});
              if (stays) CHECK(p.stays(width, lag, lag + behind));
              (stays ? stay : cross) += 1;
            }
  CHECK(stay > 10);
  CHECK(cross > 100);
  // Steps of three and a writer of every other plane: planes 2 and 3 are the first that are apart.
  const StageGraph apart = Pair{2, 1, 1, 1, 0, 0}.graph();
  CHECK(!stays_in_step(apart, apart.dependences[0], 0, 3, {0, 0}));
}

}  // namespace lift::bands_test
