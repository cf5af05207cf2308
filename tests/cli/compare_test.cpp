// liftgen compare and emit --backend scop, as users meet them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;

namespace compare_command_test {
namespace {

ProcessResult in(const Scratch& scratch, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), LIFTGEN_BINARY_DIR "/liftgen");
  ProcessOptions options;
  options.timeout_seconds = 300, options.directory = scratch.path().string();
  return run_process(arguments, options);
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("compare command: a table, JSON and a page of one run") {
  const Scratch scratch;
  const ProcessResult r = in(scratch, {"compare", "residual2d", "--box", "16", "--boxes", "2", "--with",
                                       "graphite,ppcg", "--configs", "1", "--budget", "3600", "--out", ".",
                                       "--no-db", "--json", "r.json", "--report", "r.html"});
  CAPTURE(r.output);
  REQUIRE(r.status == 0);
  for (const char* part : {"\n  who            with", "\n  liftgen        ", "\n  plain  ", "\n  graphite  ",
                           "\n  traffic twin   ", "kernel: ./residual2d.c\n"})
    CHECK_MESSAGE(has(r.output, part), part);
  CHECK_FALSE(has(r.output, "polly"));
  const auto json = nlohmann::json::parse(read_file(scratch.path() / "r.json"));
  CHECK(json["schema"] == 1);
  std::vector<std::string> names;
  for (const auto& rival : json["rivals"]) {
    names.push_back(rival["name"]);
    if (rival["name"] == "graphite" && rival["status"] == "ok") CHECK(rival["tried"] == 1);
  }
  CHECK(names == std::vector<std::string>{"plain", "plain omp simd", "graphite", "ppcg"});
  CHECK(has(read_file(scratch.path() / "r.html"), "graphite"));
}

TEST_CASE("compare command: names that nobody has, and options that belong elsewhere, are refused") {
  const Scratch scratch;
  const auto check = [&](const std::vector<std::string>& arguments, const std::string& part) {
    const ProcessResult r = in(scratch, arguments);
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(r.output.starts_with("liftgen: "));
    CHECK(has(r.output, part));
  };
  check({"compare", "residual2d", "--with", "plain,poly"},
        "--with poly: nobody of that name; did you mean polly?");
  check({"compare", "residual2d", "--backend", "opencl"}, "--backend: unknown option");
  check({"compare", "smooth2d", "--sweeps", "auto"},
        "--sweeps auto: only explore looks for how many are fastest");
  check({"run", "residual2d", "--backend", "scop"}, "--backend scop: no such backend here");
}

TEST_CASE("emit --backend scop: the loops as they are, for sizes that are known or not") {
  const Scratch scratch;
  for (const bool symbolic : {false, true}) {
    std::vector<std::string> arguments{"emit",  "residual2d", "--backend", "scop",
                                       "--box", "16",         "--out",     "."};
    if (symbolic) arguments.emplace_back("--symbolic");
    const ProcessResult r = in(scratch, arguments);
    CAPTURE(r.output);
    REQUIRE(r.status == 0);
    CHECK(has(r.output, "loops: ./residual2d.scop.c\n"));
    const std::string text = read_file(scratch.path() / "residual2d.scop.c");
    CHECK(has(text, "#pragma scop\n  for (int "));
    CHECK(has(text, symbolic ? " < boxes; ++" : " < 64; ++"));
    CHECK(has(text, "#pragma endscop\n"));
  }
}

}  // namespace compare_command_test
