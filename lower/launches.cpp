#include "lower/launches.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/reserved_words.hpp"
#include "lower/analyses/shared_accesses.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

/// What statements refer to, those within them included.
struct Uses {
  std::set<std::string> locals, loads, stores, assigned;
  std::set<const NatAtom*> indices;
};

void add(Uses& u, const Stmt& s) {
  const Block one{s};
  visit_nats(one, [&](const Nat& n, bool) {
    for (const NatAtom* a : variables(n))
      if (!a->computed) u.indices.insert(a);
  });
  visit_terms(one, [&](const Term& t) {
    if (t->kind == TermKind::Local) u.locals.insert(t->name);
    if (t->kind == TermKind::Load) u.loads.insert(t->name);
  });
  visit(one, [&](const Stmt& x) {
    if (const auto* a = std::get_if<Store>(&x.v)) u.stores.insert(a->array);
    if (const auto* a = std::get_if<Declare>(&x.v)) u.assigned.insert(a->local->name);
    if (const auto* a = std::get_if<Assign>(&x.v))
      u.assigned.insert(a->local->name), u.locals.insert(a->local->name);
    if (const auto* a = std::get_if<Prefetch>(&x.v)) u.loads.insert(a->array);
  });
}
Uses uses_of(const Stmt& s) {
  Uses u;
  add(u, s);
  return u;
}
bool touches(const Uses& u, const std::string& array) {
  return u.loads.count(array) + u.stores.count(array) > 0;
}

bool is_over_groups(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  return f && (f->kind == LoopKind::Glb || f->kind == LoopKind::Wrg);
}
bool is_host_loop(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  return f && f->kind == LoopKind::Host;
}
bool holds_grid(const Stmt& s) {
  return holds({s}, [](const Stmt& x) { return is_over_groups(x) || is_host_loop(x); });
}
bool holds_host_loop(const Block& b) { return holds(b, is_host_loop); }
/// Loops over the items of a group that the statement itself is in: its group's statements stay together.
bool holds_items(const Stmt& s) {
  if (is_over_groups(s)) return false;
  const auto* f = std::get_if<For>(&s.v);
  const auto* i = std::get_if<If>(&s.v);
  if (f && f->kind == LoopKind::Lcl) return true;
  const Block none, &body = f ? f->body : i ? i->body : none;
  return std::any_of(body.begin(), body.end(), holds_items);
}

constexpr int kWhereUsed = -1;

/// The launch of each statement: an odd number for a loop over the grid, the even ones around it for what
/// lies before and after. Names and arrays go where they are used.
std::vector<int> launches_of(const Block& b) {
  std::vector<int> r;
  int before = 0;
  const bool one_group = std::any_of(b.begin(), b.end(), holds_items);
  for (const Stmt& s : b) {
    if (one_group)
      r.push_back(0);
    else if (std::holds_alternative<Let>(s.v) || std::holds_alternative<Allocate>(s.v))
      r.push_back(kWhereUsed);
    else if (holds_grid(s))
      r.push_back(before + 1), before += 2;
    else
      r.push_back(before);
  }
  return r;
}
std::vector<int> distinct(std::vector<int> launch) {
  std::sort(launch.begin(), launch.end());
  launch.erase(std::unique(launch.begin(), launch.end()), launch.end());
  std::erase(launch, kWhereUsed);
  return launch;
}

/// One launch of a block: which statements it takes, and the variables it would have to get from another one.
struct Part {
  std::vector<bool> takes;
  std::set<std::string> missing;
};

Part part_of(const Block& b, const std::vector<int>& launch, int which) {
  Part p{std::vector<bool>(b.size(), false), {}};
  Uses wanted;
  for (std::size_t i = b.size(); i-- > 0;) {
    const Stmt& s = b[i];
    if (launch[i] == which) {
      p.takes[i] = true;
      if (const auto* d = std::get_if<Declare>(&s.v)) wanted.locals.erase(d->local->name);
      add(wanted, s);
    } else if (const auto* l = std::get_if<Let>(&s.v); l && launch[i] == kWhereUsed) {
      const bool index = l->local->kind == TermKind::Index;
      p.takes[i] = index ? wanted.indices.erase(variables(l->local->nats[0])[0]) > 0
                         : wanted.locals.erase(l->local->name) > 0;
      if (p.takes[i]) add(wanted, s);
    } else if (const auto* a = std::get_if<Allocate>(&s.v); a && launch[i] == kWhereUsed) {
      p.takes[i] = touches(wanted, a->name);
    } else if (const auto* d = std::get_if<Declare>(&s.v); d && wanted.locals.erase(d->local->name) > 0) {
      p.missing.insert(d->local->name);
    }
  }
  return p;
}
Block statements(const Block& b, const Part& p) {
  Block r;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (p.takes[i]) r.push_back(b[i]);
  return r;
}

/// Values that the work-items of a loop keep in the body are lost when the loop becomes several.
void check_kept(const Block& b, const std::vector<int>& launch) {
  const auto refuse = [](const std::string& name) {
    throw UserError("work-items keep " + name +
                    " while loops over the grid follow one another: that takes as many kernels; store the "
                    "value (to_global), or run the inner loops in the work-item");
  };
  std::set<std::string> seen;
  for (const int which : distinct(launch)) {
    const Part p = part_of(b, launch, which);
    if (!p.missing.empty()) refuse(*p.missing.begin());
    for (std::size_t i = 0; i < b.size(); ++i)
      if (const auto* a = std::get_if<Allocate>(&b[i].v); a && p.takes[i] && !seen.insert(a->name).second)
        refuse(a->name);
  }
}

/// What is done once has an array of its own once: those that two launches use stand before it, and are gone
/// from it.
Block taken_out(Block& b, std::vector<int>& launch) {
  const auto crosses = [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    std::set<int> users;
    for (std::size_t i = 0; a && a->space != AddressSpace::Local && i < b.size(); ++i)
      if (touches(uses_of(b[i]), a->name)) users.insert(launch[i]);
    return users.size() > 1;
  };
  Block r, kept;
  for (const Stmt& s : b) (crosses(s) ? r : kept).push_back(s);
  b = std::move(kept), launch = launches_of(b);
  return r;
}

/// Where items meet is asked while positions are those of the arrays; it has been told by loops of the host's
/// afterwards.
enum class Positions { Logical, Flat };
Block distributed(const Block& b, Positions positions);

/// The loop is the host's: launches follow one another from one iteration to the next, too.
Block by_host(For f) {
  const auto refuse = [&](const std::string& what) {
    throw UserError("several loops over the grid in the loop over " + f.var.str() + ", " + what);
  };
  if (f.kind != LoopKind::Seq) refuse(std::string("which is ") + text(f.kind) + "; give it to the grid too");
  std::set<std::string> own;
  visit(f.body, [&](const Stmt& s) {
    if (const auto* d = std::get_if<Declare>(&s.v)) own.insert(d->local->name);
  });
  visit(f.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Assign>(&s.v); a && own.count(a->local->name) == 0)
      refuse("each iteration of which hands " + a->local->name +
             " to the next: that takes as many kernels; store the value (to_global)");
  });
  std::vector<int> launch = launches_of(f.body);
  Block r = taken_out(f.body, launch);
  For loop;
  loop.kind = LoopKind::Host;
  loop.var = f.var, loop.lower = f.lower, loop.upper = f.upper, loop.step = f.step;
  loop.body = std::move(f.body);
  r.push_back({std::move(loop)});
  return r;
}

/// A condition around a loop of the host's is one within it.
Block asked_within(const If& i, Positions positions) {
  Block r;
  For loop;
  for (const Stmt& s : i.body) {
    if (is_host_loop(s))
      loop = std::get<For>(s.v);
    else
      r.push_back(s);
  }
  r.insert(r.end(), loop.body.begin(), loop.body.end());
  loop.body = {{If{i.conditions, std::move(r)}}};
  return distributed(Block{{std::move(loop)}}, positions);
}

/// A loop over the grid, or a condition, around several launches becomes several. Another loop around them,
/// or around one of which items cannot go on to the next iteration by themselves, becomes the host's.
Block distributed(Stmt s, Positions positions) {
  auto* f = std::get_if<For>(&s.v);
  auto* i = std::get_if<If>(&s.v);
  Block& body = f ? f->body : i->body;
  body = distributed(body, positions);
  if (is_host_loop(s)) return {std::move(s)};
  std::vector<int> launch = launches_of(body);
  const bool several = distinct(launch).size() > 1, within = holds_host_loop(body);
  if (f && is_over_groups(s) && within)
    throw UserError("a loop of launches within the loop over " + f->var.str() +
                    ", which is over the grid; give only the loops within to the grid");
  if (f && !is_over_groups(s) && (within || !(f->upper - f->lower == Nat(1))) &&
      (several || within || (positions == Positions::Logical && crosses_items(*f))))
    return by_host(std::move(*f));
  if (i && within && !several) return asked_within(*i, positions);
  if (!several) return {std::move(s)};
  Block r;
  if (!is_over_groups(s)) r = taken_out(body, launch);
  check_kept(body, launch);
  for (const int which : distinct(launch)) {
    Block part = statements(body, part_of(body, launch, which));
    if (f) {
      For loop = *f;
      loop.body = std::move(part);
      r.push_back({std::move(loop)});
    } else if (holds_host_loop(part)) {
      for (Stmt& x : asked_within({i->conditions, std::move(part)}, positions)) r.push_back(std::move(x));
    } else {
      r.push_back({If{i->conditions, std::move(part)}});
    }
  }
  return r;
}
Block distributed(const Block& b, Positions positions) {
  Block r;
  for (const Stmt& s : b) {
    const auto* f = std::get_if<For>(&s.v);
    const bool around = (f || std::holds_alternative<If>(s.v)) && holds_grid(s);
    const Block parts = around ? distributed(Stmt(s), positions) : Block{s};
    r.insert(r.end(), parts.begin(), parts.end());
  }
  return r;
}

/// Makes work arrays of what crosses from one launch to another.
class Separation {
 public:
  Separation(Kernel& k, Block& b) : k_(k), b_(b) {}
  void run() {
    arrays();
    while (next_local()) {
    }
    for (Stmt& s : b_)
      if (is_host_loop(s)) Separation(k_, std::get<For>(s.v).body).run();
  }

 private:
  void add_work(const std::string& name, const Type& t, const LayoutRequest& layout = {}) {
    k_.arguments.push_back({name, t, Layout(layout, t), false, false, {}, true});
  }

  /// Arrays that a loop over the grid or two launches use.
  void arrays() {
    const std::vector<int> launch = launches_of(b_);
    Block kept;
    for (const Stmt& s : b_) {
      const auto* a = std::get_if<Allocate>(&s.v);
      std::set<int> users;
      for (std::size_t i = 0; a && i < b_.size(); ++i)
        if (touches(uses_of(b_[i]), a->name))
          users.insert(std::holds_alternative<Let>(b_[i].v) ? 1 : launch[i]);
      const bool own =
          !a || a->space == AddressSpace::Local ||
          (users.size() < 2 && std::none_of(users.begin(), users.end(), [](int u) { return u % 2 == 1; }));
      if (own)
        kept.push_back(s);
      else
        add_work(a->name, a->type, a->layout);
    }
    b_ = std::move(kept);
  }

  bool next_local() {
    const std::vector<int> launch = launches_of(b_);
    std::set<std::string> fixed;  // names whose value another launch must be given
    for (std::size_t i = 0; i < b_.size(); ++i) {
      const auto* d = std::get_if<Declare>(&b_[i].v);
      const auto* l = std::get_if<Let>(&b_[i].v);
      if (d && hand_over(d->local, i, launch, true)) return true;
      if (d) fixed.insert(d->local->name);
      if (!l || l->local->kind != TermKind::Local) continue;
      const Uses u = uses_of(b_[i]);
      const bool of_fixed = std::any_of(u.locals.begin(), u.locals.end(),
                                        [&](const std::string& n) { return fixed.count(n) > 0; });
      if (of_fixed) fixed.insert(l->local->name);
      if (hand_over(l->local, i, launch, of_fixed)) return true;
    }
    return false;
  }

  /// (By value: the statement moves.) Stores the local that statement `at` defines in one launch for the
  /// first other one that cannot compute it anew.
  bool hand_over(Term local, std::size_t at, const std::vector<int>& launch, bool always) {
    const Uses defined = uses_of(b_[at]);
    const int before =
        *std::max_element(launch.begin(), launch.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    const int home = std::holds_alternative<Declare>(b_[at].v) ? launch[at] : (before + 1) / 2 * 2;
    for (const int which : distinct(launch)) {
      if (which == home) continue;
      const auto used = first_use(local->name, at, launch, which);
      if (!used || (!always && !changes(defined.loads, at, launch, which))) continue;
      std::size_t last = at;  // statement after which the value is final
      for (std::size_t i = at + 1; i < *used; ++i)
        if (uses_of(b_[i]).assigned.count(local->name) > 0) last = i;
      const std::string name = work_name("kept_" + local->name);
      add_work(name, Type::array(1, local->type));
      const Term kept = load_term(name, {Nat(0)}, local->type);
      const bool goes_on = is_assigned(local->name, *used, part_of(b_, launch, which));
      const Term there = goes_on ? local : named_anew(local, *used);
      b_.insert(b_.begin() + static_cast<std::ptrdiff_t>(*used),
                goes_on ? Stmt{Declare{there, kept}} : Stmt{Let{there, kept}});
      b_.insert(b_.begin() + static_cast<std::ptrdiff_t>(last) + 1, {Store{name, {Nat(0)}, local, false}});
      return true;
    }
    return false;
  }
  std::string work_name(std::string name) const {
    const auto is_taken = [&](const KernelArgument& a) { return a.name == name; };
    while (std::any_of(k_.arguments.begin(), k_.arguments.end(), is_taken)) name += "_again";
    return name;
  }
  /// Whether a launch gives the variable another value, from statement `from` on.
  bool is_assigned(const std::string& name, std::size_t from, const Part& launch) const {
    for (std::size_t i = from; i < b_.size() && !declares(b_[i], name); ++i)
      if (launch.takes[i] && uses_of(b_[i]).assigned.count(name) > 0) return true;
    return false;
  }
  /// A name for the value that a variable has from statement `from` on until it is given another one, so that
  /// what follows then still means the variable.
  Term named_anew(const Term& variable, std::size_t from) {
    std::size_t end = from;
    while (end < b_.size() && !declares(b_[end], variable->name) &&
           uses_of(b_[end]).assigned.count(variable->name) == 0)
      ++end;
    if (end == b_.size() || declares(b_[end], variable->name)) return variable;  // it is given none
    const Term value = local_term(variable->name + "_kept", variable->type);
    const Block renamed = map_terms(
        Block(b_.begin() + static_cast<std::ptrdiff_t>(from), b_.begin() + static_cast<std::ptrdiff_t>(end)),
        [&](const Term& t) {
          return rewrite(t, [&](const Term& x) {
            return x->kind == TermKind::Local && x->name == variable->name ? value : x;
          });
        });
    std::copy(renamed.begin(), renamed.end(), b_.begin() + static_cast<std::ptrdiff_t>(from));
    return value;
  }
  static bool declares(const Stmt& s, const std::string& name) {
    const auto* l = std::get_if<Let>(&s.v);
    const auto* d = std::get_if<Declare>(&s.v);
    return (l && l->local->name == name) || (d && d->local->name == name);
  }
  /// The first statement of a launch that takes the local's value from statement `at`.
  std::optional<std::size_t> first_use(const std::string& name, std::size_t at,
                                       const std::vector<int>& launch, int which) const {
    const Part p = part_of(b_, launch, which);
    for (std::size_t i = at + 1; i < b_.size(); ++i) {
      if (p.takes[i] && uses_of(b_[i]).locals.count(name) > 0) return i;
      if (declares(b_[i], name)) return std::nullopt;  // defined anew
    }
    return std::nullopt;
  }
  /// Whether one of the arrays is written after statement `at`, up to the end of a launch.
  bool changes(const std::set<std::string>& arrays, std::size_t at, const std::vector<int>& launch,
               int which) const {
    for (std::size_t i = at + 1; i < b_.size(); ++i) {
      if (launch[i] > which) continue;
      const Uses u = uses_of(b_[i]);
      if (std::any_of(arrays.begin(), arrays.end(),
                      [&](const std::string& a) { return u.stores.count(a) > 0; }))
        return true;
    }
    return false;
  }

  Kernel& k_;
  Block& b_;
};

}  // namespace

void separate_launches(Kernel& k) {
  if (std::none_of(k.body.begin(), k.body.end(), holds_grid)) return;
  k.body = distributed(k.body, Positions::Logical);
  Separation(k, k.body).run();
  k.body = distinct_names(k.body);  // what is handed over is another value in each launch
}

namespace {

Kernel renamed(Kernel k) {
  if (is_library_name(k.name, Target::opencl)) k.name += "_kernel";  // of OpenCL C or CUDA C++
  return k;
}

/// Names of indices, of which there are none outside of launches, written out in a loop's bounds.
void write_out_bounds(For& loop, const Block& before) {
  for (auto s = before.rbegin(); s != before.rend(); ++s) {
    const auto* l = std::get_if<Let>(&s->v);
    if (!l || l->local->kind != TermKind::Index) continue;
    const Nat& name = l->local->nats[0];
    if (!mentions(loop.lower, name) && !mentions(loop.upper, name)) continue;
    if (l->value->kind != TermKind::Index)
      throw UserError("the number of launches in the loop over " + loop.var.str() + ", " + loop.upper.str() +
                      ", is computed from data");
    const Nat& value = l->value->nats[0];
    loop.lower = substitute(loop.lower, name, value), loop.upper = substitute(loop.upper, name, value);
  }
}

/// The launches of a block, and the host's loops around some of them; without names. What is computed before
/// a loop is computed within it.
Block separated(const Kernel& k, const Block& b, const std::vector<std::string>& steps) {
  const std::vector<int> launch = launches_of(b);
  Block r;
  for (const int which : distinct(launch)) {
    const Part p = part_of(b, launch, which);
    if (!p.missing.empty())
      throw InternalError("launches: " + *p.missing.begin() +
                          " is set in one launch and used in another in kernel " + k.name);
    Block own = statements(b, p);
    const auto at = std::find_if(own.begin(), own.end(), is_host_loop);
    if (at == own.end()) {
      r.push_back({Launch{"", {}, std::move(own), steps}});
      continue;
    }
    For loop = std::get<For>(at->v);
    own.erase(at);
    write_out_bounds(loop, own);
    loop.body.insert(loop.body.begin(), own.begin(), own.end());
    std::vector<std::string> inner = steps;
    inner.push_back(loop.var.str());
    loop.body = separated(k, loop.body, inner);
    r.push_back({std::move(loop)});
  }
  return r;
}

/// The variables of the host's loops have names that no argument has: a launch is given them as one.
Block with_step_names(const Block& b, const Kernel& k) {
  std::set<std::string> taken(k.sizes.begin(), k.sizes.end());
  taken.insert(k.name);
  for (const KernelArgument& a : k.arguments) taken.insert(a.name);
  for (const Attr& f : k.user_functions) taken.insert(user_name(f));
  return rebuild(b, [&](Stmt s) -> Block {
    if (!is_host_loop(s)) return {std::move(s)};
    For f = std::get<For>(std::move(s.v));
    std::string name = "turn";
    for (int n = 2; !taken.insert(name).second; ++n) name = "turn" + std::to_string(n);
    const Nat var = Nat::fresh(name, f.lower, f.upper - 1);
    f.body = substitute(f.body, f.var, var), f.var = var;
    return {{std::move(f)}};
  });
}

template <class F>
void visit_launches(Block& b, const F& f) {
  for (Stmt& s : b) {
    if (auto* l = std::get_if<Launch>(&s.v)) f(*l);
    if (auto* loop = std::get_if<For>(&s.v)) visit_launches(loop->body, f);
  }
}

/// As launches and loops of the host's, named in their order.
Block named_launches(const Kernel& k) {
  Block r = separated(k, with_step_names(distributed(k.body, Positions::Flat), k), {});
  int count = 0, number = 0;
  visit_launches(r, [&](const Launch&) { ++count; });
  visit_launches(r, [&](Launch& l) { l.name = k.name + (count > 1 ? "_" + std::to_string(++number) : ""); });
  return r;
}

}  // namespace

std::vector<Kernel> launches(const Kernel& k) {
  if (std::none_of(k.body.begin(), k.body.end(), holds_grid)) return {renamed(k)};
  std::vector<Kernel> r;
  Block all = named_launches(k);
  visit_launches(all, [&](Launch& l) {
    Kernel one = k;
    one.name = l.name, one.body = std::move(l.body);
    for (const std::string& step : l.steps) one.arguments.push_back(step_argument(step));
    r.push_back(renamed(std::move(one)));
  });
  return r;
}

Block split_launches(const Kernel& k) {
  if (std::none_of(k.body.begin(), k.body.end(), holds_grid))
    return {{Launch{renamed(k).name, {}, k.body, {}}}};
  std::map<std::string, std::string> names;  // by what is done: a launch that does the same has the same name
  Block r = named_launches(k);
  visit_launches(r, [&](Launch& l) {
    Kernel one = k;
    one.name = l.name;
    l.name = names.emplace(str(l.body), renamed(std::move(one)).name).first->second;
  });
  return r;
}

Block map_launches(const Block& b, const std::function<void(Launch&)>& f) {
  Block r = b;
  visit_launches(r, f);
  return r;
}

std::vector<Launch> launches_in(const Kernel& k) {
  std::vector<Launch> r;
  Block all = k.body;
  visit_launches(all, [&](Launch& l) { r.push_back(std::move(l)); });
  if (r.empty()) throw InternalError("kernel " + k.name + " has not been lowered for a grid");
  return r;
}

KernelArgument step_argument(const std::string& name) {
  KernelArgument a;
  a.name = name, a.type = Type(i32), a.read = true;
  return a;
}

Kernel one_launch(const Kernel& k, Launch l) {
  Kernel one = k;
  one.name = std::move(l.name), one.body = std::move(l.body);
  for (const std::string& step : l.steps) one.arguments.push_back(step_argument(step));
  return one;
}

std::vector<LaunchCall> launch_calls(const Kernel& k, const std::map<std::string, std::int64_t>& numbers) {
  std::vector<LaunchCall> calls;
  std::map<const NatAtom*, std::int64_t> at;
  std::vector<std::int64_t> steps;
  const auto value = [&](const Nat& n) {
    return evaluate(n, [&](const NatAtom& v) {
      const auto it = at.find(&v);
      if (it != at.end()) return it->second;
      const auto number = numbers.find(v.name);
      if (number == numbers.end())
        throw InternalError("launches of kernel " + k.name + ": nothing is known of " + v.name);
      return number->second;
    });
  };
  std::size_t next = 0;  // launch of the text
  const std::function<void(const Block&)> go = [&](const Block& b) {
    for (const Stmt& s : b) {
      if (std::holds_alternative<Launch>(s.v)) calls.push_back({next++, steps});
      const auto* f = std::get_if<For>(&s.v);
      if (!f) continue;
      const std::size_t first = next;
      const NatAtom* variable = variables(f->var)[0];
      const std::int64_t upper = value(f->upper), step = value(f->step);
      for (std::int64_t v = value(f->lower); v < upper; v += step) {
        next = first, at[variable] = v, steps.push_back(v);
        go(f->body);
        steps.pop_back();
      }
      next = first;
      visit(f->body, [&](const Stmt& x) { next += std::holds_alternative<Launch>(x.v) ? 1 : 0; });
    }
  };
  go(k.body);
  return calls;
}

}  // namespace lift
