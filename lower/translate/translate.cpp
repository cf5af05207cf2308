#include "lower/translate/translate.hpp"

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "lower/launches.hpp"
#include "lower/loops/visit.hpp"
#include "lower/translate/route.hpp"
#include "lower/translate/storage.hpp"
#include "lower/translate/translator.hpp"
#include "lower/translate/whole_vectors.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/stage_graph.hpp"

namespace lift {
namespace {

/// Of functions for what one statement computes: more are text that no compiler takes.
constexpr std::size_t kMostCalls = 100000;

LoopKind loop_kind(Op op) {
  switch (op) {
    case Op::MapUnroll:
      return LoopKind::Unroll;
    case Op::MapPar:
      return LoopKind::Par;
    case Op::MapVec:
      return LoopKind::Vec;
    case Op::MapGlb:
      return LoopKind::Glb;
    case Op::MapWrg:
      return LoopKind::Wrg;
    case Op::MapLcl:
      return LoopKind::Lcl;
    default:
      return LoopKind::Seq;
  }
}

/// What names values or keeps them in variables before it stores any, alone: work-items of a group are to
/// meet whatever the guards say.
bool computes_first(const Expr& e) {
  const bool names = e.is(Op::Let) || e.is(Op::Apply) || is_scan(e.op()) || is_reduce(e.op());
  return names && !contains(e, [](const Expr& x) {
           return x.is(Op::ToLocal) || x.is(Op::MapLcl) || x.is(Op::MapWrg);
         });
}

}  // namespace

For new_loop(const std::string& hint, const Nat& length, const Nat& first) {
  For f;
  f.var = Nat::fresh(hint, first, first + length - 1);
  f.lower = first, f.upper = first + length;
  return f;
}

void Translator::loop(For f, const std::function<void(const Nat&)>& body) {
  Block* outer = block;
  if (is_parallel(f.kind)) parallel_.push_back(f);
  block = &f.body;
  body(f.var);
  block = outer;
  if (is_parallel(f.kind)) parallel_.pop_back();
  block->push_back({std::move(f)});
}

For map_loop(const Expr& e, const Acceptor& to, int depth) {
  const int rank = op_rank(e);
  const bool innermost = depth + 1 == rank;
  For f = new_loop(to.hint(), shape_of(e.type(), rank)[static_cast<std::size_t>(depth)]);
  const auto kind = loop_kind(e.op());
  f.kind = innermost || is_parallel(kind) ? kind : LoopKind::Seq;
  const auto number = [&](LoopOption option) { return static_cast<int>(loop_option(e, option)); };
  if (f.kind >= LoopKind::Glb) f.dim = number(LoopOption::Dimension) + rank - 1 - depth;
  if (f.kind == LoopKind::Par) f.dynamic = number(LoopOption::Dynamic);
  if (f.kind == LoopKind::Par && depth == 0) f.joined = number(LoopOption::Joined);
  if (innermost)
    f.items = number(LoopOption::Items), f.width = number(LoopOption::Width),
    f.stride = number(LoopOption::Stride), f.late_store = number(LoopOption::LateStore) != 0,
    f.prefetch = number(LoopOption::Prefetch), f.rotate = number(LoopOption::Rotate) != 0;
  return f;
}

/// The loops of a map of rank D: the attributes of a low-level map belong to the innermost of them, parallel
/// ones to all.
void Translator::write_map(const Expr& e, const ScopePtr& scope, const Acceptor& to, int depth,
                           const View& xs) {
  const int rank = op_rank(e);
  if (depth == rank) {
    const Expr& f = e.child(0);
    write(f.child(0), std::make_shared<Scope>(Scope{{xs}, scope}), to);
    return;
  }
  if (xs.array().variables) {
    for (std::int64_t i = 0; i < *xs.array().length.constant(); ++i)
      write_map(e, scope, to[Nat(i)], depth + 1, xs[Nat(i)]);
    return;
  }
  loop(map_loop(e, to, depth), [&](const Nat& i) { write_map(e, scope, to[i], depth + 1, xs[i]); });
}

/// Interleaved results of maps that are decided alike come from one loop, which writes neighbouring elements
/// together.
bool Translator::write_interleaved(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  const Expr& first = e.child(0);
  const auto alike = [&](const Expr& c) {
    return is_map(c.op()) && !scan_gone_over(c) && c.op() == first.op() && c.attr() == first.attr() &&
           op_rank(c) == 1;
  };
  if (!std::all_of(e.children().begin(), e.children().end(), alike)) return false;
  std::vector<View> xs;
  for (const Expr& c : e.children()) xs.push_back(eval(c.child(1), scope));
  if (std::any_of(xs.begin(), xs.end(), [](const View& x) { return static_cast<bool>(x.array().variables); }))
    return false;
  const auto m = static_cast<std::int64_t>(xs.size());
  loop(map_loop(first, to, 0), [&](const Nat& i) {
    for (std::size_t p = 0; p < xs.size(); ++p)
      write_map(e.child(p), scope, to[m * i + static_cast<std::int64_t>(p)], 1, xs[p][i]);
  });
  return true;
}

void Translator::write(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  calls_ = 0;  // of what is written here
  const auto* cell = std::get_if<Cell>(&to.v);
  if (cell && !cell->guards.empty() && !guarded_) return write_guarded(e, scope, *cell);
  if (!cell && computes_first(e))
    if (const std::vector<NatCond> guards = common_guards(to); !guards.empty())
      return write_under(guards, e, scope, to);
  if (is_scan(e.op())) return write_scan(e, scope, to);
  if (is_map(e.op()) && write_map_of_scan(e, scope, to)) return;
  if (is_map(e.op())) {
    std::vector<Ring> rings, *outer = rings_;
    rings_ = &rings;
    const View xs = eval(e.child(1), scope);
    rings_ = outer;
    return rings.empty() ? write_map(e, scope, to, 0, xs) : write_along(e, scope, to, xs, rings);
  }
  if (is_update(e.op())) return write_update(e, scope, to);
  if (e.is(Op::Iterate) && (stores_steps(e) || overwrites_steps(e))) return write_iterate(e, scope, to);
  if (e.is(Op::Apply)) {
    if (e.children().size() == 2) return write_let(e.child(1), e.child(0), scope, to);
    std::vector<View> args;
    for (std::size_t i = 1; i < e.children().size(); ++i) args.push_back(eval(e.child(i), scope));
    return write(e.child(0).child(0), std::make_shared<Scope>(Scope{std::move(args), scope}), to);
  }
  if (e.is(Op::Band)) return write_schedule(e, scope, to);
  if (e.is(Op::Let)) return write_let(e.child(0), e.child(1), scope, to);
  if (e.is(Op::Async))
    return write(e.child(0), scope, map_cells(to, [](Cell c) { return c.async = true, c; }));
  if (e.is(Op::Stream))
    return write(e.child(0), scope, map_cells(to, [](Cell c) { return c.stream = true, c; }));
  if (e.is(Op::Layout) || e.is(Op::ReadOnly) || e.is(Op::MayAlias) || e.is(Op::ToGlobal))
    return write(e.child(0), scope, to);
  if (write_structure(e, scope, to) || is_there(e, scope, to)) return;
  write_view(eval(e, scope), to);
}

/// A scalar that is stored under guards: loops and names that compute it are under them, too, since what they
/// read may exist only there.
void Translator::write_guarded(const Expr& e, const ScopePtr& scope, const Cell& cell) {
  Block computed, *outer = block;
  block = &computed, guarded_ = true;
  write(e, scope, {cell});
  block = outer, guarded_ = false;
  const bool loops = std::any_of(computed.begin(), computed.end(),
                                 [](const Stmt& s) { return std::holds_alternative<For>(s.v); });
  if (loops || computed.size() > 1) {
    std::vector<Term> guards;
    for (const NatCond& g : cell.guards) guards.push_back(compare_term(g));
    if (auto* last = std::get_if<If>(&computed.back().v)) {  // the store's own
      std::erase_if(last->conditions, [&](const Term& c) {
        return std::find(guards.begin(), guards.end(), c) != guards.end();
      });
      if (last->conditions.empty()) {
        Block stored = std::move(last->body);
        computed.pop_back();
        for (Stmt& s : stored) computed.push_back(std::move(s));
      }
    }
    computed = {{If{std::move(guards), std::move(computed)}}};
  }
  for (Stmt& s : computed) block->push_back(std::move(s));
}

/// The same of several scalars, under the guards that all of them have.
void Translator::write_under(const std::vector<NatCond>& guards, const Expr& e, const ScopePtr& scope,
                             const Acceptor& to) {
  Block computed, *outer = block;
  block = &computed;
  write(e, scope, map_cells(to, [guards](Cell c) {
          std::erase_if(c.guards, [&](const NatCond& g) {
            return std::find(guards.begin(), guards.end(), g) != guards.end();
          });
          return c;
        }));
  block = outer;
  std::vector<Term> conditions;
  for (const NatCond& g : guards) conditions.push_back(compare_term(g));
  if (!computed.empty()) block->push_back({If{std::move(conditions), std::move(computed)}});
}

namespace {

/// Scalars and tuples of them that take no loop.
bool is_plain(const Expr& e) {
  if (e.is(Op::Tuple)) return std::all_of(e.children().begin(), e.children().end(), is_plain);
  return !e.type().has_arrays() && (is_scalar_op(e.op()) || e.is(Op::Bound) || e.is(Op::Get) || e.is(Op::At));
}
void cells_of(const Acceptor& place, std::vector<Cell>& to) {
  if (const auto* cell = std::get_if<Cell>(&place.v)) return to.push_back(*cell);
  for (const Acceptor& part : std::get<std::vector<Acceptor>>(place.v)) cells_of(part, to);
}

}  // namespace

/// Scalars one of which is computed from where another goes, as accumulators are: all are computed, then all
/// are stored.
bool Translator::write_together(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  if (!is_plain(e)) return false;
  std::vector<Term> values;
  std::vector<Cell> places;
  scalars_of(eval(e, scope), values);
  cells_of(to, places);
  bool overlap = false;
  for (std::size_t i = 0; i < values.size(); ++i)
    visit(values[i], [&](const Term& x) {
      for (std::size_t k = 0; k < values.size(); ++k)
        overlap = overlap || (k != i && x->kind == TermKind::Load && x->name == places.at(k).array);
    });
  if (!overlap) return false;
  for (Term& t : values) {
    const Term local = local_term(fresh_name("next"), t->type);
    block->push_back({Let{local, t}});
    t = local;
  }
  for (std::size_t i = 0; i < values.size(); ++i) store(values[i], places[i]);
  return true;
}

/// Whether a named value is where it is to go: it has been computed there, or over an argument, which is then
/// the result.
bool Translator::is_there(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  if (!e.is(Op::Bound) || !e.type().is_array()) return false;
  const View v = eval(e, scope);
  const auto place = place_of(v, e.type());
  if (!place) return false;
  const std::set<std::string> arrays = arrays_at(*place);
  const bool overwritten = arrays.size() == 1 && overwritten_.count(*arrays.begin()) > 0;
  return place_of_base(v, e.type(), to, overwritten).has_value();
}

/// False: no acceptor, the value is copied element by element.
bool Translator::write_structure(const Expr& e, const ScopePtr& scope, const Acceptor& to) {
  if (const auto place = accept(e, to)) {
    write(e.child(0), scope, *place);
    return true;
  }
  switch (e.op()) {
    case Op::Tuple: {
      const std::vector<Acceptor>& places = std::get<std::vector<Acceptor>>(to.v);
      if (write_together(e, scope, to)) return true;
      for (std::size_t i = 0; i < e.children().size(); ++i) {
        const Expr& c = e.child(i);
        if (!is_there(c, scope, places.at(i))) write(c, scope, places.at(i));
      }
      return true;
    }
    case Op::Concat: {
      const auto before = in_argument;
      const Nat n = e.child(0).type().length();
      write(e.child(0), scope, to);
      write(e.child(1), scope, array_place(to.hint(), [=](const Nat& i) { return to[i + n]; }));
      if (in_argument != before) refuse_place();  // a part updates an argument, and the other lies elsewhere
      return true;
    }
    case Op::Interleave: {
      if (write_interleaved(e, scope, to)) return true;
      const auto m = static_cast<std::int64_t>(e.children().size());
      for (std::int64_t p = 0; p < m; ++p)
        write(e.child(static_cast<std::size_t>(p)), scope,
              array_place(to.hint(), [=](const Nat& i) { return to[m * i + p]; }));
      return true;
    }
    default:
      return false;
  }
}

void Translator::write_view(const View& v, const Acceptor& to) {
  if (const auto* t = std::get_if<Term>(&v.v)) return store(*t, std::get<Cell>(to.v));
  if (const auto* parts = std::get_if<std::vector<View>>(&v.v)) {
    for (std::size_t i = 0; i < parts->size(); ++i)
      write_view((*parts)[i], std::get<std::vector<Acceptor>>(to.v).at(i));
    return;
  }
  if (v.array().variables) {
    for (std::int64_t i = 0; i < *v.array().length.constant(); ++i) write_view(v[Nat(i)], to[Nat(i)]);
    return;
  }
  loop(new_loop(to.hint(), v.array().length), [&](const Nat& i) { write_view(v[i], to[i]); });
}

void Translator::store(const Term& given, const Cell& cell) {
  std::vector<Term> conditions;
  Facts written;
  for (const NatCond& g : cell.guards) conditions.push_back(compare_term(g)), written = written.with(g);
  const Term value = cell.guards.empty() ? given : simplify(given, written);
  Term stored = value;
  const Term old = load_term(cell.array, cell.position, value->type);
  if (value == old) return;
  if (value->kind == TermKind::Apply && value->op == Op::Select && value->args[2] == old) {
    conditions.push_back(value->args[0]);
    stored = value->args[1];
  }
  if (is_integer(stored->type) && own_.contains(cell.array)) stored_[cell.array].push_back(stored);
  Block b{
      {Store{cell.array, cell.position, stored, cell.stream, cell.async && stored->kind == TermKind::Load}}};
  if (!conditions.empty()) b = {{If{std::move(conditions), std::move(b)}}};
  for (Stmt& s : b) block->push_back(std::move(s));
}

namespace {

/// Layouts requested for arguments, and (under "out") for a new result.
std::map<std::string, LayoutRequest> layouts(const Program& program) {
  std::map<std::string, LayoutRequest> r;
  visit(program.body, [&](const Expr& e) {
    if (e.is(Op::Layout) && e.child(0).is(Op::Param)) r[param_name(e.child(0))] = layout_of(e);
  });
  if (program.body.is(Op::Layout) && !program.body.child(0).is(Op::Param))
    r[results_of(program).front().name] = layout_of(program.body);
  return r;
}

void mark_accesses(Kernel& k) {
  std::set<std::string> read, written;
  std::map<std::string, Attr> functions;
  visit(k.body, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& a) { (a.store ? written : read).insert(a.array); });
  });
  visit_terms(k.body, [&](const Term& x) {
    if (x->kind != TermKind::Call) return;
    if (const auto [it, added] = functions.emplace(x->name, x->user); !added && !(it->second == x->user))
      throw UserError("the function " + x->name + " is there twice, with different bodies or parameters; " +
                      "give each a name of its own");
  });
  for (KernelArgument& a : k.arguments)
    a.read = read.count(a.name) > 0, a.written = written.count(a.name) > 0;
  for (auto& [name, attr] : functions) k.user_functions.push_back(attr);
}

}  // namespace

namespace {

/// The results as arguments of the kernel: those of the program, or new ones.
void add_results(Kernel& k, const Program& program, const std::map<std::string, std::string>& in_argument,
                 const std::function<Layout(const std::string&, const Type&)>& layout) {
  for (const ProgramResult& r : results_of(program)) {
    const std::string& argument = in_argument.at(r.name);
    k.results.push_back(argument.empty() ? r.name : argument);
    if (argument.empty()) {
      k.arguments.push_back({r.name, r.type, layout(r.name, r.type), false, false, {}});
      k.arguments.back().made = true;
      continue;
    }
    for (const KernelArgument& a : k.arguments)
      if (a.name == argument && !(a.type == r.type))
        throw UserError("update_in_place: the result " + r.type.str() + " is written into " + argument +
                        ", which is " + a.type.str() + "; update the whole argument");
  }
}

}  // namespace

Kernel translate(const Program& given) {
  const Program program = with_storage(given);
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
    if (is_index_param(a)) x.range = {index_lower(a), index_upper(a)};
    k.arguments.push_back(std::move(x));
  }
  Translator t;
  t.most_calls = kMostCalls;
  t.block = &k.body;
  t.given.insert(k.sizes.begin(), k.sizes.end());
  for (const KernelArgument& a : k.arguments) t.given.insert(a.name);
  for (const ProgramResult& r : results_of(program)) t.given.insert(r.name);
  visit(program.body, [&](const Expr& e) {
    if (e.is(Op::UserFun)) t.given.insert(user_name(e.attr()));
  });
  if (contains(program.body, [](const Expr& e) { return e.is(Op::Band); })) {
    const Chain chain = chain_of(scheduled_program(program));
    const StageGraph graph = stage_graph(chain, Updates::as_decided);
    for (std::size_t i = 0; i < graph.stages.size(); ++i) {
      const StageWrites& w = graph.stages[i];
      t.stage_grids.push_back({w.scale, w.begins, w.each, !w.base, {}});
      for (std::size_t axis = 0; axis < w.scale.size(); ++axis)
        t.stage_grids.back().read.push_back(positions_read(chain, graph, i, axis));
      read_whole_vectors(chain.stages[i], t.stage_grids.back());
    }
  }
  std::vector<std::string> names;
  for (const ProgramResult& r : results_of(program)) names.push_back(r.name), t.in_argument[r.name] = "";
  t.write(program.body, nullptr, array_places(names, program.body.type()));
  add_results(k, program, t.in_argument, layout);
  k.arguments.insert(k.arguments.end(), t.work.begin(), t.work.end());
  separate_launches(k);
  mark_accesses(k);
  visit(program.body, [&](const Expr& e) {
    if (e.is(Op::MayAlias))  // with one of them, each of the others may
      for (KernelArgument& a : k.arguments) a.access = ArrayAccess::Plain;
  });
  visit(program.body, [&](const Expr& e) {
    if (!e.is(Op::ReadOnly)) return;
    Expr x = e.child(0);
    while (is_identity(x.op())) x = x.child(0);
    for (KernelArgument& a : k.arguments)
      if (x.is(Op::Param) && a.name == param_name(x)) a.access = ArrayAccess::ReadOnly;
  });
  for (const KernelArgument& a : k.arguments)
    if (a.written && a.access == ArrayAccess::ReadOnly)
      throw UserError("read_only: " + a.name + " is overwritten in place; leave out read_only there");
  return k;
}

}  // namespace lift
