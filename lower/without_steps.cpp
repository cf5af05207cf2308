// Loops of a program from which its traffic can be read: decisions taken back, and nothing kept in between.
#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/nat/nat_atoms.hpp"
#include "lower/analyses/load_classes.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "lower/passes/pipeline.hpp"
#include "lower/translate/translate.hpp"
#include "lower/updates_in_place.hpp"
#include "rewrite/analysis/decided.hpp"
#include "rewrite/space/block_form.hpp"
#include "rewrite/space/update_form.hpp"

namespace lift {
namespace {

/// An element of a scan is computed from its own input alone: the same arrays are read and written.
Expr without_scans(const Expr& e) {
  const Expr x = map_children(e, without_scans);
  if (!is_scan(x.op())) return x;
  return map([&](Expr input) { return apply(x.child(0), {x.child(1), input}); }, x.child(2));
}

/// Arrays for intermediate values, in memory or on the stack.
std::set<std::string> kept_arrays(const Kernel& k) {
  std::set<std::string> names;
  for (const KernelArgument& a : k.arguments)
    if (a.work) names.insert(a.name);
  visit(k.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) names.insert(a->name);
  });
  return names;
}

/// Arrays that an iteration has to itself, with the variables of the loops around them as further indices.
Block with_loops_as_indices(const Block& b, const std::vector<Nat>& around = {},
                            std::map<std::string, std::vector<Nat>> own = {}) {
  const auto further = [&](const std::string& array, const std::vector<Nat>& position) {
    std::vector<Nat> r = own[array];
    r.insert(r.end(), position.begin(), position.end());
    return r;
  };
  const auto with_further = [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      if (x->kind != TermKind::Load) return x;
      const Term load = load_term(x->name, further(x->name, x->nats), x->type, x->width);
      return x->args.empty() ? load : with_args(load, x->args);
    });
  };
  Block r;
  for (Stmt s : b) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) own[a->name] = around;
    if (auto* x = std::get_if<Store>(&s.v)) x->position = further(x->array, x->position);
    if (auto* i = std::get_if<If>(&s.v))
      for (Term& c : i->conditions) c = with_further(c);
    if (Term* value = value_of(s)) *value = with_further(*value);
    if (Block* body = body_of(s)) {
      std::vector<Nat> loops = around;
      if (const auto* f = std::get_if<For>(&s.v)) loops.push_back(f->var);
      *body = with_loops_as_indices(*body, loops, own);
    }
    r.push_back(std::move(s));
  }
  return r;
}

/// A load of a kept array becomes the loads that its element is computed from, one a class: in loops over the
/// results stands what all stages read. Each stage is looked at once, however many there are.
class ThroughKept {
  /// Elements of kept arrays that are looked at by themselves, shared among the arrays. Beyond, an array's
  /// elements count as its first one does: the same arrays are read, and the places in the first stages of a
  /// long chain grow with the cube of its length.
  static constexpr std::size_t kMostElements = 24000;

 public:
  explicit ThroughKept(const Kernel& k) : kept_(kept_arrays(k)), body_(with_loops_as_indices(k.body)) {
    collect_values(body_, false);
    collect(body_);
  }

  Block of() { return of(body_); }

 private:
  Block of(const Block& b) {
    Block r;
    for (const Stmt& s : b) {
      if (std::holds_alternative<Allocate>(s.v) || is_kept(s)) continue;
      Stmt x = s;
      if (Block* body = body_of(x)) {
        if (is_lost(s)) continue;
        const auto* f = std::get_if<For>(&x.v);
        if (f) around_.push_back(f->var);
        known_.clear(), known_of_.clear();
        *body = of(*body);
        if (f) around_.pop_back();
        if (auto* i = std::get_if<If>(&x.v))
          for (Term& c : i->conditions) c = expanded(c);
      } else if (Term* value = value_of(x)) {
        *value = expanded(*value);
      }
      r.push_back(std::move(x));
    }
    return r;
  }

  /// A store to a kept array: the loops that it stands in, outermost first, where it writes, and what its
  /// element is computed from.
  struct Producer {
    std::vector<Nat> loops, position;
    std::vector<Term> loads;
    /// Whether it writes a plane, an edge or a point that the element at `other` need not be in.
    bool is_beside(const std::vector<Nat>& other) const {
      for (std::size_t d = 0; d < position.size() && d < other.size(); ++d)
        if (position[d].constant() && position[d] != other[d]) return true;
      return false;
    }
  };

  bool is_kept(const Stmt& s) const {
    const auto* t = std::get_if<Store>(&s.v);
    return t && kept_.count(t->array);
  }
  bool stores(const Block& b, bool kept) const {
    return holds(b, [&](const Stmt& s) { return std::holds_alternative<Store>(s.v) && is_kept(s) == kept; });
  }

  /// Nothing is left of a statement with a body that stores kept arrays alone.
  bool is_lost(const Stmt& s) const {
    const Block& body = *body_of(s);
    return stores(body, true) && !stores(body, false);
  }

  /// What names stand for, and what is assigned to variables that are lost.
  void collect_values(const Block& b, bool lost) {
    for (const Stmt& s : b) {
      if (const auto* l = std::get_if<Let>(&s.v)) values_[l->local->name] = {l->value};
      if (const auto* d = std::get_if<Declare>(&s.v); d && lost) values_[d->local->name] = {d->value};
      if (const auto* a = std::get_if<Assign>(&s.v))
        if (const auto it = values_.find(a->local->name); it != values_.end()) it->second.push_back(a->value);
      if (const Block* body = body_of(s)) collect_values(*body, lost || is_lost(s));
    }
  }

  void collect(const Block& b) {
    for (const Stmt& s : b) {
      if (const auto* f = std::get_if<For>(&s.v)) around_.push_back(f->var);
      if (const Block* body = body_of(s)) collect(*body);
      if (std::holds_alternative<For>(s.v)) around_.pop_back();
      if (!is_kept(s)) continue;
      const auto& t = std::get<Store>(s.v);
      LoadClasses classes(t.position);
      std::set<std::string> seen;
      add_made_of(t.value, classes, seen);
      producers_[t.array].push_back({around_, t.position, classes.loads()});
    }
  }

  /// What a value is made of, and what names and variables in it are.
  void add_made_of(const Term& value, LoadClasses& classes, std::set<std::string>& seen) const {
    classes.add_all_of(value);
    visit(value, [&](const Term& x) {
      if (x->kind != TermKind::Local || !seen.insert(x->name).second) return;
      if (const auto it = values_.find(x->name); it != values_.end())
        for (const Term& t : it->second) add_made_of(t, classes, seen);
    });
  }

  /// What a position says of a producer's loops: `stored`, which is made of their variables, is `loaded`.
  struct Equation {
    Nat stored, loaded;
  };

  /// A quotient and the remainder beside it, as an array that is split has them, are one index.
  static bool join_split(std::vector<Equation>& all) {
    for (const Equation& low : all)
      for (const NatTerm& t : terms(low.stored)) {
        if (t.factors.size() != 1 || t.factors[0].atom->kind != AtomKind::Mod) continue;
        const NatAtom& remainder = *t.factors[0].atom;
        const auto beside = (low.stored - atom_nat(remainder)).constant();
        for (const Equation& high : all) {
          const auto before = (high.stored - floordiv(remainder.a, remainder.b)).constant();
          if (!beside || !before) continue;
          const Equation whole{remainder.a, remainder.b * (high.loaded - *before) + low.loaded - *beside};
          std::erase_if(all, [parts = std::set{low.stored.id(), high.stored.id()}](const Equation& e) {
            return parts.count(e.stored.id()) > 0;
          });
          all.push_back(whole);
          return true;
        }
      }
    return false;
  }

  static Nat terms_with(const Nat& n, const Nat& v) {
    Nat r = 0;
    for (const NatTerm& t : terms(n))
      if (const Nat one = detail::from_terms({t}); mentions(one, v)) r = r + one;
    return r;
  }
  static bool is_negative(const Nat& coefficient) { return coefficient.constant().value_or(1) < 0; }

  /// Of the unknown variables in n the one with the largest coefficient.
  static std::optional<Nat> leading(const Nat& n, const std::vector<Nat>& unknown) {
    std::optional<Nat> first, most;
    for (const Nat& v : unknown) {
      const auto a = affine_in(n, v);
      if (!a || a->coefficient == Nat(0)) continue;
      const Nat size = is_negative(a->coefficient) ? -a->coefficient : a->coefficient;
      if (!most || Facts().proves(less(*most, size))) first = v, most = size;
    }
    return first;
  }

  /// The value of v in an equation: the others in it count as digits below. Nothing where it is not known
  /// from where they count.
  static std::optional<Nat> solved_for(const Nat& v, const Equation& e, const std::vector<Nat>& unknown) {
    const Affine a = *affine_in(e.stored, v);
    const Nat sign = is_negative(a.coefficient) ? -1 : 1;  // what is divided by is positive
    Nat least = sign * a.rest;
    for (const Nat& w : unknown) {
      if (!mentions(least, w)) continue;
      const auto below = affine_in(least, w);
      if (!below) {  // in a quotient or remainder
        const auto number = Facts().bounds(terms_with(least, w)).lower;
        if (!number) return std::nullopt;
        least = least - terms_with(least, w) + *number;
        continue;
      }
      const bool falls = is_negative(below->coefficient);
      const NatAtom& digit = *variables(w).front();
      Nat end = falls ? digit.upper : digit.lower;
      if (mentions_one_of(end, unknown)) {
        const Facts::Interval ends = Facts().bounds(end);
        const auto number = falls ? ends.upper : ends.lower;
        if (!number) return std::nullopt;
        end = *number;
      }
      least = substitute(least, w, end);
    }
    return within(floordiv(sign * e.loaded - least, sign * a.coefficient), *variables(v).front());
  }
  static bool mentions_one_of(const Nat& n, const std::vector<Nat>& unknown) {
    return std::any_of(unknown.begin(), unknown.end(), [&](const Nat& v) { return mentions(n, v); });
  }

  /// The variables of the producer's loops, not shared with where its element is loaded, at which it writes
  /// that. Others, as of a loop that adds up, stand for all values in their ranges.
  std::map<const NatAtom*, Nat> solved(const Producer& p, const std::vector<Nat>& position) const {
    std::vector<Nat> unknown;
    for (const Nat& v : p.loops)
      if (std::find(around_.begin(), around_.end(), v) == around_.end()) unknown.push_back(v);
    std::vector<Equation> equations;
    for (std::size_t d = 0; d < p.position.size(); ++d) equations.push_back({p.position[d], position[d]});
    while (join_split(equations)) {
    }
    std::map<const NatAtom*, Nat> values;
    const auto count = [&](const Equation& e) {
      return std::count_if(unknown.begin(), unknown.end(),
                           [&](const Nat& v) { return mentions(e.stored, v); });
    };
    while (!equations.empty()) {
      const auto e =
          std::min_element(equations.begin(), equations.end(),
                           [&](const Equation& x, const Equation& y) { return count(x) < count(y); });
      const auto v = leading(e->stored, unknown);
      const auto value = v ? solved_for(*v, *e, unknown) : std::nullopt;
      if (!value) {
        equations.erase(e);
        continue;
      }
      values.emplace(variables(*v).front(), *value);
      std::erase(unknown, *v);
      for (Equation& x : equations) x.stored = substitute(x.stored, *v, *value);
    }
    for (const Nat& v : p.loops)  // what the bounds of inner loops say of outer ones
      if (const auto it = values.find(variables(v).front()); it != values.end())
        for (auto& [atom, value] : values)
          if (atom != it->first) value = substitute(value, {*it});
    return values;
  }

  /// What another loop writes may lie outside of what this one does.
  static Nat within(const Nat& value, const NatAtom& loop) {
    Nat r = value;
    if (!Facts().proves(less_equal(loop.lower, r))) r = max(loop.lower, r);
    if (!Facts().proves(less_equal(r, loop.upper))) r = min(r, loop.upper);
    return r;
  }

  Term expanded(const Term& t) {
    return rewrite(t, [&](const Term& x) {
      if (x->kind != TermKind::Load || !kept_.count(x->name)) return x;
      Term sum;
      for (const Term& l : loads_for(x)) {
        const Term value = l->type == x->type ? l : apply_term(Op::Cast, x->type, {l});
        sum = sum ? apply_term(x->type == boolean ? Op::Or : Op::Add, x->type, {sum, value}) : value;
      }
      return sum ? sum : constant_term(1, x->type);
    });
  }

  /// What the positions of a load are computed from may lie in kept arrays, too.
  Term with_known_positions(const Term& load) {
    if (load->args.empty()) return load;
    std::vector<Term> args = load->args;
    for (Term& t : args) t = expanded(t);
    return with_args(load, std::move(args));
  }

  std::vector<Term> loads_for(const Term& load) {
    if (const auto it = known_.find(load->id); it != known_.end()) return it->second;
    std::vector<std::uint32_t>& of_array = known_of_[load->name];
    if (of_array.size() > kMostElements / kept_.size()) return known_[of_array.front()];
    if (!open_.insert(load->name).second) return {};  // of an array that is computed from itself
    LoadClasses where_it_is(load->nats), beside(load->nats);
    for (const Producer& p : producers_[load->name]) {
      const auto values = solved(p, load->nats);
      for (const Term& l : p.loads) {
        const Term there =
            with_known_positions(map_nats(l, [&](const Nat& n) { return substitute(n, values); }));
        for (const Term& x : kept_.count(l->name) ? loads_for(there) : std::vector<Term>{there})
          (p.is_beside(load->nats) ? beside : where_it_is).add(x);
      }
    }
    std::vector<Term> r = where_it_is.loads();
    const auto is_read = [&, inner = r.size()](const Term& x) {
      return std::any_of(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(inner),
                         [&](const Term& y) { return y->name == x->name; });
    };
    for (const Term& x : beside.loads())
      if (!is_read(x)) r.push_back(x);
    open_.erase(load->name);
    of_array.push_back(load->id);
    return known_[load->id] = r;
  }

  std::set<std::string> kept_, open_;
  Block body_;
  std::map<std::string, std::vector<Term>> values_;  ///< of names, and of variables that are lost
  std::vector<Nat> around_;
  std::map<std::string, std::vector<Producer>> producers_;
  std::map<std::uint32_t, std::vector<Term>> known_;            ///< by load, within the same loops
  std::map<std::string, std::vector<std::uint32_t>> known_of_;  ///< the loads of each array among them
};

/// The loops of a perfect nest in the order of the written array's dimensions.
Block in_array_order(const Block& b) {
  std::vector<For> loops;
  const Block* inner = &b;
  while (inner->size() == 1 && std::holds_alternative<For>(inner->front().v)) {
    const For& f = std::get<For>(inner->front().v);
    loops.push_back(f);
    loops.back().body.clear();
    inner = &f.body;
  }
  const auto store = std::find_if(inner->begin(), inner->end(),
                                  [](const Stmt& s) { return std::holds_alternative<Store>(s.v); });
  if (loops.size() < 2 || store == inner->end()) return b;
  const auto dimension = [&](const For& f) {
    const std::vector<Nat>& position = std::get<Store>(store->v).position;
    for (std::size_t d = position.size(); d-- > 0;)
      if (affine_in(position[d], f.var) && !(affine_in(position[d], f.var)->coefficient == Nat(0)))
        return static_cast<int>(d);
    return -1;
  };
  for (const For& f : loops)
    for (const For& other : loops)
      if (mentions(f.lower, other.var) || mentions(f.upper, other.var)) return b;
  std::stable_sort(loops.begin(), loops.end(),
                   [&](const For& x, const For& y) { return dimension(x) < dimension(y); });
  Block body = *inner;
  for (std::size_t d = loops.size(); d-- > 0;) {
    loops[d].body = std::move(body);
    body = {{std::move(loops[d])}};
  }
  return body;
}

}  // namespace

namespace {

/// Updates are in place where that can be lowered.
Kernel translate_in_place(const Rewriting& start) {
  Program p = start.program;
  if (p.overwritable.empty()) return translate(p);
  if (const Result<Rewriting> all = use("update-in-place")(start, {})) return translate(all->program);
  p.body = with_updates_in_place(p);
  if (p.body == start.program.body) return translate(p);
  try {
    return translate(p);
  } catch (const UserError&) {  // where the result lies elsewhere than its base
    return translate(start.program);
  }
}

}  // namespace

Kernel lower_undecided(const Program& program) {
  Kernel k = translate_in_place(in_update_form(in_block_form({undecided(program), {}}), true));
  k.body = remove_trivial_loops(tighten_bounds(k.body));
  return k;
}

Kernel lower_without_steps(const Program& program) {
  Kernel k = lower_undecided(program);
  Program without = program;
  without.body = without_scans(program.body);
  if (kept_arrays(k).empty() && without.body == program.body) return k;
  k = lower_undecided(without);
  k.body = in_array_order(tighten_bounds(ThroughKept(k).of()));
  std::erase_if(k.arguments, [](const KernelArgument& x) { return x.work; });
  return k;
}

}  // namespace lift
