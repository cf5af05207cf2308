#include "lower/translate.hpp"

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "ir/ops.hpp"
#include "lower/place.hpp"

namespace lift {
namespace {

LoopKind loop_kind(Op op) {
  switch (op) {
    case Op::MapUnroll: return LoopKind::Unroll;
    case Op::MapPar: return LoopKind::Par;
    case Op::MapVec: return LoopKind::Vec;
    case Op::MapGlb: return LoopKind::Glb;
    case Op::MapWrg: return LoopKind::Wrg;
    case Op::MapLcl: return LoopKind::Lcl;
    default: return LoopKind::Seq;
  }
}

/// A value of at most this many scalars is kept in variables rather than in an array.
constexpr std::int64_t kInVariables = 32;
/// An array for intermediate values of at most this many bytes lies on the stack.
constexpr std::int64_t kOnStack = 32 * 1024;

class Translator : public Views {
 public:
  void write(const Expr& e, const ScopePtr& scope, const Place& to);
  Block* block = nullptr;             ///< where statements go
  std::vector<KernelArgument> work;   ///< arrays for intermediate values
  /// The argument that a result is written into, by the result's name, for those found to be updated in place.
  std::map<std::string, std::string> in_argument;

 protected:
  View reduce(const Expr& e, const ScopePtr& scope) override;
  View place(const Expr& e, const ScopePtr& scope) override;

 private:
  void write_map(const Expr& e, const ScopePtr& scope, const Place& to, int depth, const View& xs);
  void write_update(const Expr& e, const ScopePtr& scope, const Place& to);
  void write_let(const Expr& value, const Expr& fn, const ScopePtr& scope, const Place& to);
  bool write_structure(const Expr& e, const ScopePtr& scope, const Place& to);
  void write_view(const View& v, const Place& to);
  void store(const Term& value, const Cell& cell);
  void loop(For f, const std::function<void(const Nat&)>& body);
  View in_variables(const View& v, const Type& t);
  View accumulate(const Expr& e, const View& xs, const ScopePtr& scope);
  Place new_array(const std::string& hint, const Type& t, AddressSpace space);
  std::string fresh_name(const std::string& hint) { return hint + std::to_string(++names_); }
  int names_ = 0;
  std::vector<For> parallel_;         ///< the parallel loops around, without their bodies
};

bool is_parallel(LoopKind k) { return k == LoopKind::Par || k >= LoopKind::Glb; }

void Translator::loop(For f, const std::function<void(const Nat&)>& body) {
  Block* outer = block;
  if (is_parallel(f.kind)) parallel_.push_back(f);
  block = &f.body;
  body(f.var);
  block = outer;
  if (is_parallel(f.kind)) parallel_.pop_back();
  block->push_back({std::move(f)});
}

For new_loop(const std::string& hint, const Nat& length) {
  For f;
  f.var = Nat::fresh(hint, 0, length - 1);
  f.lower = 0, f.upper = length;
  return f;
}

/// The loops of a map of rank D: the attributes of a low-level map belong to the innermost of them, parallel ones to all.
void Translator::write_map(const Expr& e, const ScopePtr& scope, const Place& to, int depth, const View& xs) {
  const auto& ints = e.attr().ints;
  const int rank = static_cast<int>(ints[0]);
  if (depth == rank) {
    const Expr& f = e.child(0);
    write(f.child(0), std::make_shared<Scope>(Scope{{xs}, scope}), to);
    return;
  }
  if (xs.array().variables) {
    for (std::int64_t i = 0; i < *xs.array().length.constant(); ++i) write_map(e, scope, to[Nat(i)], depth + 1, xs[Nat(i)]);
    return;
  }
  const bool innermost = depth + 1 == rank;
  For f = new_loop(to.hint(), shape_of(e.type(), rank)[static_cast<std::size_t>(depth)]);
  const auto kind = loop_kind(e.op());
  f.kind = innermost || is_parallel(kind) ? kind : LoopKind::Seq;
  const auto number = [&](std::size_t at, int otherwise) { return ints.size() > at ? static_cast<int>(ints[at]) : otherwise; };
  if (f.kind >= LoopKind::Glb) f.dim = number(1, 0) + rank - 1 - depth;
  else if (innermost) f.width = std::max(1, number(1, 1));
  if (innermost) f.stride = std::max(1, number(2, 1)), f.late_store = number(3, 0) != 0, f.prefetch = number(4, 0);
  loop(std::move(f), [&](const Nat& i) { write_map(e, scope, to[i], depth + 1, xs[i]); });
}

void Translator::write(const Expr& e, const ScopePtr& scope, const Place& to) {
  if (is_map(e.op())) return write_map(e, scope, to, 0, eval(e.child(1), scope));
  if (is_update(e.op())) return write_update(e, scope, to);
  if (e.is(Op::Apply) && e.child(0).is(Op::Lambda)) {
    if (e.children().size() == 2) return write_let(e.child(1), e.child(0), scope, to);
    std::vector<View> args;
    for (std::size_t i = 1; i < e.children().size(); ++i) args.push_back(eval(e.child(i), scope));
    return write(e.child(0).child(0), std::make_shared<Scope>(Scope{std::move(args), scope}), to);
  }
  if (e.is(Op::Let)) return write_let(e.child(0), e.child(1), scope, to);
  if (e.is(Op::Stream)) return write(e.child(0), scope, map_cells(to, [](Cell c) { return c.stream = true, c; }));
  if (e.is(Op::Layout) || e.is(Op::ToGlobal)) return write(e.child(0), scope, to);
  if (write_structure(e, scope, to)) return;
  write_view(eval(e, scope), to);
}

/// Structural primitives of one argument as acceptors: where the argument's value goes, when that of e goes `to`.
std::optional<Place> accept(const Expr& e, const Place& to) {
  const Attr& a = e.attr();
  switch (e.op()) {
    case Op::Join: {
      const auto rank = static_cast<std::size_t>(a.ints[0]);
      const std::vector<Nat> inner = shape_of(e.child(0).type(), static_cast<int>(2 * rank));
      std::vector<std::string> names = hints(to, rank), all;
      for (const std::string& n : names) all.push_back(n + "t");
      all.insert(all.end(), names.begin(), names.end());
      return collect(all, [=](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (std::size_t d = 0; d < rank; ++d) q.push_back(p[d] * inner[rank + d] + p[rank + d]);
        return access(to, q);
      });
    }
    case Op::Split: {
      const auto rank = a.nats.size();
      return collect(hints(access(to, std::vector<Nat>(rank, 0)), rank), [=](const std::vector<Nat>& p) {
        std::vector<Nat> q(2 * rank);
        for (std::size_t d = 0; d < rank; ++d) q[d] = floordiv(p[d], a.nats[d]), q[rank + d] = mod(p[d], a.nats[d]);
        return access(to, q);
      });
    }
    case Op::Drop: {  // elements that are dropped have no place: a guard keeps them from being stored
      const auto rank = a.nats.size() / 2;
      const std::vector<Nat> kept = shape_of(e.type(), static_cast<int>(rank));
      return collect(hints(to, rank), [=](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        std::vector<NatCond> guards;
        for (std::size_t d = 0; d < rank; ++d) {
          q.push_back(p[d] - a.nats[d]);
          for (const NatCond& g : {less_equal(0, q[d]), less(q[d], kept[d])})
            if (!Facts().proves(g)) guards.push_back(g);
        }
        return map_cells(access(to, q), [=](Cell c) {
          c.guards.insert(c.guards.end(), guards.begin(), guards.end());
          return c;
        });
      });
    }
    case Op::Transpose: {
      const auto names = hints(to, a.ints.size());
      std::vector<std::string> permuted(names.size());
      for (std::size_t d = 0; d < names.size(); ++d) permuted[static_cast<std::size_t>(a.ints[d])] = names[d];
      return collect(permuted, [=](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (const auto d : a.ints) q.push_back(p[static_cast<std::size_t>(d)]);
        return access(to, q);
      });
    }
    case Op::Unzip: {
      const auto rank = static_cast<std::size_t>(a.ints[0]);
      const std::vector<Place> parts = std::get<std::vector<Place>>(to.v);
      return collect(hints(parts.at(0), rank), [=](const std::vector<Nat>& p) {
        std::vector<Place> elements;
        for (const Place& part : parts) elements.push_back(access(part, p));
        return Place{std::move(elements)};
      });
    }
    default: return std::nullopt;
  }
}

/// False: no acceptor, the value is copied element by element.
bool Translator::write_structure(const Expr& e, const ScopePtr& scope, const Place& to) {
  if (const auto place = accept(e, to)) {
    write(e.child(0), scope, *place);
    return true;
  }
  switch (e.op()) {
    case Op::Tuple:
      for (std::size_t i = 0; i < e.children().size(); ++i) write(e.child(i), scope, std::get<std::vector<Place>>(to.v).at(i));
      return true;
    case Op::Concat: {
      const Nat n = e.child(0).type().length();
      write(e.child(0), scope, to);
      write(e.child(1), scope, array_place(to.hint(), [=](const Nat& i) { return to[i + n]; }));
      return true;
    }
    case Op::Interleave: {
      const auto m = static_cast<std::int64_t>(e.children().size());
      for (std::int64_t p = 0; p < m; ++p)
        write(e.child(static_cast<std::size_t>(p)), scope, array_place(to.hint(), [=](const Nat& i) { return to[m * i + p]; }));
      return true;
    }
    default: return false;
  }
}

/// The base is already where the result goes when reading it there gives the place's own old value. An update in place of
/// an argument makes that argument the place of the result.
void Translator::write_update(const Expr& e, const ScopePtr& scope, const Place& given) {
  const View base = eval(e.child(0), scope);
  Place to = given, cell = given;
  View old = base;
  Type element = e.type();
  while (element.is_array()) {
    const Nat i = Nat::fresh("p", 0, element.length() - 1);
    old = old[i], cell = cell[i], element = element.element();
  }
  const auto* c = std::get_if<Cell>(&cell.v);
  const Term* value = std::get_if<Term>(&old.v);
  const bool same_position = c && value && (*value)->kind == TermKind::Load && (*value)->nats == c->position;
  bool in_place = same_position && (*value)->name == c->array;
  if (!in_place && e.is(Op::UpdateInPlace)) {
    if (!same_position || in_argument.count(c->array) == 0 || !in_argument[c->array].empty())
      throw UserError("update_in_place: the result does not lie where its base lies; the base must be an argument, the result the whole of it");
    in_argument[c->array] = (*value)->name;
    to = map_cells(given, [name = (*value)->name](Cell x) { return x.array = name, x; });
    in_place = true;
  }
  if (!in_place) write_view(base, to);
  const std::vector<Nat> offsets = e.attr().nats;
  write(e.child(1), scope, collect(hints(to, offsets.size()), [=](const std::vector<Nat>& p) {
    std::vector<Nat> q;
    for (std::size_t d = 0; d < p.size(); ++d) q.push_back(p[d] + offsets[d]);
    return access(to, q);
  }));
}

// ---- values with a name

/// The place of a function's argument when the function's value, which is made of the argument's components by structural
/// primitives alone, each used once, goes `to`.
struct Route {
  std::optional<Place> whole;
  std::map<std::size_t, Place> parts;

  bool follow(const Expr& e, const Place& to) {
    const auto is_argument = [](const Expr& x) { return x.is(Op::Bound) && x.attr().ints[0] == 0 && x.attr().ints[1] == 0; };
    if (is_argument(e)) {
      if (whole || !parts.empty()) return false;
      whole = to;
      return true;
    }
    if (e.is(Op::Get) && is_argument(e.child(0))) return !whole && parts.emplace(static_cast<std::size_t>(e.attr().ints[0]), to).second;
    if (e.is(Op::Tuple)) {
      for (std::size_t i = 0; i < e.children().size(); ++i)
        if (!follow(e.child(i), std::get<std::vector<Place>>(to.v).at(i))) return false;
      return true;
    }
    if (is_identity(e.op())) return follow(e.child(0), to);
    const auto place = accept(e, to);
    return place && follow(e.child(0), *place);
  }
  std::optional<Place> place(const Type& t) const {
    if (whole) return whole;
    if (!t.is_tuple() || parts.size() != t.parts().size()) return std::nullopt;
    std::vector<Place> all;
    for (const auto& [i, p] : parts) all.push_back(p);
    return Place{std::move(all)};
  }
};

/// Whether a value is more than a way of looking at others.
bool computes(const Expr& e) {
  if (is_map(e.op()) || is_reduce(e.op()) || is_update(e.op()) || e.is(Op::Scan) || e.is(Op::Iterate)) return true;
  if (e.is(Op::ToGlobal) || e.is(Op::ToLocal) || e.is(Op::ToPrivate)) return true;
  if (e.is(Op::Lambda)) return false;
  return std::any_of(e.children().begin(), e.children().end(), computes);
}

/// Scalars in a value of constant size; nothing when it is not constant.
std::optional<std::int64_t> scalars_in(const Type& t) {
  std::int64_t n = 0;
  for (const Type& a : component_arrays(t)) {
    std::int64_t product = 1;
    for (const Nat& length : shape_of(a)) {
      if (!length.is_constant() || *length.constant() > (1 << 20)) return std::nullopt;
      product *= std::max<std::int64_t>(1, *length.constant());
    }
    n += product;
  }
  return n;
}

/// Every scalar of a view of constant size in a variable of its own.
View Translator::in_variables(const View& v, const Type& t) {
  if (t.is_scalar()) {
    const Term x = v.term();
    if (x->kind != TermKind::Apply && x->kind != TermKind::Load && x->kind != TermKind::Call) return v;
    const Term local = local_term(fresh_name("v"), x->type);
    block->push_back({Let{local, x}});
    return {local};
  }
  std::vector<View> all;
  if (t.is_tuple()) {
    for (std::size_t i = 0; i < t.parts().size(); ++i) all.push_back(in_variables(v.parts()[i], t.parts()[i]));
    return {std::move(all)};
  }
  for (std::int64_t i = 0; i < *t.length().constant(); ++i) all.push_back(in_variables(v[Nat(i)], t.element()));
  return {ArrayView{t.length(), [all](const Nat& i) {
    if (!i.is_constant()) throw UserError("a value kept in variables is used at the position " + i.str() + ", which is not a number; unroll the loop, or store the value (to_private)");
    return all.at(static_cast<std::size_t>(*i.constant()));
  }, true}};
}

/// A value that is used by name is computed once: into variables when it is small; over its own base when it is an update
/// in place; where the result goes when the result is that value, or has it as a component; else into an array.
void Translator::write_let(const Expr& value, const Expr& fn, const ScopePtr& scope, const Place& to) {
  const Expr& body = fn.child(0);
  const Type& t = value.type();
  const auto continue_with = [&](const View& v) { write(body, std::make_shared<Scope>(Scope{{v}, scope}), to); };
  if (t.is_function() || !computes(value)) {
    const View v = t.is_function() ? View{} : eval(value, scope);
    return continue_with(t.is_scalar() ? in_variables(v, t) : v);
  }
  if (Route route; route.follow(body, to))
    if (const auto place = route.place(t)) return write(value, scope, *place);
  if (value.is(Op::UpdateInPlace)) {
    const View base = eval(value.child(0), scope);
    const auto place = place_of(base, t);
    if (!place) throw UserError("update_in_place: the base is not stored; the base must be an argument");
    write(value, scope, *place);
    return continue_with(base);
  }
  if (const auto n = scalars_in(t); n && *n <= kInVariables) return continue_with(in_variables(eval(value, scope), t));
  if (body.is(Op::Tuple))
    for (std::size_t i = 0; i < body.children().size(); ++i) {
      Route route;
      const std::vector<Place>& places = std::get<std::vector<Place>>(to.v);
      if (!route.follow(body.child(i), places.at(i)) || !route.whole) continue;
      write(value, scope, *route.whole);
      const auto inner = std::make_shared<Scope>(Scope{{view_of(*route.whole, t)}, scope});
      for (std::size_t k = 0; k < body.children().size(); ++k)
        if (k != i) write(body.child(k), inner, places.at(k));
      return;
    }
  const Place place = new_array("work", t, AddressSpace::Global);
  write(value, scope, place);
  continue_with(view_of(place, t));
}

/// A new array for each scalar component. Global ones of any size are shared by the threads: below parallel loops each
/// iteration has its own.
Place Translator::new_array(const std::string& hint, const Type& t, AddressSpace space) {
  std::vector<Nat> around, position;
  if (space == AddressSpace::Global)
    for (const For& f : parallel_) around.push_back(f.upper - f.lower), position.push_back(f.var - f.lower);
  const auto scalars = scalars_in(t);
  const bool on_stack = space != AddressSpace::Global || (around.empty() && scalars && *scalars * 8 <= kOnStack);
  std::vector<std::string> names;
  const std::string name = fresh_name(hint);
  const std::vector<Type> parts = component_arrays(t);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    names.push_back(name + (parts.size() > 1 ? std::string(1, static_cast<char>('a' + i % 26)) : ""));
    const Type whole = array(around, parts[i]);
    if (on_stack) block->push_back({Allocate{names[i], whole, space == AddressSpace::Global ? AddressSpace::Private : space}});
    else work.push_back({names[i], whole, Layout({}, whole), false, false, {}, true});
  }
  if (!t.is_array() || around.empty()) return array_places(names, t);
  return access(array_places(names, array(around, t)), position);
}

void Translator::write_view(const View& v, const Place& to) {
  if (const auto* t = std::get_if<Term>(&v.v)) return store(*t, std::get<Cell>(to.v));
  if (const auto* parts = std::get_if<std::vector<View>>(&v.v)) {
    for (std::size_t i = 0; i < parts->size(); ++i) write_view((*parts)[i], std::get<std::vector<Place>>(to.v).at(i));
    return;
  }
  if (v.array().variables) {
    for (std::int64_t i = 0; i < *v.array().length.constant(); ++i) write_view(v[Nat(i)], to[Nat(i)]);
    return;
  }
  loop(new_loop(to.hint(), v.array().length), [&](const Nat& i) { write_view(v[i], to[i]); });
}

void Translator::store(const Term& value, const Cell& cell) {
  std::vector<Term> conditions;
  for (const NatCond& g : cell.guards) conditions.push_back(compare_term(g));
  Term stored = value;
  const Term old = load_term(cell.array, cell.position, value->type);
  if (value == old) return;
  if (value->kind == TermKind::Apply && value->op == Op::Select && value->args[2] == old) {
    conditions.push_back(value->args[0]);
    stored = value->args[1];
  }
  Block b{{Store{cell.array, cell.position, stored, cell.stream}}};
  if (!conditions.empty()) b = {{If{std::move(conditions), std::move(b)}}};
  for (Stmt& s : b) block->push_back(std::move(s));
}

/// Short reductions are unrolled; a long one becomes a loop with an accumulator.
View Translator::reduce(const Expr& e, const ScopePtr& scope) {
  const auto n = e.child(2).type().length().constant();
  const View xs = eval(e.child(2), scope);
  if (n && ((*n <= kInVariables && !e.is(Op::ReduceSeq)) || xs.array().variables)) {
    View acc = eval(e.child(1), scope);
    for (std::int64_t i = 0; i < *n; ++i) acc = call(e.child(0), {acc, xs[Nat(i)]}, scope);
    return acc;
  }
  return accumulate(e, xs, scope);
}

/// Assigns the scalars of a view to variables.
void scalars_of(const View& v, std::vector<Term>& to) {
  if (const auto* t = std::get_if<Term>(&v.v)) return to.push_back(*t);
  for (const View& part : v.parts()) scalars_of(part, to);
}
/// The same shape with other scalars.
View with_scalars(const View& v, const std::vector<Term>& terms, std::size_t& next) {
  if (std::holds_alternative<Term>(v.v)) return {terms.at(next++)};
  std::vector<View> parts;
  for (const View& part : v.parts()) parts.push_back(with_scalars(part, terms, next));
  return {std::move(parts)};
}
bool has_arrays(const Type& t) {
  return t.is_array() || (t.is_tuple() && std::any_of(t.parts().begin(), t.parts().end(), has_arrays));
}

/// Each new element of an array of accumulators may depend on its own old value alone, since it is overwritten at once.
void check_own_elements(const Block& b, const std::string& name) {
  visit(b, [&](const Stmt& s) {
    const auto* store = std::get_if<Store>(&s.v);
    if (!store || store->array != name) return;
    visit(store->value, [&](const Term& x) {
      if (x->kind == TermKind::Load && x->name == name && x->nats != store->position)
        throw UserError("reduce: an element of its array of accumulators depends on other elements; reduce over scalars or tuples, or zip the accumulators with the elements");
    });
  });
}

View Translator::accumulate(const Expr& e, const View& xs, const ScopePtr& scope) {
  const auto next_value = [&](const View& acc, const Nat& i) { return std::make_shared<Scope>(Scope{{acc, xs[i]}, scope}); };
  const Expr& f = e.child(0);
  if (!f.is(Op::Lambda)) throw InternalError("reduce: call of " + lift::str(f));
  if (has_arrays(e.type())) {
    const Place place = new_array("acc", e.type(), AddressSpace::Private);
    write(e.child(1), scope, place);
    const View acc = view_of(place, e.type());
    loop(new_loop("r", xs.array().length), [&](const Nat& i) {
      write(f.child(0), next_value(acc, i), place);
      map_cells(place, [&](Cell c) { return check_own_elements(*block, c.array), c; });
    });
    return acc;
  }
  const View init = eval(e.child(1), scope);
  std::vector<Term> values, locals;
  scalars_of(init, values);
  for (const Term& v : values) {
    locals.push_back(local_term(fresh_name("acc"), v->type));
    block->push_back({Declare{locals.back(), v}});
  }
  std::size_t first = 0;
  const View acc = with_scalars(init, locals, first);
  loop(new_loop("r", xs.array().length), [&](const Nat& i) {
    std::vector<Term> next;
    scalars_of(eval(f.child(0), next_value(acc, i)), next);
    if (next.size() > 1)  // all are computed from the old ones
      for (Term& t : next) {
        const Term local = local_term(fresh_name("next"), t->type);
        block->push_back({Let{local, t}});
        t = local;
      }
    for (std::size_t k = 0; k < next.size(); ++k) block->push_back({Assign{locals[k], next[k]}});
  });
  return acc;
}

/// The value is computed into an array of its own, which later reads load from.
View Translator::place(const Expr& e, const ScopePtr& scope) {
  if (e.type().is_scalar()) return in_variables(eval(e.child(0), scope), e.type());
  const AddressSpace space = e.is(Op::ToGlobal) ? AddressSpace::Global : e.is(Op::ToLocal) ? AddressSpace::Local : AddressSpace::Private;
  const Place place = new_array(e.is(Op::ToGlobal) ? "work" : "tile", e.type(), space);
  write(e.child(0), scope, place);
  return view_of(place, e.type());
}

}  // namespace

namespace {

/// Layouts requested for arguments, and (under "out") for a new result.
std::map<std::string, LayoutRequest> layouts(const Program& program) {
  std::map<std::string, LayoutRequest> r;
  visit(program.body, [&](const Expr& e) {
    if (e.is(Op::Layout) && e.child(0).is(Op::Param)) r[param_name(e.child(0))] = layout_of(e);
  });
  if (program.body.is(Op::Layout) && !program.body.child(0).is(Op::Param)) r[results_of(program).front().name] = layout_of(program.body);
  return r;
}

void mark_accesses(Kernel& k) {
  std::set<std::string> read, written;
  std::map<std::string, Attr> functions;
  const auto scan = [&](const Term& t) {
    visit(t, [&](const Term& x) {
      if (x->kind == TermKind::Load) read.insert(x->name);
      if (x->kind == TermKind::Call) functions.emplace(x->name, x->user);
    });
  };
  visit(k.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) written.insert(x->array), scan(x->value);
    if (const auto* x = std::get_if<Let>(&s.v)) scan(x->value);
    if (const auto* x = std::get_if<Declare>(&s.v)) scan(x->value);
    if (const auto* x = std::get_if<Assign>(&s.v)) scan(x->value);
    if (const auto* x = std::get_if<If>(&s.v))
      for (const Term& c : x->conditions) scan(c);
  });
  for (KernelArgument& a : k.arguments) a.read = read.count(a.name) > 0, a.written = written.count(a.name) > 0;
  for (auto& [name, attr] : functions) k.user_functions.push_back(attr);
}

}  // namespace

namespace {

/// Work-items cannot wait for one another between the writing of an intermediate array and its use.
void check_work_arrays(const Kernel& k) {
  if (std::none_of(k.arguments.begin(), k.arguments.end(), [](const KernelArgument& a) { return a.work; })) return;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (f && f->kind >= LoopKind::Glb) throw UserError("to_global between loops over work-items: that takes two kernels; leave out to_global, or use one work-item");
  });
}

/// The results as arguments of the kernel: those of the program, or new ones.
void add_results(Kernel& k, const Program& program, const std::map<std::string, std::string>& in_argument,
                 const std::function<Layout(const std::string&, const Type&)>& layout) {
  for (const ProgramResult& r : results_of(program)) {
    const std::string& argument = in_argument.at(r.name);
    k.results.push_back(argument.empty() ? r.name : argument);
    if (argument.empty()) {
      k.arguments.push_back({r.name, r.type, layout(r.name, r.type), false, false, {}});
      continue;
    }
    for (const KernelArgument& a : k.arguments)
      if (a.name == argument && !(a.type == r.type))
        throw UserError("update_in_place: the result " + r.type.str() + " is written into " + argument + ", which is " + a.type.str() + "; update the whole argument");
  }
}

}  // namespace

Kernel translate(const Program& program) {
  const auto requests = layouts(program);
  const auto layout = [&](const std::string& name, const Type& t) {
    const auto it = requests.find(name);
    return Layout(it == requests.end() ? LayoutRequest{} : it->second, t);
  };
  Kernel k;
  k.name = program.name;
  for (const Nat& n : sizes_of(program)) k.sizes.push_back(n.str());
  for (const Expr& a : program.arguments) {
    KernelArgument x{param_name(a), a.type(), {}, false, false, {}};
    if (a.type().is_array()) x.layout = layout(x.name, a.type());
    if (a.type().is_scalar() && !a.attr().nats.empty()) x.range = a.attr().nats;
    k.arguments.push_back(std::move(x));
  }
  Translator t;
  t.block = &k.body;
  std::vector<std::string> names;
  for (const ProgramResult& r : results_of(program)) names.push_back(r.name), t.in_argument[r.name] = "";
  t.write(program.body, nullptr, array_places(names, program.body.type()));
  add_results(k, program, t.in_argument, layout);
  k.arguments.insert(k.arguments.end(), t.work.begin(), t.work.end());
  check_work_arrays(k);
  mark_accesses(k);
  return k;
}

}  // namespace lift
