// Rules of one's own through the command: docs/own-rules.md as it is written, and what is said about others.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/file.hpp"
#include "tests/cli/command.hpp"
#include "tests/cli/page.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
using namespace cli_test;

namespace own_rules_cli_test {
namespace {

const std::string kSource = LIFTGEN_SOURCE_DIR;
const std::string kPrograms = kSource + "/examples/own_rules";

std::string block_with(const std::string& part) { return cli_test::block_with("docs/own-rules.md", part); }
void check_says(const std::string& output, const std::vector<std::string>& parts) {
  CAPTURE(output);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(output.find(part) != std::string::npos);
  }
}
std::vector<std::string> few(std::vector<std::string> arguments) {
  for (const char* a : {"--size", "n=40", "--size", "m=36", "--configs", "12", "--budget", "3600", "--no-db"})
    arguments.emplace_back(a);
  return arguments;
}

}  // namespace

TEST_CASE("own rules: docs/own-rules.md is as its files and commands are") {
  CHECK(block_with("size n, m") == read_file(kPrograms + "/mean.lift"));
  CHECK(block_with("// Sums of windows") == read_file(kPrograms + "/mean.rules"));
  const std::string example = read_file(kSource + "/examples/14_explored_rule.cpp");
  std::istringstream cpp(block_with("parse_rules(R"));
  int lines = 0;
  for (std::string line; std::getline(cpp, line); ++lines) {
    CAPTURE(line);
    CHECK(example.find(line) != std::string::npos);
  }
  CHECK(lines > 4);

  // $ liftgen rules mean.rules
  const ProcessResult held = liftgen({"rules", "mean.rules"}, kPrograms);
  CHECK(held.status == 0);
  const std::string told = block_with("$ liftgen rules mean.rules");
  const std::string last = told.substr(told.find("; holds"), told.size() - told.find("; holds") - 1);
  check_says(held.output, {"two-passes: slide2(k, 1)", last});

  // The rule without its last transpose, and the counterexample that the page shows.
  const Scratch scratch;
  const auto forgotten = scratch.path() / "forgotten.rules";
  write_file_atomically(
      forgotten,
      "forgotten: slide2(k, 1) |> map2(\\w. w |> map(sum) |> sum)\n"
      "  = map(\\row. row |> slide(k, 1) |> map(sum)) |> transpose |> map(\\column. column |> "
      "slide(k, 1) |> map(sum))\n");
  const ProcessResult refused = liftgen({"rules", forgotten.string()});
  CHECK(refused.status == 2);
  std::istringstream shown(block_with("$ liftgen rules forgotten.rules"));
  for (std::string line; std::getline(shown, line);)
    if (!line.starts_with("$") && line.find("...") == std::string::npos) check_says(refused.output, {line});
  check_says(refused.output, {"liftgen: rule forgotten does not hold"});
}

TEST_CASE("own rules: explored with --rules, in the table, in JSON, in the database, and replayed") {
  const Scratch scratch;
  const std::string json = (scratch.path() / "r.json").string(), db = (scratch.path() / "found.db").string(),
                    out = (scratch.path() / "out").string();
  std::vector<std::string> arguments =
      few({"explore", "mean.lift", "--rules", "mean.rules", "--json", json, "--out", out});
  arguments.back() = "--db";
  arguments.push_back(db);
  const ProcessResult with = liftgen(arguments, kPrograms, {"LIFTGEN_TRUST_TIMES=1"});
  CAPTURE(with.output);
  REQUIRE(with.status == 0);
  check_says(with.output, {"two-passes, ", "0 wrong"});
  const auto report = nlohmann::json::parse(read_file(json));
  std::string steps;
  bool with_rule = false, without_rule = false;
  for (const auto& v : report["variants"]) {
    const std::string use = v["params"]["rule two-passes"];
    (use == "nowhere" ? without_rule : with_rule) = true;
  }
  CHECK(with_rule);
  CHECK(without_rule);

  // Replayed with the rules; without them, the derivation says which one is missing.
  const auto derivation = scratch.path() / "my.derivation";
  write_file_atomically(derivation, "two-passes at body\n");
  const std::vector<std::string> show{"show", "mean.lift", "--size", "n=40",         "--size",
                                      "m=36", "--stage",   "low",    "--derivation", derivation.string()};
  std::vector<std::string> given = show;
  given.insert(given.end(), {"--rules", "mean.rules"});
  const ProcessResult replayed = liftgen(given, kPrograms);
  CHECK(replayed.status == 0);
  check_says(replayed.output, {"//   two-passes at body", "transpose"});
  const ProcessResult missing = liftgen(show, kPrograms);
  CHECK(missing.status == 2);
  check_says(missing.output, {"rule 'two-passes' does not exist", "--rules FILE"});

  // What the database knows by the rule is left out without it, and taken with it.
  const bool by_rule = report["best"]["params"]["rule two-passes"] != "nowhere";
  std::vector<std::string> emit{"emit", "mean.lift", "--size", "n=40",  "--size",
                                "m=36", "--db",      db,       "--out", out};
  const ProcessResult left_out = liftgen(emit, kPrograms);
  CHECK(left_out.status == 0);
  if (by_rule) check_says(left_out.output, {"is left out", "rule 'two-passes' does not exist"});
  emit.insert(emit.end(), {"--rules", "mean.rules"});
  const ProcessResult taken = liftgen(emit, kPrograms);
  CHECK(taken.status == 0);
  check_says(taken.output, {"takes what is known"});
}

TEST_CASE("own rules: what cannot be read or does not hold ends the command") {
  check_refused({"explore", kPrograms + "/mean.lift", "--rules", "/nowhere/x.rules"}, 2,
                {"--rules", "/nowhere/x.rules"});
  const Scratch scratch;
  const auto file = scratch.path() / "x.rules";
  write_file_atomically(file, "turned: map2(f) = transpose |> map2(f)\n");
  const ProcessResult wrong = liftgen({"explore", kPrograms + "/mean.lift", "--rules", file.string()});
  CHECK(wrong.status == 2);
  check_says(wrong.output, {"rule turned does not hold", "program counterexample", "// left:"});
  write_file_atomically(file, "fuse: mpa(f) |> map(g) = map(f |> g)\n");
  const ProcessResult misspelt = liftgen({"rules", file.string()});
  CHECK(misspelt.status == 2);
  check_says(misspelt.output, {"x.rules:1:7", "did you mean 'map'?"});
}

}  // namespace own_rules_cli_test
