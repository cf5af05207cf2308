#include "lower/launches/hand_over.hpp"

#include <algorithm>
#include <optional>

#include "lower/launches/parts.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

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

void hand_over(Kernel& k, Block& b) { Separation(k, b).run(); }

}  // namespace lift
