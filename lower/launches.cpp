#include "lower/launches.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "ir/reserved_words.hpp"
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
bool holds_grid(const Stmt& s) { return holds({s}, is_over_groups); }
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

Block distributed(const Block& b);

/// A loop over the grid, or a condition, around several launches becomes several.
Block distributed(Stmt s) {
  auto* f = std::get_if<For>(&s.v);
  auto* i = std::get_if<If>(&s.v);
  Block& body = f ? f->body : i->body;
  body = distributed(body);
  std::vector<int> launch = launches_of(body);
  if (distinct(launch).size() < 2) return {std::move(s)};
  if (f && f->kind != LoopKind::Glb && f->kind != LoopKind::Wrg && !(f->upper - f->lower == Nat(1)))
    throw UserError("several loops over the grid in the loop over " + f->var.str() +
                    ", which is not over the grid; give it to the grid too");
  Block r;
  if (!is_over_groups(s)) r = taken_out(body, launch);
  check_kept(body, launch);
  for (const int which : distinct(launch)) {
    Block part = statements(body, part_of(body, launch, which));
    if (f) {
      For loop = *f;
      loop.body = std::move(part);
      r.push_back({std::move(loop)});
    } else {
      r.push_back({If{i->conditions, std::move(part)}});
    }
  }
  return r;
}
Block distributed(const Block& b) {
  Block r;
  for (const Stmt& s : b) {
    const auto* f = std::get_if<For>(&s.v);
    const bool around = (f || std::holds_alternative<If>(s.v)) && holds_grid(s);
    const Block parts = around ? distributed(Stmt(s)) : Block{s};
    r.insert(r.end(), parts.begin(), parts.end());
  }
  return r;
}

/// Makes work arrays of what crosses from one launch to another.
class Separation {
 public:
  explicit Separation(Kernel& k) : k_(k), b_(k.body) {}
  void run() {
    arrays();
    while (next_local()) {
    }
    b_ = distinct_names(b_);  // what is handed over is another value in each launch
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
  k.body = distributed(k.body);
  Separation(k).run();
}

namespace {

Kernel renamed(Kernel k) {
  if (is_library_name(k.name, Target::opencl)) k.name += "_kernel";  // of OpenCL C or CUDA C++
  return k;
}

}  // namespace

std::vector<Kernel> launches(const Kernel& k) {
  if (std::none_of(k.body.begin(), k.body.end(), holds_grid)) return {renamed(k)};
  const Block body = distributed(k.body);
  const std::vector<int> launch = launches_of(body);
  const std::vector<int> all = distinct(launch);
  std::vector<Kernel> r;
  for (const int which : all) {
    const Part p = part_of(body, launch, which);
    if (!p.missing.empty())
      throw InternalError("launches: " + *p.missing.begin() +
                          " is set in one launch and used in another in kernel " + k.name);
    Kernel one = k;
    one.body = statements(body, p);
    if (all.size() > 1) one.name += "_" + std::to_string(r.size() + 1);
    r.push_back(renamed(std::move(one)));
  }
  return r;
}

Block split_launches(const Kernel& k) {
  Block r;
  std::map<std::string, std::string> names;  // by what is done: a launch that does the same has the same name
  for (Kernel& one : launches(k)) {
    const std::string& name = names.emplace(str(one.body), one.name).first->second;
    r.push_back({Launch{name, {}, std::move(one.body)}});
  }
  return r;
}

std::vector<Launch> launches_in(const Kernel& k) {
  std::vector<Launch> r;
  for (const Stmt& s : k.body)
    if (const auto* l = std::get_if<Launch>(&s.v)) r.push_back(*l);
  if (r.empty()) throw InternalError("kernel " + k.name + " has not been lowered for a grid");
  return r;
}

}  // namespace lift
