// Laws of iteration and of stages: an iteration is a chain of named steps, in blocks if one likes, and stages
// that are read element by element share their loops.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/component_views.hpp"
#include "rewrite/analysis/lets_outside.hpp"
#include "rewrite/analysis/shared_stages.hpp"
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
  const auto step = [&](std::int64_t t) {
    const Expr f = iteration_step(e, literal(static_cast<double>(t), i32));
    return f.is(Op::Lambda) ? f : fun(e.type(), [&](Expr x) { return apply(f, {x}); });
  };
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
  if (!e.is(Op::Let) || !e.child(1).is(Op::Lambda) || !e.child(1).child(0).is(Op::Let))
    return Failure{"needs let x0 = a in let x1 = f x0 in let x2 = f x1 in ..."};
  Expr rest = e.child(1).child(0), last = e.child(1);
  const Expr value = rest.child(0);
  std::int64_t times = 0;
  for (; rest.is(Op::Let) && rest.child(1).is(Op::Lambda) && rest.child(0) == value; ++times)
    last = rest.child(1), rest = last.child(0);
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
  if (!e.is(Op::Let) || !e.child(0).is(Op::Tuple) || !e.child(1).is(Op::Lambda))
    return Failure{"needs let x = {a, b} in ..."};
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

Result<Expr> let_of_let(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(0).is(Op::Let) || !e.child(1).is(Op::Lambda) ||
      !e.child(0).child(1).is(Op::Lambda))
    return Failure{"needs let x = (let y = a in b) in ..."};
  const Expr& inner = e.child(0);
  std::vector<Expr> y;
  const Expr value = open(inner.child(1), y);
  const Expr rest = make(Op::Let, {value, e.child(1)}, {}, origin(e));
  return make(Op::Let, {inner.child(0), lambda(y, rest)}, {}, origin(inner));
}

Result<Expr> lets_outside(const Site& site, const Arguments&) {
  if (site.e.type().is_function()) return Failure{"names cannot leave a function whose variables they use"};
  const Expr r = with_lets_outside(site.e);
  if (r == site.e) return Failure{"no stage has a name among the arguments of others"};
  return r;
}

Result<Expr> component_views(const Site& site, const Arguments&) {
  const Expr r = with_component_views(site.e);
  if (r == site.e) return Failure{"no map takes a component of what has a name"};
  return r;
}

Result<Expr> shared_stages(const Site& site, const Arguments&) {
  const Expr r = with_shared_stages_named(site.e);
  if (r == site.e) return Failure{"nothing that takes long is computed again"};
  return r;
}

/// A part that is computed without what is bound on the way to it.
Result<Expr> let_part(const Site& site, const Arguments& way) {
  const Expr& e = site.e;
  Place place;
  Expr part = e;
  for (std::size_t i = 0; i < way.size(); ++i) {
    place.push_back(static_cast<int>(number(way, i)));
    if (part.is(Op::Lambda)) return Failure{"what a function computes has no name outside of it"};
    if (number(way, i) >= static_cast<std::int64_t>(part.children().size()))
      return Failure{"there is no part at " + str(place)};
    part = part.child(static_cast<std::size_t>(place.back()));
  }
  if (part.type().is_function()) return Failure{"the part is a function"};
  const Expr x = fresh_param("x", part.type());
  return make(Op::Let, {part, lambda({x}, replaced_at(e, place, x))}, {}, origin(e));
}

/// Several arrays that one loop makes are one array of tuples, a stage like others.
Result<Expr> let_of_unzip(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !e.child(0).is(Op::Unzip) || !e.child(1).is(Op::Lambda))
    return Failure{"needs let x = unzip xs in e"};
  const Expr& xs = e.child(0).child(0);
  const Expr y = fresh_param("x", xs.type());
  const Expr rest = instantiate(e.child(1), std::vector{with_children(e.child(0), {y})});
  return make(Op::Let, {xs, lambda({y}, rest)}, {}, origin(e));
}

Result<Expr> unzip_of_let(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Unzip) || !e.child(0).is(Op::Let) || !e.child(0).child(1).is(Op::Lambda))
    return Failure{"needs unzip (let x = a in e)"};
  const Expr& let = e.child(0);
  std::vector<Expr> x;
  const Expr rest = open(let.child(1), x);
  return make(Op::Let, {let.child(0), lambda(x, with_children(e, {rest}))}, {}, origin(let));
}

/// The arrays that a map goes over, alone or zipped in any nesting, each once; and elements as the map's
/// function gets them, when some of the arrays are known by other expressions.
class GoneOver {
 public:
  explicit GoneOver(int rank) : rank_(rank) {}
  void add(const Expr& xs) {
    if (is_of_rank(xs, Op::Zip, rank_)) {
      for (const Expr& c : xs.children()) add(c);
    } else if (std::find(arrays_.begin(), arrays_.end(), xs) == arrays_.end()) {
      arrays_.push_back(xs);
    }
  }
  const std::vector<Expr>& arrays() const { return arrays_; }
  void leave_out(const Expr& xs) { std::erase(arrays_, xs); }
  /// Of `xs`, whose arrays have been added, or left out for `value`; `x` is an element of all arrays
  /// together.
  Expr element(const Expr& xs, const Expr& x, const std::optional<Expr>& value = {}) const {
    if (is_of_rank(xs, Op::Zip, rank_)) {
      std::vector<Expr> parts;
      for (const Expr& c : xs.children()) parts.push_back(element(c, x, value));
      return tuple(parts);
    }
    const auto at = std::find(arrays_.begin(), arrays_.end(), xs);
    if (at == arrays_.end()) return *value;
    return arrays_.size() == 1 ? x : get(static_cast<int>(at - arrays_.begin()), x);
  }
  Expr together() const { return arrays_.size() == 1 ? arrays_[0] : zip_n(rank_, arrays_); }

 private:
  int rank_;
  std::vector<Expr> arrays_;
};

/// Both maps are loops of one form: ordinary, or shared in one way.
bool are_alike(const Expr& a, const Expr& b) {
  return is_map(a.op()) && !is_map_on_grid(a.op()) && !a.is(Op::MapVec) && a.op() == b.op() &&
         a.attr() == b.attr();
}

/// p stands among what the second map goes over, and nowhere else.
Result<Expr> let_of_maps(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Let) || !is_map(e.child(0).op()) || !e.child(1).is(Op::Lambda))
    return Failure{"needs let p = map f xs in map g (zip p ys)"};
  std::vector<Expr> names;
  const Expr first = e.child(0), second = open(e.child(1), names), p = names[0];
  if (!are_alike(first, second)) return Failure{"what follows is no such map over the same dimensions"};
  const Expr f = first.child(0), g = second.child(0), xs = first.child(1), over = second.child(1);
  const auto mentions = [&](const Expr& x) { return contains(x, [&](const Expr& y) { return y == p; }); };
  GoneOver all(op_rank(first));
  all.add(over);
  const bool used = std::find(all.arrays().begin(), all.arrays().end(), p) != all.arrays().end();
  all.leave_out(p);
  if (mentions(g) || std::any_of(all.arrays().begin(), all.arrays().end(), mentions))
    return Failure{"not every use is element by element"};
  if (!used) return Failure{"the value is not used"};
  GoneOver ordered(op_rank(first));  // what comes first is gone over first
  ordered.add(xs);
  for (const Expr& ys : all.arrays()) ordered.add(ys);
  const Expr arrays = ordered.together();
  const Expr x = fresh_param("x", element_of(arrays.type(), op_rank(first)));
  const Expr body = let(apply(f, {ordered.element(xs, x)}),
                        [&](Expr value) { return apply(g, {ordered.element(over, x, value)}); });
  return make(first.op(), {lambda({x}, components_taken(body)), arrays}, first.attr(), origin(first));
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
      constructed("let-of-let", "let x = (let y = a in b y) in f x = let y = a in let x = b y in f x",
                  let_of_let)
          .says("stages within a stage are stages before it"),
      constructed("lets-outside", "f (let x = a in b x) = let x = a in f (b x)", lets_outside)
          .says("stages among the arguments of others come before these"),
      constructed("component-views", "map (\\x. x.i) xs = (unzip xs).i of xs with a name", component_views)
          .says("components of stages are looked at where they are"),
      constructed("shared-stages",
                  "f a a = let x = a in f x x; map (\\y. f a y) ys = let x = a in map (\\y. f x y) ys",
                  shared_stages)
          .says("what takes long and is read at several places is a stage before them"),
      constructed("let-part", "e = let x = a in e with x for a, a part of e", let_part)
          .takes("way", "children on the way to the part", true)
          .says("a part of what is computed is a stage of its own"),
      constructed("let-of-unzip", "let x = unzip xs in e = let y = xs in e with unzip y for x", let_of_unzip)
          .says("several arrays that one loop makes are one stage"),
      constructed("unzip-of-let", "unzip (let x = a in e) = let x = a in unzip e", unzip_of_let)
          .says("what makes several arrays of one comes after the stages"),
      constructed("let-of-maps",
                  "let p = map f xs in map g (zip p ys) = map (\\x y. let p = f x in g (p, y)) (zip xs ys)",
                  let_of_maps)
          .says("a stage that is read element by element is computed in the loops that read it"),
  };
}

}  // namespace lift
