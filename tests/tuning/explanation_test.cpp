// What a page tells of the best variant: each step's outcome is that of the derivation until there.
#include "tuning/explanation.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "tests/message.hpp"
#include "tuning/report.hpp"

using namespace lift;
using lift::test::message;

namespace explanation_test {
namespace {

Program small_smooth() {
  Problem problem;
  problem.box = 8, problem.boxes = 2;
  return find_pattern("smooth3d").build(problem);
}

Variant variant_of(const Program& program, const std::string& derivation) {
  Variant v;
  v.derivation = parse_derivation(derivation);
  v.kernel = lower(replay(program, v.derivation), {.target = Target::openmp});
  return v;
}

const char* const kSteps = "update-in-place at body\nmap-nest at 0.0.1\nmap-par at body";

}  // namespace

TEST_CASE("explanation: the program after each step, and the stages of the last") {
  const Program program = small_smooth();
  const Variant v = variant_of(program, kSteps);
  const Explanation e = explain(program, v);
  CHECK(e.high == print_program(program));
  REQUIRE(e.steps.size() == 3);
  Derivation until;
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    until.push_back(v.derivation[i]);
    CHECK(e.steps[i].step == str(v.derivation[i]));
    CHECK(e.steps[i].prose == prose(v.derivation[i]));
    CHECK(e.steps[i].after == print_program(replay(program, until)));
    CHECK(e.steps[i].after != (i == 0 ? e.high : e.steps[i - 1].after));
  }
  CHECK(e.loops == str(v.kernel));
  CHECK(e.code.find("#pragma omp") != std::string::npos);
  Variant other = v;
  other.derivation = parse_derivation("map-par at 5.5");
  CHECK_FALSE(message([&] { explain(program, other); }).empty());
}

TEST_CASE("explanation: JSON has it, the command lines, and the depths") {
  const Program program = small_smooth();
  ExploreResult r;
  r.pattern = "smooth3d";
  r.variants = {variant_of(program, kSteps)};
  r.variants[0].explored_s = 2.5, r.variants[0].explored_ms = 4;
  r.best = 0;
  const Explanation e = explain(program, r.variants[0]);
  Depths depths;
  depths.boxes = 8;
  depths.tried.push_back({r.problem, r, 1, 1, ""});
  depths.tried.push_back({r.problem, {}, 1.5, 1.25, "too large"});
  depths.tried[0].result.variants[0].ms = 3;
  const auto json =
      nlohmann::json::parse(json_report(r, "", {"a.lift", "explore it", "emit it", &depths, &e}));
  CHECK(json["file"] == "a.lift");
  CHECK(json["command"] == "explore it");
  CHECK(json["emit_command"] == "emit it");
  CHECK(json["explanation"]["high"] == e.high);
  CHECK(json["explanation"]["steps"][2]["after"] == e.steps[2].after);
  CHECK(json["explanation"]["code"] == e.code);
  CHECK(json["depths"]["boxes"] == 8);
  CHECK(json["depths"]["tried"][0]["ms"] == 3);
  CHECK(json["depths"]["tried"][1]["why_not"] == "too large");
  CHECK(json["variants"][0]["explored_s"] == 2.5);
  CHECK(json["variants"][0]["explored_ms"] == 4);
  const auto bare = nlohmann::json::parse(json_report(r, ""));
  for (const char* name : {"file", "command", "emit_command", "depths", "explanation"})
    CHECK_FALSE(bare.contains(name));
}

}  // namespace explanation_test
