// The database as users of the command meet it: what explore leaves, what run and emit take, what db shows,
// and that nothing about it ends the work.
#include <doctest/doctest.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
using Json = nlohmann::ordered_json;

namespace db_test {
namespace {

namespace fs = std::filesystem;

ProcessResult liftgen(const Scratch& scratch, std::vector<std::string> arguments,
                      std::vector<std::string> variables = {}) {
  arguments.insert(arguments.begin(), LIFTGEN_BINARY_DIR "/liftgen");
  ProcessOptions options;
  options.timeout_seconds = 1000, options.directory = scratch.path().string(),
  options.variables = std::move(variables);
  return run_process(arguments, options);
}

bool has(const ProcessResult& r, const std::string& part) { return r.output.find(part) != std::string::npos; }

std::vector<std::string> tiny(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) {
  for (const char* word : {"--box", "8", "--boxes", "2", "--out", "o"}) arguments.emplace_back(word);
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

ProcessResult explore(const Scratch& scratch, const std::vector<std::string>& more,
                      const std::vector<std::string>& variables = {}) {
  std::vector<std::string> arguments =
      tiny({"explore", "residual3d", "--configs", "2", "--budget", "600", "--caller-layout"}, more);
  return liftgen(scratch, arguments, variables);
}

/// What `db export` gives of a file, changed, and taken into another.
std::string changed_export(const Scratch& scratch, const std::string& from,
                           const std::function<void(Json&)>& change) {
  Json json = Json::parse(liftgen(scratch, {"db", "export", "--db", from}).output);
  change(json["records"].at(0));
  write_file_atomically(scratch.path() / "changed.json", json.dump());
  fs::remove(scratch.path() / "changed.db");
  const ProcessResult r = liftgen(scratch, {"db", "import", "changed.json", "--db", "changed.db"});
  CAPTURE(r.output);
  CHECK(r.status == 0);
  return "changed.db";
}

void check_refused(const Scratch& scratch, const std::vector<std::string>& arguments,
                   const std::string& part) {
  const ProcessResult r = liftgen(scratch, arguments);
  CAPTURE(r.output);
  CHECK(r.status == 2);
  CHECK(r.output.starts_with("liftgen: "));
  CHECK(r.output.find('\n') == r.output.size() - 1);
  CHECK(has(r, part));
}

std::string kernel_of(const Scratch& scratch, const std::vector<std::string>& more) {
  const ProcessResult r = liftgen(scratch, tiny({"emit", "residual3d"}, more));
  CAPTURE(r.output);
  CHECK(r.status == 0);
  return read_file(scratch.path() / "o" / "residual3d.c");
}

}  // namespace

TEST_CASE(
    "db: explore leaves its best, run and emit take what is there and say so, unless they are told not to") {
  const Scratch scratch;
  const std::string by_default = kernel_of(scratch, {"--no-db"});
  CHECK(explore(scratch, {"--db", "found.db"}).status == 0);
  const std::string db = changed_export(scratch, "found.db", [](Json& r) {
    r["derivation"] = Json::array();
    r["variant"] = "as it is written";
  });
  CHECK(kernel_of(scratch, {"--no-db"}) == by_default);
  CHECK(kernel_of(scratch, {"--db", "none"}) == by_default);
  CHECK(explore(scratch, {"--db", "none"}).status == 0);
  CHECK_FALSE(fs::exists(scratch.path() / "none"));
  const std::string known = kernel_of(scratch, {"--db", db});
  CHECK(known != by_default);
  const ProcessResult run = liftgen(scratch, tiny({"run", "residual3d"}, {"--db", db}));
  CAPTURE(run.output);
  CHECK(run.status == 0);
  CHECK(has(run, "liftgen: takes what is known: as it is written"));
  CHECK(has(run, "found for this problem on this machine"));
  CHECK(has(run, "verified"));
  CHECK_FALSE(has(liftgen(scratch, tiny({"run", "residual3d"}, {"--no-db"})), "known"));
  const ProcessResult quiet = liftgen(scratch, tiny({"run", "residual3d"}, {"--db", db, "--quiet"}));
  CHECK_FALSE(has(quiet, "liftgen:"));
  CHECK(has(liftgen(scratch, {"db", "list", "--db", db}), "as it is written"));
  CHECK(has(liftgen(scratch, {"db", "show", "1", "--db", db}), "program residual3d"));
  // Of other sizes, and by the environment's file.
  const ProcessResult larger =
      liftgen(scratch, {"emit", "residual3d", "--box", "12", "--boxes", "2", "--out", "o"},
              {"LIFTGEN_DB=" + (scratch.path() / db).string()});
  CHECK(has(larger, "found at "));
  CHECK(has(larger, "= 8"));
  const ProcessResult symbolic = liftgen(scratch, tiny({"emit", "residual3d", "--symbolic"}, {"--db", db}));
  CHECK(has(symbolic, "as it is written"));
  CHECK_FALSE(has(liftgen(scratch, tiny({"emit", "residual3d", "--type", "f32"}, {"--db", db})), "known"));
  // A second exploration begins there.
  CHECK(has(explore(scratch, {"--db", db}), "liftgen: begins with what is known: as it is written"));
}

TEST_CASE("db: what is known of sizes that are far away is not taken") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "p.lift",
                        "size n = 1024\nparam x : n.f64\nresult y = x |> pad(1, 1, clamp) |> slide(3, 1) |> "
                        "map(\\w. w[0] + w[2])\n");
  const ProcessResult explored = liftgen(scratch, {"explore", "p.lift", "--configs", "2", "--budget", "600",
                                                   "--caller-layout", "--db", "f.db", "--out", "o"});
  REQUIRE_MESSAGE(explored.status == 0, explored.output);
  for (const auto& [n, taken] : {std::pair{"n=2048", true}, {"n=1048576", false}}) {
    const ProcessResult r = liftgen(scratch, {"emit", "p.lift", "--size", n, "--db", "f.db", "--out", "o"});
    CHECK_MESSAGE(has(r, "takes what is known") == taken, r.output);
  }
}

TEST_CASE("db: with nothing in it run and emit do what they do without, and make no file") {
  const Scratch scratch;
  const std::vector<std::string> mine = {"LIFTGEN_DB=",
                                         "XDG_DATA_HOME=" + (scratch.path() / "data").string()};
  const std::string without = kernel_of(scratch, {"--no-db"});
  const ProcessResult r = liftgen(scratch, tiny({"emit", "residual3d"}), mine);
  CHECK(r.status == 0);
  CHECK_FALSE(has(r, "liftgen:"));
  CHECK(read_file(scratch.path() / "o" / "residual3d.c") == without);
  CHECK_FALSE(fs::exists(scratch.path() / "data"));
  CHECK(has(liftgen(scratch, {"db", "list"}, mine), "nothing was found yet"));
  CHECK_FALSE(fs::exists(scratch.path() / "data"));
  CHECK(explore(scratch, {}, mine).status == 0);
  CHECK(fs::exists(scratch.path() / "data" / "liftgen" / "found.db"));
  CHECK(has(liftgen(scratch, {"db", "list"}, mine), "residual3d"));
}

TEST_CASE("db: a file that is damaged, newer or cannot be made is one line, and the work goes on") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "bad.db", std::string(8192, 'x'));
  {
    SQLite::Database(scratch.path().string() + "/new.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("PRAGMA application_id = 1281967732; PRAGMA user_version = 99");
  }
  for (const auto& [file, why] :
       {std::pair{"bad.db", "it is damaged"}, {"new.db", "it was written by a newer liftgen"}}) {
    CAPTURE(file);
    const std::string before = read_file(scratch.path() / file);
    const ProcessResult run = liftgen(scratch, tiny({"run", "residual3d"}, {"--db", file}));
    CAPTURE(run.output);
    CHECK(run.status == 0);
    CHECK(has(run, std::string("liftgen: the database ") + file + ": " + why));
    CHECK(has(run, "verified"));
    const ProcessResult explored = explore(scratch, {"--db", file});
    CHECK(explored.status == 0);
    CHECK(has(explored, "what was found is not remembered"));
    CHECK(read_file(scratch.path() / file) == before);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"list"}, {"show", "1"}, {"export"}, {"prune"}, {"merge", file}}) {
      std::vector<std::string> arguments = {"db"};
      arguments.insert(arguments.end(), command.begin(), command.end());
      arguments.insert(arguments.end(), {"--db", command[0] == "merge" ? "other.db" : file});
      check_refused(scratch, arguments, why);
    }
  }
  write_file_atomically(scratch.path() / "file", "x");
  const ProcessResult below = explore(scratch, {"--db", "file/found.db"});
  CHECK(below.status == 0);
  CHECK(has(below, "liftgen: the database file/found.db: "));
}

TEST_CASE("db: without a home there is no database, which explore says once") {
  const Scratch scratch;
  const ProcessResult r = explore(scratch, {}, {"LIFTGEN_DB=", "XDG_DATA_HOME=", "HOME="});
  CAPTURE(r.output);
  CHECK(r.status == 0);
  CHECK(has(r,
            "liftgen: there is no folder for the database of what was found: neither XDG_DATA_HOME nor HOME "
            "is set"));
  CHECK(r.output.find("there is no folder") == r.output.rfind("there is no folder"));
}

TEST_CASE("db: a derivation that does not apply any more is left out with a word") {
  const Scratch scratch;
  CHECK(explore(scratch, {"--db", "found.db"}).status == 0);
  const std::string db = changed_export(scratch, "found.db", [](Json& r) {
    r["derivation"] = {"a-rule-of-old at body"};
    r["rules"] = "000000000000";
  });
  const std::string without = kernel_of(scratch, {"--no-db"});
  const ProcessResult r = liftgen(scratch, tiny({"emit", "residual3d"}, {"--db", db}));
  CAPTURE(r.output);
  CHECK(r.status == 0);
  CHECK(has(r, "liftgen: what is known does not apply here and is left out: "));
  CHECK(has(r, "a-rule-of-old"));
  CHECK(read_file(scratch.path() / "o" / "residual3d.c") == without);
  CHECK(has(liftgen(scratch, {"db", "list", "--db", db}), "by other rules"));
  CHECK(has(liftgen(scratch, {"db", "prune", "--db", db}), "1 records were removed"));
  CHECK(has(liftgen(scratch, {"db", "list", "--db", db}), "nothing was found yet"));
}

TEST_CASE("db: exported, imported and merged, a record arrives once") {
  const Scratch scratch;
  CHECK(explore(scratch, {"--db", "a.db"}).status == 0);
  CHECK(has(liftgen(scratch, {"db", "export", "a.json", "--db", "a.db"}), "1 records are in a.json"));
  CHECK(
      has(liftgen(scratch, {"db", "import", "a.json", "--db", "b.db"}), "1 of 1 records are new or faster"));
  CHECK(
      has(liftgen(scratch, {"db", "import", "a.json", "--db", "b.db"}), "0 of 1 records are new or faster"));
  CHECK(has(liftgen(scratch, {"db", "merge", "a.db", "--db", "c.db"}), "1 of 1 records are new or faster"));
  const auto exported = [&](const char* db) { return liftgen(scratch, {"db", "export", "--db", db}).output; };
  CHECK(exported("b.db") == exported("a.db"));
  CHECK(exported("c.db") == exported("a.db"));
  CHECK(exported("a.db") == read_file(scratch.path() / "a.json"));
}

TEST_CASE("db: what was found for solvers is exported, imported and merged; the newest stays") {
  const Scratch scratch;
  const auto solve = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"solve", "poisson", "--size", "16,16", "--down", "3", "--tune", "0.001"};
    words.insert(words.end(), more.begin(), more.end());
    return liftgen(scratch, words);
  };
  CHECK(has(solve({"--db", "a.db"}), "Converged"));
  CHECK(has(liftgen(scratch, {"db", "export", "a.json", "--db", "a.db"}), "and 1 of solvers are in a.json"));
  CHECK(has(liftgen(scratch, {"db", "import", "a.json", "--db", "b.db"}), "1 of 1 solvers are new or newer"));
  CHECK(has(liftgen(scratch, {"db", "import", "a.json", "--db", "b.db"}), "0 of 1 solvers are new or newer"));
  CHECK(has(liftgen(scratch, {"db", "merge", "a.db", "--db", "c.db"}), "1 of 1 solvers are new or newer"));
  const auto exported = [&](const char* db) { return liftgen(scratch, {"db", "export", "--db", db}).output; };
  CHECK(exported("b.db") == read_file(scratch.path() / "a.json"));
  CHECK(exported("c.db") == exported("a.db"));
  const ProcessResult found = liftgen(scratch, {"solve", "poisson", "--size", "16,16", "--db", "b.db"});
  CHECK(has(found, "tuned on"));
  CHECK(has(found, "V(3,2)"));
  Json json = Json::parse(exported("a.db"));
  json["solvers"][0]["plan"] = {"down sideways", "end"};
  write_file_atomically(scratch.path() / "bad.json", json.dump());
  check_refused(scratch, {"db", "import", "bad.json", "--db", "d.db"},
                "db import bad.json: the line 'down sideways' of a plan: 'sideways' is no number; nothing "
                "was taken over");
  json["solvers"][0].erase("plan");
  write_file_atomically(scratch.path() / "bad.json", json.dump());
  check_refused(scratch, {"db", "import", "bad.json", "--db", "d.db"},
                "db import bad.json: solver 1: 'plan' is missing; nothing was taken over");
}

TEST_CASE("db: what cannot be done is one line") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "bad.json", "{\"liftgen_database\": 1, \"records\": [{}]}");
  check_refused(scratch, {"db", "import", "bad.json", "--db", "a.db"},
                "db import bad.json: record 1: 'name' is missing; nothing was taken over");
  CHECK_FALSE(fs::exists(scratch.path() / "a.db"));
  check_refused(scratch, {"db", "import", "none.json", "--db", "a.db"}, "cannot read none.json");
  check_refused(scratch, {"db", "import", "--db", "a.db"}, "name a file");
  check_refused(scratch, {"db", "merge", "none.db", "--db", "a.db"}, "there is no such file");
  check_refused(scratch, {"db", "lst", "--db", "a.db"}, "did you mean list?");
  check_refused(scratch, {"db", "list", "--db", "a.db"}, "--db a.db: there is no such file");
  check_refused(scratch, {"db", "show", "x", "--db", "a.db"}, "write the number of a record");
  check_refused(scratch, {"db", "show", "1"}, "there is no database; choose one with --db FILE");
  check_refused(scratch, {"run", "residual3d", "--no-db", "--db", "a.db"}, "leave one of them out");
  CHECK_FALSE(fs::exists(scratch.path() / "a.db"));
}

}  // namespace db_test
