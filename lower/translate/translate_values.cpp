// Values with a name, intermediate arrays, reductions.
#include <algorithm>
#include <set>
#include <utility>

#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "lower/loops/on_stack.hpp"
#include "lower/translate/destination.hpp"
#include "lower/translate/old_accumulators.hpp"
#include "lower/translate/route.hpp"
#include "lower/translate/translator.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {

/// None of the program's own, nor the beginning of one: letters tell components apart.
std::string Translator::fresh_name(const std::string& hint) {
  const auto begins = [&](const std::string& name, const std::string& own) {
    return own.starts_with(name) && !(own.size() > name.size() && is_digit(own[name.size()]));
  };
  for (;;)
    if (const std::string name = hint + std::to_string(++names_);
        std::none_of(given.begin(), given.end(), [&](const auto& own) { return begins(name, own); }))
      return name;
}

/// Every scalar of a view of constant size in a variable of its own.
View Translator::in_variables(const View& v, const Type& t) {
  if (t.is_scalar()) {
    const Term x = v.term();
    if (x->kind != TermKind::Apply && x->kind != TermKind::Load && x->kind != TermKind::Call) return v;
    const Term local = local_term(fresh_name("v"), x->type);
    block->push_back({Let{local, x}});
    definitions_.emplace(local->name, x);
    return {local};
  }
  std::vector<View> all;
  if (t.is_tuple()) {
    for (std::size_t i = 0; i < t.parts().size(); ++i)
      all.push_back(in_variables(v.parts()[i], t.parts()[i]));
    return {std::move(all)};
  }
  for (std::int64_t i = 0; i < *t.length().constant(); ++i)
    all.push_back(in_variables(v[Nat(i)], t.element()));
  return {ArrayView{t.length(),
                    [all](const Nat& i) {
                      if (!i.is_constant())
                        throw InternalError("translate: a value in variables is looked at at " + i.str());
                      return all.at(static_cast<std::size_t>(*i.constant()));
                    },
                    true}};
}

/// What an update in place overwrites, also below maps.
std::optional<View> Translator::base_of(const Expr& e, const ScopePtr& scope) {
  if (e.is(Op::UpdateInPlace)) return eval(e.child(0), scope);
  if (e.is(Op::Iterate) && overwrites_base(e)) return eval(e.child(1), scope);
  if (is_identity(e.op())) return base_of(e.child(0), scope);
  if (!is_map(e.op()) || op_rank(e) != 1) return std::nullopt;
  const View xs = eval(e.child(1), scope);
  const auto element = [this, body = Expr(e.child(0).child(0)), xs, scope](const Nat& i) {
    return base_of(body, std::make_shared<Scope>(Scope{{xs[i]}, scope}));
  };
  if (!element(Nat::fresh("p", 0, xs.array().length - 1))) return std::nullopt;
  return View{ArrayView{xs.array().length, [element](const Nat& i) { return *element(i); }}};
}

/// A value that is used by name is computed once: where it says that it is stored, over its own base when it
/// is an update in place, or where the result goes when the result is made of it. See storage.hpp.
void Translator::write_let(const Expr& value, const Expr& fn, const ScopePtr& scope, const Acceptor& to) {
  const Expr& body = fn.child(0);
  const Type& t = value.type();
  const auto continue_with = [&](const View& v) {
    write(body, std::make_shared<Scope>(Scope{{v}, scope}), to);
  };
  const Destination goes = destination_of(value, fn);
  switch (goes.kind) {
    case Destination::Kind::None:
    case Destination::Kind::Own: {
      const View v = eval(value, scope);
      return continue_with(t.is_scalar() ? in_variables(v, t) : v);
    }
    case Destination::Kind::Result:
      return write(value, scope, *place_in_result(fn, to));
    case Destination::Kind::Base: {
      const auto base = base_of(value, scope);
      const auto place = base ? place_of(*base, t) : std::nullopt;
      if (!place) throw UserError("update_in_place: the base is not stored; the base must be an argument");
      write(value, scope, *place);
      // What items of a group share is an argument's: they wait, as they do for arrays of the kernel's own.
      if (is_of_items(value)) block->push_back({Barrier{true, false}});
      overwritten_.merge(arrays_at(*place));
      return continue_with(*base);
    }
    case Destination::Kind::Update:
      if (!is_readable(std::get<std::vector<Acceptor>>(to.v).at(goes.component),
                       body.child(goes.component).type()))
        return write_let_apart(goes.component, value, fn, scope, to);
      return write_updated(goes.component, value, fn, scope, to);
    case Destination::Kind::Component: {
      const Component component = *component_in_result(fn, to);
      if (component.read && !is_readable(component.place, t))
        return write_let_apart(goes.component, value, fn, scope, to);
      const Acceptor& place = component.place;
      write(value, scope, place);
      if (!body.is(Op::Tuple)) return continue_with(view_of(place, t));  // more names before the results
      const auto inner = std::make_shared<Scope>(Scope{{view_of(place, t)}, scope});
      for (std::size_t k = 0; k < body.children().size(); ++k)
        if (k != goes.component || overwrites_base(body.child(k)))
          write(body.child(k), inner, std::get<std::vector<Acceptor>>(to.v).at(k));
      return;
    }
    case Destination::Kind::Open:
      break;
  }
  if (!has_few_scalars(t)) throw InternalError("translate: no storage was decided for " + str(value));
  continue_with(in_variables(eval(value, scope), t));
}

/// Something reads the named value where component i of the body lies, of which not all is stored further
/// out: that component is computed by itself, and copied.
void Translator::write_let_apart(std::size_t i, const Expr& value, const Expr& fn, const ScopePtr& scope,
                                 Acceptor to) {
  const Type& t = value.type();
  if (!t.has_arrays())
    return write(fn.child(0), std::make_shared<Scope>(Scope{{in_variables(eval(value, scope), t)}, scope}),
                 to);
  Expr body = fn.child(0);
  while (body.is(Op::Let)) body = body.child(1).child(0);
  const bool several = body.is(Op::Tuple);
  Acceptor& place = several ? std::get<std::vector<Acceptor>>(to.v).at(i) : to;
  in_whole_array(place, several ? body.child(i).type() : body.type(), value,
                 [&] { write_let(value, fn, scope, to); });
}

/// Computes what is to go to a place in an array of its own, which then takes the place's place, and copies
/// it.
void Translator::in_whole_array(Acceptor& place, const Type& t, const Expr& e,
                                const std::function<void()>& compute) {
  const Acceptor given = std::exchange(place, new_array("whole", t, *memory_of(make(kept(t, e), {e})), {}));
  compute();
  write_copy(view_of(place, t), given, t, sharing_of(e));
}

/// Where component i of the body is an update in place with the named value as its block, the value is
/// computed where the update puts it, and the other components read it there. Those before it that can be
/// written first may read the base.
void Translator::write_updated(std::size_t i, const Expr& value, const Expr& fn, const ScopePtr& scope,
                               const Acceptor& to) {
  std::vector<Expr> names;
  const Expr body = open(fn, names);
  const Expr &name = names.at(0), &u = body.child(i);
  const std::vector<Acceptor>& places = std::get<std::vector<Acceptor>>(to.v);
  const std::size_t first = precede(body, i, name) ? i : 0;
  for (std::size_t k = 0; k < first; ++k) write(body.child(k), scope, places.at(k));
  write(make(Op::UpdateInPlace, {u.child(0), value}, u.attr()), scope, places.at(i));
  const auto rank = static_cast<int>(update_offsets(u).size());
  const std::vector<Nat> whole = shape_of(u.type(), rank), block = shape_of(name.type(), rank),
                         &low = update_offsets(u);
  std::vector<Nat> high;
  for (std::size_t d = 0; d < whole.size(); ++d) high.push_back(whole[d] - low[d] - block[d]);
  const Expr there = drop(low, high, u.child(0));
  for (std::size_t k = first; k < body.children().size(); ++k)
    if (k != i)
      write(substitute(body.child(k), [&](const Expr& leaf) { return leaf == name ? there : leaf; }), scope,
            places.at(k));
}

namespace {

/// a, ..., z, aa, ab, ...
std::string letters(std::size_t n) {
  return (n >= 26 ? letters(n / 26 - 1) : "") + static_cast<char>('a' + n % 26);
}

}  // namespace

/// A new array for each scalar component. Global ones of any size are shared by the work-items: below loops
/// over a grid each iteration has its own part. Columns (one dimension) of neighbouring work-items lie side
/// by side: the loop along dimension 0 of a grid comes last; rows of a work-item's own stay rows. Below loops
/// that threads share, they are each iteration's own arrays; where these lie is for place-scratch to say.
Acceptor Translator::new_array(const std::string& hint, const Type& t, AddressSpace space,
                               const LayoutRequest& layout) {
  if (space == AddressSpace::Global && !parallel_.empty() && parallel_.front().kind == LoopKind::Par)
    space = AddressSpace::Private;
  std::vector<Nat> around, position, within, last;
  const std::vector<Type> parts = component_arrays(t);
  const bool columns =
      layout == LayoutRequest{} &&
      std::all_of(parts.begin(), parts.end(), [](const Type& part) { return rank_of(part) == 1; });
  if (space == AddressSpace::Global)
    for (const For& f : parallel_) {
      const bool neighbours = columns && (f.kind == LoopKind::Glb || f.kind == LoopKind::Lcl) && f.dim == 0;
      (neighbours ? within : around).push_back(f.upper - f.lower);
      (neighbours ? last : position).push_back(f.var - f.lower);
    }
  const auto scalars = scalars_in(t);
  if (space == AddressSpace::Local && !scalars)
    throw UserError("to_local: local memory takes arrays of constant size, found " + t.str() +
                    "; tile the loops around it by numbers");
  const bool on_stack =
      space != AddressSpace::Global || (parallel_.empty() && scalars && *scalars * 8 <= kMostOnStack);
  std::vector<std::string> names;
  const bool of_step = step_arrays_ && (!on_stack || (block == step_arrays_->block && parallel_.empty()));
  const bool again = of_step && step_arrays_->next < step_arrays_->names.size();
  const std::string name = again ? step_arrays_->names[step_arrays_->next] : fresh_name(hint);
  if (of_step) {
    if (!again) step_arrays_->names.push_back(name);
    ++step_arrays_->next;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    names.push_back(name + (parts.size() > 1 ? letters(i) : ""));
    std::vector<Nat> shape = around;
    for (const std::vector<Nat>& more : {shape_of(parts[i]), within})
      shape.insert(shape.end(), more.begin(), more.end());
    const Type whole = array(shape, element_of(parts[i]));
    own_.insert(names[i]);
    if (again) continue;
    if (on_stack) {
      Allocate own{names[i], whole, space == AddressSpace::Global ? AddressSpace::Private : space};
      own.layout = layout;
      block->push_back({std::move(own)});
    } else {
      work.push_back({names[i], whole, Layout(layout, whole), false, false, {}, true});
    }
  }
  return map_cells(array_places(names, t), [=](Cell c) {
    c.position.insert(c.position.begin(), position.begin(), position.end());
    c.position.insert(c.position.end(), last.begin(), last.end());
    return c;
  });
}

/// Short reductions are unrolled; a long one becomes a loop with an accumulator.
View Translator::reduce(const Expr& e, const ScopePtr& scope) {
  const auto n = e.child(2).type().length().constant();
  if (is_unrolled(e) || (n && e.child(2).is(Op::Bound) && eval(e.child(2), scope).array().variables)) {
    const View xs = eval(e.child(2), scope);
    View acc = eval(e.child(1), scope);
    for (std::int64_t i = 0; i < *n; ++i) acc = call(e.child(0), {acc, xs[Nat(i)]}, scope);
    return acc;
  }
  return accumulate(e, scope);
}

/// The scalars of a view of scalars and tuples, in order.
void scalars_of(const View& v, std::vector<Term>& to) {
  if (const auto* t = std::get_if<Term>(&v.v)) return to.push_back(*t);
  for (const View& part : v.parts()) scalars_of(part, to);
}
namespace {
View with_scalars_from(const View& v, const std::vector<Term>& terms, std::size_t& next) {
  if (std::holds_alternative<Term>(v.v)) return {terms.at(next++)};
  std::vector<View> parts;
  for (const View& part : v.parts()) parts.push_back(with_scalars_from(part, terms, next));
  return {std::move(parts)};
}
}  // namespace
View with_scalars(const View& v, const std::vector<Term>& terms) {
  std::size_t next = 0;
  return with_scalars_from(v, terms, next);
}

/// Joined arrays, maps of them and zips of such, as they were before they were joined: the same elements in
/// the same order, without the division that finds one in a joined array.
Translator::Elements Translator::elements_of(const Expr& e, const ScopePtr& scope) {
  if (is_of_rank(e, Op::Join, 1)) {
    const Elements rows = elements_of(e.child(0), scope);
    Elements r{rows.lengths,
               [rows](std::span<const Nat> p) { return rows.at(p.first(p.size() - 1))[p.back()]; }};
    r.lengths.push_back(e.child(0).type().element().length());
    return r;
  }
  if (is_map(e.op()) && op_rank(e) == 1 && !has_scan(e.child(0))) {
    const Elements xs = elements_of(e.child(1), scope);
    return {xs.lengths,
            [this, f = e.child(0), xs, scope](std::span<const Nat> p) { return call(f, {xs.at(p)}, scope); }};
  }
  if (is_of_rank(e, Op::Zip, 1)) {
    std::vector<Elements> all;
    for (const Expr& c : e.children()) all.push_back(elements_of(c, scope));
    if (std::all_of(all.begin(), all.end(), [&](const Elements& x) { return x.lengths == all[0].lengths; }))
      return {all[0].lengths, [all](std::span<const Nat> p) {
                std::vector<View> parts;
                for (const Elements& x : all) parts.push_back(x.at(p));
                return View{std::move(parts)};
              }};
  }
  return {{e.type().length()}, [xs = eval(e, scope)](std::span<const Nat> p) { return xs[p[0]]; }};
}

/// Loops over all elements, in order.
void Translator::for_each(const Elements& xs, const std::function<void(const View&)>& body,
                          std::vector<Nat> position) {
  if (position.size() == xs.lengths.size()) return body(xs.at(position));
  loop(new_loop("r", xs.lengths[position.size()]), [&](const Nat& i) {
    auto p = position;
    p.push_back(i);
    for_each(xs, body, std::move(p));
  });
}

/// Variables for the scalars of a view, which they start with.
std::vector<Term> Translator::carried(const View& init, const std::string& hint) {
  std::vector<Term> values, locals;
  scalars_of(init, values);
  for (const Term& v : values) {
    locals.push_back(local_term(fresh_name(hint), v->type));
    block->push_back({Declare{locals.back(), v}});
  }
  return locals;
}
/// Gives such variables their next values, all of which are computed from the old ones; `use` of these comes
/// before.
void Translator::carry(const View& value, const std::vector<Term>& locals,
                       const std::function<void(const View& next)>& use) {
  std::vector<Term> next;
  scalars_of(value, next);
  if (use || next.size() > 1)
    for (Term& x : next) {
      const Term local = local_term(fresh_name("next"), x->type);
      block->push_back({Let{local, x}});
      x = local;
    }
  if (use) use(with_scalars(value, next));
  for (std::size_t i = 0; i < next.size(); ++i) block->push_back({Assign{locals.at(i), next[i]}});
}

/// The array of accumulators of a reduction of arrays; one that goes on with what another has made takes over
/// its.
Acceptor Translator::accumulators(const Expr& e, const ScopePtr& scope) {
  const Expr &f = e.child(0), &init = e.child(1);
  const bool goes_on = is_reduce(init.op()) && !is_unrolled(init);
  const Acceptor place =
      goes_on ? accumulators(init, scope) : new_array("acc", e.type(), AddressSpace::Private);
  if (!goes_on) write(init, scope, place);
  const OldAccumulators old;
  const View acc = old.noted(view_of(place, e.type()), e.type());
  for_each(elements_of(e.child(2), scope), [&](const View& x) {
    write(f.child(0), std::make_shared<Scope>(Scope{{acc, x}, scope}), place);
    old.check(*block);
  });
  return place;
}

View Translator::accumulate(const Expr& e, const ScopePtr& scope) {
  const Expr& f = e.child(0);
  if (e.type().has_arrays()) return view_of(accumulators(e, scope), e.type());
  const Elements xs = elements_of(e.child(2), scope);
  const View init = eval(e.child(1), scope);
  const std::vector<Term> locals = carried(init, "acc");
  const View acc = with_scalars(init, locals);
  for_each(xs, [&](const View& x) {
    carry(eval(f.child(0), std::make_shared<Scope>(Scope{{acc, x}, scope})), locals);
  });
  return acc;
}

/// The value is computed into an array of its own, which later reads load from.
View Translator::place(const Expr& e, const ScopePtr& scope) {
  if (e.is(Op::CircularBuffer)) return ring(e, scope);
  if (e.is(Op::Ring)) throw UserError("ring: only a stage of a chain in step keeps planes in turn");
  if (e.type().is_scalar()) return in_variables(eval(e.child(0), scope), e.type());
  const bool own = e.is(Op::ToPrivate) ||
                   (e.is(Op::ToGlobal) && !parallel_.empty() && parallel_.front().kind == LoopKind::Par);
  if (const Expr& made = e.child(0);
      own && is_reduce(made.op()) && made.type().has_arrays() && !is_unrolled(made))
    return eval(made, scope);  // its accumulators are that array
  const Acceptor place =
      new_array(e.is(Op::ToGlobal) ? "work" : "tile", e.type(), *memory_of(e), asked_layout(e));
  write(e.child(0), scope, place);
  complete_.merge(arrays_at(place));
  return view_of(place, e.type());
}

/// Of an element of an array that is complete: what has been stored to it, whatever the position.
std::vector<Term> Translator::values_of(const Term& of) const {
  if (of->kind != TermKind::Load) return Views::values_of(of);
  const auto it = stored_.find(of->name);
  return it == stored_.end() || !complete_.contains(of->name) ? std::vector<Term>{} : it->second;
}

}  // namespace lift
