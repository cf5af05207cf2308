// Values that take the place of arrays which nothing reads afterwards: updates overwrite their bases, each by
// itself; what an iteration hands on stays in one array where each step can overwrite it.
#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/instantiate.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/analysis/stage_loads.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

bool mentions(const Expr& e, const std::string& name) {
  const std::vector<Expr> all = params_of(e);
  return std::any_of(all.begin(), all.end(), [&](const Expr& x) { return param_name(x) == name; });
}
bool is_large_array_of_scalars(const Type& t) {
  return t.is_array() && element_of(t, rank_of(t)).is_scalar() && !has_few_scalars(t);
}

/// What a program computes, in order: its named values, then its results.
struct Item {
  Place place;
  Expr value;                              ///< over arguments and names of earlier items
  std::string name = {};                   ///< of a named value
  std::optional<std::size_t> result = {};  ///< which result it is
};

class Items {
 public:
  explicit Items(const Program& p) : e_(p.body) {
    for (; e_.is(Op::Let); e_ = e_.child(1).child(0)) {
      const Expr value = here(e_.child(0));
      Expr known = value;
      if (value.type().is_scalar() || is_computed(value)) {
        known = opaque(name(all.size()), value.type());
        Place at = place_;
        at.push_back(0);
        all.push_back({std::move(at), value, name(all.size()), {}});
      }
      scopes_.push_back({known});
      place_.insert(place_.end(), {1, 0});
    }
    if (!e_.is(Op::Tuple)) all.push_back({place_, here(e_), {}, 0});
    for (std::size_t i = 0; e_.is(Op::Tuple) && i < e_.children().size(); ++i) {
      Place at = place_;
      at.push_back(static_cast<int>(i));
      all.push_back({std::move(at), here(e_.child(i)), {}, i});
    }
  }
  std::vector<Item> all;

 private:
  /// No identifier of a program has a blank, and no other name of this library these.
  static std::string name(std::size_t item) { return "item " + std::to_string(item); }
  /// Arrays of tuples are arrays side by side: so analyses know them.
  static Expr opaque(const std::string& name, const Type& t) {
    const int rank = rank_of(t);
    const Type element = t.is_array() ? element_of(t, rank) : t;
    const bool flat = t.is_array() && element.is_tuple() &&
                      std::all_of(element.parts().begin(), element.parts().end(),
                                  [](const Type& part) { return part.is_scalar(); });
    if (!flat) return param(name, t);
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < element.parts().size(); ++i)
      parts.push_back(param(name + "." + std::to_string(i), array(shape_of(t, rank), element.parts()[i])));
    return zip_n(rank, parts);
  }
  Expr here(const Expr& part) const { return components_taken(instantiate_in(part, scopes_)); }

  Expr e_;
  Place place_;
  std::vector<std::vector<Expr>> scopes_;
};

/// What may be overwritten: arrays that the program makes itself, and arguments, too.
enum class May : std::uint8_t { own, all };

Result<Program> overwritten(const Program& p, May may);

class Overwriting {
 public:
  Overwriting(const Program& p, May may) : p_(p), q_(p), may_(may), items_(Items(p).all) {}

  Result<Program> result() {
    for (const Item& x : items_)
      if (is_scheduled_here(x.value))
        return Failure{"the stages have a schedule: they overwrite what it says"};
    if (contains(p_.body, [](const Expr& e) { return e.is(Op::Layout); }))
      return Failure{"arrays have layouts already: use this rule before layout"};
    for (std::size_t i = 0; i < items_.size(); ++i) iterations(i);
    updates();
    if (q_.body == p_.body) return Failure{"nothing may be overwritten that is not overwritten already"};
    return q_;
  }

 private:
  static bool is_scheduled_here(const Expr& value) {
    Expr e = value;
    while (is_identity(e.op()) && !is_schedule(e)) e = e.child(0);
    return !e.is(Op::Iterate) && contains(e, is_schedule);
  }

  // ---- what is read when

  /// Nothing reads `name` after item i has been computed; results are computed in any order.
  bool is_dead_after(std::size_t i, const std::string& name) const {
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const bool later = k > i || (k < i && items_[i].result && items_[k].result);
      if (later && mentions(items_[k].value, name)) return false;
    }
    return true;
  }
  /// The item of a name; nothing for arguments.
  std::optional<std::size_t> item_of(const std::string& name) const {
    for (std::size_t k = 0; k < items_.size(); ++k)
      if (!items_[k].name.empty() && items_[k].name == name) return k;
    return std::nullopt;
  }
  bool may_overwrite_argument(const std::string& name) const {
    return may_ == May::all &&
           std::find(p_.overwritable.begin(), p_.overwritable.end(), name) != p_.overwritable.end();
  }
  bool is_state(const std::string& name) const {
    return std::find(p_.state.begin(), p_.state.end(), name) != p_.state.end();
  }

  // ---- iterations

  Place iteration_at(const Item& x) const {
    Place at = x.place;
    for (Expr e = part_at(q_.body, at); is_identity(e.op()); e = e.child(0)) at.push_back(0);
    return at;
  }
  Program with_step_overwritten(const Program& p, const Place& iterate, May may) const {
    const auto r =
        with_step(p, step_of(iterate), [&](const Program& step) { return overwritten(step, may); });
    return r ? *r : p;
  }
  static std::vector<StepPart> parts_at(const Program& p, const Place& iterate) {
    return parts_of_steps(part_at(p.body, iterate));
  }
  static bool any(const std::vector<StepPart>& parts) {
    return std::find(parts.begin(), parts.end(), StepPart::overwritten) != parts.end();
  }

  void iterations(std::size_t i) {
    const Place at = iteration_at(items_[i]);
    const Expr e = part_at(q_.body, at);
    if (!e.is(Op::Iterate) || has_few_scalars(e.type()) || any(parts_of_steps(e))) return;
    steps(at, i);
  }

  /// The steps overwrite what they are given where that is the program's own: where it is computed, and where
  /// nothing else needs it. Else the first of them makes another array.
  void steps(const Place& at, std::optional<std::size_t> item) {
    const Expr e = part_at(q_.body, at);
    const Program in_place = with_step_overwritten(q_, at, May::all);
    if (!any(parts_at(in_place, at))) {
      q_ = with_step_overwritten(q_, at, May::own);
      return;
    }
    Place start = at;
    start.push_back(1);
    if (item && is_free(*item, parts_at(in_place, at))) {
      q_ = in_place;
    } else if (part_at(q_.body, start).is(Op::Iterate)) {  // steps that are no whole block
      q_ = in_place;
      steps(start, {});
    } else if (iterate_times(e).constant() == 1) {
      q_ = with_step_overwritten(q_, at, May::own);
    } else if (const auto apart = apply(find_rule("iterate-blocks"), q_, at, {1})) {
      q_ = with_step_overwritten(with_step_overwritten(*apart, at, May::all), start, May::own);
    }
  }

  /// Whether what the steps overwrite may be overwritten where it is.
  bool is_free(std::size_t i, const std::vector<StepPart>& parts) {
    Expr e = items_[i].value;
    while (is_identity(e.op())) e = e.child(0);
    const Expr& start = e.child(1);
    std::set<std::string> seen;
    std::vector<std::string> own;
    for (std::size_t c = 0; c < parts.size(); ++c) {
      if (parts[c] != StepPart::overwritten) continue;
      if (e.type().is_tuple() && !start.is(Op::Tuple)) return false;
      const Expr& x = e.type().is_tuple() ? start.child(c) : start;
      if (!x.is(Op::Param) || !seen.insert(param_name(x)).second) return false;
      if (!is_dead_after(i, param_name(x)) || mentions(e.child(0), param_name(x))) return false;
      if (start.is(Op::Tuple))
        for (std::size_t k = 0; k < parts.size(); ++k)
          if (k != c && mentions(start.child(k), param_name(x))) return false;
      if (is_state(param_name(x)) && !becomes(i, param_name(x))) return false;
      if (may_overwrite_argument(param_name(x))) continue;
      // Of several, those that have names are not computed where the results go.
      const auto k = e.type().is_tuple() ? std::nullopt : item_of(param_name(x));
      if (!k || !can_be_own(*k)) return false;
      own.push_back(param_name(x));
    }
    for (const std::string& name : own) stored_.insert(*item_of(name));
    return true;
  }
  /// Whether an item is, by itself or under its name, the result by which the next step knows a state.
  bool becomes(std::size_t i, const std::string& state) const {
    for (const Item& x : items_)
      if (x.result && *x.result < p_.state.size() && p_.state[*x.result] == state)
        return &x == &items_[i] || (x.value.is(Op::Param) && param_name(x.value) == items_[i].name);
    return false;
  }

  // ---- updates

  /// A named array that can be given memory of its own.
  bool can_be_own(std::size_t i) const {
    const Item& x = items_[i];
    return !x.name.empty() && is_large_array_of_scalars(x.value.type()) && is_computed(x.value) &&
           !x.value.is(Op::ToPrivate) && !x.value.is(Op::ToLocal) && !x.value.is(Op::Ring);
  }
  /// The array that an item lies in that is in place already, or will be.
  std::optional<std::string> base_of(std::size_t i) const {
    if (const auto it = over_.find(i); it != over_.end()) return it->second;
    Expr e = items_[i].value;
    while (is_identity(e.op())) e = e.child(0);
    if (e.is(Op::UpdateInPlace) && e.child(0).is(Op::Param)) return param_name(e.child(0));
    if (e.is(Op::Iterate) && e.type().is_array() && e.child(1).is(Op::Param)) {
      const Expr now = part_at(q_.body, iteration_at(items_[i]));
      if (now.child(1).is(Op::Bound) || now.child(1).is(Op::Param))
        if (any(parts_of_steps(now))) return param_name(e.child(1));
    }
    return std::nullopt;
  }
  /// The array that a name's value lies in at last, an argument or what an item makes.
  std::string root_of(const std::string& name) const {
    const auto i = item_of(name);
    const auto base = i ? base_of(*i) : std::nullopt;
    return base ? root_of(*base) : name;
  }
  bool may_overwrite(const std::string& root) const {
    if (const auto i = item_of(root)) return can_be_own(*i);
    return may_overwrite_argument(root) && !kept_.contains(root);
  }
  static Expr update_at(const Expr& value) {
    Expr e = value;
    while (e.is(Op::ToGlobal)) e = e.child(0);
    return e;
  }

  void decide() {
    over_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Expr u = update_at(items_[i].value);
      if (!u.is(Op::Update) || !u.child(0).is(Op::Param) || !is_large_array_of_scalars(u.type())) continue;
      const std::string& base = param_name(u.child(0));
      if (!may_overwrite(root_of(base)) || !is_dead_after(i, base)) continue;
      const auto element = stage_element(u);
      if (element->in_place && element->written.updated == base) over_[i] = base;
    }
  }
  /// The result that lies in an array.
  std::optional<std::size_t> result_in(const std::string& root) const {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& x = items_[i];
      if (!x.result) continue;
      const auto base = base_of(i);
      if (base ? root_of(*base) == root : x.value.is(Op::Param) && root_of(param_name(x.value)) == root)
        return *x.result;
    }
    return std::nullopt;
  }
  /// What steps overwrite is what they hand on in the same place.
  bool keep_what_moves() {
    for (const auto& [i, base] : over_) {
      const std::string root = root_of(base);
      if (!is_state(root)) continue;
      const auto at = result_in(root);
      if (at && *at < p_.state.size() && p_.state[*at] == root) continue;
      return kept_.insert(root).second;
    }
    return false;
  }

  /// A component of the state that is replaced as a whole by what reads of it what it replaces.
  void replacements() {
    for (const Item& x : items_) {
      if (!x.result || *x.result >= p_.state.size() || p_.state[*x.result].empty()) continue;
      const std::string& state = p_.state[*x.result];
      const auto i = origin_of(x);
      if (!i || !may_overwrite_argument(state) || is_used(state) || over_.contains(*i)) continue;
      const Expr& value = update_at(items_[*i].value);
      if (!is_large_array_of_scalars(value.type()) || !is_computed(value) || value.is(Op::Iterate) ||
          base_of(*i) || !is_dead_after(*i, state))
        continue;
      const Expr old = param(state, value.type());
      const Expr u = update(old, value, Op::Update);
      const auto element = stage_element(u);
      if (element->in_place && element->written.updated == state) whole_[*i] = old;
    }
  }
  static Expr update(const Expr& base, const Expr& value, Op op) {
    return make(op, {base, value},
                attributes::nats(std::vector<Nat>(static_cast<std::size_t>(rank_of(value.type())), 0)),
                origin(value));
  }
  /// The item that makes the array in which a result lies.
  std::optional<std::size_t> origin_of(const Item& x) const {
    const auto own = static_cast<std::size_t>(&x - items_.data());
    if (x.value.is(Op::Param)) return item_of(root_of(param_name(x.value)));
    const auto base = base_of(own);
    return base ? item_of(root_of(*base)) : own;
  }
  bool is_used(const std::string& root) const {
    return std::any_of(over_.begin(), over_.end(),
                       [&](const auto& o) { return root_of(o.second) == root; }) ||
           std::any_of(items_.begin(), items_.end(), [&](const Item& x) {
             const auto base = base_of(static_cast<std::size_t>(&x - items_.data()));
             return base && root_of(*base) == root;
           });
  }

  void updates() {
    do decide();
    while (keep_what_moves());
    replacements();
    for (const auto& [i, base] : over_)
      if (const auto own = item_of(root_of(base)); own && !whole_.contains(*own)) stored_.insert(*own);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Place at = items_[i].place;
      while (part_at(q_.body, at).is(Op::ToGlobal)) at.push_back(0);
      const Expr e = part_at(q_.body, at);
      if (over_.contains(i))
        q_.body =
            replaced_at(q_.body, at, make(Op::UpdateInPlace, {e.child(0), e.child(1)}, e.attr(), origin(e)));
      else if (whole_.contains(i))
        q_.body = replaced_at(q_.body, at, update(whole_.at(i), e, Op::UpdateInPlace));
      else if (stored_.contains(i) && at == items_[i].place)
        q_.body = replaced_at(q_.body, at, make(Op::ToGlobal, {e}, {}, origin(e)));
    }
  }

  const Program& p_;
  Program q_;
  May may_;
  std::vector<Item> items_;
  std::map<std::size_t, std::string> over_;  ///< items that overwrite their bases: these
  std::map<std::size_t, Expr> whole_;        ///< items that overwrite arrays of the state
  std::set<std::size_t> stored_;             ///< items that are overwritten
  std::set<std::string> kept_;               ///< arguments that are not overwritten
};

Result<Program> overwritten(const Program& p, May may) { return Overwriting(p, may).result(); }

}  // namespace

std::vector<Rule> overwrite_rules() {
  return {
      program_rule("overwrite-dead",
                   "update base block -> update_in_place base block, where nothing reads the base afterwards",
                   [](const Program& p, const Arguments&) { return overwritten(p, May::all); })
          .says("arrays are overwritten that nothing reads afterwards: bases of updates, each by itself, and "
                "what steps of iterations hand on, from the second step on"),
  };
}

}  // namespace lift
