#include "ir/expr/view.hpp"

#include <algorithm>
#include <mutex>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/gathered.hpp"
#include "ir/expr/ops.hpp"

namespace lift {

const Term& View::term() const {
  if (const auto* t = std::get_if<Term>(&v)) return *t;
  throw InternalError("view: a scalar was expected");
}
const std::vector<View>& View::parts() const {
  if (const auto* t = std::get_if<std::vector<View>>(&v)) return *t;
  throw InternalError("view: a tuple was expected");
}
const ArrayView& View::array() const {
  if (const auto* t = std::get_if<ArrayView>(&v)) return *t;
  throw InternalError("view: an array was expected");
}

namespace {

/// By the ids of params.
struct IndexVariables : detail::Table {
  IndexVariables() { add_table(detail::TableOrder::indices, *this); }
  void lock() override { mutex.lock(); }
  void unlock() override { mutex.unlock(); }
  void mark() override {}
  std::size_t sweep() override {
    return std::erase_if(variables, [](const auto& entry) {
      return entry.second.second.node()->stays.get() == detail::Stay::region ||
             stay_of(entry.second.first) == detail::Stay::region;
    });
  }

  std::mutex mutex;
  std::map<std::uint32_t, std::pair<Expr, Nat>> variables;
};

}  // namespace

Nat index_variable(const Expr& p) {
  static auto& all = *new IndexVariables;
  const std::lock_guard lock(all.mutex);
  const auto it = all.variables.find(p.id());
  if (it != all.variables.end()) return met(it->second.second);
  const Nat v = Nat::fresh(param_name(p), index_lower(p), index_upper(p));
  all.variables.emplace(p.id(), std::pair(p, v));
  return v;
}

namespace {

View array(const Nat& length, ElementAt at) { return {ArrayView{length, std::move(at)}}; }

View loads(const std::string& name, const Type& t, std::vector<Nat> position) {
  if (t.is_scalar()) return {load_term(name, std::move(position), t.scalar())};
  if (!t.is_array())
    throw UserError("argument " + name + ": arrays of " + t.str() +
                    " are not supported as kernel arguments; pass one array a component and zip them");
  return array(t.length(), [=](const Nat& i) {
    auto p = position;
    p.push_back(i);
    return loads(name, t.element(), std::move(p));
  });
}

/// Applies f to every scalar of a view.
View map_scalars(const View& v, const std::function<Term(const Term&)>& f) {
  if (const auto* t = std::get_if<Term>(&v.v)) return {f(*t)};
  if (const auto* parts = std::get_if<std::vector<View>>(&v.v)) {
    std::vector<View> r;
    for (const View& p : *parts) r.push_back(map_scalars(p, f));
    return {std::move(r)};
  }
  const ArrayView& a = v.array();
  return array(a.length, [=](const Nat& i) { return map_scalars(a.at(i), f); });
}

/// condition ? a : b, scalar by scalar.
View choose(const Term& condition, const View& a, const View& b) {
  if (std::holds_alternative<Term>(a.v))
    return {apply_term(Op::Select, a.term()->type, {condition, a.term(), b.term()})};
  if (std::holds_alternative<std::vector<View>>(a.v)) {
    std::vector<View> r;
    for (std::size_t i = 0; i < a.parts().size(); ++i)
      r.push_back(choose(condition, a.parts()[i], b.parts()[i]));
    return {std::move(r)};
  }
  return array(a.array().length, [=](const Nat& i) { return choose(condition, a[i], b[i]); });
}

/// Access below `depth` further dimensions: (xs[i0]...[id-1]) with the list of indices collected first.
View collect(const Type& t, int rank, const std::function<View(const std::vector<Nat>&)>& f,
             const std::vector<Nat>& position = {}) {
  if (rank == 0) return f(position);
  return array(t.length(), [=](const Nat& i) {
    auto p = position;
    p.push_back(i);
    return collect(t.element(), rank - 1, f, p);
  });
}

View access(View v, std::span<const Nat> position) {
  for (const Nat& i : position) v = v[i];
  return v;
}

}  // namespace

View array_view(const std::string& name, const Type& type) { return loads(name, type, {}); }

bool Views::decide(const NatCond& c, bool& value) {
  if (facts.proves(c)) return value = true;
  if (facts.refutes(c)) {
    value = false;
    return true;
  }
  if (is_computed(c.a)) return false;  // no loop can be split there
  if (std::find(undecided.begin(), undecided.end(), c) == undecided.end()) undecided.push_back(c);
  return false;
}

View Views::param(const Expr& p) {
  const Type& t = p.type();
  if (t.is_scalar() && is_index_param(p)) return {index_term(index_variable(p))};
  if (t.is_scalar()) return {argument_term(param_name(p), t.scalar())};
  return loads(param_name(p), t, {});
}

View Views::call(const Expr& fn, std::vector<View> arguments, const ScopePtr& scope) {
  if (!fn.is(Op::Lambda)) throw InternalError("view: call of " + str(fn));
  if (most_calls > 0 && ++calls_ > most_calls)
    throw UserError(
        "an element is computed from more than " + std::to_string(most_calls) +
        " calls of functions, stages that others read being computed again and again; store them: let "
        "stage = ... in ..., or to_global");
  return eval(fn.child(0), std::make_shared<Scope>(Scope{std::move(arguments), scope}));
}

View Views::eval(const Expr& e, const ScopePtr& scope) {
  switch (e.op()) {
    case Op::Param:
      return param(e);
    case Op::Bound: {
      const Scope* s = scope.get();
      for (auto d = bound_depth(e); d > 0; --d) s = s->outer.get();
      return s->values.at(static_cast<std::size_t>(bound_index(e)));
    }
    case Op::Literal:
      return {constant_term(literal_number(e), e.type().scalar())};
    case Op::NatValue:
      return {index_term(nat_of(e))};
    case Op::Apply: {
      std::vector<View> args;
      for (std::size_t i = 1; i < e.children().size(); ++i) args.push_back(eval(e.child(i), scope));
      return call(e.child(0), std::move(args), scope);
    }
    case Op::Let:
      return call(e.child(1), {eval(e.child(0), scope)}, scope);
    case Op::Layout:
      return layout(e, scope);
    case Op::Band:
      return eval(e.child(0), scope);
    case Op::Iterate:
      return iterate(e, scope);
    default:
      break;
  }
  if (is_identity(e.op())) return rearranges(e.op()) ? eval(e.child(0), scope) : place(e, scope);
  if (is_scalar_op(e.op())) return scalar(e, scope);
  if (is_reduce(e.op())) return reduce(e, scope);
  if (is_scan(e.op())) return scan(e, scope);
  if (is_map(e.op())) {
    const View xs = eval(e.child(1), scope);
    const Expr f = e.child(0);
    return collect(e.type(), op_rank(e), [this, xs, f, scope](const std::vector<Nat>& p) {
      return call(f, {access(xs, p)}, scope);
    });
  }
  return structure(e, scope);
}

View Views::scalar(const Expr& e, const ScopePtr& scope) {
  std::vector<Term> args;
  for (const Expr& c : e.children()) args.push_back(eval(c, scope).term());
  if (e.is(Op::UserFun)) return {call_term(e.attr(), std::move(args))};
  const Term t = apply_term(e.op(), e.type().scalar(), std::move(args));
  return {simplify(t, facts)};
}

/// As a formula is as deep as a reduction is long, and is walked by functions that call themselves.
constexpr std::int64_t kLongestReduction = 4096;

View Views::unrolled_reduce(const Expr& e, const ScopePtr& scope) {
  const View xs = eval(e.child(2), scope);
  View acc = eval(e.child(1), scope);
  const auto n = xs.array().length.constant();
  for (std::int64_t i = 0; i < *n; ++i) acc = call(e.child(0), {acc, xs[Nat(i)]}, scope);
  return acc;
}

View Views::reduce(const Expr& e, const ScopePtr& scope) {
  const Type& xs = e.child(2).type();
  if (!xs.length().is_constant())
    throw UserError("reduce: the length " + xs.length().str() + " is not known here; fix the size");
  if (scalars_in(xs).value_or(kLongestReduction + 1) > kLongestReduction)
    throw UserError("reduce: " + xs.str() + " is too much for one formula, which has " +
                    std::to_string(kLongestReduction) + " elements at most");
  return unrolled_reduce(e, scope);
}

View Views::step(const Expr& e, const Nat& t, const View& x, const ScopePtr& scope) {
  if (e.child(0).type().parts().size() == 1) return call(e.child(0), {x}, scope);
  return call(e.child(0), {View{index_term(t)}, x}, scope);
}

View Views::iterate(const Expr& e, const ScopePtr& scope) {
  const auto times = iterate_times(e).constant();
  if (!times)
    throw UserError("iterate: how many steps there are, " + iterate_times(e).str() +
                    ", is known only when the kernel runs, so that what they make is no formula; store the "
                    "steps' results, let stage = ... in ..., or to_global");
  constexpr std::int64_t most = 4, most_copied = 1 << 16;
  const bool computed = contains(
      e.child(0), [](const Expr& x) { return is_map(x.op()) || is_reduce(x.op()) || x.is(Op::Generate); });
  // Neighbours have neighbours in common; elements that are gathered have none that are known.
  const bool anywhere = contains(e.child(0), [](const Expr& x) { return x.is(Op::Gather); });
  if (*times > (e.type().is_array() && computed ? (anywhere ? 1 : most) : most_copied))
    throw UserError("iterate: " + std::to_string(*times) +
                    " steps are too many to compute each element from the start; store the steps' results "
                    "stage = ... in ..., or to_global");
  View x = eval(e.child(1), scope);
  for (std::int64_t t = 0; t < *times; ++t) x = step(e, t, x, scope);
  return x;
}

View Views::scan(const Expr& e, const ScopePtr&) {
  throw UserError(std::string(text(e.op())) +
                  ": an element is computed from those before it and is no formula of its position; store "
                  "the scan first");
}

View Views::structure(const Expr& e, const ScopePtr& scope) {
  const int rank = op_rank(e);
  const auto dimensions = static_cast<std::size_t>(rank);
  const auto child = [&](std::size_t i) { return eval(e.child(i), scope); };
  switch (e.op()) {
    case Op::Tuple: {
      std::vector<View> parts;
      for (const Expr& c : e.children()) parts.push_back(eval(c, scope));
      return {std::move(parts)};
    }
    case Op::Get:
      return child(0).parts().at(static_cast<std::size_t>(tuple_index(e)));
    case Op::Zip: {
      std::vector<View> xs;
      for (const Expr& c : e.children()) xs.push_back(eval(c, scope));
      return collect(e.type(), rank, [xs](const std::vector<Nat>& p) {
        std::vector<View> parts;
        for (const View& x : xs) parts.push_back(access(x, p));
        return View{std::move(parts)};
      });
    }
    case Op::Unzip: {
      const View xs = child(0);
      std::vector<View> parts;
      for (std::size_t k = 0; k < e.type().parts().size(); ++k)
        parts.push_back(collect(e.child(0).type(), rank,
                                [=](const std::vector<Nat>& p) { return access(xs, p).parts()[k]; }));
      return {std::move(parts)};
    }
    case Op::At:
      return access(child(0), at_position(e));
    case Op::Split: {
      const View xs = child(0);
      return collect(e.type(), 2 * rank, [=, &lengths = split_lengths(e)](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (std::size_t d = 0; d < dimensions; ++d) q.push_back(lengths[d] * p[d] + p[dimensions + d]);
        return access(xs, q);
      });
    }
    case Op::Join: {
      const View xs = child(0);
      const std::vector<Nat> inner = shape_of(e.child(0).type(), 2 * rank);
      return collect(e.type(), rank, [=](const std::vector<Nat>& p) {
        std::vector<Nat> q(2 * dimensions);
        for (std::size_t d = 0; d < dimensions; ++d)
          q[d] = floordiv(p[d], inner[dimensions + d]), q[dimensions + d] = mod(p[d], inner[dimensions + d]);
        return access(xs, q);
      });
    }
    case Op::Slide: {
      const View xs = child(0);
      return collect(e.type(), 2 * rank, [=, steps = slide_steps(e)](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (std::size_t d = 0; d < dimensions; ++d) q.push_back(steps[d] * p[d] + p[dimensions + d]);
        return access(xs, q);
      });
    }
    case Op::Pad: {
      Term value;
      if (e.children().size() == 2)
        value = child(1).term();
      else if (pad_boundary(e) == Boundary::constant)
        value = constant_term(pad_number(e), element_of(e.type()).scalar());
      return pad(e, 0, child(0), e.child(0).type(), value);
    }
    case Op::Drop: {
      const View xs = child(0);
      return collect(e.type(), rank, [=, low = low_widths(e)](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (std::size_t d = 0; d < dimensions; ++d) q.push_back(p[d] + low[d]);
        return access(xs, q);
      });
    }
    case Op::Transpose: {
      const View xs = child(0);
      return collect(e.type(), rank, [=, &order = transpose_order(e)](const std::vector<Nat>& p) {
        std::vector<Nat> q(p.size());
        for (std::size_t d = 0; d < p.size(); ++d) q[static_cast<std::size_t>(order[d])] = p[d];
        return access(xs, q);
      });
    }
    case Op::Reverse: {
      const View xs = child(0);
      return collect(e.type(), rank, [=, n = shape_of(e.type(), rank)](std::vector<Nat> p) {
        for (std::size_t d = 0; d < dimensions; ++d) p[d] = n[d] - 1 - p[d];
        return access(xs, p);
      });
    }
    case Op::Generate: {
      const Expr f = e.child(0);
      return collect(e.type(), rank, [this, f, scope](const std::vector<Nat>& p) {
        std::vector<View> indices;
        for (const Nat& i : p) indices.push_back({index_term(i)});
        return call(f, std::move(indices), scope);
      });
    }
    case Op::Gather:
      return gather(e, scope);
    case Op::Concat: {
      const View x = child(0), y = child(1);
      const Nat n = x.array().length, m = y.array().length;
      return array(n + m, [=, this](const Nat& i) {
        bool first = false;
        if (decide(less(i, n), first)) return first ? x[i] : y[i - n];
        return choose(compare_term(less(i, n)), x[min(i, n - 1)], y[max(i - n, 0)]);
      });
    }
    case Op::Interleave: {
      std::vector<View> xs;
      for (const Expr& c : e.children()) xs.push_back(eval(c, scope));
      const auto m = static_cast<std::int64_t>(xs.size());
      return array(e.type().length(), [=, this](const Nat& i) {
        const Nat p = facts.simplify(mod(i, m)), q = floordiv(i, m);
        if (const auto c = p.constant()) return xs[static_cast<std::size_t>(*c)][q];
        View r = xs.back()[q];
        for (auto k = m - 2; k >= 0; --k)
          r = choose(compare_term(equal(p, k)), xs[static_cast<std::size_t>(k)][q], r);
        return r;
      });
    }
    case Op::Update:
    case Op::UpdateInPlace:
      return update(update_offsets(e), 0, child(0), child(1), e.child(0).type(), e.child(1).type(),
                    constant_term(1, boolean));
    default:
      break;
  }
  throw InternalError("view: no meaning for " + std::string(text(e.op())));
}

std::vector<Term> Views::values_of(const Term& of) const {
  const auto it = definitions_.find(of->name);
  return it == definitions_.end() ? std::vector<Term>{} : std::vector{it->second};
}

/// (gather(i, xs)) = xs[h(i)], with a variable for what is computed; see position_of.
View Views::gather(const Expr& e, const ScopePtr& scope) {
  const auto rank = static_cast<std::size_t>(op_rank(e));
  const std::vector<Nat> shape = shape_of(e.child(0).type(), op_rank(e));
  const Boundary b = gather_boundary(e);
  const Definition definition = [this](const Term& of) { return values_of(of); };
  View v = eval(e.child(0), scope);
  Term all_inside = constant_term(1, boolean);
  for (std::size_t d = 0; d < rank; ++d) {
    const Term i = eval(e.child(d + 1), scope).term();
    const bool proved = is_within(i, shape[d], facts, definition);
    if (!proved && b == Boundary::undefined)
      throw UserError("gather: nothing proves that the position " + str(i) + " is one of 0 to " +
                      (shape[d] - 1).str() +
                      "; say what is beyond the ends, gather(i, clamp), or wrap, mirror, reflect, constant "
                      "VALUE; or write it with min and max, min(max(i, 0), " +
                      (shape[d] - 1).str() + ")");
    if (!proved && b == Boundary::constant)
      all_inside = apply_term(Op::And, boolean, {all_inside, inside(i, shape[d])});
    v = v[position_of(position_term(proved ? i : within(b, i, shape[d])), shape[d])];
  }
  if (b != Boundary::constant) return v;
  const Scalar s = e.type().scalar();
  const Term value = e.children().size() > rank + 1 ? eval(e.children().back(), scope).term()
                                                    : constant_term(gather_number(e), s);
  return {apply_term(Op::Select, s, {all_inside, v.term(), value})};
}

/// Dimension d of a pad; the remaining dimensions are padded below it. The index map chooses the element to
/// read, the value map (odd, constant; `value` is theirs, if any) is applied to it where the position is
/// outside.
View Views::pad(const Expr& e, std::size_t d, const View& xs, const Type& t, const Term& value) {
  if (d == static_cast<std::size_t>(op_rank(e))) return xs;
  const Nat low = low_widths(e)[d], high = high_widths(e)[d], n = t.length();
  const Boundary b = pad_boundary(e);
  return array(low + n + high, [=, this](const Nat& i) -> View {
    const auto below = [&](const Nat& at) { return pad(e, d + 1, xs[at], t.element(), value); };
    const Nat x = i - low;
    if (b == Boundary::undefined) return below(x);
    bool from_low = false, to_high = false;
    const bool low_known = decide(less_equal(0, x), from_low), high_known = decide(less(x, n), to_high);
    if (low_known && high_known && from_low && to_high) return below(x);
    const bool maybe_low = !low_known || !from_low, maybe_high = !high_known || !to_high;
    Nat at = x;
    switch (b) {
      case Boundary::clamp:
      case Boundary::constant:
        if (maybe_low) at = max(at, 0);
        if (maybe_high) at = min(at, n - 1);
        break;
      case Boundary::wrap:
        at = mod(x, n);
        break;
      case Boundary::mirror:
      case Boundary::odd:
        if (maybe_low) at = max(at, -1 - at);
        if (maybe_high) at = min(at, 2 * n - 1 - at);
        break;
      case Boundary::reflect:
        if (maybe_low) at = max(at, -at);
        if (maybe_high) at = min(at, 2 * n - 2 - at);
        break;
      case Boundary::undefined:
        break;
    }
    const View v = below(facts.simplify(at));
    if (b != Boundary::odd && b != Boundary::constant) return v;
    Term inside = constant_term(1, boolean);
    if (maybe_low) inside = low_known ? constant_term(from_low, boolean) : compare_term(less_equal(0, x));
    if (maybe_high)
      inside = apply_term(Op::And, boolean,
                          {inside, high_known ? constant_term(to_high, boolean) : compare_term(less(x, n))});
    return map_scalars(v, [=](const Term& s) {
      const Scalar t = s->type;
      const auto reflected = [&] {  // odd about the value, or about zero
        if (!value) return apply_term(Op::Neg, t, {s});
        return apply_term(Op::Sub, t, {apply_term(Op::Mul, t, {constant_term(2, t), value}), s});
      };
      return apply_term(Op::Select, t, {inside, s, b == Boundary::constant ? value : reflected()});
    });
  });
}

View Views::update(const std::vector<Nat>& offsets, std::size_t d, const View& base, const View& block,
                   const Type& base_type, const Type& block_type, Term inside) {
  if (d == offsets.size()) return choose(inside, block, base);
  return array(base_type.length(), [=, this, &offsets](const Nat& i) -> View {
    const Nat x = i - offsets[d], n = block_type.length();
    Term in = inside;
    Nat at = x;
    bool low = false, high = false;
    if (!decide(less_equal(0, x), low)) {
      in = apply_term(Op::And, boolean, {in, compare_term(less_equal(0, x))});
      at = max(at, 0);
    } else if (!low) {
      return access(base, std::vector{i});
    }
    if (!decide(less(x, n), high)) {
      in = apply_term(Op::And, boolean, {in, compare_term(less(x, n))});
      at = min(at, n - 1);
    } else if (!high) {
      return access(base, std::vector{i});
    }
    return update(offsets, d + 1, base[i], block[at], base_type.element(), block_type.element(), in);
  });
}

}  // namespace lift
