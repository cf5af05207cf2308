// Settings and configurations: text round trips, order, what is one step away.
#include <doctest/doctest.h>

#include <unordered_set>

#include "ir/error.hpp"
#include "rewrite/space/keys.hpp"
#include "rewrite/space/space.hpp"

using namespace lift;

namespace setting_test {
TEST_CASE("setting: every domain is written as it is read") {
  const auto same = [](const Key& key, const std::string& text) {
    const auto s = key.read(text);
    REQUIRE_MESSAGE(s, text);
    CHECK(key.text(*s) == text);
  };
  for (const char* text : {"none", "k8 j8", "i256"}) same(key::tile, text);
  for (const char* text : {"1", "2", "j4"}) same(key::items, text);
  for (const char* text : {"none", "box k", "i65536"}) same(key::parts, text);
  for (const char* text : {"none", "groups", "box k j i", "solo box k"}) same(key::grid, text);
  for (const char* text : {"caller", "rows 8 1", "split 3 1"}) same(key::layout, text);
  for (const char* text : {"seq", "strided", "vec", "strided vec"}) same(key::inner, text);
  for (const char* text : {"none", "256"}) same(key::group, text);
  same(key::in_place, "no"), same(key::late, "1"), same(key::buffer, "rows"), same(key::unroll, "4");
}

TEST_CASE("setting: what is no setting of a domain is not read") {
  CHECK_FALSE(key::inner.read("quick"));
  CHECK_FALSE(key::layout.read("rows eight"));
  CHECK_FALSE(key::unroll.read("-2"));
  CHECK_FALSE(key::unroll.read("none"));
  CHECK_FALSE(key::late.read("yes"));
  CHECK_FALSE(key::tile.read("k0 j8"));
  CHECK_FALSE(key::tile.read("k8j"));
}

TEST_CASE("setting: numbers have neighbours up and down, other settings all others") {
  const Settings numbers{std::int64_t{0}, std::int64_t{64}, std::int64_t{1}, std::int64_t{16}};
  CHECK(neighbours(numbers, std::int64_t{16}) == Settings{std::int64_t{1}, std::int64_t{64}});
  CHECK(neighbours(numbers, std::int64_t{0}) == Settings{std::int64_t{1}});
  const Settings tiles{AxisSizes{}, "j8"_sizes, "k8 j8"_sizes};
  CHECK(neighbours(tiles, "j8"_sizes) == Settings{AxisSizes{}, "k8 j8"_sizes});
}

TEST_CASE("setting: a wish may leave the end to the space") {
  CHECK(begins(Choice{kSplitLayout, {3, 1}}, Choice{kSplitLayout, {}}));
  CHECK_FALSE(begins(Choice{kRowsLayout, {4, 1}}, Choice{kSplitLayout, {}}));
  CHECK(begins("solo box k"_loops, "solo"_loops));
  CHECK_FALSE(begins("box k"_loops, "solo"_loops));
  CHECK_FALSE(begins("box k"_loops, "none"_loops));
  CHECK(begins("j8 i32"_sizes, "j8"_sizes));
  CHECK_FALSE(begins("j8 i32"_sizes, "none"_sizes));
}

TEST_CASE("configuration: settings by decision, in any order, equal and hashed as values") {
  const Configuration typed{{key::unroll, 4}, {key::tile, "k8 j8"_sizes}, {key::inner, Inner::seq}};
  const Configuration read{{"inner", "seq"}, {"tile", "k8 j8"}, {"unroll", "4"}};
  CHECK(typed == read);
  CHECK_FALSE(typed < read);
  CHECK(std::hash<Configuration>{}(typed) == std::hash<Configuration>{}(read));
  Configuration other = read;
  other.set("tile", "k8 j16");
  CHECK(other != read);
  CHECK((other < read) != (read < other));
  CHECK(std::unordered_set<Configuration>{typed, read, other}.size() == 2);
  CHECK(typed[key::tile].list[1].size == 8);
  CHECK(typed[key::width] == 1);  // the plain one
  CHECK(typed[key::in_place]);
  CHECK(typed.at("tile") == "k8 j8");
  other.erase(key::tile);
  CHECK_FALSE(other.contains("tile"));
  CHECK_THROWS_WITH_AS(other.set("colour", "red"),
                       "parameter 'colour' does not exist in this space; see its list of parameters",
                       UserError);
  CHECK_THROWS_WITH_AS(other.set("inner", "quick"),
                       "parameter inner cannot be 'quick'; see the space's list of parameters", UserError);
}

}  // namespace setting_test
