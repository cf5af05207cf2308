// README.md as it is written: its program, its mistake, and its commands, on less data.
#include <doctest/doctest.h>

#include "tests/cli/command.hpp"
#include "tests/cli/page.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
using namespace cli_test;

namespace readme_test {
namespace {

constexpr std::size_t kComments = 50;  ///< column of what is said of commands

/// The command of a line of the page, without what is said of it; empty: there is none.
std::string command_of(std::string line) {
  if (line.starts_with("./")) line = line.substr(2);
  if (!line.starts_with("liftgen ")) return "";
  if (line.size() > kComments && line[kComments - 1] == ' ') line.resize(kComments);
  if (const std::size_t end = line.find("  "); end != std::string::npos) line.resize(end);
  if (const std::size_t end = line.find(" #"); end != std::string::npos) line.resize(end);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}
std::vector<std::string> commands() {
  std::vector<std::string> all;
  for (const std::string& block : blocks_of("README.md")) {
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);)
      if (const std::string c = command_of(line); !c.empty()) all.push_back(c);
  }
  return all;
}
/// "--stage high|low" once for each.
std::vector<std::string> alternatives(const std::string& command) {
  const std::size_t bar = command.find('|');
  if (bar == std::string::npos) return {command};
  const std::size_t begin = command.rfind(' ', bar) + 1;
  std::istringstream words(command.substr(begin));
  std::vector<std::string> all;
  for (std::string w; std::getline(words, w, '|');) all.push_back(command.substr(0, begin) + w);
  return all;
}
/// What takes minutes on as little data as possible, and without searching.
std::string small(std::string command) {
  const auto has = [&](const std::string& part) { return command.find(part) != std::string::npos; };
  if (const std::size_t at = command.find("--box 256"); at != std::string::npos)
    command.replace(at, 9, "--box 8");
  const bool searches = has("--explore"), measures = searches || has("liftgen run") || has("liftgen compare");
  if (measures && !has("--box ") && !has(".lift")) command += " --box 8 --boxes 2";
  if (has(".lift")) command += " --size n=64";
  if (const std::size_t at = command.find(" --budget 30"); at != std::string::npos) command.erase(at, 12);
  if (searches || has("liftgen compare")) command += " --budget 3600 --configs 1";
  if (has("liftgen compare")) command += " --with graphite";
  return command;
}

}  // namespace

TEST_CASE("readme: its program, and its mistake") {
  const Scratch scratch;
  const std::string program = block_with("README.md", "result smooth"),
                    mistake = block_with("README.md", "did you mean 'blur'");
  REQUIRE(!program.empty());
  REQUIRE(!mistake.empty());
  write_file_atomically(scratch.path() / "blur.lift", program);
  CHECK(liftgen({"run", "blur.lift", "--size", "n=64"}, scratch.path()).status == 0);
  std::string wrong = program;
  wrong.replace(wrong.find("map2(blur)"), 10, "map2(blurr)");
  write_file_atomically(scratch.path() / "blur.lift", wrong);
  const ProcessResult refused = liftgen({"run", "blur.lift"}, scratch.path());
  CAPTURE(refused.output);
  CHECK(refused.status == 2);
  CHECK(refused.output.find(mistake.substr(0, mistake.find('\n'))) != std::string::npos);
}

TEST_CASE("readme: its commands") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "blur.lift", block_with("README.md", "result smooth"));
  CHECK(commands().size() > 12);
  for (const std::string& written : commands())
    for (const std::string& command : alternatives(small(written))) {
      CAPTURE(command);
      const ProcessResult r = run_process({"/bin/bash", "-c",
                                           "export PATH=" LIFTGEN_BINARY_DIR
                                           ":$PATH LIFTGEN_DB=found.db LIFTGEN_TRUST_TIMES=1; cd '" +
                                               scratch.path().string() + "'; " + command});
      CAPTURE(r.output);
      CHECK(r.status == 0);
    }
}

/// Those that an installed liftgen asks for.
TEST_CASE("readme: docs/cpp.md names the packages that a project needs beside an installed liftgen") {
  const std::string page = read_file(LIFTGEN_SOURCE_DIR "/docs/cpp.md"),
                    all = read_file(LIFTGEN_SOURCE_DIR "/cmake/Dependencies.cmake");
  const std::size_t begin = all.find("liftgen_require(fmt"),
                    end = all.find("set(liftgen_source_dependencies)");
  REQUIRE((begin < end && end != std::string::npos));
  std::istringstream installed(all.substr(begin, end - begin));
  int packages = 0;
  for (std::string word; installed >> word;) {
    const std::size_t dev = word.find("-dev");
    if (!word.starts_with("lib") || dev == std::string::npos) continue;
    const std::string package = word.substr(0, dev + 4);
    CAPTURE(package);
    CHECK(page.find(package) != std::string::npos);
    ++packages;
  }
  CHECK(packages == 6);
}

}  // namespace readme_test
