#include "rewrite/analysis/written_element.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/view.hpp"

namespace lift {
namespace {

/// Larger stencils have some hundred neighbours, and some of them steps within a step.
constexpr std::size_t kMostCalls = 20000;

/// Reductions over fewer elements, as over a window, are written out always.
constexpr std::int64_t kFewElements = 64;

/// Elements of the rows that are joined to an array, be it mapped or zipped.
std::optional<Nat> joined_length(const Expr& e) {
  if (is_of_rank(e, Op::Join, 1)) return e.child(0).type().element().length();
  if (is_map(e.op()) && op_rank(e) == 1) return joined_length(e.child(1));
  if (!is_of_rank(e, Op::Zip, 1)) return std::nullopt;
  for (const Expr& c : e.children())
    if (const auto n = joined_length(c)) return n;
  return std::nullopt;
}

/// A value of which nothing is known.
View any_value(const Type& t) {
  if (t.is_scalar()) return {local_term("any value", t.scalar())};
  if (t.is_array()) {
    const Type element = t.element();
    return {ArrayView{t.length(), [element](const Nat&) { return any_value(element); }}};
  }
  std::vector<View> parts;
  for (const Type& p : t.parts()) parts.push_back(any_value(p));
  return {std::move(parts)};
}

/// The scalars that a view is made of, of arrays at any index.
void add_scalars(const View& v, std::vector<Term>& to) {
  if (const auto* t = std::get_if<Term>(&v.v)) return to.push_back(*t);
  if (const auto* a = std::get_if<ArrayView>(&v.v))
    return add_scalars(a->at(Nat::fresh("q", 0, a->length - 1)), to);
  for (const View& p : v.parts()) add_scalars(p, to);
}

class ElementViews : public Views {
 public:
  Scans scans = Scans::refused;
  std::vector<Term> begun_with;  ///< what scans begin with
  Reductions reductions = Reductions::written_out;
  std::vector<Nat> reduced;  ///< see WrittenElement

 protected:
  View reduce(const Expr& e, const ScopePtr& scope) override {
    const Type& xs = e.child(2).type();
    const std::int64_t most = reductions == Reductions::by_an_element ? kFewElements - 1 : kFewScalars;
    if (reductions == Reductions::written_out || xs.length().constant().value_or(most + 1) <= most)
      return Views::reduce(e, scope);
    const std::optional<Nat> row = joined_length(e.child(2));
    const bool rows = row && Facts().proves(equal(mod(xs.length(), *row), 0));
    const Nat inner = Nat::fresh("r", 0, (rows ? *row : xs.length()) - 1);
    const Nat any = rows ? *row * Nat::fresh("q", 0, floordiv(xs.length(), *row) - 1) + inner : inner;
    reduced.push_back(inner);
    return call(e.child(0), {eval(e.child(1), scope), eval(e.child(2), scope)[any]}, scope);
  }
  View scan(const Expr& e, const ScopePtr& scope) override {
    if (scans == Scans::refused) return Views::scan(e, scope);
    if (is_backward(e.op())) throw UserError("a scan goes backwards, from the last element");
    const View xs = eval(e.child(2), scope);
    add_scalars(eval(e.child(1), scope), begun_with);
    const View before = any_value(e.child(1).type());
    return {ArrayView{e.type().length(), [this, e, xs, before, scope](const Nat& i) {
                        return call(e.child(0), {before, xs[i]}, scope);
                      }}};
  }
};

class Descent {
 public:
  Descent(const Program& program, std::size_t result, Reductions reductions, Scans scans)
      : component_(result) {
    views_.reductions = reductions, views_.scans = scans;
    const Type type = results_of(program).at(result).type;
    rank_ = static_cast<std::size_t>(rank_of(type));
    views_.most_calls = kMostCalls;
    descend(program.body, nullptr);
    split_select();
    w_.tests.insert(w_.tests.end(), views_.begun_with.begin(), views_.begun_with.end());
    simplify_all();
    if (w_.updated.empty()) return;
    const auto argument = std::find_if(program.arguments.begin(), program.arguments.end(),
                                       [&](const Expr& a) { return param_name(a) == w_.updated; });
    if (argument == program.arguments.end() || !(argument->type() == type)) w_.updated.clear();
  }
  WrittenElement result() const { return w_; }

 private:
  /// The part of a tuple that a scalar component belongs to; `component` becomes its number there.
  static std::size_t part_with_component(const Type& tuple, std::size_t& component) {
    for (std::size_t i = 0; i < tuple.parts().size(); ++i) {
      const std::size_t n = components_in(tuple.parts()[i]);
      if (component < n) return i;
      component -= n;
    }
    throw InternalError("footprint: " + tuple.str() + " has no such component");
  }

  /// A variable for the next dimension, written at the offset that the enclosing update gives it.
  Nat next_index(const Nat& length) {
    static constexpr const char* names[] = {"i", "j", "k", "l", "m"};
    const std::size_t from_innermost = rank_ - 1 - w_.index.size();
    const Nat v = Nat::fresh(from_innermost < std::size(names) ? names[from_innermost] : "x", 0, length - 1);
    const Nat offset = w_.index.size() < offsets_.size() ? offsets_[w_.index.size()] : Nat(0);
    w_.index.push_back(v);
    w_.position.push_back(v + offset);
    return v;
  }

  void descend(const Expr& e, const ScopePtr& scope) {
    if (is_identity(e.op())) return descend(e.child(0), scope);
    if (e.is(Op::Tuple)) return descend(e.child(part_with_component(e.type(), component_)), scope);
    if (e.is(Op::Let)) return enter(e.child(1), {views_.eval(e.child(0), scope)}, scope);
    if (e.is(Op::Apply)) {
      std::vector<View> arguments;
      for (std::size_t i = 1; i < e.children().size(); ++i)
        arguments.push_back(views_.eval(e.child(i), scope));
      return enter(e.child(0), std::move(arguments), scope);
    }
    if (is_map(e.op())) {
      View x = views_.eval(e.child(1), scope);
      for (const Nat& n : shape_of(e.type(), op_rank(e))) x = x[next_index(n)];
      return enter(e.child(0), {x}, scope);
    }
    if (is_update(e.op()) && !w_.update) {
      w_.update = true;
      const std::size_t outer = w_.index.size();
      base_ = views_.eval(e.child(0), scope);
      base_depth_ = outer, base_type_ = e.type(), base_component_ = component_;
      offsets_.assign(outer, Nat(0));
      const std::vector<Nat>& offsets = update_offsets(e);
      offsets_.insert(offsets_.end(), offsets.begin(), offsets.end());
      return descend(e.child(1), scope);
    }
    access(views_.eval(e, scope), e.type());
  }

  void enter(const Expr& fn, std::vector<View> arguments, const ScopePtr& scope) {
    descend(fn.child(0), std::make_shared<Scope>(Scope{std::move(arguments), scope}));
  }

  /// What is not a map: its element at fresh indices.
  void access(View v, const Type& t) {
    if (t.is_array()) {
      v = v[next_index(t.length())];
      return access(std::move(v), t.element());
    }
    if (!t.is_scalar())
      throw UserError("footprint: the result's elements are " + t.str() +
                      "; programs that write one array of scalars can be analysed");
    w_.value = v.term();
  }

  /// value = select(c, new, old element) with the base's own element as the old one.
  void split_select() {
    if (!w_.update) return;
    for (std::size_t d = base_depth_; !base_type_.is_scalar();) {
      if (base_type_.is_array()) {
        base_ = base_[w_.position.at(d++)], base_type_ = base_type_.element();
        continue;
      }
      const std::size_t part = part_with_component(base_type_, base_component_);
      View component = base_.parts().at(part);
      base_ = std::move(component), base_type_ = Type(base_type_.parts()[part]);
    }
    const Term old = base_.term();
    if (old->kind == TermKind::Load && old->nats == w_.position) w_.updated = old->name;
    while (w_.value->kind == TermKind::Apply && w_.value->op == Op::Select) {
      const Term condition = w_.value->args[0], yes = w_.value->args[1], no = w_.value->args[2];
      if (no == old)
        add_conjuncts(condition);
      else if (yes == old)
        add_conjuncts(apply_term(Op::Not, boolean, {condition}));
      else
        break;
      w_.value = no == old ? yes : no;
    }
  }

  void add_conjuncts(const Term& c) {
    if (c->kind == TermKind::Compare) return w_.guard.push_back(c->conds[0]);
    const bool negation = c->kind == TermKind::Apply && c->op == Op::Not;
    const Term inner = negation ? c->args[0] : c;
    if (inner->kind == TermKind::Apply && inner->op == (negation ? Op::Or : Op::And)) {
      for (const Term& a : inner->args) add_conjuncts(negation ? apply_term(Op::Not, boolean, {a}) : a);
      return;
    }
    w_.tests.push_back(c);
  }

  void simplify_all() {
    w_.boundary = views_.undecided;
    w_.reduced = views_.reduced;
    const auto simplified = [](const Nat& n) { return simplify(n); };
    w_.value = map_nats(w_.value, simplified);
    for (Term& t : w_.tests) t = map_nats(t, simplified);
    for (NatCond& c : w_.guard) c.a = simplify(c.a);
  }

  ElementViews views_;
  std::size_t component_, rank_ = 0;
  WrittenElement w_;
  View base_;
  std::size_t base_depth_ = 0, base_component_ = 0;
  Type base_type_;            ///< below so many dimensions
  std::vector<Nat> offsets_;  ///< of the update, a dimension of the result
};

}  // namespace

WrittenElement written_element(const Program& program, std::size_t result, Reductions reductions,
                               Scans scans) {
  return Descent(program, result, reductions, scans).result();
}

std::vector<Term> loads_of(const Term& t) {
  std::vector<Term> loads;
  visit(t, [&](const Term& x) {
    if (x->kind == TermKind::Load) loads.push_back(x);
  });
  return loads;
}

}  // namespace lift
