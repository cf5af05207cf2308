// Tiles in local memory beside updates in place: groups copy what no other group overwrites in the meantime.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::staged_tiles_test {
namespace {

Program read(const std::string& result) {
  return parse_program("program tiles\nparam x, y : 80.f64\noverwrite x\nresult = " + result, "tiles.lift");
}
/// All places of loops over work-groups.
void groups_in(const Expr& e, Place& at, std::vector<Place>& all) {
  if (e.is(Op::MapWrg)) all.push_back(at);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    groups_in(e.child(i), at, all);
    at.pop_back();
  }
}
Place only_groups(const Program& p) {
  Place at;
  std::vector<Place> all;
  groups_in(p.body, at, all);
  REQUIRE(all.size() == 1);
  return all[0];
}
std::string tiles_of(const std::string& array) {
  return array + " |> slide(3, 1) |> split(2) |> map_wrg<0>(\\t. t |> map_lcl<0>(\\w. w[1] + 1.0)) |> join";
}
std::string refusal(const std::string& result, const char* rule, const Arguments& arguments) {
  const Program p = read(result);
  const auto q = apply(find_rule(rule), p, only_groups(p), arguments);
  return q ? "" : q.reason();
}

}  // namespace

TEST_CASE(
    "staged tiles: an array that is overwritten is not copied, whatever its name or how it is looked at") {
  const std::string over[] = {
      "update_in_place(x, 1, " + tiles_of("x") + ")",
      "let b = x in update_in_place(b, 1, " + tiles_of("x") + ")",
      "let b = x in update_in_place(x, 1, " + tiles_of("b") + ")",
      "let b = x in let c = b |> reverse in update_in_place(b, 1, " + tiles_of("c") + ")",
      "update_in_place(x |> reverse |> reverse, 1, " + tiles_of("x") + ")",
      "let b = {x, y} in update_in_place(b.0, 1, " + tiles_of("b.0") + ")",
      "let b = update_in_place(x, 0, y |> map(\\v. v + 2.0)) in update_in_place(b, 1, " + tiles_of("b") + ")",
      "let b = update_in_place(x, 0, y |> map(\\v. v + 2.0)) in update_in_place(b, 1, let c = y in " +
          tiles_of("b") + ")",
      "let a = " + tiles_of("x") + " in {update_in_place(x, 1, a), y |> map(\\v. v + 2.0)}",
  };
  for (const std::string& result : over) {
    CAPTURE(result);
    CHECK(refusal(result, "stage", {0}).find("is overwritten") != std::string::npos);
    CHECK(refusal(result, "stage-planes", {3, 0}).find("is overwritten") != std::string::npos);
  }
}

TEST_CASE("staged tiles: arrays beside the one that is overwritten are copied") {
  const std::string beside[] = {
      "let a = " + tiles_of("x") + " in update_in_place(x, 1, a)",
      "let a = " + tiles_of("y") + " in {update_in_place(x, 1, a), y |> map(\\v. v + 2.0)}",
      "update_in_place(x, 1, " + tiles_of("y") + ")",
      "let b = x in update_in_place(b, 1, " + tiles_of("y") + ")",
      "let b = x in let c = y in update_in_place(b, 1, " + tiles_of("c") + ")",
      "let b = {x, y} in update_in_place(b.0, 1, " + tiles_of("b.1") + ")",
      "let b = update_in_place(x, 0, y |> map(\\v. v + 2.0)) in update_in_place(b, 1, " + tiles_of("y") + ")",
      "let a = to_global(x |> map(\\v. v * 2.0)) in update_in_place(x, 1, " + tiles_of("a") + ")",
      "let a = to_global(x |> map(\\v. v * 2.0)) in let b = update_in_place(a, 0, y) in update_in_place(x, "
      "1, " +
          tiles_of("b") + ")",
  };
  for (const std::string& result : beside) {
    CAPTURE(result);
    const Program p = read(result);
    const auto q = apply(find_rule("stage"), p, only_groups(p), {0});
    CHECK_MESSAGE(q, q.reason());
    if (q) test::run(*q);
  }
}

}  // namespace lift::staged_tiles_test
