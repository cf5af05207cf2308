// The table of a comparison, from results that are written down here.
#include "compare/table.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace lift::compare_table_test {
namespace {

Variant variant(const std::string& name, double ms, double gbs, const std::string& layout = "") {
  Variant v;
  v.name = name, v.ms = ms, v.gbs = gbs, v.layout = layout;
  return v;
}
Rival rival(const std::string& name, double ms, const std::string& settings = "", int tried = 0) {
  Rival r;
  r.name = name, r.ms = ms, r.gbs = 8 / ms, r.settings = settings, r.tried = tried;
  return r;
}
Rival failed(const std::string& name, Status status, const std::string& message, int wrong = 0) {
  Rival r;
  r.name = name, r.status = status, r.message = message, r.error = 0.25, r.wrong = wrong, r.tried = 7;
  return r;
}
std::vector<std::string> lines(const ExploreResult& r) {
  std::vector<std::string> all;
  std::istringstream in(comparison_table(r));
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}
/// What stands in a line, without the blanks between columns.
std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}
using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("table: ours, then others from the fastest on, each in multiples of ours") {
  ExploreResult r;
  r.variants = {variant("rows", 2, 4), variant("planes", 1, 8, "colours")};
  r.best_caller = 0, r.best = 1, r.counts.timed = 12;
  r.rivals = {rival("pluto", 3, "tile 16", 5), rival("plain", 4), rival("ppcg", 2.5, "", 3)};
  r.twin_ms = 0.5, r.twin_gbs = 16;
  const std::vector<std::string> all = lines(r);
  REQUIRE(all.size() == 7);
  CHECK(words(all[0]) == Words{"who", "with", "ms", "GB/s", "ours", "tried"});
  CHECK(words(all[1]) == Words{"liftgen", "rows", "2.000", "4.0", "1.00x", "12"});
  CHECK(words(all[2]) == Words{"liftgen", "layout", "colours:", "planes", "1.000", "8.0", "0.50x", "12"});
  CHECK(words(all[3]) == Words{"ppcg", "its", "own", "defaults", "2.500", "3.2", "1.25x", "3"});
  CHECK(words(all[4]) == Words{"pluto", "tile", "16", "3.000", "2.7", "1.50x", "5"});
  CHECK(words(all[5]) == Words{"plain", "4.000", "2.0", "2.00x"});
  CHECK(all[6] == "  traffic twin   the same data, nothing computed        0.500  16.0  0.25x");
  for (const std::string& line : all) CHECK(line.size() <= 80);
}

TEST_CASE("table: what there is not is left out, and is no measure") {
  ExploreResult r;
  r.variants = {variant("rows", 2, 4, "colours")};
  r.rivals = {rival("plain", 4)};
  CHECK(lines(r).size() == 2);
  CHECK(words(lines(r)[1]) == Words{"plain", "4.000", "2.0", "-"});
  // The best of all is the measure where none takes the caller's layout.
  r.best = 0;
  CHECK(lines(r).size() == 3);
  CHECK(words(lines(r)[2]) == Words{"plain", "4.000", "2.0", "2.00x"});
  // One variant that is both is there once.
  r.best_caller = 0;
  CHECK(lines(r).size() == 3);
  CHECK(words(lines(r)[1]) == Words{"liftgen", "rows", "2.000", "4.0", "1.00x", "0"});
  // What was not timed has no ratio.
  r.variants[0].ms = r.variants[0].gbs = 0;
  CHECK(words(lines(r)[1]) == Words{"liftgen", "rows", "-", "-", "-", "0"});
  // One who ran and has no time is among those who failed.
  r.rivals[0].ms = 0;
  CHECK(words(lines(r)[2]) == Words{"plain", "ok:"});
}

TEST_CASE("table: numbers and names as wide as there is room for") {
  ExploreResult r;
  const auto shown = [&](double ms, double gbs) {
    r.variants = {variant("v", ms, gbs)}, r.best = r.best_caller = 0;
    const Words all = words(lines(r)[1]);
    return Words{all.at(2), all.at(3)};
  };
  CHECK(shown(0.01234567, 12.34) == Words{"0.01235", "12.3"});
  CHECK(shown(0.1, 999.9) == Words{"0.100", "999.9"});
  CHECK(shown(1234.5678, 9999.9) == Words{"1234.568", "10000"});
  CHECK(shown(12345.678, 99999.0) == Words{"12345.68", "99999"});
  CHECK(shown(123456789.0, 100000.0) == Words{"1e+08", "1e+05"});
  r.rivals = {rival("a name that is far too long", 2, std::string(40, 's'))};
  CHECK(lines(r)[2].substr(2, 14) == "a name that ..");
  CHECK(lines(r)[2].substr(17, 35) == std::string(33, 's') + "..");
  r.rivals = {rival("fourteen signs", 2, std::string(35, 's'))};
  CHECK(lines(r)[2].substr(2, 51) == "fourteen signs " + std::string(35, 's') + " ");
}

TEST_CASE("table: why others have no time, and whose results were wrong with some settings") {
  ExploreResult r;
  r.rivals = {failed("polly", Status::impossible, "not here\nand more"),
              failed("pluto", Status::compile_failed, "no schedule"),
              failed("ppcg", Status::wrong, "differs", 2), failed("graphite", Status::wrong, "differs"),
              rival("isl", 2, "tile 4", 9)};
  r.rivals.back().wrong = 3;
  const std::vector<std::string> all = lines(r);
  REQUIRE(all.size() == 7);
  CHECK(words(all[1]).at(0) == "isl");
  CHECK(all[2] == "  polly          not here");
  CHECK(all[3] == "  pluto          " + std::string(text(Status::compile_failed)) + ": no schedule");
  CHECK(all[4] == "  ppcg           wrong (error 2.5e-01): differs, with 2 of the 7 settings tried");
  CHECK(all[5] == "  graphite       wrong (error 2.5e-01): differs");
  CHECK(all[6] == "  isl: a wrong result with 3 of the 9 settings tried");
  // A long reason goes on below its beginning.
  std::string reason;
  for (int n = 0; n < 30; ++n) reason += (n > 0 ? " " : "") + std::string("reason");
  r.rivals = {failed("polly", Status::impossible, reason)};
  const std::vector<std::string> long_ones = lines(r);
  REQUIRE(long_ones.size() == 5);
  for (std::size_t n = 1; n < long_ones.size(); ++n) {
    CHECK(long_ones[n].size() <= 80);
    CHECK(long_ones[n].substr(n == 1 ? 8 : 0, 9) == std::string(9, ' '));
    CHECK(long_ones[n].substr(17, 6) == "reason");
  }
}

}  // namespace lift::compare_table_test
