// Executes the loop language on small data: the oracle for lowering that needs no compiler. It checks every
// access against the array's size, and iterations of parallel loops against each other: an element that one
// iteration changes must not be touched by another.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ir/expr/build.hpp"
#include "ir/expr/elementary.hpp"
#include "lower/loops/visit.hpp"

namespace lift::test {

class LoopRunner {
 public:
  std::map<std::string, std::vector<double>> arrays;
  std::map<std::string, double> scalars;      ///< f32/f64 arguments
  std::map<std::string, std::int64_t> index;  ///< index params and sizes by name
  std::vector<std::string> races;
  std::map<std::string, std::size_t> loads;  ///< of each array, counted
  /// Loads and stores of whole vectors of an array, and those of them not at a multiple of their width.
  struct Vectors {
    std::size_t loads = 0, shifted_loads = 0, stores = 0, shifted_stores = 0;
  };
  std::map<std::string, Vectors> vectors;
  std::map<std::string, std::vector<std::int64_t>>
      prefetched;  ///< elements asked for, which are checked as accesses are
  /// In which order iterations of loops that threads take in turns run: 0: one after the other; 1: each as
  /// soon as it may, later ones first; others: any that may, at random.
  unsigned turns = 0;

  void run(const Kernel& k) {
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array() && arrays.at(a.name).size() != static_cast<std::size_t>(nat(a.layout.size())))
        throw std::runtime_error("size of " + a.name);
    exec(k.body);
  }

 private:
  using Vec = std::vector<double>;
  std::map<const NatAtom*, std::int64_t> values_;
  std::map<std::string, Vec> locals_;
  struct Touch {
    std::set<std::pair<std::string, std::int64_t>> read, changed, stored;
    std::set<std::string> own;  ///< arrays that the iteration allocated
  };
  std::vector<Touch*> touches_;

  std::int64_t nat(const Nat& n) {
    return evaluate(n, [&](const NatAtom& a) {
      if (a.computed) return static_cast<std::int64_t>(eval(computed_term(a)).at(0));
      if (const auto it = values_.find(&a); it != values_.end()) return it->second;
      if (const auto it = index.find(a.name); it != index.end()) return it->second;
      throw std::runtime_error("variable " + a.name + " has no value");
    });
  }
  /// A range may be in terms of a loop's variable that has become another one.
  bool is_known(const Nat& n) {
    const auto all = variables(n);
    return std::all_of(all.begin(), all.end(), [&](const NatAtom* a) {
      return !a->computed && (values_.count(a) != 0 || index.count(a->name) != 0);
    });
  }
  bool holds(const NatCond& c) {
    const auto v = nat(c.a);
    return c.kind == NatCond::Kind::NonNegative ? v >= 0 : (v == 0) == (c.kind == NatCond::Kind::Zero);
  }
  double& element(const std::string& array, std::int64_t i) {
    auto& a = arrays.at(array);
    if (i < 0 || i >= static_cast<std::int64_t>(a.size()))
      throw std::out_of_range(array + "[" + std::to_string(i) + "] of " + std::to_string(a.size()));
    return a[static_cast<std::size_t>(i)];
  }
  double load(const std::string& array, std::int64_t i, bool asked = true) {
    ++loads[array];
    for (Touch* t : touches_)
      if (asked && !t->own.count(array)) t->read.emplace(array, i);
    return element(array, i);
  }
  /// Lanes that are asked for of vectors as wide; null: all, as of others.
  const std::vector<bool>* asked_ = nullptr;
  bool is_asked(std::size_t lane, std::size_t width) const {
    return asked_ == nullptr || asked_->size() != width || (*asked_)[lane];
  }
  Vec eval_for(const std::vector<bool>* lanes, const Term& t) {
    const std::vector<bool>* const outer = std::exchange(asked_, lanes);
    Vec r = eval(t);
    asked_ = outer;
    return r;
  }
  /// What lanes are taken of: those that are asked for.
  std::vector<Vec> shuffled(const Term& t) {
    std::vector<Vec> r;
    int first = 0;
    for (const Term& a : t->args) {
      std::vector<bool> lanes(static_cast<std::size_t>(a->width));
      for (std::size_t l = 0; l < t->lanes.size(); ++l)
        if (const int from = t->lanes[l] - first; from >= 0 && from < a->width)
          lanes[static_cast<std::size_t>(from)] =
              lanes[static_cast<std::size_t>(from)] || is_asked(l, t->lanes.size());
      r.push_back(eval_for(&lanes, a));
      first += a->width;
    }
    return r;
  }
  /// Each lane of one arm: what is loaded for the others is thrown away.
  Vec select_by_lane(const Term& t) {
    const auto w = static_cast<std::size_t>(t->width);
    const Vec chosen = eval(t->args[0]);
    Vec r(w);
    for (const std::size_t arm : {1U, 2U}) {
      std::vector<bool> lanes(w);
      for (std::size_t l = 0; l < w; ++l) lanes[l] = (chosen.at(l) != 0) == (arm == 1) && is_asked(l, w);
      const Vec v = eval_for(&lanes, t->args[arm]);
      for (std::size_t l = 0; l < w; ++l)
        if ((chosen[l] != 0) == (arm == 1)) r[l] = v.size() == w ? v[l] : v.at(0);
    }
    return r;
  }

  Vec eval(const Term& t) {
    const auto w = static_cast<std::size_t>(t->width);
    Vec r(w);
    switch (t->kind) {
      case TermKind::Constant:
        return {t->number};
      case TermKind::Index:
        return {static_cast<double>(nat(t->nats[0]))};
      case TermKind::Argument:
        return {scalars.at(t->name)};
      case TermKind::Local:
        return locals_.at(t->name);
      case TermKind::Compare:
        return {holds(t->conds[0]) ? 1.0 : 0.0};
      case TermKind::Load:
        if (w > 1) {
          Vectors& of = vectors[t->name];
          ++of.loads, of.shifted_loads += nat(t->nats[0]) % t->width != 0;
        }
        for (std::size_t l = 0; l < w; ++l)
          r[l] = load(t->name, nat(t->nats[0]) + static_cast<std::int64_t>(l), is_asked(l, w));
        return r;
      case TermKind::Lanes:
        for (std::size_t l = 0; l < w; ++l) r[l] = holds(t->conds[l]);
        return r;
      case TermKind::LaneIndex:
        for (std::size_t l = 0; l < w; ++l)
          r[l] = static_cast<double>(nat(t->nats[0]) + static_cast<std::int64_t>(l) * nat(t->nats[1]));
        return r;
      default:
        break;
    }
    if (t->op == Op::Select && is_conditional(t)) {  // one arm is computed
      const Vec chosen = eval(t->args[eval(t->args[0]).at(0) != 0 ? 1 : 2]);
      return chosen.size() == w ? chosen : Vec(w, chosen.at(0));
    }
    if (is_conditional(t) && t->op != Op::Select) {  // the second may not exist
      const bool first = eval(t->args[0]).at(0) != 0;
      if (first == (t->op == Op::Or)) return {first ? 1.0 : 0.0};
    }
    if (t->op == Op::Select && t->kind == TermKind::Apply && t->args[0]->width > 1) return select_by_lane(t);
    std::vector<Vec> args;
    if (t->kind == TermKind::Shuffle)
      args = shuffled(t);
    else
      for (const Term& a : t->args) args.push_back(eval(a));
    for (std::size_t l = 0; l < w; ++l) {
      const auto at = [&](std::size_t a) { return args[a].size() == 1 ? args[a][0] : args[a][l]; };
      if (t->kind == TermKind::Shuffle) {
        Vec all;
        for (const Vec& a : args) all.insert(all.end(), a.begin(), a.end());
        r[l] = all.at(static_cast<std::size_t>(t->lanes.at(l)));
        continue;
      }
      if (t->kind == TermKind::Call) {
        std::vector<double> given;
        for (std::size_t a = 0; a < args.size(); ++a) given.push_back(at(a));
        r[l] = scalar(
            Op::Cast, t->type, [&](std::size_t) { return user_meaning(t->user)(given); }, 1);
        continue;
      }
      r[l] = scalar(t->op, t->type, at, args.size());
    }
    return r;
  }
  template <class At>
  static double scalar(Op op, Scalar type, const At& at, std::size_t n) {
    const auto round = [&](double x) -> double {
      if (type == f32) return static_cast<double>(static_cast<float>(x));
      if (type == u8) return static_cast<std::uint8_t>(static_cast<std::int64_t>(x));  // the low bits
      if (type == u16) return static_cast<std::uint16_t>(static_cast<std::int64_t>(x));
      if (type == i16) return static_cast<std::int16_t>(static_cast<std::int64_t>(x));
      return is_float(type) ? x : std::trunc(x) + 0.0;  // no integer is -0
    };
    const double a = at(0), b = n > 1 ? at(1) : 0;
    switch (op) {
      case Op::Add:
        return round(a + b);
      case Op::Sub:
        return round(a - b);
      case Op::Mul:
        return round(a * b);
      case Op::Div:
        return is_float(type) ? round(a / b) : b == 0 ? 0 : std::floor(a / b);
      case Op::Mod:
        return b == 0 ? a : a - b * std::floor(a / b);
      case Op::Neg:
        return round(-a);
      case Op::Abs:
        return a < 0 ? -a : a;
      case Op::Min:
        return b < a ? b : a;
      case Op::Max:
        return a < b ? b : a;
      case Op::And:
        return a != 0 && b != 0;
      case Op::Or:
        return a != 0 || b != 0;
      case Op::Not:
        return a == 0;
      case Op::Lt:
        return a < b;
      case Op::Le:
        return a <= b;
      case Op::Eq:
        return a == b;
      case Op::Ne:
        return a != b;
      case Op::Select:
        return a != 0 ? b : at(2);
      case Op::Cast:
        return type == boolean ? a != 0 : round(a);
      case Op::Sqrt:
        return round(std::sqrt(a));
      default:
        break;
    }
    const Elementary* f = elementary(op);
    if (f == nullptr) throw std::runtime_error("operation not run here");
    return type == f32 ? static_cast<double>(f->of_f32(static_cast<float>(a), static_cast<float>(b)))
                       : f->of_f64(a, b);
  }

  void exec(const Block& b) {
    for (const Stmt& s : b) exec(s);
  }
  void exec(const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
    if (const auto* i = std::get_if<If>(&s.v)) {
      for (const Term& c : i->conditions)
        if (eval(c).at(0) == 0) return;
      return exec(i->body);
    }
    if (const auto* l = std::get_if<Launch>(&s.v)) return exec(l->body);
    if (std::holds_alternative<Barrier>(s.v) && team_) return meet_all();
    if (const auto* x = std::get_if<Store>(&s.v)) {
      const Vec v = eval(x->value);
      const auto at = nat(x->position.at(0));
      if (v.size() > 1) {
        Vectors& of = vectors[x->array];
        ++of.stores, of.shifted_stores += at % static_cast<std::int64_t>(v.size()) != 0;
      }
      for (std::size_t l = 0; l < v.size(); ++l) {
        double& e = element(x->array, at + static_cast<std::int64_t>(l));
        for (Touch* t : touches_) {
          if (t->own.count(x->array)) continue;
          t->stored.emplace(x->array, at + static_cast<std::int64_t>(l));
          if (e != v[l]) t->changed.emplace(x->array, at + static_cast<std::int64_t>(l));
        }
        e = v[l];
      }
    }
    if (const auto* x = std::get_if<Let>(&s.v)) {
      if (x->local->kind == TermKind::Index)
        values_[variables(x->local->nats[0])[0]] = static_cast<std::int64_t>(eval(x->value).at(0));
      else
        locals_[x->local->name] = eval(x->value);
    }
    if (const auto* x = std::get_if<Declare>(&s.v)) locals_[x->local->name] = eval(x->value);
    if (const auto* x = std::get_if<Assign>(&s.v)) locals_[x->local->name] = eval(x->value);
    if (const auto* x = std::get_if<Prefetch>(&s.v)) {
      prefetched[x->array].push_back(nat(x->position.at(0)));
      element(x->array, prefetched[x->array].back());
    }
    if (const auto* x = std::get_if<Allocate>(&s.v)) {
      arrays[x->name].assign(static_cast<std::size_t>(nat(Layout({}, x->type).size())), std::nan(""));
      for (Touch* t : touches_) t->own.insert(x->name);
    }
  }
  /// What iterations of shared loops have touched in a loop that a team goes through since its last barrier:
  /// none waits for another.
  std::vector<Touch>* team_ = nullptr;
  const For* team_loop_ = nullptr;

  /// Before form-teams threads wait where an iteration ends.
  static bool waits_within(const Block& b) {
    return lift::holds(b, [](const Stmt& s) { return std::holds_alternative<Barrier>(s.v); });
  }
  void meet_all() { check(*team_loop_, *team_), team_->clear(); }
  void loop(const For& f) {
    std::vector<Touch> items;
    std::vector<Touch>* const outer_team = team_;
    const For* const outer_loop = team_loop_;
    if (f.team) team_ = &items, team_loop_ = &f;
    iterations(f);
    if (f.team) meet_all();
    team_ = outer_team, team_loop_ = outer_loop;
  }
  /// The loop that waits within one that threads take in turns.
  static const For* waiting(const For& f) {
    const For* found = nullptr;
    for (const Stmt& s : f.body)
      if (const auto* inner = std::get_if<For>(&s.v); f.doacross && inner && inner->waits) found = inner;
    return found;
  }
  struct Turn {
    std::int64_t next, end;   ///< steps
    std::vector<Touch> seen;  ///< a step
    std::vector<std::int64_t> step;
    std::map<std::string, std::vector<double>> own;  ///< arrays of this iteration
  };
  void take_turns(const For& f, const For& steps) {
    const NatAtom *v = variables(f.var)[0], *s = variables(steps.var)[0];
    const auto first = nat(f.lower);
    std::vector<Turn> all(static_cast<std::size_t>(std::max<std::int64_t>(0, nat(f.upper) - first)));
    const auto begin = [&](std::size_t t) {
      values_[v] = first + static_cast<std::int64_t>(t);
      for (const Stmt& x : f.body)
        if (const auto* a = std::get_if<Allocate>(&x.v); a && all[t].own.count(a->name))
          arrays[a->name] = all[t].own[a->name];
        else if (!std::holds_alternative<For>(x.v))
          exec(x);
    };
    const auto keep = [&](std::size_t t) {
      for (const Stmt& x : f.body)
        if (const auto* a = std::get_if<Allocate>(&x.v)) all[t].own[a->name] = arrays[a->name];
    };
    for (std::size_t t = 0; t < all.size(); ++t)
      begin(t), keep(t), all[t].next = nat(steps.lower), all[t].end = nat(steps.upper);
    for (unsigned random = turns;;) {
      std::vector<std::size_t> ready;
      for (std::size_t t = 0; t < all.size(); ++t)
        if (all[t].next < all[t].end &&
            (t == 0 || all[t - 1].next > all[t].next || all[t - 1].next >= all[t - 1].end))
          ready.push_back(t);
      if (ready.empty()) break;
      random = random * 1103515245U + 12345U;
      const std::size_t t = turns == 0   ? ready.front()
                            : turns == 1 ? ready.back()
                                         : ready[(random >> 16) % ready.size()];
      begin(t);
      values_[s] = all[t].next;
      Touch touch;
      touches_.push_back(&touch);
      for (const auto& [name, values] : all[t].own) touch.own.insert(name);
      exec(steps.body);
      touches_.pop_back(), keep(t);
      all[t].seen.push_back(std::move(touch)), all[t].step.push_back(all[t].next++);
    }
    values_.erase(v), values_.erase(s);
    // A step is in no order with earlier steps of later iterations.
    for (std::size_t t = 0; t < all.size(); ++t)
      for (std::size_t a = 0; a < all[t].seen.size(); ++a)
        for (std::size_t u = t + 1; u < all.size(); ++u)
          for (std::size_t b = 0; b < all[u].seen.size(); ++b)
            if (all[t].step[a] > all[u].step[b])
              meet(f, all[t].seen[a], all[u].seen[b]), meet(f, all[u].seen[b], all[t].seen[a]);
  }
  void meet(const For& f, const Touch& one, const Touch& other) {
    for (const auto& e : one.changed)
      if ((other.read.count(e) > 0 || other.stored.count(e) > 0) && races.size() < 5)
        races.push_back(e.first + "[" + std::to_string(e.second) + "] in two turns of " + f.var.str());
  }
  void iterations(const For& f) {
    if (const For* steps = waiting(f)) return take_turns(f, *steps);
    const auto lower = nat(f.lower), upper = nat(f.upper), step = nat(f.step);
    const bool parallel = f.kind == LoopKind::Par || f.kind >= LoopKind::Glb;
    std::vector<Touch> seen;
    const NatAtom* v = variables(f.var)[0];
    for (auto i = lower; i < upper; i += step) {
      values_[v] = i;
      if (is_known(v->lower) && nat(v->lower) > i) throw std::runtime_error("range of " + v->name);
      if (!parallel) {
        exec(f.body);
        if (f.team && !waits_within(f.body)) meet_all();
        continue;
      }
      seen.emplace_back();
      Touch t;
      touches_.push_back(&t);
      exec(f.body);
      touches_.pop_back();
      seen.back() = std::move(t);
    }
    if (parallel) check(f, seen);
    if (parallel && team_ && touches_.empty()) team_->insert(team_->end(), seen.begin(), seen.end());
    values_.erase(v);
  }
  void check(const For& f, const std::vector<Touch>& seen) {
    std::map<std::pair<std::string, std::int64_t>, std::size_t> changed_by;
    const auto race = [&](const auto& e, std::size_t a, std::size_t b) {
      if (races.size() < 5)
        races.push_back(e.first + "[" + std::to_string(e.second) + "] in iterations " + std::to_string(a) +
                        " and " + std::to_string(b) + " of " + f.var.str());
    };
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (const auto& e : seen[i].changed) {
        const auto [it, added] = changed_by.emplace(e, i);
        if (!added && it->second != i) race(e, it->second, i);
      }
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (const auto& e : seen[i].read) {
        const auto it = changed_by.find(e);
        if (it != changed_by.end() && it->second != i) race(e, it->second, i);
      }
  }
};

}  // namespace lift::test
