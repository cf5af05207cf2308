// Laws of reductions. Taking one apart reassociates: it needs a function of which that is known
// (ir/expr/reduction.hpp), and makes the same result whatever the number of threads, because the parts are
// the same.
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "rewrite/rules/holes.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

using holes::a, holes::f, holes::g, holes::xs, holes::z;

std::string in_any_order(const Match& m) { return why_in_order(m["f"], m["z"]); }
constexpr const char* kInAnyOrder = "f associative, z its unit (see ir/expr/reduction.hpp)";

/// "" when the reduction's length is a multiple of k.
std::string no_multiple(const Expr& array, const Nat& k, const std::string& what) {
  const Nat n = array.type().length();
  if (!Facts().proves(less(0, k))) return what + " " + k.str() + " must be positive";
  return Facts().proves(equal(mod(n, k), 0)) ? ""
                                             : what + " " + k.str() + " does not divide the length " +
                                                   n.str() + "; use reduce-rest first, or a divisor";
}
std::string in_chunks(const Match& m) {
  if (!m["xs"].type().is_array()) return "the argument must be an array";
  const std::string why = in_any_order(m);
  return why.empty() ? no_multiple(m["xs"], m.nat("k"), "the chunk length") : why;
}

Result<Expr> need_reduce(const Site& site) {
  if (!site.e.is(Op::Reduce))
    return Failure{"needs a reduce without a decision, found " + std::string(text(site.e.op()))};
  return site.e;
}

Result<Expr> rest(const Site& site, const Arguments& a) {
  const auto r = need_reduce(site);
  if (!r) return r;
  const Expr& array = r->child(2);
  const Nat n = array.type().length(), m = number(a, 0);
  if (!Facts().proves(less_equal(m, n)))
    return Failure{"the first " + m.str() + " elements are more than the length " + n.str()};
  const auto part = [&](const Nat& low, const Nat& high) { return drop({low}, {high}, array); };
  return reduce(r->child(0), reduce(r->child(0), r->child(1), part(0, n - m)), part(m, 0));
}

/// An array of w accumulators, one a lane, takes up w neighbouring elements at a time.
Result<Expr> lanes(const Site& site, const Arguments& a) {
  const auto r = need_reduce(site);
  if (!r) return r;
  const Expr &fn = r->child(0), &unit = r->child(1), &array = r->child(2);
  const Nat w = number(a, 0);
  if (const std::string why = why_in_order(fn, unit); !why.empty()) return Failure{why};
  if (const std::string why = no_multiple(array, w, "the number of lanes"); !why.empty()) return Failure{why};
  const Type lane = unit.type(), vector = Type::array(w, lane);
  const Expr both = function({Type::tuple({lane, lane})}, [&](std::span<const Expr> p) {
    return apply(fn, {get(0, p[0]), get(1, p[0])});
  });
  const Expr step = function({vector, vector}, [&](std::span<const Expr> v) {
    return map_with(Op::Map, 1, both, zip({v[0], v[1]}));
  });
  const Expr start = generate({w}, function({Type(i32)}, [&](std::span<const Expr>) { return unit; }));
  return reduce(fn, unit, make(Op::ReduceSeq, {step, start, split({w}, array)}, {}, origin(site.e)));
}

Expr reduce_to(bool decided, const Expr& fn, const Expr& init, const Expr& array) {
  return decided ? make(Op::ReduceSeq, {fn, init, array}, {}, {}) : reduce(fn, init, array);
}
/// One reduction of arrays, with an accumulator for each of xs, instead of one for each.
Sides map_of_reduce(bool decided) {
  const Expr rows = fun({Type::any(), Type::any()}, [&](Expr acc, Expr x) {
    return map([&](Expr t) { return apply(f, {get(0, t), get(1, t)}); }, zip({acc, x}));
  });
  return {map([&](Expr x) { return reduce_to(decided, f, apply(z, {x}), apply(a, {x})); }, xs),
          reduce_to(decided, rows, map(z, xs), transpose(map(a, xs)))};
}
std::string in_blocks(const Match& m) {
  if (!m["xs"].type().is_array()) return "the argument must be an array";
  return no_multiple(m["xs"], m.nat("k"), "the length of a block");
}

/// More elements that change nothing: copies of what the reduction begins with.
Result<Expr> padded(const Site& site, const Arguments& a) {
  const auto r = need_reduce(site);
  if (!r) return r;
  const Expr& array = r->child(2);
  if (const std::string why = why_in_order(r->child(0), r->child(1)); !why.empty()) return Failure{why};
  if (!r->child(1).type().is_scalar())
    return Failure{"arrays are padded with scalars, and this reduction begins with " +
                   r->child(1).type().str() + "; use reduce-rest"};
  return reduce(r->child(0), r->child(1), pad({0}, {number(a, 0)}, Boundary::constant, array, r->child(1)));
}

/// The only element of an array of reductions, each of which begins with z itself.
Result<Expr> only_one(const Site& site, const Arguments&) {
  const auto r = need_reduce(site);
  if (!r) return r;
  const Expr& array = r->child(2);
  if (const std::string why = why_in_order(r->child(0), r->child(1)); !why.empty()) return Failure{why};
  if (!(array.type().length() == Nat(1)))
    return Failure{"the array has " + array.type().length().str() + " elements, not one"};
  const bool reduced = is_of_rank(array, Op::Map, 1) && array.child(0).child(0).is(Op::Reduce);
  const Expr inner = reduced ? array.child(0).child(0) : Expr();
  if (!reduced || !(inner.child(0) == shift(r->child(0), 1)) || !(inner.child(1) == shift(r->child(1), 1)))
    return Failure{"its element is not made by the same reduction, so it does not begin with z"};
  return at({Nat(0)}, array);
}

}  // namespace

std::vector<Rule> reduce_rules() {
  const auto part = [](Expr x) { return reduce(f, z, x); };
  return {
      rule("reduce-map", reduce(f, z, map(g, xs)),
           reduce(fun({Type::any(), Type::any()},
                      [](Expr acc, Expr x) {
                        return apply(f, {acc, apply(g, {x})});
                      }),
                  z, xs))
          .says("a reduction computes the elements that it consumes itself"),
      rule("reduce-blocks", reduce(f, z, xs),
           reduce(fun({Type::any(), Type::any()}, [](Expr acc, Expr block) { return reduce(f, acc, block); }),
                  z, split({nat_hole("k")}, xs)))
          .takes("k", "elements of a block")
          .with(in_blocks, "k divides the length")
          .says("a reduction takes up %1 elements at a time, one after the other"),
      rule_of_rank("map-of-reduce", 0, 1, [](int decided) { return map_of_reduce(decided == 1); })
          .says("the loop over columns goes inside the reduction: one reduction of rows with an accumulator "
                "for "
                "each column"),
      rule("reduce-split", reduce(f, z, xs), reduce(f, z, map(part, split({nat_hole("k")}, xs))))
          .takes("k", "chunk length")
          .with(in_chunks, "f associative, z its unit, k divides the length")
          .reassociates()
          .says("a reduction is made in two levels, over chunks of %1 and over their results"),
      rule("reduce-columns", reduce(f, z, xs), reduce(f, z, map(part, transpose(split({nat_hole("k")}, xs)))))
          .takes("k", "columns")
          .with(in_chunks, "f associative and commutative, z its unit, k divides the length")
          .reassociates()
          .says("a reduction is made in two levels, over every %1-th element and over their results"),
      constructed("reduce-one", "reduce f z [reduce f z xs] = [reduce f z xs] at 0", only_one)
          .says("a reduction over one result of the same reduction is that result"),
      rule("reduce-of-join", reduce(f, z, join(xs)), reduce(f, z, map(part, xs)))
          .with(in_any_order, kInAnyOrder)
          .reassociates()
          .says("a reduction over joined arrays is made in two levels, over each and over their results"),
      rule_of_rank("reduce-joined", 0, 1,
                   [&](int made) {
                     if (made == 0) return Sides{reduce(f, z, map(part, xs)), reduce(f, z, join(xs))};
                     const auto g_of = [](Expr x) { return apply(g, {x}); };
                     return Sides{reduce(f, z, map([&](Expr x) { return reduce(f, z, g_of(x)); }, xs)),
                                  reduce(f, z, join(map(g_of, xs)))};
                   })
          .with(in_any_order, kInAnyOrder)
          .reassociates()
          .says("the reductions over each and over their results become one"),
      constructed("reduce-rest", "reduce f z xs = reduce f (reduce f z (take m xs)) (drop m xs)", rest)
          .takes("m", "elements of the first part")
          .says("the first %1 elements are reduced by themselves"),
      constructed("reduce-pad", "reduce f z xs = reduce f z (pad 0 m z xs)", padded)
          .takes("m", "elements more")
          .says("%1 elements are added that change nothing"),
      constructed(
          "reduce-lanes",
          "reduce f z = reduce f z . reduce_seq (\\acc v. map f (zip acc v)) (generate w z) . split w", lanes)
          .takes("w", "lanes")
          .reassociates()
          .says("the reduction has %1 accumulators side by side, one a lane"),
  };
}

}  // namespace lift
