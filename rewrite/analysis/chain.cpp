#include "rewrite/analysis/chain.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/instantiate.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/engine/step_program.hpp"

namespace lift {
namespace {

bool names_stage(const Expr& e) {
  return e.is(Op::Let) && e.child(0).type().is_array() && is_computed(e.child(0));
}

/// A stage's array, opaque: of an array of tuples, its components zipped.
Expr opaque_array(const std::string& name, const Type& t) {
  const int rank = rank_of(t);
  const Type element = element_of(t, rank);
  if (!element.is_tuple()) return param(name, t);
  std::vector<Expr> parts;
  for (std::size_t i = 0; i < element.parts().size(); ++i)
    parts.push_back(
        opaque_array(name + "." + std::to_string(i), array(shape_of(t, rank), element.parts()[i])));
  return zip_n(rank, parts);
}

void add_arrays(const std::string& name, const Type& element, std::vector<std::string>& all) {
  if (!element.is_tuple()) return all.push_back(name);
  for (std::size_t i = 0; i < element.parts().size(); ++i)
    add_arrays(name + "." + std::to_string(i), element.parts()[i], all);
}

/// Whether a chain of several stages is on the way down from e, through maps.
bool leads_to_chain(const Expr& e) {
  if (is_identity(e.op())) return leads_to_chain(e.child(0));
  if (is_map(e.op())) return leads_to_chain(e.child(0).child(0));
  return names_stage(e);
}

/// Goes down to the chain, then along it.
class Walk {
 public:
  explicit Walk(const Program& p) : e_(p.body) {
    chain_.arguments = p.arguments, chain_.overwritable = p.overwritable;
    while (leads_to_chain(e_) && !names_stage(e_)) {
      if (e_.is(Op::Band)) chain_.bands.push_back(band_of(e_));
      is_identity(e_.op()) ? down({0}) : into_map();
    }
    while (e_.is(Op::Let)) {
      const Expr value = here(e_.child(0));
      if (names_stage(e_))
        along(name(chain_.stages.size()), value);
      else if (value.type().is_array() || value.type().is_tuple())
        down({1, 0}, value);  // a way of looking at arrays
      else
        break;
    }
    results(p);
    for (std::size_t i = 0; i < p.state.size(); ++i)
      if (!p.state[i].empty() && !lies_at_last(p.state[i], i)) std::erase(chain_.overwritable, p.state[i]);
  }
  Chain chain() const { return chain_; }

 private:
  /// No identifier of a program has a blank.
  static std::string name(std::size_t stage) { return "stage " + std::to_string(stage + 1); }
  Expr here(const Expr& part) const { return components_taken(instantiate_in(part, scopes_)); }
  void down(const Place& children, std::optional<Expr> value = {}) {
    for (const int c : children) {
      if (e_.is(Op::Lambda)) scopes_.push_back({*value});
      e_ = e_.child(static_cast<std::size_t>(c)), place_.push_back(c);
    }
  }
  void along(const std::string& name, const Expr& value) {
    Place at = place_;
    at.push_back(0);
    chain_.stages.push_back({std::move(at), name, value, false});
    down({1, 0}, opaque_array(name, value.type()));
  }

  /// An element of what a map goes over: of zipped arguments, one array each, under the argument's name.
  Expr element(const Expr& xs, const Type& t) {
    if (is_identity(xs.op())) return element(xs.child(0), t);
    const auto whole_too = [&] { return contains(e_.child(0), [&](const Expr& x) { return x == xs; }); };
    const int rank = rank_of(xs.type()) - rank_of(t);
    if (is_of_rank(xs, Op::Zip, rank)) {
      std::vector<Expr> parts;
      for (std::size_t i = 0; i < xs.children().size(); ++i)
        parts.push_back(element(xs.child(i), t.parts()[i]));
      return tuple(parts);
    }
    const Expr x = xs.is(Op::Param) && !whole_too()
                       ? param(param_name(xs), t)
                       : param("element " + std::to_string(chain_.arguments.size()), t);
    if (std::find(chain_.arguments.begin(), chain_.arguments.end(), x) == chain_.arguments.end())
      chain_.arguments.push_back(x);
    return x;
  }
  void into_map() {
    const Type t = e_.child(0).type().parts()[0];
    down({0, 0}, element(here(e_.child(1)), t));
  }
  /// A component that is a stage by name makes that stage a result.
  bool names_result(const Expr& component) {
    for (ChainStage& s : chain_.stages)
      if (component.is(Op::Param) && param_name(component) == s.name) return s.result = true;
    return false;
  }
  /// A number, the sum of a stage's elements, say, for which that stage has to be there as a whole.
  void afterwards(const Expr& number) {
    chain_.afterwards.push_back(number);
    for (ChainStage& s : chain_.stages)
      if (contains(number, [&](const Expr& x) { return x.is(Op::Param) && s.makes(param_name(x)); }))
        s.result = true;
  }
  void results(const Program& p) {
    chain_.result = here(e_);
    if (e_.is(Op::Unzip) && is_computed(e_.child(0))) down({0});
    if (e_.type().is_scalar() && !chain_.stages.empty()) return afterwards(here(e_));
    if (!e_.is(Op::Tuple)) {
      if (names_result(here(e_))) return;
      chain_.stages.push_back(
          {place_, chain_.stages.empty() ? "out" : name(chain_.stages.size()), here(e_), true});
      return;
    }
    const bool named = place_.empty() && p.results.size() == e_.children().size();
    for (std::size_t i = 0; i < e_.children().size(); ++i) {
      const Expr value = here(e_.child(i));
      if (names_result(value)) continue;
      if (value.type().is_scalar() && !chain_.stages.empty()) {
        afterwards(value);
        continue;
      }
      Place at = place_;
      at.push_back(static_cast<int>(i));
      chain_.stages.push_back({at, named ? p.results[i] : name(chain_.stages.size()), value, true});
    }
  }

  /// Whether a result is made of an array by one update after the other: only that array of a step's state
  /// can be where the next step looks for it.
  bool lies_at_last(const std::string& array, std::size_t result) const {
    const bool several = chain_.result.is(Op::Tuple);
    if (several ? result >= chain_.result.children().size() : result > 0) return false;
    Expr e = several ? chain_.result.child(result) : chain_.result;
    for (;;) {
      while (is_identity(e.op())) e = e.child(0);
      if (e.is(Op::Param) && param_name(e) == array) return true;
      if (e.is(Op::Param)) {
        const auto at = std::find_if(chain_.stages.begin(), chain_.stages.end(),
                                     [&](const ChainStage& s) { return s.makes(param_name(e)); });
        if (at == chain_.stages.end()) return false;
        e = at->value;
        if (e.is(Op::Param)) return false;
        continue;
      }
      const auto base = updated_array(e);
      if (!base) return false;
      e = *base;
    }
  }

  Expr e_;
  Place place_;
  std::vector<std::vector<Expr>> scopes_;  ///< values of the variables of the lambdas around, outermost first
  Chain chain_;
};

/// The innermost iteration whose step has the first schedule below e; false: none has.
bool find_scheduled_step(const Expr& e, Place& at) {
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    if (!contains(e.child(i), is_schedule)) continue;
    at.push_back(static_cast<int>(i));
    if (find_scheduled_step(e.child(i), at)) return true;
    if (is_step(e, {0, 0}) && i == 0) return at.push_back(0), true;
    at.pop_back();
    return false;
  }
  return false;
}

}  // namespace

bool is_schedule(const Expr& e) { return e.is(Op::Band) || e.is(Op::Ring); }

Program scheduled_program(const Program& program) {
  Place at;
  if (!find_scheduled_step(program.body, at)) return program;
  const Expr step = part_at(program.body, at);
  if (contains(replaced_at(program.body, at, param("step", step.type())), is_schedule))
    throw UserError("band: there is one schedule within an iteration, and another one; have one of them");
  return step_program(program, at);
}

std::vector<std::string> ChainStage::arrays() const {
  std::vector<std::string> all;
  const Type& t = value.type();
  add_arrays(name, t.is_array() ? element_of(t, rank_of(t)) : t, all);
  return all;
}

std::vector<Band> Chain::going(Band::Shape s) const {
  std::vector<Band> r = bands;
  std::erase_if(r, [&](const Band& b) { return b.shape != s; });
  return r;
}

Place Chain::place() const {
  Place at = stages[0].place;
  at.pop_back();
  return at;
}

bool ChainStage::makes(const std::string& array) const {
  if (array == name) return true;
  const std::vector<std::string> all = arrays();
  return std::find(all.begin(), all.end(), array) != all.end();
}

Chain chain_of(const Program& program) { return Walk(program).chain(); }

Program last_of_chain(const Program& program) {
  if (!program.body.is(Op::Let)) return program;
  const Chain chain = chain_of(program);
  if (chain.stages.empty() || !(chain.result.type() == program.body.type())) return program;
  Program p = program;
  p.arguments = params_of(chain.result), p.body = chain.result;
  return p;
}

bool overwrites_base(const Expr& e) {
  if (e.is(Op::UpdateInPlace)) return true;
  if (e.is(Op::Iterate)) return e.type().is_array() && !is_computed(e.child(1)) && overwrites_steps(e);
  if (is_identity(e.op())) return overwrites_base(e.child(0));
  return is_map(e.op()) && op_rank(e) == 1 && overwrites_base(e.child(0).child(0));
}

namespace {

/// In which component of what a step is given a value lies.
class LiesIn {
 public:
  LiesIn(const Expr& state, bool overwrites) : overwrites_(overwrites) {
    const bool several = state.type().is_tuple();
    if (!several) where_.emplace_back(state, Where{0, false});
    for (std::size_t i = 0; several && i < state.type().parts().size(); ++i)
      where_.emplace_back(get(static_cast<int>(i), state), Where{i, false});
  }
  std::vector<StepPart> parts(const Expr& body, std::size_t components, const Type& state) {
    std::vector<StepPart> r(components, StepPart::turns);
    Expr e = body;
    while (is_identity(e.op()) || e.is(Op::Let)) {
      if (!e.is(Op::Let)) {
        e = e.child(0);
        continue;
      }
      std::vector<Expr> name;
      const Expr rest = open(e.child(1), name);
      if (const auto w = of(e.child(0)); w && overwrites_) where_.emplace_back(name[0], *w);
      e = rest;
    }
    const auto note = [&](const Expr& c, std::size_t i, const Type& t) {
      if (const auto w = of(c); w && w->component == i && t.is_array())
        r[i] = w->overwritten ? StepPart::overwritten : StepPart::handed_on;
    };
    if (!state.is_tuple())
      note(e, 0, state);
    else if (e.is(Op::Tuple))
      for (std::size_t i = 0; i < components; ++i) note(e.child(i), i, state.parts()[i]);
    return r;
  }

 private:
  struct Where {
    std::size_t component;
    bool overwritten;
  };
  std::optional<Where> of(const Expr& e) const {
    const auto at = std::find_if(where_.begin(), where_.end(), [&](const auto& w) { return w.first == e; });
    if (at != where_.end()) return at->second;
    if (is_identity(e.op())) return of(e.child(0));
    const bool steps = e.is(Op::Iterate) && e.type().is_array() && overwrites_steps(e);
    if (!e.is(Op::UpdateInPlace) && !steps) return std::nullopt;
    auto w = of(e.child(steps ? 1 : 0));
    if (w) w->overwritten = true;
    return w;
  }

  bool overwrites_;
  std::vector<std::pair<Expr, Where>> where_;
};

}  // namespace

std::vector<StepPart> parts_of_steps(const Expr& iterate) {
  const Expr& f = iterate.child(0);
  const Type& state = iterate.type();
  const std::size_t n = state.is_tuple() ? state.parts().size() : 1;
  std::vector<StepPart> none(n, StepPart::turns);
  if (!state.has_arrays()) return none;
  const bool overwrites = contains(f, [](const Expr& x) { return x.is(Op::UpdateInPlace); });
  if (!overwrites && (!state.is_tuple() || has_few_scalars(state))) return none;
  std::vector<Expr> names;
  const Expr body = open(f, names);
  std::vector<StepPart> r = LiesIn(names.back(), overwrites).parts(body, n, state);
  const bool all_handed_on =
      std::all_of(r.begin(), r.end(), [](StepPart p) { return p == StepPart::handed_on; });
  return all_handed_on ? none : r;
}

bool overwrites_steps(const Expr& iterate) {
  const std::vector<StepPart> parts = parts_of_steps(iterate);
  return std::any_of(parts.begin(), parts.end(), [](StepPart p) { return p != StepPart::turns; });
}

std::optional<Expr> updated_array(const Expr& e) {
  if (is_update(e.op())) return e.child(0);
  if (is_identity(e.op())) return updated_array(e.child(0));
  if (!is_map(e.op()) || op_rank(e) != 1) return std::nullopt;
  const auto is_element = [](const Expr& x) {
    return x.is(Op::Bound) && bound_depth(x) == 0 && bound_index(x) == 0;
  };
  const auto inner = updated_array(e.child(0).child(0));
  const Expr& xs = e.child(1);
  if (!inner) return std::nullopt;
  if (is_element(*inner)) return xs;
  if (!inner->is(Op::Get) || !is_element(inner->child(0))) return std::nullopt;
  const auto i = static_cast<std::size_t>(tuple_index(*inner));
  return is_of_rank(xs, Op::Zip, 1) ? std::optional(xs.child(i)) : std::nullopt;
}

}  // namespace lift
