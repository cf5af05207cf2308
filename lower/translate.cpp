#include "lower/translate.hpp"

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "ir/ops.hpp"
#include "ir/view.hpp"

namespace lift {
namespace {

/// Where a value goes: a cell for a scalar, a part for each component of a tuple, a function of the index for an array.
struct Place;
struct Cell {
  std::string array;
  std::vector<Nat> position;
  std::vector<NatCond> guards;  ///< the cell is written only where they hold
  bool stream = false;
};
struct ArrayPlace {
  std::string hint;             ///< name of the loop variable over this dimension
  std::function<Place(const Nat&)> at;
};
struct Place {
  std::variant<Cell, std::vector<Place>, ArrayPlace> v;
  Place operator[](const Nat& i) const { return std::get<ArrayPlace>(v).at(i); }
  const std::string& hint() const { return std::get<ArrayPlace>(v).hint; }
};

Place array_place(std::string hint, std::function<Place(const Nat&)> at) { return {ArrayPlace{std::move(hint), std::move(at)}}; }

std::vector<std::string> dimension_names(std::size_t rank) {
  static const std::vector<std::string> names{"i", "j", "k", "b", "c", "d"};
  std::vector<std::string> r;
  for (std::size_t d = rank; d-- > 0;) r.push_back(names[std::min(d, names.size() - 1)]);
  return r;
}

Place root_place(const std::string& array, const Type& t, const std::vector<std::string>& names, std::vector<Nat> position = {}) {
  if (t.is_scalar()) return {Cell{array, std::move(position), {}, false}};
  if (!t.is_array()) throw UserError("result " + array + ": a kernel cannot return " + t.str() + "; return one array of numbers");
  return array_place(names[position.size()], [=](const Nat& i) {
    auto p = position;
    p.push_back(i);
    return root_place(array, t.element(), names, std::move(p));
  });
}

Place access(Place p, std::span<const Nat> position) {
  for (const Nat& i : position) p = p[i];
  return p;
}
std::vector<std::string> hints(Place p, std::size_t rank) {
  std::vector<std::string> r;
  for (std::size_t d = 0; d < rank; ++d) {
    r.push_back(p.hint());
    if (d + 1 < rank) p = p[Nat(0)];
  }
  return r;
}

/// A place below `names.size()` further dimensions, whose indices are collected first.
Place collect(const std::vector<std::string>& names, const std::function<Place(const std::vector<Nat>&)>& f, std::vector<Nat> position = {}) {
  if (position.size() == names.size()) return f(position);
  return array_place(names[position.size()], [=](const Nat& i) {
    auto p = position;
    p.push_back(i);
    return collect(names, f, std::move(p));
  });
}

/// Applies f to every cell below a place.
Place map_cells(const Place& p, const std::function<Cell(Cell)>& f) {
  if (const auto* c = std::get_if<Cell>(&p.v)) return {f(*c)};
  if (const auto* parts = std::get_if<std::vector<Place>>(&p.v)) {
    std::vector<Place> r;
    for (const Place& x : *parts) r.push_back(map_cells(x, f));
    return {std::move(r)};
  }
  return array_place(p.hint(), [=](const Nat& i) { return map_cells(p[i], f); });
}

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

class Translator : public Views {
 public:
  void write(const Expr& e, const ScopePtr& scope, const Place& to);
  Block* block = nullptr;  ///< where statements go

 protected:
  View reduce(const Expr& e, const ScopePtr& scope) override;
  View place(const Expr& e, const ScopePtr& scope) override;

 private:
  void write_map(const Expr& e, const ScopePtr& scope, const Place& to, int depth, const View& xs);
  void write_update(const Expr& e, const ScopePtr& scope, const Place& to);
  bool write_structure(const Expr& e, const ScopePtr& scope, const Place& to);
  void write_view(const View& v, const Place& to);
  void store(const Term& value, const Cell& cell);
  void loop(For f, const std::function<void(const Nat&)>& body);
  std::string fresh_name(const std::string& hint) { return hint + std::to_string(++names_); }
  int names_ = 0;
};

void Translator::loop(For f, const std::function<void(const Nat&)>& body) {
  Block* outer = block;
  block = &f.body;
  body(f.var);
  block = outer;
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
  const bool innermost = depth + 1 == rank;
  For f = new_loop(to.hint(), shape_of(e.type(), rank)[static_cast<std::size_t>(depth)]);
  const auto kind = loop_kind(e.op());
  const bool spread = kind == LoopKind::Par || kind >= LoopKind::Glb;
  f.kind = innermost || spread ? kind : LoopKind::Seq;
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
    std::vector<View> args;
    for (std::size_t i = 1; i < e.children().size(); ++i) args.push_back(eval(e.child(i), scope));
    return write(e.child(0).child(0), std::make_shared<Scope>(Scope{std::move(args), scope}), to);
  }
  if (e.is(Op::Let)) {
    View v = eval(e.child(0), scope);
    if (const auto* t = std::get_if<Term>(&v.v); t && (*t)->kind == TermKind::Apply) {
      const Term local = local_term(fresh_name("v"), (*t)->type);
      block->push_back({Let{local, *t}});
      v = {local};
    }
    return write(e.child(1).child(0), std::make_shared<Scope>(Scope{{v}, scope}), to);
  }
  if (e.is(Op::Stream)) return write(e.child(0), scope, map_cells(to, [](Cell c) { return c.stream = true, c; }));
  if (e.is(Op::Layout) || e.is(Op::ToGlobal)) return write(e.child(0), scope, to);
  if (write_structure(e, scope, to)) return;
  write_view(eval(e, scope), to);
}

/// Structural primitives as acceptors. False: none of them, the value is copied element by element.
bool Translator::write_structure(const Expr& e, const ScopePtr& scope, const Place& to) {
  const Attr& a = e.attr();
  switch (e.op()) {
    case Op::Tuple:
      for (std::size_t i = 0; i < e.children().size(); ++i) write(e.child(i), scope, std::get<std::vector<Place>>(to.v).at(i));
      return true;
    case Op::Join: {
      const auto rank = static_cast<std::size_t>(a.ints[0]);
      const std::vector<Nat> inner = shape_of(e.child(0).type(), static_cast<int>(2 * rank));
      std::vector<std::string> names = hints(to, rank), all;
      for (const std::string& n : names) all.push_back(n + "t");
      all.insert(all.end(), names.begin(), names.end());
      write(e.child(0), scope, collect(all, [=](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (std::size_t d = 0; d < rank; ++d) q.push_back(p[d] * inner[rank + d] + p[rank + d]);
        return access(to, q);
      }));
      return true;
    }
    case Op::Split: {
      const auto rank = a.nats.size();
      write(e.child(0), scope, collect(hints(access(to, std::vector<Nat>(rank, 0)), rank), [=](const std::vector<Nat>& p) {
        std::vector<Nat> q(2 * rank);
        for (std::size_t d = 0; d < rank; ++d) q[d] = floordiv(p[d], a.nats[d]), q[rank + d] = mod(p[d], a.nats[d]);
        return access(to, q);
      }));
      return true;
    }
    case Op::Drop: {  // elements that are dropped have no place: a guard keeps them from being stored
      const auto rank = a.nats.size() / 2;
      const std::vector<Nat> kept = shape_of(e.type(), static_cast<int>(rank));
      write(e.child(0), scope, collect(hints(to, rank), [=](const std::vector<Nat>& p) {
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
      }));
      return true;
    }
    case Op::Transpose: {
      const auto names = hints(to, a.ints.size());
      std::vector<std::string> permuted(names.size());
      for (std::size_t d = 0; d < names.size(); ++d) permuted[static_cast<std::size_t>(a.ints[d])] = names[d];
      write(e.child(0), scope, collect(permuted, [=](const std::vector<Nat>& p) {
        std::vector<Nat> q;
        for (const auto d : a.ints) q.push_back(p[static_cast<std::size_t>(d)]);
        return access(to, q);
      }));
      return true;
    }
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

/// The base is already where the result goes when reading it there gives the place's own old value.
void Translator::write_update(const Expr& e, const ScopePtr& scope, const Place& to) {
  const View base = eval(e.child(0), scope);
  const Type& t = e.type();
  View old = base;
  Place cell = to;
  Type element = t;
  while (element.is_array()) {
    const Nat i = Nat::fresh("p", 0, element.length() - 1);
    old = old[i], cell = cell[i], element = element.element();
  }
  const auto* c = std::get_if<Cell>(&cell.v);
  const bool in_place = c && std::holds_alternative<Term>(old.v) && old.term() == load_term(c->array, c->position, element.scalar());
  if (!in_place) {
    if (e.is(Op::UpdateInPlace)) throw UserError("update_in_place: the result does not lie where its base lies; the base must be an argument, the result the whole of it");
    write_view(base, to);
  }
  const std::vector<Nat> offsets = e.attr().nats;
  write(e.child(1), scope, collect(hints(to, offsets.size()), [=](const std::vector<Nat>& p) {
    std::vector<Nat> q;
    for (std::size_t d = 0; d < p.size(); ++d) q.push_back(p[d] + offsets[d]);
    return access(to, q);
  }));
}

void Translator::write_view(const View& v, const Place& to) {
  if (const auto* t = std::get_if<Term>(&v.v)) return store(*t, std::get<Cell>(to.v));
  if (const auto* parts = std::get_if<std::vector<View>>(&v.v)) {
    for (std::size_t i = 0; i < parts->size(); ++i) write_view((*parts)[i], std::get<std::vector<Place>>(to.v).at(i));
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

/// Short reductions are unrolled; a long one becomes a loop with a mutable accumulator.
View Translator::reduce(const Expr& e, const ScopePtr& scope) {
  const auto n = e.child(2).type().length().constant();
  if (n && *n <= 32 && !e.is(Op::ReduceSeq)) return unrolled_reduce(e, scope);
  if (!e.type().is_scalar()) throw UserError("reduce: an accumulator of type " + e.type().str() + " over " + e.child(2).type().length().str() + " elements; only scalars are supported, use one reduce a component");
  const View xs = eval(e.child(2), scope);
  const Term acc = local_term(fresh_name("acc"), e.type().scalar());
  block->push_back({Declare{acc, eval(e.child(1), scope).term()}});
  loop(new_loop("r", xs.array().length), [&](const Nat& i) {
    const View next = call(e.child(0), {{acc}, xs[i]}, scope);
    block->push_back({Assign{acc, next.term()}});
  });
  return {acc};
}

/// The value is computed into an array of its own, which later reads load from.
View Translator::place(const Expr& e, const ScopePtr& scope) {
  if (e.is(Op::ToGlobal)) return eval(e.child(0), scope);
  if (e.type().is_scalar()) {
    const Term t = eval(e.child(0), scope).term();
    if (t->kind != TermKind::Apply && t->kind != TermKind::Load) return {t};
    const Term local = local_term(fresh_name("v"), t->type);
    block->push_back({Let{local, t}});
    return {local};
  }
  const std::string name = fresh_name("tile");
  block->push_back({Allocate{name, e.type(), e.is(Op::ToLocal) ? AddressSpace::Local : AddressSpace::Private}});
  write(e.child(0), scope, root_place(name, e.type(), dimension_names(shape_of(e.type()).size())));
  return array_view(name, e.type());
}

/// The argument that an in-place update at the end of the program overwrites.
std::string overwritten(const Expr& body) {
  std::string name;
  visit(body, [&](const Expr& e) {
    if (!e.is(Op::UpdateInPlace)) return;
    if (!name.empty()) throw UserError("update_in_place twice in one program; only the last update may be in place");
    name = "?";
  });
  return name;
}

}  // namespace

ResultPlace result_place(const Program& program) {
  ResultPlace r{program.body.type(), ""};
  if (overwritten(program.body).empty()) return r;
  // The base's root argument: the one overwritable argument of the result's type whose element the update reads.
  for (const std::string& name : program.overwritable)
    for (const Expr& a : program.arguments)
      if (param_name(a) == name && a.type() == r.type) r.argument = name;
  if (r.argument.empty()) throw UserError("update_in_place: no overwritable argument has the result's type " + r.type.str());
  return r;
}

namespace {

/// Layouts requested for arguments, and (under "out") for a new result.
std::map<std::string, LayoutRequest> layouts(const Program& program) {
  std::map<std::string, LayoutRequest> r;
  visit(program.body, [&](const Expr& e) {
    if (e.is(Op::Layout) && e.child(0).is(Op::Param)) r[param_name(e.child(0))] = layout_of(e);
  });
  if (program.body.is(Op::Layout) && !program.body.child(0).is(Op::Param)) r["out"] = layout_of(program.body);
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

Kernel translate(const Program& program) {
  const ResultPlace result = result_place(program);
  const auto requests = layouts(program);
  const auto layout = [&](const std::string& name, const Type& t) {
    const auto it = requests.find(name);
    return Layout(it == requests.end() ? LayoutRequest{} : it->second, t);
  };
  Kernel k;
  k.name = program.name;
  for (const Expr& a : program.arguments) {
    KernelArgument x{param_name(a), a.type(), {}, false, false, {}};
    if (a.type().is_array()) x.layout = layout(x.name, a.type());
    if (a.type().is_scalar() && !a.attr().nats.empty()) x.range = a.attr().nats;
    k.arguments.push_back(std::move(x));
  }
  k.result = result.argument.empty() ? "out" : result.argument;
  if (result.argument.empty()) k.arguments.push_back({"out", result.type, layout("out", result.type), false, false, {}});

  Translator t;
  t.block = &k.body;
  t.write(program.body, nullptr, root_place(k.result, result.type, dimension_names(shape_of(result.type).size())));
  mark_accesses(k);
  return k;
}

}  // namespace lift
