// Rules about chains where lets that name views of a stage stand between the stages.
#include <doctest/doctest.h>

#include "ir/expr/verify.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/rules/rules.hpp"

using namespace lift;

namespace chain_rules_test {
namespace {

/// Two stages and a result, with four views on the way.
const char* const views_between = R"(program views
param x : 40.20.f64
result =
let a = x |> slide(3, 1) |> map(\w. zip(w[0], w[2]) |> map(\(p, q). p + q)) in
let v = a |> drop(1, 0) in
let w = v |> drop(1, 0) in
let b = w |> slide(2, 1) |> map(\w. zip(w[0], w[1]) |> map(\(p, q). p * q)) in
let u = b |> drop(0, 1) in
let t = u |> drop(1, 0) in
t |> map(\r. r |> map(\y. y + 1.0))
)";

/// The values of the lets on the way to the result.
std::vector<Expr> named_values(Expr e) {
  std::vector<Expr> r;
  for (; e.is(Op::Let); e = e.child(1).child(0)) r.push_back(e.child(0));
  return r;
}

}  // namespace

TEST_CASE("rings are what stages are kept in, not views of them") {
  const auto p = apply(find_rule("rings"), parse_program(views_between, "views.lift"), {});
  REQUIRE(p);
  verify(*p, "rings");
  const std::vector<Expr> values = named_values(p->body);
  REQUIRE(values.size() == 6);
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i].is(Op::Ring) == (i == 0 || i == 3));
}

TEST_CASE("two arrays take turns where nothing but stages is named") {
  const std::string step = " |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])";
  const auto chain = [&](const std::string& between) {
    return parse_program("program steps\nparam x : 40.f64\nresult =\nlet a = x" + step + " in\nlet b = a" +
                             step + " in\n" + between + "c" + step,
                         "steps.lift");
  };
  const auto taken = apply(find_rule("two-arrays"), chain("let c = b" + step + " in\n"), {});
  CHECK_MESSAGE(taken, taken.reason());
  const auto refused = apply(find_rule("two-arrays"),
                             chain("let r = b |> split(2) |> join in\nlet c = r" + step + " in\n"), {});
  REQUIRE(!refused);
  INFO(refused.reason());
  CHECK(refused.reason().find("no stage") != std::string::npos);
}

}  // namespace chain_rules_test
