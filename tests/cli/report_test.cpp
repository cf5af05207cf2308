// --report and liftgen report: a page beside the results or made of them later; one line for what cannot be.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
namespace report_command_test {

namespace fs = std::filesystem;

namespace {

ProcessResult in(const Scratch& scratch, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), LIFTGEN_BINARY_DIR "/liftgen");
  ProcessOptions options;
  options.timeout_seconds = 100, options.directory = scratch.path().string();
  options.variables = {"LIFTGEN_CACHE=" + (scratch.path() / "cache").string()};
  return run_process(arguments, options);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_refused(const Scratch& scratch, const std::vector<std::string>& arguments,
                   const std::string& part) {
  const ProcessResult r = in(scratch, arguments);
  CAPTURE(r.output);
  CHECK(r.status == 2);
  CHECK(r.output.starts_with("liftgen: "));
  CHECK(r.output.find('\n') == r.output.size() - 1);
  CHECK(has(r.output, part));
}

}  // namespace

TEST_CASE("report: a page beside the results, and the same page from the results") {
  const Scratch scratch;
  const std::vector<std::string> explore = {"smooth3d", "--explore", "--box", "8",         "--boxes",
                                            "2",        "--sweeps",  "1",     "--configs", "3",
                                            "--budget", "20",        "--out", ".",         "--no-db"};
  std::vector<std::string> with_both = explore;
  with_both.insert(with_both.end(), {"--json", "r.json", "--report", "r.html"});
  const ProcessResult r = in(scratch, with_both);
  CAPTURE(r.output);
  REQUIRE(r.status == 0);
  CHECK(has(r.output, "report: r.html"));
  REQUIRE(in(scratch, {"report", "r.json", "-o", "again.html"}).status == 0);
  const std::string page = read_file(scratch.path() / "r.html");
  CHECK(page == read_file(scratch.path() / "again.html"));
  for (const char* part : {"id=\"result\"", "id=\"times-section\"", "id=\"derivation\"", "id=\"code\"",
                           "<code>liftgen smooth3d --explore --box 8 --boxes 2 --sweeps 1 --configs 3"})
    CHECK_MESSAGE(has(page, part), part);

  const auto json = nlohmann::json::parse(read_file(scratch.path() / "r.json"));
  CHECK(json["explanation"]["steps"].size() == json["best"]["derivation"].size());
  for (const auto& v : json["variants"])
    if (v["status"] == "ok") CHECK(v["explored_s"] > 0);
}

TEST_CASE("report: a program of the user's own, and several depths") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "a <b>.lift",
                        "program blur\nparam xs : 64.f64\nresult = xs |> pad(1, 1, clamp) |> slide(3, 1) |> "
                        "map(\\w. (w[0] + w[1] + w[2]) / 3.0)\n");
  const ProcessResult r = in(scratch, {"explore", "a <b>.lift", "--configs", "2", "--budget", "20",
                                       "--report", "r.html", "--out", ".", "--no-db", "--quiet"});
  CAPTURE(r.output);
  REQUIRE(r.status == 0);
  const std::string page = read_file(scratch.path() / "r.html");
  CHECK(has(page, "blur (a &lt;b&gt;.lift; OpenMP) takes"));
  CHECK(has(page, "liftgen explore &#39;a &lt;b&gt;.lift&#39;"));
  CHECK_FALSE(has(page, "<b>"));
}

TEST_CASE("report: what cannot be read, understood or written is said in a line") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "bad.json", "{\"schema\": 1}");
  write_file_atomically(scratch.path() / "good.json", "{\"schema\":1,\"operator\":\"x\",\"variants\":[]}");
  check_refused(scratch, {"report", "none.json", "-o", "r.html"}, "none.json");
  check_refused(scratch, {"report", "bad.json", "-o", "r.html"}, "bad.json: it is no result");
  check_refused(scratch, {"report", ".", "-o", "r.html"}, "liftgen: ");
  check_refused(scratch, {"report", "good.json"}, "--out is required");
  check_refused(scratch, {"report", "good.json", "-o", "nowhere/r.html"},
                "-o nowhere/r.html: cannot be written");
  check_refused(scratch, {"report", "good.json", "-o", "good.json"}, "give them two names");
  check_refused(scratch, {"smooth3d", "--explore", "--report", "nowhere/r.html"}, "--report nowhere/r.html");
  CHECK_FALSE(fs::exists(scratch.path() / "r.html"));
  CHECK(in(scratch, {"report", "good.json", "-o", "r.html"}).status == 0);
  CHECK(fs::exists(scratch.path() / "r.html"));
}

}  // namespace report_command_test
