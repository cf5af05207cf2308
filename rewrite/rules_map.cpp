// Laws of maps and reductions.
#include "ir/build.hpp"
#include "ir/ops.hpp"
#include "rewrite/rules.hpp"

namespace lift {
namespace {

const Expr f = hole("f"), g = hole("g"), h = hole("h"), xs = hole("xs"), ys = hole("ys"), z = hole("z");

Expr identity() {
  return function({Type::any()}, [](std::span<const Expr> x) { return x[0]; });
}

/// An array of one element.
Expr single(const Expr& x) { return generate({Nat(1)}, [&](Expr) { return x; }); }

/// The operator of a reduction \a x. a op x, and whether z is its unit.
bool associative_with_unit(const Expr& fn, const Expr& unit) {
  if (!fn.is(Op::Lambda) || !unit.is(Op::Literal)) return false;
  const Expr& body = fn.child(0);
  if (!(body.is(Op::Add) || body.is(Op::Mul))) return false;
  const auto variable = [&](std::size_t c, int index) {
    return body.child(c).is(Op::Bound) && body.child(c).attr().ints == std::vector<std::int64_t>{0, index};
  };
  return ((variable(0, 0) && variable(1, 1)) || (variable(0, 1) && variable(1, 0))) && unit.attr().number == (body.is(Op::Mul) ? 1 : 0);
}

std::string associative(const Match& m) {
  return associative_with_unit(m["f"], m["z"]) ? "" : "f must be + from 0 or * from 1: other functions are not known to be associative";
}

}  // namespace

std::vector<Rule> map_rules() {
  return {
      rule_of_rank("map-fusion", "map f . map g = map (f . g)", 1, 4,
                   [](int d) { return Sides{map_n(d, f, map_n(d, g, xs)), map_n(d, compose(f, g), xs)}; })
          .says("two maps become one, so that nothing is stored between them"),
      rule_of_rank("map-identity", "map (\\x. x) = id", 1, 4, [](int d) { return Sides{map_n(d, identity(), xs), xs}; }),
      rule("map-through-tuple", "map f over zip of maps: map f . zip (map g xs, map h ys) = map (\\(x, y). f (g x, h y)) . zip (xs, ys)",
           map(f, zip({map(g, xs), map(h, ys)})),
           map([](Expr p) { return apply(f, {tuple({apply(g, {get(0, p)}), apply(h, {get(1, p)})})}); }, zip({xs, ys}))),
      rule("reduce-map", "reduce f z . map g = reduce (\\acc x. f acc (g x)) z", reduce(f, z, map(g, xs)),
           reduce(fun({Type::any(), Type::any()}, [](Expr acc, Expr x) { return apply(f, {acc, apply(g, {x})}); }), z, xs))
          .says("a reduction computes the elements that it consumes itself"),
      rule("reduce-split", "reduce f z = reduce f z . map (reduce f z) . split k", reduce(f, z, xs),
           reduce(f, z, map([](Expr x) { return reduce(f, z, x); }, split({nat_hole("k")}, xs))))
          .takes("k", "chunk length")
          .with(associative, "f associative, z its unit, k divides the length")
          .reassociates()
          .says("a reduction is made in two levels, over chunks of %1 and over their results"),
      rule("interleave-of-maps", "interleave (map f xs, map g ys) = join . map (\\(x, y). [f x, g y]) . zip (xs, ys)",
           interleave({map(f, xs), map(g, ys)}),
           join(map([](Expr p) { return concat(single(apply(f, {get(0, p)})), single(apply(g, {get(1, p)}))); }, zip({xs, ys}))))
          .says("one loop writes both interleaved results"),
      rule("interchange", "map (map f) = transpose . map (map f) . transpose", map([](Expr r) { return map(f, r); }, xs),
           transpose(map([](Expr r) { return map(f, r); }, transpose(xs))))
          .says("two nested loops change places"),
      rule("map-of-interleave", "map f (interleave (xs, ys)) = interleave (map f xs, map f ys)", map(f, interleave({xs, ys})),
           interleave({map(f, xs), map(f, ys)})),
      rule("map-of-concat", "map f (concat xs ys) = concat (map f xs) (map f ys)", map(f, concat(xs, ys)), concat(map(f, xs), map(f, ys)))
          .says("one loop becomes two, over the two parts"),
  };
}

}  // namespace lift
