// Which record speaks for a problem: exact, then the nearest size, then the same architecture.
#include <doctest/doctest.h>

#include "patterns/operators.hpp"
#include "tests/database/sample.hpp"
#include "tuning/database/memory.hpp"

using namespace lift;
using lift::test::sample;
using lift::test::Scratch;

namespace look_up_test {
namespace {

Record at(std::int64_t n, const std::string& device = "A Processor",
          const std::string& architecture = "avx2") {
  Record r = sample();
  r.program.sizes[0] = n, r.platform.device = device, r.platform.architecture = architecture;
  r.variant = std::to_string(n) + " " + device;
  return r;
}

std::vector<std::string> names(const std::vector<Found>& all) {
  std::vector<std::string> r;
  for (const Found& f : all) r.push_back(f.record.variant);
  return r;
}

class Look {
 public:
  explicit Look(const std::vector<Record>& records)
      : database_(scratch_.path() / "found.db", Database::Access::write) {
    database_.keep_all(records);
  }
  std::vector<Found> up(const Platform& platform = sample().platform, bool caller_layout_only = true) const {
    return look_up(database_, sample().program, platform, caller_layout_only);
  }

 private:
  Scratch scratch_;
  Database database_;
};

}  // namespace

TEST_CASE("look-up: exact, then the nearest size, then the same architecture, which it says") {
  Record other_compiler = at(64);
  other_compiler.platform.compiler = "clang 14", other_compiler.variant = "clang";
  const Look look({at(64, "Another"), at(32, "Another"), at(1024), at(16), at(96), other_compiler, at(64),
                   at(64, "A third", "neon")});
  const std::vector<Found> all = look.up();
  CHECK(names(all) == std::vector<std::string>{"64 A Processor", "clang", "96 A Processor", "16 A Processor",
                                               "1024 A Processor", "64 Another", "32 Another"});
  const auto nearness = [&](std::size_t i) { return all.at(i).nearness; };
  CHECK(nearness(0) == Nearness::exact);
  CHECK(nearness(1) == Nearness::platform);
  CHECK(nearness(2) == Nearness::size);
  CHECK(nearness(5) == Nearness::architecture);
  const auto says = [&](std::size_t i, const char* part) {
    const std::string text = describe(all.at(i));
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  says(0, "1.50x the plain loops, found for this problem on this machine (2025-11-24 16:00 UTC)");
  says(1, "found for this problem on this device, by clang 14 with 2 threads");
  says(2, "found at n = 96, boxes = 8 on this device");
  says(6, "found at n = 32, boxes = 8 on Another");
}

TEST_CASE("look-up: what is not measured comes from sizes that are not far") {
  const Look look({at(63), at(64 * 20)});
  const std::vector<Found> all = look.up();
  REQUIRE(all.size() == 2);
  CHECK(near_enough(all[0]));
  CHECK_FALSE(near_enough(all[1]));
}

TEST_CASE("look-up: layouts of their own only for those who can convert, the fastest first") {
  Record split = at(64);
  split.caller_layout = false, split.layout = "split 3 1", split.variant = "split", split.roofline = 2;
  const Look look({at(64), split});
  CHECK(names(look.up()) == std::vector<std::string>{"64 A Processor"});
  CHECK(names(look.up(sample().platform, false)) == std::vector<std::string>{"split", "64 A Processor"});
}

TEST_CASE("look-up: where there is no device to ask, those of others count; of another backend none") {
  const Look look({at(64), at(64, "A third", "neon")});
  Platform unknown;
  unknown.backend = "openmp", unknown.rules = sample().platform.rules;
  CHECK(look.up(unknown).size() == 2);
  unknown.backend = "cuda";
  CHECK(look.up(unknown).empty());
}

TEST_CASE("look-up: derivations that do not apply any more are left out in one line") {
  std::vector<Found> all;
  for (const char* derivation : {"no-such-rule at body\n", "map-par at body\n", "map-seq at body\n"}) {
    Record r = sample();
    r.derivation = derivation;
    all.push_back({r, Nearness::exact, 1});
  }
  std::vector<std::string> said;
  const auto attempt = [](const Derivation& d) {
    if (d.at(0).rule == "no-such-rule") throw UserError("there is no rule 'no-such-rule'");
  };
  const auto found = first_that_applies(all, attempt, [&](const std::string& line) { said.push_back(line); });
  REQUIRE(found);
  CHECK(found->record.derivation == "map-par at body\n");
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("does not apply here and is left out") != std::string::npos);
  CHECK(said[0].find("there is no rule 'no-such-rule'") != std::string::npos);
  const auto refuse = [](const Derivation&) { throw std::bad_alloc(); };
  CHECK_FALSE(first_that_applies(all, refuse, [&](const std::string& line) { said.push_back(line); }));
  CHECK(said.size() == 2);
  CHECK(said[1].find("and 2 more") != std::string::npos);
}

TEST_CASE("look-up: a record's configuration, less what no decision is called any more") {
  Record r = sample();
  r.parameters = "width=4\nno such decision=7\nlate=1\n";
  const Configuration c = configuration_of(r);
  CHECK(c.size() == 2);
  CHECK(c.at("width") == "4");
}

TEST_CASE("memory: a best that turns out to be wrong, or to crash, is not kept before one that is right") {
  const Pattern& pattern = find_pattern("smooth1d");
  Problem problem;
  problem.box = 64, problem.boxes = 2;
  const Machine machine;
  const Occasion occasion{pattern, problem, Target::openmp, machine, nullptr, 2, false};
  const auto variant = [](const std::string& rule, double ms) {
    Variant v;
    v.derivation = parse_derivation(rule + " at body\n");
    v.ms = ms, v.verified = ms > 0, v.status = Status::ok, v.name = rule, v.speedup = 1;
    v.roofline = ms > 0 ? 0.1 / ms : 0;
    return v;
  };
  for (const Status fate : {Status::wrong, Status::crashed, Status::hung}) {
    const Scratch scratch;
    DatabaseMemory memory(scratch.path() / "m.db", {}, {});
    const auto kept = [&] { return Database(scratch.path() / "m.db", Database::Access::read).all(); };
    ExploreResult first;
    first.variants = {variant("map-seq", 1)}, first.best = first.best_caller = 0;
    memory.keep(occasion, first);
    REQUIRE(kept().size() == 1);
    ExploreResult second;
    second.variants = {variant("map-par", 3), variant("map-seq", 0)}, second.best = second.best_caller = 0;
    second.variants[1].status = fate;
    memory.keep(occasion, second);
    REQUIRE(kept().size() == 1);
    CHECK(kept()[0].derivation.starts_with("map-par"));
    memory.keep(occasion, first);  // and the faster of two that are right is
    CHECK(kept()[0].derivation.starts_with("map-seq"));
  }
}

}  // namespace look_up_test
