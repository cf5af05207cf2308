// One layout for all arrays, as users of the command ask for it.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;

namespace layout_test {
namespace {

ProcessResult explore(const Scratch& scratch, const std::string& what, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{LIFTGEN_BINARY_DIR "/liftgen", "explore", what};
  arguments.insert(arguments.end(), more.begin(), more.end());
  for (const char* word : {"--configs", "2", "--budget", "600", "--no-db", "--out", "o"})
    arguments.emplace_back(word);
  ProcessOptions options;
  options.timeout_seconds = 1000, options.directory = scratch.path().string();
  return run_process(arguments, options);
}

}  // namespace

TEST_CASE(
    "layout: every variant stores its arrays as asked for, also of operators that nobody stores so by "
    "default") {
  const Scratch scratch;
  for (const char* what : {"smooth2d", "residual2d", "restriction2d", "norm2d"}) {
    CAPTURE(what);
    const ProcessResult r =
        explore(scratch, what, {"--box", "8", "--boxes", "2", "--layout", "split 2 1", "--json", "r.json"});
    CAPTURE(r.output);
    REQUIRE(r.status == 0);
    const auto json = nlohmann::json::parse(read_file(scratch.path() / "r.json"));
    CHECK(json["best"]["layout"] == "split 2 1");
    CHECK(json["best"]["verified"] == true);
    for (const auto& v : json["variants"]) CHECK(v["layout"] == "split 2 1");
  }
}

TEST_CASE("layout: what cannot be is said") {
  const Scratch scratch;
  const auto refused = [&](const std::vector<std::string>& more, int status, const std::string& why) {
    const ProcessResult r = explore(scratch, "smooth2d", more);
    CAPTURE(r.output);
    CHECK(r.status == status);
    CHECK(r.output.find(why) != std::string::npos);
    CHECK(r.output.find("internal error") == std::string::npos);
  };
  refused({"--layout", "columns 3"}, 2,
          "layout 'columns 3' is not known; use 'caller', 'rows ALIGN LEAD' or");
  refused({"--layout", "split 2 1", "--caller-layout"}, 2, "--caller-layout");
  refused({"--box", "8", "--boxes", "2", "--layout", "split 7 1"}, 1, "7 axes");
}

TEST_CASE("layout: operators that share arrays get one, and a kernel each") {
  const Scratch scratch;
  const ProcessResult r = explore(scratch, "smooth2d",
                                  {"residual2d", "restriction2d", "--one-layout", "--applied", "4,1,1",
                                   "--box", "8", "--boxes", "2", "--quiet", "--json", "all.json"});
  CAPTURE(r.output);
  CHECK(r.status == 0);
  const nlohmann::json all = nlohmann::json::parse(read_file(scratch.path() / "all.json"));
  CHECK(all.at("schema") == 1);
  CHECK(all.at("applied") == nlohmann::json{4, 1, 1});
  REQUIRE(all.at("operators").size() == 3);
  double round = 0;
  for (const nlohmann::json& op : all.at("operators"))
    round += op.at("best").at("ms").get<double>() * (op.at("operator") == "smooth2d" ? 4 : 1);
  CHECK(all.at("ms").get<double>() == doctest::Approx(round));
  for (const nlohmann::json& layout : all.at("layouts")) {
    if (layout.at("layout") == all.at("layout")) CHECK(layout.at("ms") == all.at("ms"));
    if (!layout.at("ms").is_null()) CHECK(layout.at("ms") >= all.at("ms"));
  }
  for (const char* part : {"a round: 4 x smooth2d, 1 x residual2d, 1 x restriction2d", "caller", "rows 8 ",
                           "split 2 1", "best: ", "smooth2d: ", "kernel: o/restriction2d.c"})
    CHECK_MESSAGE(r.output.find(part) != std::string::npos, part);
  for (const char* name : {"smooth2d", "residual2d", "restriction2d"})
    CHECK(std::filesystem::exists(scratch.path() / "o" / (std::string(name) + ".c")));
}

TEST_CASE("layout: what operators cannot be explored together is said") {
  const Scratch scratch;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const ProcessResult r = explore(scratch, "smooth2d", more);
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(r.output.find(why) != std::string::npos);
  };
  refused({"--one-layout"}, "name several operators");
  refused({"residual2d"}, "residual2d");
  refused({"residul2d", "--one-layout"}, "residual2d");  // meant
  refused({"residual2d", "--one-layout", "--applied", "1,2,3"}, "3 numbers for 2 operators");
  refused({"residual2d", "--one-layout", "--backend", "opencl"}, "--backend openmp");
  refused({"residual2d", "--one-layout", "--layout", "rows 8 1"}, "leave out a layout");
  refused({"--applied", "2"}, "--one-layout");
}

}  // namespace layout_test
