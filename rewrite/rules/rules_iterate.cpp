// Laws of iteration and of stages: an iteration is a chain of named steps, in blocks if one likes, and stages
// that are read element by element share their loops.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

constexpr std::int64_t kMostSteps = 1024;  ///< written out

/// The function of one argument that an iteration's step of number t applies.
Expr iteration_step(const Expr& iterate, const Expr& t) {
  const Expr f = iterate.child(0);
  if (f.type().parts().size() == 1) return f;
  const Expr x = fresh_param("x", iterate.type());
  return lambda({x}, instantiate(f, std::vector{t, x}), origin(f));
}

/// Binders are put around the steps as they are: each is closed but for what is bound outside the iteration.
Result<Expr> iterate_chain(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Iterate)) return Failure{"needs iterate"};
  const auto times = iterate_times(e).constant();
  if (!times) return Failure{"the number of steps is " + iterate_times(e).str() + ", it must be known"};
  if (*times > kMostSteps)
    return Failure{std::to_string(*times) + " steps are too many to be written out; at most " +
                   std::to_string(kMostSteps)};
  if (*times == 0) return e.child(1);
  const auto step = [&](std::int64_t t) {
    const Expr f = iteration_step(e, literal(static_cast<double>(t), i32));
    return f.is(Op::Lambda) ? f : fun(e.type(), [&](Expr x) { return apply(f, {x}); });
  };
  if (*times == 1) return apply(step(0), {e.child(1)});
  Expr body = shift(step(*times - 1), static_cast<int>(*times - 2)).child(0);
  for (std::int64_t t = *times - 2; t >= 0; --t) {
    const Expr value = t == 0 ? instantiate(step(0), std::vector{e.child(1)})
                              : Expr(shift(step(t), static_cast<int>(t - 1)).child(0));
    body = make(Op::Let, {value, make(Op::Lambda, {body}, attributes::lambda({e.type()}))});
  }
  return body;
}

/// The steps after the first `depth` count from there.
Result<Expr> iterate_blocks(const Site& site, const Arguments& a) {
  const Expr& e = site.e;
  if (!e.is(Op::Iterate)) return Failure{"needs iterate"};
  const Nat depth = number(a, 0), rest = iterate_times(e) - depth;
  if (!Facts().proves(less_equal(0, rest)))
    return Failure{"there may be fewer than " + depth.str() + " of " + iterate_times(e).str() + " steps"};
  const Expr f = e.child(0);
  const Expr first = iterate(depth, f, e.child(1));
  if (f.type().parts().size() == 1) return iterate(rest, f, first);
  return iterate(rest,
                 fun({i32, e.type()},
                     [&](Expr t, Expr x) {
                       return apply(f, {t + literal(static_cast<double>(number(a, 0)), i32), x});
                     }),
                 first);
}

/// p stands in zip_D (..., p, ...) or by itself, and nowhere else.
Result<Expr> let_of_maps(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(0).is(Op::Map) || !e.child(1).is(Op::Lambda))
    return Failure{"needs let p = map f xs in map g (zip p ys)"};
  std::vector<Expr> names;
  const Expr body = open(e.child(1), names), p = names[0], xs = e.child(0).child(1), f = e.child(0).child(0);
  const auto rank = op_rank(e.child(0));
  if (!body.is(Op::Map) || op_rank(body) != rank)
    return Failure{"what follows is no map over the same dimensions"};
  const Expr g = body.child(0), over = body.child(1);
  const bool zipped = is_of_rank(over, Op::Zip, rank);
  std::vector<Expr> arrays{xs};
  const auto mentions = [&](const Expr& x) { return contains(x, [&](const Expr& y) { return y == p; }); };
  if (mentions(g) || (!zipped && !(over == p))) return Failure{"not every use is element by element"};
  std::vector<int> part;  // of the zipped elements; -1 is p
  for (const Expr& c :
       zipped ? std::vector<Expr>(over.children().begin(), over.children().end()) : std::vector<Expr>{p}) {
    if (c == p) {
      part.push_back(-1);
      continue;
    }
    if (mentions(c)) return Failure{"not every use is element by element"};
    part.push_back(static_cast<int>(arrays.size()));
    arrays.push_back(c);
  }
  if (std::count(part.begin(), part.end(), -1) == 0) return Failure{"the value is not used"};
  const int d = rank;
  const bool alone = arrays.size() == 1;
  return map_n(
      d,
      [&](Expr x) {
        return let(apply(f, {alone ? x : get(0, x)}), [&](Expr value) {
          if (!zipped) return apply(g, {value});
          std::vector<Expr> parts;
          for (const int i : part) parts.push_back(i < 0 ? value : get(i, x));
          return apply(g, {tuple(parts)});
        });
      },
      alone ? xs : zip_n(d, arrays));
}

}  // namespace

std::vector<Rule> iterate_rules() {
  return {
      constructed("iterate-chain", "iterate T f x = let x1 = f 0 x in let x2 = f 1 x1 in ... f (T-1) x_{T-1}",
                  iterate_chain)
          .says("each step of the iteration is a stage of its own"),
      constructed("iterate-blocks", "iterate (T + d) f x = iterate T (\\t y. f (t + d) y) (iterate d f x)",
                  iterate_blocks)
          .takes("d", "steps of the first block")
          .says("the first %1 steps are an iteration of their own"),
      constructed("let-of-maps",
                  "let p = map f xs in map g (zip p ys) = map (\\x y. let p = f x in g (p, y)) (zip xs ys)",
                  let_of_maps)
          .says("a stage that is read element by element is computed in the loops that read it"),
  };
}

}  // namespace lift
