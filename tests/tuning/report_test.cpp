// The JSON that other programs read: every field of schema 1 is there under its name.
#include "tuning/report.hpp"

#include "tuning/unique_names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/file.hpp"

using namespace lift;
using Json = nlohmann::json;

namespace report_test {
namespace {

ExploreResult some_result() {
  ExploreResult r;
  r.pattern = "smooth3d";
  r.machine.triad_gbs = 30, r.machine.compiler = "gcc 12.2.0", r.device = "a processor", r.threads = 2;
  r.traffic = {16777216, 64.0 * 16777216, 12.0 * 16777216};
  r.twin_ms = 20, r.twin_gbs = 53.7;
  r.rivals.push_back({"plain", "loops", Status::ok, "", 30, 35.8, 0, true});
  r.rivals.push_back({"graphite", "gcc", Status::wrong, "differs from the reference", 0, 0, 0.5, false});
  r.baseline = 0;
  Variant best;
  best.name = "rows width=8", best.structure = "rows", best.params = {{"width", "8"}, {"order", "kji"}};
  best.derivation = {{"map-par", {"8"}, {0, 1}}};
  best.ms = 25, best.gbs = 42.9, best.speedup = 1.2, best.roofline = 0.8, best.error = 1e-16,
  best.verified = true;
  Variant failed;
  failed.name = "other", failed.status = Status::compile_failed, failed.message = "bad \xff byte";
  r.variants = {best, failed};
  r.best = 0, r.best_caller = 0;
  r.counts = {1, 1, 2, 1, 1, 1, 0, 0, 0};
  return r;
}

void check_has(const Json& json, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    CAPTURE(name);
    CHECK(json.contains(name));
  }
}

/// The names of all fields in it; those of decisions and choices are no fields.
void collect_fields(const Json& json, std::set<std::string>& to) {
  if (json.is_array())
    for (const Json& part : json) collect_fields(part, to);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) {
    to.insert(name);
    if (name != "params" && name != "choices") collect_fields(value, to);
  }
}

}  // namespace

TEST_CASE("report: docs/json.md names every field") {
  ExploreResult r = some_result();
  r.problem.sweeps = 1, r.emulated = true;
  r.machine.caches.push_back({});
  r.rivals[1].tried = 3, r.rivals[1].settings = "tile 8";
  Depths depths;
  depths.tried.push_back({r.problem, some_result(), 1, 1, ""});
  depths.tried.push_back({r.problem, {}, 1, 1, "too large"});
  const Explanation explanation{"high", {{"step", "prose", "after"}}, "low", "loops", "code"};
  const Json json =
      Json::parse(json_report(r, "", {"s.lift", "liftgen explore", "liftgen emit", &depths, &explanation}));
  std::set<std::string> fields;
  collect_fields(json, fields);
  CHECK(fields.size() > 80);
  const std::string text = read_file(std::string(LIFTGEN_SOURCE_DIR) + "/docs/json.md");
  for (const std::string& name : fields)
    CHECK_MESSAGE(text.find("`" + name + "`") != std::string::npos, name);
}

TEST_CASE("report: schema 1 has every field") {
  const Json json = Json::parse(json_report(some_result(), "build/kernels/smooth3d.c"));
  check_has(json, {"schema", "operator", "backend", "type", "box", "boxes", "cells", "machine", "twin",
                   "baseline", "best", "counts", "variants"});
  check_has(json["machine"], {"threads", "triad_gbs", "device"});
  check_has(json["twin"], {"ms", "gbs"});
  check_has(json["baseline"], {"ms", "gbs", "what"});
  check_has(json["best"], {"name", "params", "derivation", "ms", "gbs", "roofline", "speedup", "error",
                           "verified", "source", "sweeps", "layout", "convert_ms"});
  check_has(json["counts"],
            {"derivations", "configurations", "compiled", "timed", "compile_failed", "wrong", "aborted"});
  check_has(json["variants"][0], {"name", "params", "ms", "status", "derivation"});
  CHECK(json["variants"][0]["derivation"] == Json::array({"map-par 8 at 0.1"}));

  CHECK(json["schema"] == 1);
  CHECK(json["operator"] == "smooth3d");
  CHECK(json["backend"] == "openmp");
  CHECK(json["type"] == "f64");
  CHECK(json["cells"] == 16777216);
  // Milliseconds, and 10^9 bytes a second.
  CHECK(json["best"]["ms"] == 25);
  CHECK(json["best"]["gbs"] == 42.9);
  CHECK(json["variants"][0]["ms"] == 25);
  CHECK(json["twin"]["ms"] == 20);
  CHECK(json["twin"]["gbs"] == 53.7);
  CHECK(json["baseline"]["ms"] == 30);
  CHECK(json["best"]["params"]["width"] == 8);
  CHECK(json["best"]["params"]["order"] == "kji");
  CHECK(json["best"]["layout"] == "caller");
  CHECK(json["best"]["source"] == "build/kernels/smooth3d.c");
  CHECK(json["best"]["derivation"].size() == 1);
  CHECK(json["best"]["verified"] == true);
  CHECK(json["variants"][1]["status"] == "compile_failed");
  CHECK(json["variants"][1]["ms"].is_null());
}

TEST_CASE("report: what was not measured is null, not zero") {
  ExploreResult r = some_result();
  r.best.reset(), r.best_caller.reset(), r.baseline.reset();
  r.twin_ms = 0;
  r.variants[0].status = Status::wrong, r.variants[0].error = INFINITY;
  const Json json = Json::parse(json_report(r, ""));
  CHECK(json["best"].is_null());
  CHECK(json["twin"].is_null());
  CHECK(json["baseline"].is_null());
  CHECK(json["variants"][0]["error"].is_null());
  CHECK(json["variants"][0]["status"] == "wrong");
}

TEST_CASE("report: the leaderboard names the best, the plain loops, wrong rivals and the twin") {
  const std::string table = leaderboard(some_result(), 5);
  for (const char* part : {"rows width=8", "25.000", "1.20x", "plain", "WRONG RESULT", "traffic twin"}) {
    CAPTURE(part);
    CHECK(table.find(part) != std::string::npos);
  }
  CHECK(table.find("other") == std::string::npos);
  for (const auto& [status, note] : {std::pair{Status::hung, "did not end in time"},
                                     {Status::crashed, "crashed"},
                                     {Status::compile_failed, "did not compile"}}) {
    ExploreResult r = some_result();
    r.rivals.back().status = status;
    CHECK_MESSAGE(leaderboard(r, 5).find(note) != std::string::npos, note);
  }
}

TEST_CASE("report: what was impossible says why, the most frequent reason first") {
  ExploreResult r = some_result();
  CHECK(summary(r, false).find("impossible,") == std::string::npos);
  Variant v;
  v.status = Status::impossible;
  for (const char* why :
       {"a tile of 8 does not divide 20", "no vectors here", "a tile of 16 does not divide 20"})
    v.message = why, r.variants.push_back(v);
  r.counts.impossible = 3;
  const std::string s = summary(r, false);
  CHECK(s.find("\nimpossible, 2 of 3: a tile of 8 does not divide 20\nimpossible, 1 of 3: no vectors here") !=
        std::string::npos);
}

TEST_CASE("report: variants of one name are told apart by what they differ in") {
  std::vector<Variant> all(4);
  all[0].name = all[1].name = all[2].name = "seq", all[3].name = "vec";
  all[0].params = {{"order", "kji"}, {"unroll", "2"}}, all[1].params = {{"order", "jki"}, {"unroll", "2"}};
  all[2].params = {{"unroll", "2"}};
  tell_apart(all);
  CHECK(all[0].name == "seq (order kji)");
  CHECK(all[1].name == "seq (order jki)");
  CHECK(all[2].name == "seq");
  CHECK(all[3].name == "vec");
}

TEST_CASE("report: in a terminal's width names and notes go on below, and there are no empty lines") {
  ExploreResult r = some_result();
  r.variants[0].name = "in place, split layout, in step along j and k, strided vec width=8";
  r.variants[0].layout = "split 3 1", r.variants[0].convert_ms = 91, r.variants[0].final_round = true;
  CHECK(leaderboard(r, 5, 80) ==
        R"(  variant                             layout           ms    GB/s   roof speedup
  in place, split layout, in step     split 3 1    25.000    42.9   0.80   1.20x
    along j and k, strided vec
    width=8
    converting there and back 91 ms
  plain                               caller       30.000    35.8   0.67   1.00x
  graphite                            caller            -       -      -       -
    WRONG RESULT (error 5.0e-01)
  traffic twin                        caller       20.000    53.7   1.00   1.50x
    moves the same data, computes next to nothing)");
  const std::string wide = leaderboard(r, 5);
  CHECK(std::count(wide.begin(), wide.end(), '\n') == 4);
  CHECK(leaderboard(r, 5, 200) == wide);
}

}  // namespace report_test
