// Streams in registers. Along a sequential loop, a value that an iteration computes from memory is often one
// that the next iterations compute again, from the same elements: phi[k + 1] is phi[k] of the iteration
// after. Such values are kept in variables that move on by one with each iteration; only the newest is
// computed anew.
//
//   for k: out[k] = a[k - 1] + a[k] + a[k + 1]   ->   var ago2 = a[lower - 1], ago1 = a[lower]
//                                                     for k: var new = a[k + 1]; out[k] = ago2 + ago1 + new;
//                                                     ago2 = ago1; ago1 = new
//
// Each variable equals its element from the start of an iteration to its end: a store to that element, and
// nowhere else, assigns to the variable, too. Nothing is loaded that the loop as it was does not load, but
// elements within the bounds of their array where the loop's own guard leaves iterations out.
#include <algorithm>
#include <map>
#include <set>

#include "ir/nat/shift.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t longest_window = 8;

/// The value of `origin` so many iterations later.
struct Shifted {
  Term origin;
  std::int64_t shift = 0;
};

/// What one loop computes from memory: the same value of several iterations.
struct Stream {
  Term origin;
  std::string array;              ///< that it loads from, or the first of them
  std::set<std::int64_t> shifts;  ///< of those found
  std::vector<Term>
      variables;  ///< from the oldest to the newest, one for each shift between the first and the last
  std::int64_t first() const { return *shifts.begin(); }
  std::int64_t last() const { return *shifts.rbegin(); }
  Term variable(std::int64_t shift) const { return variables.at(static_cast<std::size_t>(shift - first())); }
};

bool is_choice(const Term& t) { return t->kind == TermKind::Apply && t->op == Op::Select && t->width == 1; }

/// One loop along which values are kept.
class Rotation {
 public:
  /// `items`: the variables of the parallel loops around.
  Rotation(For loop, const std::vector<Nat>& items, const std::map<std::string, Type>& arrays,
           std::set<std::string>& names)
      : loop_(std::move(loop)), items_(items), arrays_(arrays), names_(names) {
    visit(loop_.body, [&](const Stmt& s) {
      if (const auto* x = std::get_if<Store>(&s.v)) stores_.push_back(*x);
      if (const auto* x = std::get_if<Allocate>(&s.v)) own_.insert(x->name);
      waits_ |= std::holds_alternative<Barrier>(s.v);
    });
  }
  /// First whole choices, such as a neighbour or its reflection at a boundary of another axis; then plain
  /// loads.
  Block result() {
    for (const bool choices : {true, false}) keep(choices);
    const bool runs = Facts().proves(less(loop_.lower, loop_.upper)) || before_.empty();
    Block all = std::move(before_);
    const NatCond some = less(loop_.lower, loop_.upper);
    all.push_back({std::move(loop_)});
    if (runs) return all;
    return {{If{{compare_term(some)}, std::move(all)}}};
  }

 private:
  Nat later(std::int64_t iterations) const { return loop_.var + iterations * loop_.step; }
  Term at(const Stream& s, std::int64_t shift, const Nat& variable) const {
    return substitute(s.origin, loop_.var, variable + shift * loop_.step);
  }

  /// Nothing where t is no value that memory and the iteration alone determine, or does not move with the
  /// iterations.
  std::optional<Shifted> shifted(const Term& t) const {
    bool fixed = true;
    std::optional<std::int64_t> shift;
    visit(t, [&](const Term& x) {
      fixed &= x->kind != TermKind::Local && x->kind != TermKind::Call && x->width == 1;
      for (const NatCond& c : x->conds) fixed &= !mentions(c.a, loop_.var);
      if (x->kind == TermKind::Index) fixed &= !mentions(x->nats[0], loop_.var);
      if (x->kind != TermKind::Load) return;
      const bool moves =
          std::any_of(x->nats.begin(), x->nats.end(), [&](const Nat& n) { return mentions(n, loop_.var); });
      const auto s = lift::shifted(x->nats, loop_.var, loop_.step);
      fixed &= own_.count(x->name) == 0 && (!moves || s);
      if (s && !shift) shift = s->shift;
    });
    if (!fixed || !shift) return std::nullopt;
    return Shifted{substitute(t, loop_.var, later(-*shift)), *shift};
  }

  // ---- finding

  /// Calls f with each value of a block that may be kept, and whether it is computed in every iteration.
  using Seen = std::set<std::pair<std::uint32_t, bool>>;
  void values(const Block& b, bool choices, bool always, Seen& seen,
              const std::function<void(const Term&, bool)>& f) const {
    const auto scan = [&](const Term& t, bool certain) { values(t, choices, certain, seen, f); };
    for (const Stmt& s : b) {
      if (const Term* t = value_of(s)) scan(*t, always);
      if (const auto* x = std::get_if<If>(&s.v)) {
        for (const Term& c : x->conditions) scan(c, always && c == x->conditions.front());
        values(x->body, choices, false, seen, f);
      }
    }
  }
  void values(const Term& t, bool choices, bool certain, Seen& seen,
              const std::function<void(const Term&, bool)>& f) const {
    if (!seen.emplace(t->id, certain).second) return;
    if (choices ? is_choice(t) : t->kind == TermKind::Load) f(t, certain);
    if (choices && is_choice(t) && shifted(t)) return;
    for (std::size_t i = 0; i < t->args.size(); ++i)
      values(t->args[i], choices, certain && (i == 0 || !is_conditional(t)), seen, f);
  }

  /// Every load lies within its array, whatever the guards.
  bool within_bounds(const Term& t) const {
    bool within = true;
    visit(t, [&](const Term& x) {
      if (x->kind != TermKind::Load || !within) return;
      const auto it = arrays_.find(x->name);
      if (it == arrays_.end()) return static_cast<void>(within = false);
      const std::vector<Nat> shape = shape_of(it->second);
      for (std::size_t d = 0; d < shape.size() && within; ++d)
        within = Facts().proves_nonnegative(x->nats.at(d)) && Facts().proves(less(x->nats.at(d), shape[d]));
    });
    return within;
  }
  /// Loaded where the loop as it was does not, an element must not be one that other work-items may store: of
  /// an array that this loop stores to, only elements of a line that is stored by this work-item alone.
  bool may_be_early(const Term& t) const {
    bool may = within_bounds(t);
    const auto own = shifted(t);
    visit(t, [&](const Term& x) {
      if (x->kind != TermKind::Load) return;
      for (const Store& s : stores_)
        if (s.array == x->name && may) {
          const auto stored = shifted(load_term(s.array, s.position, x->type));
          may = own && stored && own->origin == stored->origin &&
                std::none_of(x->nats.begin(), x->nats.end(), [&](const Nat& n) { return is_shared(n); });
        }
    });
    return may;
  }
  /// The index along the loop is also one along a parallel loop: each work-item has a chunk of the line.
  bool is_shared(const Nat& index) const {
    return mentions(index, loop_.var) &&
           std::any_of(items_.begin(), items_.end(), [&](const Nat& v) { return mentions(index, v); });
  }

  std::vector<Stream> streams(bool choices) const {
    std::vector<Term> origins;
    std::map<std::uint32_t, std::set<std::int64_t>> kept;
    Seen seen;
    values(loop_.body, choices, true, seen, [&](const Term& t, bool certain) {
      const auto s = shifted(t);
      if (!s || (!certain && !may_be_early(t))) return;
      if (kept.count(s->origin->id) == 0) origins.push_back(s->origin);
      kept[s->origin->id].insert(s->shift);
    });
    std::vector<Stream> r;
    for (const Term& o : origins) {
      Stream s{o, "", kept[o->id], {}};
      if (s.shifts.size() < 2 || s.last() - s.first() > longest_window || !undisturbed(s)) continue;
      visit(o, [&](const Term& x) {
        if (x->kind == TermKind::Load && s.array.empty()) s.array = x->name;
      });
      r.push_back(std::move(s));
    }
    return r;
  }

  /// Each store goes to the element of one variable, or to none.
  bool undisturbed(const Stream& s) const {
    return std::all_of(stores_.begin(), stores_.end(), [&](const Store& x) {
      bool fine = true;
      if (waits_)
        visit(s.origin, [&](const Term& l) { fine &= l->kind != TermKind::Load || l->name != x.array; });
      if (!fine) return false;
      if (s.origin->kind == TermKind::Load && s.origin->name == x.array && x.value->width == 1) {
        const auto stored = shifted(load_term(x.array, x.position, s.origin->type));
        if (stored && stored->origin == s.origin) return true;
      }
      for (std::int64_t shift = s.first(); shift <= s.last() && fine; ++shift)
        visit(at(s, shift, loop_.var), [&](const Term& l) {
          fine = fine && (l->kind != TermKind::Load || l->name != x.array ||
                          (x.value->width == 1 && apart(l->nats, x.position)));
        });
      return fine;
    });
  }
  static bool apart(const std::vector<Nat>& a, const std::vector<Nat>& b) {
    for (std::size_t d = 0; d < a.size() && d < b.size(); ++d)
      if (Facts().refutes(equal(a[d], b[d]))) return true;
    return false;
  }

  // ---- keeping

  void name(Stream& s) {
    const auto label = [&](std::int64_t shift) {
      return shift == s.last() ? std::string("_new") : "_ago" + std::to_string(s.last() - shift);
    };
    std::string base = s.array;
    const auto free = [&](const std::string& b) {
      for (std::int64_t shift = s.first(); shift <= s.last(); ++shift)
        if (names_.count(b + label(shift))) return false;
      return true;
    };
    for (int n = 2; !free(base); ++n) base = s.array + std::to_string(n);
    for (std::int64_t shift = s.first(); shift <= s.last(); ++shift) {
      names_.insert(base + label(shift));
      s.variables.push_back(local_term(base + label(shift), s.origin->type));
    }
  }

  static std::optional<Term> variable_of(const std::optional<Shifted>& s, const std::vector<Stream>& all) {
    for (const Stream& stream : all)
      if (s && stream.origin == s->origin && stream.first() <= s->shift && s->shift <= stream.last())
        return stream.variable(s->shift);
    return std::nullopt;
  }
  /// The outermost that is kept is replaced.
  Term in_variables(const Term& t, const std::vector<Stream>& all,
                    std::map<std::uint32_t, Term>& done) const {
    if (const auto it = done.find(t->id); it != done.end()) return it->second;
    std::optional<Term> r;
    if (t->kind == TermKind::Load || is_choice(t)) r = variable_of(shifted(t), all);
    if (!r && !t->args.empty()) {
      std::vector<Term> args;
      for (const Term& a : t->args) args.push_back(in_variables(a, all, done));
      if (!(args == t->args)) r = with_args(t, std::move(args));
    }
    return done.emplace(t->id, r.value_or(t)).first->second;
  }
  /// What is stored goes to the variable of that element first.
  Block forwarded(Store x, const std::vector<Stream>& all) const {
    Block r;
    for (const Stream& stream : all) {
      if (stream.origin->kind != TermKind::Load || stream.origin->name != x.array) continue;
      const auto v = variable_of(shifted(load_term(x.array, x.position, stream.origin->type)), {stream});
      if (!v) continue;
      r.push_back({Assign{*v, x.value}});
      x.value = *v;
    }
    r.push_back({std::move(x)});
    return r;
  }
  /// Within other loops of the body nothing is replaced, but what they store is forwarded.
  Block with_variables(const Block& b, const std::vector<Stream>& all, bool nested = false) const {
    Block r;
    for (Stmt s : b) {
      std::map<std::uint32_t, Term> done;
      const auto value = [&](const Term& t) { return nested ? t : in_variables(t, all, done); };
      if (Term* t = value_of(s)) *t = value(*t);
      if (auto* x = std::get_if<For>(&s.v)) x->body = with_variables(x->body, all, true);
      if (auto* x = std::get_if<If>(&s.v)) {
        for (Term& c : x->conditions) c = value(c);
        x->body = with_variables(x->body, all, nested);
      }
      if (auto* x = std::get_if<Store>(&s.v)) {
        for (Stmt& y : forwarded(std::move(*x), all)) r.push_back(std::move(y));
        continue;
      }
      r.push_back(std::move(s));
    }
    return r;
  }

  void keep(bool choices) {
    std::vector<Stream> all = streams(choices);
    if (all.empty()) return;
    Block body;
    for (Stream& s : all) {
      name(s);
      for (std::int64_t shift = s.first(); shift < s.last(); ++shift)
        before_.push_back({Declare{s.variable(shift), at(s, shift, loop_.lower)}});
      body.push_back({Declare{s.variable(s.last()), at(s, s.last(), loop_.var)}});
    }
    for (Stmt& x : with_variables(loop_.body, all)) body.push_back(std::move(x));
    for (const Stream& s : all)
      for (std::int64_t shift = s.first(); shift < s.last(); ++shift)
        body.push_back({Assign{s.variable(shift), s.variable(shift + 1)}});
    loop_.body = std::move(body);
  }

  For loop_;
  const std::vector<Nat>& items_;
  const std::map<std::string, Type>& arrays_;
  std::set<std::string>& names_;
  std::vector<Store> stores_;
  std::set<std::string> own_;  ///< arrays that an iteration allocates
  bool waits_ = false;         ///< for other work-items, which may have stored, too
  Block before_;
};

Block rotated(const Block& b, std::vector<Nat>& items, const std::map<std::string, Type>& arrays,
              std::set<std::string>& names) {
  Block r;
  for (Stmt s : b) {
    if (auto* i = std::get_if<If>(&s.v)) i->body = rotated(i->body, items, arrays, names);
    auto* f = std::get_if<For>(&s.v);
    if (f) {
      const bool parallel = f->kind == LoopKind::Par || f->kind >= LoopKind::Glb;
      if (parallel) items.push_back(f->var);
      f->body = rotated(f->body, items, arrays, names);
      if (parallel) items.pop_back();
    }
    if (!f || !f->rotate || Facts().proves(less_equal(f->upper - f->lower, f->step))) {
      r.push_back(std::move(s));
      continue;
    }
    for (Stmt& x : Rotation(std::move(*f), items, arrays, names).result()) r.push_back(std::move(x));
  }
  return r;
}

}  // namespace

Block rotate_loops(const Block& b, const Kernel& k) {
  std::map<std::string, Type> arrays;
  std::set<std::string> names;
  for (const KernelArgument& a : k.arguments) {
    names.insert(a.name);
    if (a.type.is_array()) arrays.emplace(a.name, a.type);
  }
  visit(b, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) arrays.emplace(a->name, a->type);
  });
  std::vector<Nat> items;
  return rotated(b, items, arrays, names);
}

}  // namespace lift
