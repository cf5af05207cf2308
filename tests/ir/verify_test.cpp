// The verifier accepts what rules make and names what they must not make.
#include <doctest/doctest.h>

#include "ir/build.hpp"
#include "ir/verify.hpp"

using namespace lift;

namespace {

const Expr xs = param("xs", array({8}, f64)), m = param("m", array({4, 8}, f64));
const Expr twice = fun(Type(f64), [](Expr x) { return x + x; });

std::string verdict(const Expr& body, std::vector<std::string> overwritable = {}) {
  try {
    verify({"p", {xs, m}, body, std::move(overwritable)});
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}
void refuse(const Expr& body, const std::string& rule) {
  const std::string v = verdict(body);
  INFO(v);
  CHECK(v.find("verify: " + rule) == 0);
}
/// A map over the rows of m, each row mapped by another.
Expr nested(Op outer, std::vector<std::int64_t> outer_more, Op inner, std::vector<std::int64_t> inner_more) {
  const Expr f = fun(array({8}, f64), [&](Expr r) { return map_with(inner, 1, twice, r, inner_more); });
  return map_with(outer, 1, f, m, outer_more);
}

}  // namespace

TEST_CASE("what is sound is accepted") {
  CHECK(verdict(nested(Op::MapPar, {}, Op::MapVec, {4})).empty());
  CHECK(verdict(nested(Op::MapWrg, {0}, Op::MapLcl, {0})).empty());
  CHECK(verdict(nested(Op::MapGlb, {1}, Op::MapGlb, {0})).empty());
  CHECK(verdict(make(Op::UpdateInPlace, {xs, xs | drop(1, 1)}, Attr{{Nat(1)}, {}, {}, {}, 0}), {"xs"}).empty());
}

TEST_CASE("closed and typed") {
  refuse(param("other", array({8}, f64)), "other is no argument of p");
  refuse(lambda({param("v", Type(f64))}, param("v", Type(f64))).child(0), "a bound variable refers outside the program");
  Attr hole;
  hole.texts = {"f"}, hole.types = {Type(f64)};
  refuse(make(Op::Hole, {}, hole), "a hole is left");
}

TEST_CASE("nesting of decisions") {
  refuse(nested(Op::MapVec, {4}, Op::MapSeq, {}), "map_vec holds scalar arithmetic only");
  refuse(nested(Op::MapGlb, {0}, Op::MapGlb, {0}), "map_glb inside a map_glb of the same dimension");
  refuse(nested(Op::MapWrg, {0}, Op::MapGlb, {0}), "map_glb inside map_wrg");
  refuse(nested(Op::MapWrg, {1}, Op::MapLcl, {0}), "map_lcl outside a map_wrg of its dimension");
  refuse(nested(Op::MapGlb, {0}, Op::MapPar, {}), "map_par inside a map over work-items");
  refuse(nested(Op::MapPar, {}, Op::MapGlb, {0}), "a map over work-items inside map_par");
  refuse(make(Op::ToLocal, {xs}), "to_local outside map_wrg");
}

TEST_CASE("in place") {
  const Expr update = make(Op::UpdateInPlace, {xs, xs | drop(1, 1)}, Attr{{Nat(1)}, {}, {}, {}, 0});
  refuse(update, "an update in place, and no argument may be overwritten");
}
