// Rules as values: which are kept under a name, what the lint finds, what derivations say of layouts.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "rewrite/engine/derivation.hpp"
#include "rewrite/rules/layout_step.hpp"
#include "rewrite/rules/rules.hpp"

using namespace lift;

namespace rule_catalogue_test {
namespace {

const Rule& kept(const Rule& r) {
  keep_rules({r});
  return find_rule(r.name);
}
Rule named(std::string name, const Rule& r) {
  Rule other = r;
  other.name = std::move(name);
  return other;
}
Rule with_sides(const Expr& lhs, const Expr& rhs) {
  Rule r;
  r.name = "made", r.maths = "made", r.sides = {{lhs, rhs}};
  return r;
}

/// All complaints of one rule, a line each.
std::string complaints(const Rule& r) {
  std::string all;
  for (const std::string& c : lint({r})) all += c + "\n";
  return all;
}

}  // namespace

TEST_CASE("kept rules: the same one again stays, another one of the name takes its place") {
  const Expr f = hole("f"), g = hole("g"), xs = hole("xs");
  const Rule fuse = rule("kept-fuse", map(f, map(g, xs)), map(compose(f, g), xs));
  const Rule& first = kept(fuse);
  const auto replaces = [&](const std::function<void(Rule&)>& change) {
    Rule r = fuse;
    change(r);
    const Rule* const before = &kept(fuse);
    return &kept(r) != before;
  };
  CHECK_FALSE(replaces([](Rule&) {}));
  CHECK(replaces([](Rule& r) { r.exact = false; }));
  CHECK(replaces([](Rule& r) { r.maths = "another equation"; }));
  CHECK(replaces([&](Rule& r) { r.sides[0].rhs = map(f, map(g, xs)); }));
  CHECK(replaces([&](Rule& r) { r.sides[0].lhs = map(f, xs); }));
  CHECK(replaces([&](Rule& r) { r.sides.push_back(r.sides[0]); }));
  CHECK(replaces([](Rule& r) { r.guard = [](const Match&) { return std::string("never"); }; }));
  CHECK(find_rule("kept-fuse").guard);
  CHECK_FALSE(kept(fuse).guard);
  // What another one took the place of stays valid.
  CHECK(first.exact);
  CHECK(first.sides[0].rhs == fuse.sides[0].rhs);
  // Of two with guards nothing is known.
  Rule guarded = named("kept-guarded", fuse);
  guarded.guard = [](const Match&) { return std::string(); };
  const Rule* const one = &kept(guarded);
  CHECK(&kept(guarded) != one);
  Rule by_function = constructed("kept-constructed", "x = x",
                                 [](const Site& s, const Arguments&) -> Result<Expr> { return s.e; });
  const Rule* const made = &kept(by_function);
  CHECK(&kept(by_function) != made);
}

TEST_CASE("lint: what is wrong with rules that are put together by hand") {
  const Expr f = hole("f"), g = hole("g"), xs = hole("xs");
  const Nat k = nat_hole("k");
  const Rule fine = with_sides(map(f, split({k}, xs)), split({k}, xs));
  CHECK(complaints(fine) == "");
  Rule r = fine;
  r.maths = "";
  CHECK(complaints(r) == "made: says no maths\n");
  r = fine, r.construct = [](const Site& s, const Arguments&) -> Result<Expr> { return s.e; };
  CHECK(complaints(r) == "made: is defined in two ways\n");
  r = fine, r.guard = [](const Match&) { return std::string(); };
  CHECK(complaints(r) == "made: its guard is not said in words\n");
  r.when = "always";
  CHECK(complaints(r) == "");
  CHECK(complaints(with_sides(map(f, xs), map(g, xs))) == "made: hole g is unbound\n");
  CHECK(complaints(with_sides(xs, map([](Expr x) { return x; }, xs))) ==
        "made: its left side matches everything\n");
  r = fine, r.takes("k", "chunk length");  // which the left side has already
  CHECK(complaints(r) == "");
  r.takes("m", "of nothing");
  CHECK(complaints(r) == "made: parameter m is not used\n");
}

TEST_CASE("layouts: a derivation's is that of the first step for all arrays") {
  const auto layout = [](const std::string& steps) { return str(layout_by(parse_derivation(steps))); };
  CHECK(layout("map-seq at body\n") == "caller");
  CHECK(layout("map-seq at body\nlayout rows 8 0 at body\n") == "rows 8 0");
  CHECK(layout("layout split 2 1 at body\nlayout rows 8 0 at body\n") == "split 2 1");
  // Those of some arrays alone, by name, say nothing of the others.
  CHECK(layout("layout rows 8 0 x at body\n") == "caller");
  CHECK(layout("layout rows 8 0 x y at body\nlayout split 2 1 at body\n") == "split 2 1");
}

}  // namespace rule_catalogue_test
