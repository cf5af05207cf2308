// Loops of a program from which its traffic can be read: decisions taken back, and nothing kept in between.
#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
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

/// A load of a kept array becomes the loads that its element is computed from, one a class: in loops over the
/// results stands what all stages read. Each stage is looked at once, however many there are.
class ThroughKept {
  /// Elements of kept arrays that are looked at by themselves, shared among the arrays. Beyond, an array's
  /// elements count as its first one does: the same arrays are read, and the places in the first stages of a
  /// long chain grow with the cube of its length.
  static constexpr std::size_t kMostElements = 24000;

 public:
  explicit ThroughKept(const Kernel& k) : kept_(kept_arrays(k)) { collect(k.body); }

  Block of(const Block& b) {
    Block r;
    for (const Stmt& s : b) {
      if (std::holds_alternative<Allocate>(s.v) || is_kept(s)) continue;
      Stmt x = s;
      if (Block* body = body_of(x)) {
        if (stores(*body, true) && !stores(*body, false)) continue;
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

 private:
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

  void collect(const Block& b) {
    for (const Stmt& s : b) {
      if (const auto* f = std::get_if<For>(&s.v)) around_.push_back(f->var);
      if (const Block* body = body_of(s)) collect(*body);
      if (std::holds_alternative<For>(s.v)) around_.pop_back();
      if (!is_kept(s)) continue;
      const auto& t = std::get<Store>(s.v);
      LoadClasses classes(t.position);
      classes.add_all_of(t.value);
      bool accumulated = false;
      visit(t.value, [&](const Term& x) { accumulated |= x->kind == TermKind::Local; });
      if (accumulated)
        visit_terms(b, [&](const Term& x) {
          if (x->kind == TermKind::Load) classes.add(x);
        });
      producers_[t.array].push_back({around_, t.position, classes.loads()});
    }
  }

  /// The variables of the producer's loops, not shared with where its element is loaded, at which it writes
  /// that.
  std::map<const NatAtom*, Nat> solved(const Producer& p, const std::vector<Nat>& position) const {
    std::map<const NatAtom*, Nat> values;
    const auto is_shared = [&](const Nat& v) {
      return std::find(around_.begin(), around_.end(), v) != around_.end();
    };
    for (std::size_t l = p.loops.size(); l-- > 0;) {
      const Nat& v = p.loops[l];
      if (is_shared(v)) continue;
      const NatAtom* atom = variables(v).front();
      Nat value = atom->lower;  // of a loop that adds up, say
      for (std::size_t d = 0; d < p.position.size() && d < position.size(); ++d)
        if (const auto a = affine_in(p.position[d], v); a && !(a->coefficient == Nat(0))) {
          const Nat rest = substitute(a->rest, values);
          const bool known = std::none_of(p.loops.begin(), p.loops.begin() + static_cast<std::ptrdiff_t>(l),
                                          [&](const Nat& o) { return !is_shared(o) && mentions(rest, o); });
          const auto step = a->coefficient.constant();
          const Nat sign(step && *step < 0 ? -1 : 1);  // what is divided by is positive
          if (known) value = floordiv(sign * (position[d] - rest), sign * a->coefficient);
        }
      values.emplace(atom, within(value, *atom));
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
      if (affine_in(f.upper - f.lower, other.var) &&
          !(affine_in(f.upper - f.lower, other.var)->coefficient == Nat(0)))
        return b;
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
  k.body = in_array_order(tighten_bounds(ThroughKept(k).of(k.body)));
  std::erase_if(k.arguments, [](const KernelArgument& x) { return x.work; });
  return k;
}

}  // namespace lift
