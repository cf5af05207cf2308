// Laws of maps.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/holes.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

using holes::f, holes::g, holes::h, holes::xs, holes::ys;

Expr identity() {
  return function({Type::any()}, [](std::span<const Expr> x) { return x[0]; });
}

/// An operation on one element of an array, or a value with a name that is one: the other operands stay as
/// they are.
Result<Expr> at_of_map(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!is_scalar_op(e.op()) && !e.is(Op::Let))
    return Failure{"needs an operation on scalars, or a value with a name, found " +
                   std::string(text(e.op()))};
  const auto is_element = [](const Expr& c) { return is_of_rank(c, Op::At, 1); };
  const std::size_t operands = e.is(Op::Let) ? 1 : e.children().size();
  for (std::size_t i = 0; i < operands; ++i) {
    const Expr& element = e.child(i);
    if (!is_element(element)) continue;
    const Expr x = fresh_param("x", element.type());
    std::vector<Expr> children(e.children().begin(), e.children().end());
    children[i] = x;
    return at(at_position(element),
              map_with(Op::Map, 1, lambda({x}, with_children(e, std::move(children))), element.child(0)));
  }
  return Failure{"none of the operands is an element of an array"};
}

/// The first m elements, then the others.
Result<Expr> map_rest(const Site& site, const Arguments& a) {
  const Expr& e = site.e;
  if (!is_of_rank(e, Op::Map, 1))
    return Failure{"needs a map over one dimension without a decision, found " + std::string(text(e.op()))};
  const Nat n = e.type().length(), m = number(a, 0);
  if (!Facts().proves(less_equal(m, n)))
    return Failure{"the first " + m.str() + " elements are more than the length " + n.str()};
  const auto part = [&](const Nat& low, const Nat& high) {
    return map(e.child(0), drop({low}, {high}, e.child(1)));
  };
  return concat(part(0, n - m), part(m, 0));
}

/// What a map goes over: rows that another map makes, alone or beside other arrays, become what that goes
/// over, and what an element of it makes of these.
Result<Expr> map_of_rows(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  const int rank = e.is(Op::Map) ? op_rank(e) : 0;
  if (rank < 2) return Failure{"needs a map over several dimensions, without a decision"};
  const Expr& over = e.child(1);
  const bool zipped = is_of_rank(over, Op::Zip, rank);
  const std::vector<Expr> arrays =
      zipped ? std::vector<Expr>(over.children().begin(), over.children().end()) : std::vector<Expr>{over};
  const auto makes_rows = [](const Expr& x) { return is_of_rank(x, Op::Map, 1); };
  if (std::none_of(arrays.begin(), arrays.end(), makes_rows))
    return Failure{"no map over one dimension makes the rows"};
  std::vector<Expr> given, rows;
  for (const Expr& x : arrays) given.push_back(makes_rows(x) ? x.child(1) : x);
  const Expr all = given.size() == 1 ? given[0] : zip(given);
  const Expr x = fresh_param("x", all.type().element());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Expr row = given.size() == 1 ? x : get(static_cast<int>(i), x);
    rows.push_back(makes_rows(arrays[i]) ? apply(arrays[i].child(0), {row}) : row);
  }
  const Expr row = zipped ? zip_n(rank - 1, rows) : rows[0];
  return map_with(Op::Map, 1, lambda({x}, components_taken(map_n(rank - 1, e.child(0), row))), all);
}

/// An array of one element.
Expr single(const Expr& x) {
  return generate({Nat(1)}, [&](Expr) { return x; });
}

}  // namespace

std::vector<Rule> map_rules() {
  return {
      rule_of_rank("map-fusion", 1, 4,
                   [](int d) {
                     return Sides{map_n(d, f, map_n(d, g, xs)), map_n(d, compose(f, g), xs)};
                   })
          .says("two maps become one, so that nothing is stored between them"),
      constructed("at-of-map", "f (xs[i]) = (map f xs)[i]", at_of_map)
          .says("what is made of one element is an element of a map"),
      rule_of_rank("map-identity", 1, 4,
                   [](int d) {
                     return Sides{map_n(d, identity(), xs), xs};
                   }),
      rule("map-through-tuple", map(f, zip({map(g, xs), map(h, ys)})),
           map(
               [](Expr p) {
                 return apply(f, {tuple({apply(g, {get(0, p)}), apply(h, {get(1, p)})})});
               },
               zip({xs, ys}))),
      rule("interleave-of-maps", interleave({map(f, xs), map(g, ys)}),
           join(map(
               [](Expr p) { return concat(single(apply(f, {get(0, p)})), single(apply(g, {get(1, p)}))); },
               zip({xs, ys}))))
          .says("one loop writes both interleaved results"),
      rule("interchange", map([](Expr r) { return map(f, r); }, xs),
           transpose(map([](Expr r) { return map(f, r); }, transpose(xs))))
          .says("two nested loops change places"),
      rule("map-of-interleave", map(f, interleave({xs, ys})), interleave({map(f, xs), map(f, ys)})),
      constructed("map-of-rows", "map_D f (map g xs) = map (\\x. map_{D-1} f (g x)) xs", map_of_rows)
          .says("what is made of the elements of a row is made where the row is"),
      constructed("map-rest", "map f xs = concat (map f (take m xs)) (map f (drop m xs))", map_rest)
          .takes("m", "elements of the first part")
          .says("the first %1 elements are computed by themselves"),
      rule("map-of-concat", map(f, concat(xs, ys)), concat(map(f, xs), map(f, ys)))
          .says("one loop becomes two, over the two parts"),
  };
}

}  // namespace lift
