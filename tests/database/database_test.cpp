// The file: what is stored comes back, the faster stays, processes share it, and what is no database of ours
// is refused as it is.
#include <doctest/doctest.h>

#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>

#include "runtime/file.hpp"
#include "tests/database/sample.hpp"

using namespace lift;
using lift::test::sample;
using lift::test::Scratch;

namespace database_test {
namespace {

namespace fs = std::filesystem;
using Access = Database::Access;

bool same(Record a, Record b) {
  a.id = b.id = 0;
  return a.program == b.program && a.program.size_names == b.program.size_names && a.platform == b.platform &&
         a.caller_layout == b.caller_layout && a.type == b.type && a.name == b.name && a.text == b.text &&
         a.variant == b.variant && a.parameters == b.parameters && a.derivation == b.derivation &&
         a.layout == b.layout && a.sweeps == b.sweeps && a.ms == b.ms && a.speedup == b.speedup &&
         a.roofline == b.roofline && a.when == b.when;
}

/// What the attempt to use a file says; "" when it can be used.
std::string refusal(const fs::path& file, Access access) {
  try {
    const Database database(file, access);
    (void)database.all();
    return "";
  } catch (const DatabaseError& error) {
    return error.what();
  }
}

/// One line that names the file and has the part.
void check_refused(const fs::path& file, const std::string& part) {
  const bool there = fs::is_regular_file(file);
  const std::string before = there ? read_file(file) : "";
  for (const Access access : {Access::read, Access::write}) {
    const std::string why = refusal(file, access);
    CAPTURE(why);
    CHECK(why.starts_with("the database " + file.string() + ": "));
    CHECK(why.find(part) != std::string::npos);
    CHECK(why.find('\n') == std::string::npos);
    CHECK(why.find("--db FILE") != std::string::npos);
  }
  if (there) CHECK(read_file(file) == before);
}

/// f in a process of a user who may write nothing here; its exit status.
template <class F>
int as_nobody(const F& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
    int status = 98;
    try {
      status = f();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

TEST_CASE("database: what is stored comes back whole, from a file and folders made for it") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "a" / "b" / "found.db";
  Record r = sample();
  r.variant = "it's \"quoted\"; DROP TABLE found; \xc3\xa4";
  {
    Database database(file, Access::write);
    CHECK(database.keep(r));
    CHECK(database.keep(sample(1)));
  }
  const Database database(file, Access::read);
  const std::vector<Record> found = database.find(r.program.expression, "openmp");
  REQUIRE(found.size() == 1);
  CHECK(same(found[0], r));
  CHECK(database.all().size() == 2);
  CHECK(same(database.by_id(found[0].id).value(), r));
  CHECK_FALSE(database.by_id(77));
  CHECK(database.find(r.program.expression, "opencl").empty());
}

TEST_CASE("database: the faster of two for one problem and platform stays, others stand beside each other") {
  const Scratch scratch;
  Database database(scratch.path() / "found.db", Access::write);
  const auto ms = [&] { return database.all().at(0).ms; };
  CHECK(database.keep(sample(0, 2)));
  CHECK_FALSE(database.keep(sample(0, 3)));
  CHECK(ms() == 2);
  CHECK(database.keep(sample(0, 1)));
  CHECK(ms() == 1);
  // By the share of the roofline: the machine was busier the second time.
  Record busy = sample(0, 1.5);
  busy.roofline = 2;
  CHECK(database.keep(busy));
  CHECK(ms() == 1.5);
  CHECK(database.all().size() == 1);

  // One that was measured again beside what is now the best has lost, whatever it had once.
  Record slower = sample(0, 4);
  slower.derivation = "map-seq at body\n";
  CHECK_FALSE(database.keep(slower));
  const std::vector<std::string> measured = {busy.derivation, slower.derivation};
  CHECK(database.keep(slower, measured));
  CHECK(ms() == 4);

  for (const auto& change : std::vector<void (*)(Record&)>{
           [](Record& r) { r.program.sizes[0] = 65; }, [](Record& r) { r.platform.device = "Another"; },
           [](Record& r) { r.platform.compiler = "clang"; }, [](Record& r) { r.platform.threads = 1; },
           [](Record& r) { r.platform.rules = "ffffffffffff"; },
           [](Record& r) { r.platform.backend = "opencl"; },
           [](Record& r) { r.caller_layout = false, r.layout = "split 3 1"; }}) {
    Record other = sample(0, 100);
    change(other);
    const std::size_t before = database.all().size();
    CHECK(database.keep(other));
    CHECK(database.all().size() == before + 1);
  }
}

TEST_CASE("database: all of a list are stored or none") {
  const Scratch scratch;
  Database database(scratch.path() / "found.db", Access::write);
  Record bad = sample(2);
  bad.ms = -1;
  CHECK_THROWS_AS(database.keep_all(std::vector{sample(1), bad}), InternalError);
  CHECK(database.all().empty());
  CHECK(database.keep_all(std::vector{sample(1), sample(2)}) == 2);
  CHECK(database.keep_all(std::vector{sample(1, 9), sample(2, 1), sample(3)}) == 2);
}

TEST_CASE("database: pruned by age and by rules") {
  const Scratch scratch;
  Database database(scratch.path() / "found.db", Access::write);
  Record old = sample(1), other = sample(2);
  old.when = 1000, other.platform.rules = "ffffffffffff";
  database.keep_all(std::vector{old, other, sample(3)});
  CHECK(database.remove_before(2000) == 1);
  CHECK(database.remove_other_rules(sample().platform.rules) == 1);
  REQUIRE(database.all().size() == 1);
  CHECK(same(database.all()[0], sample(3)));
}

TEST_CASE(
    "database: damaged, foreign and newer files, folders and missing ones are refused and left as they are") {
  const Scratch scratch;
  const fs::path text = scratch.path() / "text.db", foreign = scratch.path() / "foreign.db",
                 newer = scratch.path() / "newer.db", torn = scratch.path() / "torn.db";
  write_file_atomically(text, std::string(5000, 'x'));
  check_refused(text, "it is damaged");
  {
    SQLite::Database(foreign.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE t (x)");
  }
  check_refused(foreign, "it is the database of another program");
  { Database(newer, Access::write).keep(sample()); }
  { SQLite::Database(newer.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 2"); }
  check_refused(newer, "it was written by a newer liftgen");
  check_refused(scratch.path(), "it is no file");
  CHECK(refusal(scratch.path() / "none.db", Access::read).find("cannot be opened") != std::string::npos);
  CHECK_FALSE(fs::exists(scratch.path() / "none.db"));

  // Made by a process that ended before it wrote: nothing is in it.
  write_file_atomically(scratch.path() / "empty.db", "");
  CHECK(Database(scratch.path() / "empty.db", Access::read).all().empty());
  CHECK(Database(scratch.path() / "empty.db", Access::write).keep(sample()));

  // Pages of zeros behind a header that is whole.
  { Database(torn, Access::write).keep(sample()); }
  std::string bytes = read_file(torn);
  std::fill(bytes.begin() + 4096, bytes.end(), '\0');
  write_file_atomically(torn, bytes);
  CHECK(refusal(torn, Access::read).find("it is damaged") != std::string::npos);
  CHECK(read_file(torn) == bytes);
}

TEST_CASE("database: a view in the table's place, which may never end, is refused") {
  const Scratch scratch;
  const auto file = scratch.path() / "found.db";
  Database(file, Access::write).keep(sample());
  {
    SQLite::Database db(file.string(), SQLite::OPEN_READWRITE);
    db.exec("DROP TABLE found");
    db.exec(
        "CREATE VIEW found AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT * "
        "FROM c");
  }
  CHECK_THROWS_AS(Database(file, Access::read), DatabaseError);
  CHECK_THROWS_AS(Database(file, Access::write), DatabaseError);
}

TEST_CASE("database: rows that no liftgen has written are left out") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "found.db";
  { Database(file, Access::write).keep_all(std::vector{sample(1), sample(2), sample(3)}); }
  {
    SQLite::Database db(file.string(), SQLite::OPEN_READWRITE);
    db.exec("UPDATE found SET ms = -1 WHERE id = 1");
    db.exec("UPDATE found SET derivation = 'system(\"rm\")' WHERE id = 2");
  }
  CHECK(Database(file, Access::read).all().size() == 1);
}

TEST_CASE("database: a file in a folder that may not be written is read, and a write to it is one line") {
  const Scratch scratch;
  const fs::path folder = scratch.path() / "shared", file = folder / "found.db";
  { Database(file, Access::write).keep(sample()); }
  fs::permissions(scratch.path(), fs::perms::all);
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(folder, fs::perms(0555));
  CHECK(as_nobody([&] { return Database(file, Access::read).all().size() == 1 ? 0 : 1; }) == 0);
  CHECK(as_nobody([&] {
          const std::string why = refusal(file, Access::write);
          return why.find("it cannot be written") != std::string::npos && why.find('\n') == std::string::npos
                     ? 0
                     : 1;
        }) == 0);
  CHECK(as_nobody([&] {
          return refusal(folder / "other" / "found.db", Access::write).find("--db FILE") != std::string::npos
                     ? 0
                     : 1;
        }) == 0);
  fs::permissions(folder, fs::perms(0755));
  CHECK(Database(file, Access::read).all().size() == 1);
}

TEST_CASE("database: a full disk is one line, and what was there stays") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "found.db";
  { Database(file, Access::write).keep(sample()); }
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{65536, 65536};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int status = 1;
    try {
      Database database(file, Access::write);
      Record large = sample(1);
      large.text = std::string(200000, 'x');
      database.keep(large);
    } catch (const DatabaseError& error) {
      status = std::string(error.what()).find("the disk may be full") != std::string::npos ? 0 : 2;
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
  Database database(file, Access::write);
  CHECK(database.all().size() == 1);
  CHECK(database.keep(sample(2)));
}

TEST_CASE("helper: stores many records" * doctest::skip()) {
  const char* file = ::getenv("LIFTGEN_TEST_DB");
  if (file == nullptr) return;
  const int first = std::atoi(::getenv("LIFTGEN_TEST_FIRST")),
            count = std::atoi(::getenv("LIFTGEN_TEST_COUNT"));
  for (int n = first; n < first + count; ++n) {
    Database(file, Access::write).keep(sample(n));
    std::printf("stored %d\n", n);
    std::fflush(stdout);
  }
}

namespace {

Process writer(const fs::path& file, int first, int count) {
  return test::helper("helper: stores many records",
                      {"LIFTGEN_TEST_DB=" + file.string(), "LIFTGEN_TEST_FIRST=" + std::to_string(first),
                       "LIFTGEN_TEST_COUNT=" + std::to_string(count)});
}

std::size_t stored(const std::string& output) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = output.find("stored ", at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("database: processes that make one file and write to it at once lose nothing") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "found.db";
  std::vector<Process> writers;
  for (int i = 0; i < 3; ++i) writers.push_back(writer(file, 1000 * (i + 1), 40));
  for (Process& w : writers) {
    const std::string output = test::finished(w);
    CAPTURE(output);
    CHECK(w.status() == 0);
    CHECK(stored(output) == 40);
  }
  CHECK(Database(file, Access::read).all().size() == 120);
}

TEST_CASE(
    "database: a writer that is killed leaves all that it had stored, and a file that others go on with") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "found.db";
  std::size_t least = 0;
  for (int round = 0; round < 4; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      // In a process of its own, so that it can be killed at any instruction: it says in a file what it has
      // done.
      try {
        for (int n = 0;; ++n) {
          Database(file, Access::write).keep(sample(1000 * (round + 1) + n));
          write_file_atomically(scratch.path() / "done", std::to_string(n + 1));
        }
      } catch (...) {
        ::_exit(3);
      }
    }
    const auto done = [&] {
      return fs::exists(scratch.path() / "done") ? std::stoul("0" + read_file(scratch.path() / "done")) : 0;
    };
    while (done() < 5 + 3 * static_cast<std::size_t>(round)) ::usleep(500);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    least += done();
    fs::remove(scratch.path() / "done");
    const std::size_t there = Database(file, Access::read).all().size();
    CHECK(there >= least);
    CHECK(there <= least + static_cast<std::size_t>(round) + 1);  // the one it was at may be there, too
    SQLite::Database db(file.string(), SQLite::OPEN_READWRITE);
    CHECK(db.execAndGet("PRAGMA integrity_check").getString() == "ok");
  }
  CHECK(Database(file, Access::write).keep(sample(9)));
}

}  // namespace database_test
