// Searches of settings, the compilers that transform loops themselves, and the table.
#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "compare/settings_search.hpp"
#include "compare/table.hpp"
#include "patterns/operators.hpp"
#include "runtime/process.hpp"
#include "tests/compare/trials.hpp"

namespace lift::compare_contest_test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::vector<PeerChoice> kChoices = {
    {"tile", {"8", "16", "32", "64", "128"}}, {"inner", {"64", "128", "256", "512"}}, {"", {"", "parallel"}}};

double distance(const PeerSettings& s) {
  return std::abs(std::stod(s[0]) - 128) + std::abs(std::stod(s[1]) - 512) + (s[2].empty() ? 0 : 1000);
}

}  // namespace

TEST_CASE("compare: a search of settings gives each once, begins with the first, and climbs") {
  SettingsSearch all(kChoices), climbing(kChoices);
  std::set<PeerSettings> given;
  while (const auto s = all.next()) {
    if (given.empty()) CHECK(*s == PeerSettings{"8", "64", ""});
    CHECK(given.insert(*s).second);
    all.learn(*s, given.size() % 3 == 0 ? std::numeric_limits<double>::infinity() : 1.0 * given.size());
  }
  CHECK(given.size() == 40);
  int steps = 0;
  for (bool there = false; !there; ++steps) {
    const auto s = climbing.next();
    REQUIRE(s.has_value());
    climbing.learn(*s, distance(*s));
    there = distance(*s) == 0;
  }
  CHECK(steps <= 25);  // by chance alone one of 40 takes 20 in the mean, and 39 at worst
}

TEST_CASE("compare: settings are described by what is not left to the peer") {
  CHECK(describe(kChoices, {"8", "64", "parallel"}) == "tile 8, inner 64, parallel");
  CHECK(describe({{"tile", {"", "8"}}, {"", {"", "parallel"}}}, {"", "parallel"}) == "parallel");
}

TEST_CASE("compare: Polly, Graphite and isl compete on red-black, and their results are judged") {
  Problem problem;
  problem.box = 8, problem.boxes = 2;
  const ExploreResult r = explore(
      smooth3d(), problem, test::one_configuration(make_contest({"plain", "polly", "graphite", "isl"}, 1)));
  REQUIRE(r.rivals.size() == 5);
  CHECK(r.rivals[0].name == "plain");
  for (const Rival& x : r.rivals) {
    CAPTURE(x.name);
    CAPTURE(x.message);
    if (x.message.starts_with("not here: ")) continue;
    CHECK((x.status == Status::ok || x.status == Status::wrong));
    CHECK((x.ms > 0) == (x.status == Status::ok));
    if (!x.baseline) CHECK(x.tried == 1);
  }
  CHECK(r.rivals[4].name == "isl");
  CHECK(r.rivals[4].status == Status::ok);
  const auto fits = [](const std::string& text) {
    CAPTURE(text);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      CHECK(end - at <= 80);
      at = end + 1;
    }
  };
  const std::string table = comparison_table(r);
  CAPTURE(table);
  CHECK(table.starts_with("  who            with"));
  CHECK(has(table, "\n  isl  "));
  CHECK(has(table, "1.00x"));
  fits(table);
  ExploreResult far = r;  // whatever machines make of it
  for (Rival& x : far.rivals) x.ms *= 12345;
  fits(comparison_table(far));
}

}  // namespace lift::compare_contest_test
