// In which order settings are tried: all of them, each once, near the best so far.
#include "compare/settings_search.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <set>

namespace lift::compare_settings_search_test {
namespace {

std::vector<std::string> numbers(int n) {
  std::vector<std::string> all;
  for (int i = 0; i < n; ++i) all.push_back(std::to_string(i));
  return all;
}

}  // namespace

TEST_CASE("settings search: all are given once, though nothing is learnt of any, or each is slower") {
  for (const bool learns : {false, true}) {
    SettingsSearch search({{"a", numbers(40)}, {"b", numbers(13)}});
    std::set<PeerSettings> given;
    for (auto s = search.next(); s; s = search.next()) {
      if (given.empty()) CHECK(*s == PeerSettings{"0", "0"});
      CHECK(given.insert(*s).second);
      if (learns) search.learn(*s, static_cast<double>(given.size()));
      REQUIRE(given.size() <= 520);
    }
    CHECK(given.size() == 520);
    CHECK_FALSE(search.next());
  }
}

TEST_CASE("settings search: a choice without values is left to the peer, and no choices are one setting") {
  SettingsSearch none({}), left({{"a", {}}, {"b", {"1", "2"}}});
  CHECK(none.next() == PeerSettings{});
  CHECK_FALSE(none.next());
  CHECK(left.next() == PeerSettings{"", "1"});
  CHECK(left.next() == PeerSettings{"", "2"});
  CHECK_FALSE(left.next());
}

TEST_CASE("settings search: goes on beside the fastest, where times are numbers") {
  SettingsSearch search({{"a", numbers(9)}});
  CHECK(search.next() == PeerSettings{"0"});
  search.learn({"0"}, 5);
  CHECK(search.next() == PeerSettings{"1"});
  search.learn({"1"}, 4);
  CHECK(search.next() == PeerSettings{"2"});
  // Neither no time, nor the same, nor a longer one is faster.
  for (const double ms :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 4.0, 6.0}) {
    search.learn({"2"}, ms);
  }
  CHECK(search.next() == PeerSettings{"3"});  // two beside 1
  search.learn({"3"}, 1);
  CHECK(search.next() == PeerSettings{"4"});
  search.learn({"4"}, 2);
  CHECK(search.next() == PeerSettings{"5"});  // two beside 3
}

}  // namespace lift::compare_settings_search_test
