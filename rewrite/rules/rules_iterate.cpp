// Laws of iteration: an iteration is a chain of named steps, in blocks if one likes.
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

/// Looked at, not computed: it may be looked at again.
bool has_no_work(const Expr& e) {
  return !contains(e, [](const Expr& x) {
    return is_map(x.op()) || is_reduce(x.op()) || is_scan(x.op()) || is_update(x.op()) || x.is(Op::Iterate) ||
           x.is(Op::Generate);
  });
}

/// Binders are put around the steps as they are: each is closed but for what is bound outside the iteration.
/// What the first step is given has a name of its own where it is computed.
Result<Expr> iterate_chain(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Iterate)) return Failure{"needs iterate"};
  const auto times = iterate_times(e).constant();
  if (!times) return Failure{"the number of steps is " + iterate_times(e).str() + ", it must be known"};
  if (*times > kMostSteps)
    return Failure{std::to_string(*times) + " steps are too many to be written out; at most " +
                   std::to_string(kMostSteps)};
  if (*times == 0) return e.child(1);
  if (*times > 1 && !has_no_work(e.child(1))) {
    const Expr x = fresh_param("x", e.type());
    const Result<Expr> chain =
        iterate_chain({make(Op::Iterate, {e.child(0), x}, e.attr(), origin(e)), site.around}, {});
    if (!chain) return chain;
    return make(Op::Let, {e.child(1), lambda({x}, *chain)}, {}, origin(e));
  }
  const auto step = [&](std::int64_t t) { return iteration_step(e, literal(static_cast<double>(t), i32)); };
  if (*times == 1) return components_taken(apply(step(0), {e.child(1)}));
  Expr body = shift(step(*times - 1), static_cast<int>(*times - 2)).child(0);
  for (std::int64_t t = *times - 2; t >= 0; --t) {
    const Expr value = t == 0 ? components_taken(instantiate(step(0), std::vector{e.child(1)}))
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

/// Stages after the first that are made alike, each of the one before alone: equal nodes, as binders have no
/// names.
Result<Expr> chain_iterate(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(1).child(0).is(Op::Let))
    return Failure{"needs let x0 = a in let x1 = f x0 in let x2 = f x1 in ..."};
  Expr rest = e.child(1).child(0), last = e.child(1);
  const Expr value = rest.child(0);
  std::int64_t times = 0;
  for (; rest.is(Op::Let) && rest.child(0) == value; ++times) last = rest.child(1), rest = last.child(0);
  const bool ends = rest == value;
  if (value.loose() != 1 || times + (ends ? 1 : 0) < 2 || !(e.child(0).type() == value.type()))
    return Failure{"no two stages after the first are made alike, each of the one before"};
  if (!ends && rest.loose() > 1) return Failure{"stages but the last are read later, too"};
  const Expr f = make(Op::Lambda, {value}, attributes::lambda({value.type()}), origin(value));
  const Expr x = fresh_param("x", value.type());
  const Expr steps = iterate(times + (ends ? 1 : 0), f, x);
  return make(Op::Let, {e.child(0), lambda({x}, ends ? steps : make(Op::Let, {steps, last}, {}, origin(e)))},
              {}, origin(e));
}

/// The scan whose last element alone is left, where that is an array: by its number, or as all but the
/// others.
std::optional<Expr> scan_of_last(const Expr& e) {
  const auto is_scan_of_arrays = [](const Expr& x) {
    return (x.is(Op::Scan) || x.is(Op::ScanBack)) && x.child(1).type().has_arrays();
  };
  if (e.is(Op::At) && is_scan_of_arrays(e.child(0)) && at_position(e).size() == 1) {
    const Nat last = e.child(0).is(Op::Scan) ? e.child(0).type().length() - 1 : Nat(0);
    return at_position(e).front() == last ? std::optional(e.child(0)) : std::nullopt;
  }
  if (!e.is(Op::Join) || op_rank(e) != 1 || !e.child(0).is(Op::Drop)) return std::nullopt;
  const Expr one = e.child(0), scan = one.child(0);
  const bool is_last = is_scan_of_arrays(scan) && one.type().length() == Nat(1) &&
                       scan.child(1).type().is_array() && low_widths(one).size() == 1 &&
                       (scan.is(Op::Scan) ? high_widths(one) : low_widths(one)).front() == Nat(0);
  return is_last ? std::optional(scan) : std::nullopt;
}

/// What the scan goes over is looked at by the number of the step.
Result<Expr> scan_iterate(const Site& site, const Arguments&) {
  const auto scan = scan_of_last(site.e);
  if (!scan) return Failure{"needs the last element of a scan, an array"};
  const Expr &f = scan->child(0), &init = scan->child(1), &xs = scan->child(2);
  const Nat length = xs.type().length();
  const auto number = [&](const Expr& t) { return scan->is(Op::Scan) ? t : nat_value(length - 1) - t; };
  return iterate(length,
                 fun({i32, init.type()},
                     [&](Expr t, Expr x) {
                       return apply(f, {x, gather(number(t), xs)});
                     }),
                 init);
}

/// What is left over comes first.
Result<Expr> iterate_of_blocks(const Site& site, const Arguments& a) {
  const Expr& e = site.e;
  if (!e.is(Op::Iterate)) return Failure{"needs iterate"};
  const std::int64_t depth = number(a, 0);
  const Nat& times = iterate_times(e);
  if (depth < 1 || times.constant().value_or(depth) < depth)
    return Failure{"there are no " + std::to_string(depth) + " of " + times.str() + " steps"};
  const Expr f = e.child(0);
  const bool numbered = f.type().parts().size() == 2;
  const Nat blocks = floordiv(times, depth), rest = mod(times, depth);
  const bool whole = rest == Nat(0);
  const Expr first = whole ? e.child(1) : iterate(rest, f, e.child(1));
  if (!numbered) return iterate(blocks, fun(e.type(), [&](Expr x) { return iterate(depth, f, x); }), first);
  const auto n = [](const Nat& x) {
    return x.constant() ? literal(static_cast<double>(*x.constant()), i32) : nat_value(x);
  };
  return iterate(blocks,
                 fun({i32, e.type()},
                     [&](Expr t, Expr x) {
                       return iterate(depth,
                                      fun({i32, e.type()},
                                          [&](Expr s, Expr y) {
                                            const Expr before = whole ? t * n(depth) : t * n(depth) + n(rest);
                                            return apply(f, {before + s, y});
                                          }),
                                      x);
                     }),
                 first);
}

/// The components that are computed have names of their own, the others stay what they are.
Result<Expr> let_of_tuple(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(0).is(Op::Tuple)) return Failure{"needs let x = {a, b} in ..."};
  std::vector<Expr> parts, names, values;
  for (const Expr& part : e.child(0).children()) {
    if (has_no_work(part)) {
      parts.push_back(part);
      continue;
    }
    parts.push_back(fresh_param("x", part.type()));
    names.push_back(parts.back()), values.push_back(part);
  }
  Expr body = components_taken(instantiate(e.child(1), std::vector{tuple(parts)}));
  for (std::size_t i = names.size(); i-- > 0;)
    body = make(Op::Let, {values[i], lambda({names[i]}, body)}, {}, origin(e));
  return body;
}

}  // namespace

std::vector<Rule> iterate_rules() {
  return {
      constructed("iterate-chain", "iterate T f x = let x1 = f 0 x in let x2 = f 1 x1 in ... f (T-1) x_{T-1}",
                  iterate_chain)
          .says("each step of the iteration is a stage of its own"),
      constructed("chain-iterate",
                  "let x0 = a in let x1 = f x0 in ... let xT = f x_{T-1} in g xT = let x0 = a in let xT = "
                  "iterate T f x0 in g xT",
                  chain_iterate)
          .says("stages that are made alike are steps of an iteration"),
      constructed("scan-iterate", "(scan f z xs)[T - 1] = iterate T (\\t x. f x xs[t]) z", scan_iterate)
          .says("the scan of which the last element is left is an iteration"),
      constructed("iterate-blocks", "iterate (T + d) f x = iterate T (\\t y. f (t + d) y) (iterate d f x)",
                  iterate_blocks)
          .takes("d", "steps of the first block")
          .says("the first %1 steps are an iteration of their own"),
      constructed(
          "iterate-of-blocks",
          "iterate (T d + r) f x = iterate T (\\t y. iterate d (\\s z. f (t d + r + s) z) y) (iterate r f x)",
          iterate_of_blocks)
          .takes("d", "steps of a block")
          .says("%1 steps of the iteration go together, block after block"),
      constructed("let-of-tuple", "let x = {a, b} in f x = let a' = a in let b' = b in f {a', b'}",
                  let_of_tuple)
          .says("each component that is computed is a stage of its own"),
  };
}

}  // namespace lift
