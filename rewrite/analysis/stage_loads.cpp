#include "rewrite/analysis/stage_loads.hpp"

#include <algorithm>
#include <numeric>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/nat/nat_atoms.hpp"
#include "ir/remembered.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "rewrite/analysis/nest.hpp"

namespace lift {
namespace {

std::string text_of(const std::vector<Nat>& p) {
  std::string s;
  for (const Nat& n : p) s += "[" + n.str() + "]";
  return s;
}

// ---- loads with what is known where they happen

/// Conditions that hold in the first branch of a select, as far as they are about indices.
void add_conditions(const Term& c, Facts& facts) {
  if (c->kind == TermKind::Compare) facts = facts.with(c->conds[0]);
  if (c->kind == TermKind::Apply && c->op == Op::And)
    for (const Term& a : c->args) add_conditions(a, facts);
}

class Loads {
 public:
  explicit Loads(const WrittenElement& w) {
    Facts guarded;
    for (const NatCond& c : w.guard) guarded = guarded.with(c);
    collect(w.value, guarded);
    for (const Term& t : w.tests) collect(t, {});
  }
  std::vector<LoadCase> all;

 private:
  void collect(const Term& t, const Facts& facts) {
    if (!seen_.first(t, facts)) return;
    if (t->kind == TermKind::Load) {
      for (PositionCase& c : cases_of(t->nats, facts))
        all.push_back({t->name, std::move(c), text_of(t->nats)});
      for (const Term& position : t->args) collect(position, facts);
      return;
    }
    if (t->kind == TermKind::Apply && t->op == Op::Select) {
      const Term& c = t->args[0];
      collect(c, facts);
      Facts yes = facts, no = facts;
      add_conditions(c, yes);
      if (c->kind == TermKind::Compare) no = no.with(negate(c->conds[0]));
      collect(t->args[1], yes);
      return collect(t->args[2], no);
    }
    for (const Term& a : t->args) collect(a, facts);
  }

  SeenUnder seen_;
};

constexpr int kMostNames = 4;  ///< arrays with a name within one stage: views of each other grow fast

int named_arrays(const Expr& e) {
  if (is_identity(e.op())) return named_arrays(e.child(0));
  if (!e.is(Op::Let)) return 0;
  return (e.child(0).type().is_array() ? 1 : 0) + named_arrays(e.child(1).child(0));
}

StageElement analysed(const Expr& value) {
  StageElement e;
  Program p{"stage", params_of(value), value, {}, {}};
  for (const Expr& a : p.arguments) p.overwritable.push_back(param_name(a));
  try {
    if (!value.type().is_array()) throw UserError("a stage's value is " + value.type().str() + ", no array");
    p.body = of_all_components(value);
    if (named_arrays(value) > kMostNames) throw UserError("a stage is a chain of stages itself");
    e.loads = element_loads(p);
    e.written = e.loads.front().by;
    e.in_place = e.written.update && why_not_in_place(p).empty();
  } catch (const UserError& error) {
    e.unknown = error.what();
  }
  return e;
}

// ---- bounds under conditions

/// floordiv(x, b) with a coefficient that b divides as (x - x mod b) / b, which has no division.
Nat without_divisions(const Nat& n) {
  Nat r = 0;
  for (const NatTerm& t : terms(n)) {
    Nat product = t.coefficient;
    const auto b =
        t.factors.size() == 1 && t.factors[0].power == 1 ? t.factors[0].atom->b.constant() : std::nullopt;
    if (b && *b > 0 && t.factors[0].atom->kind == AtomKind::FloorDiv && t.coefficient % *b == 0) {
      const Nat& x = t.factors[0].atom->a;
      r = r + (t.coefficient / *b) * (x - mod(x, *b));
      continue;
    }
    for (const NatFactor& f : t.factors)
      for (int i = 0; i < f.power; ++i) product = product * atom_nat(*f.atom);
    r = r + product;
  }
  return r;
}

constexpr std::int64_t kFar = 1 << 20, kLongest = std::int64_t{1} << 48;  ///< elements of an axis

/// The largest number that is proved not to be above n.
std::optional<std::int64_t> lower_bound(const Nat& n, const Facts& facts) {
  const auto holds = [&](std::int64_t c) { return facts.proves_nonnegative(n - c); };
  std::int64_t low = facts.bounds(n).lower.value_or(-1), step = 1;
  while (!holds(low)) {
    if (low < -kFar) return std::nullopt;
    low -= step, step *= 2;
  }
  for (step = 1; step < kLongest && holds(low + step); step *= 2) low += step;
  for (; step > 0; step /= 2)
    if (holds(low + step)) low += step;
  return low;
}

}  // namespace

Expr of_all_components(const Expr& value) {
  const Type element = element_of(value.type());
  if (!element.is_tuple()) return value;
  if (is_update(value.op())) throw UserError("a stage updates an array of tuples");
  const std::function<Expr(const Expr&)> all = [&](const Expr& x) {
    if (x.type().is_scalar()) return cast(f64, x);
    if (x.type().is_array())
      throw UserError("a stage makes an array of " + element.str() +
                      ", tuples of arrays; make it one of tuples of numbers, zip the arrays");
    Expr sum = all(get(0, x));
    for (std::size_t i = 1; i < x.type().parts().size(); ++i) sum = sum + all(get(static_cast<int>(i), x));
    return sum;
  };
  const Expr x = fresh_param("x", element);
  return make(Op::Map, {lambda({x}, all(x)), value}, attributes::map(Op::Map, rank_of(value.type())));
}

std::vector<ElementLoads> element_loads(Program p, Scans scans) {
  std::vector<ElementLoads> all;
  for (;;) {
    const WrittenElement w = written_element(p, 0, Reductions::by_an_element, scans);
    all.push_back({w, Loads(w).all});
    if (!w.update || (all.size() == 1 && !w.updated.empty())) return all;
    const Place update = *main_nest(p.body).update;
    p.body = replaced_at(p.body, update, part_at(p.body, update).child(0));
  }
}

std::shared_ptr<const StageElement> stage_element(const Expr& value) {
  static auto& known = *new Remembered<std::uint32_t, std::shared_ptr<const StageElement>>;
  return known(value.id(), [&] { return std::make_shared<const StageElement>(analysed(value)); });
}

std::optional<Slope> slope_of(const LoadCase& load, const WrittenElement& w, std::size_t axis) {
  if (axis >= load.at.position.size()) return std::nullopt;
  const Nat position = load.at.facts.simplify(load.at.position[axis]);
  const auto affine = affine_in(position, w.index[axis]);
  if (affine) {
    const auto c = affine->coefficient.constant();
    return c && *c > 0 ? std::optional(Slope{*c, 1}) : std::nullopt;
  }
  for (const NatTerm& t : terms(position)) {
    if (t.factors.size() != 1 || t.factors[0].power != 1 || t.coefficient <= 0) continue;
    const NatAtom& a = *t.factors[0].atom;
    const auto b = a.kind == AtomKind::FloorDiv ? a.b.constant() : std::nullopt;
    const auto inner = b ? affine_in(a.a, w.index[axis]) : std::nullopt;
    const auto c = inner ? inner->coefficient.constant() : std::nullopt;
    if (c && *c > 0 && !mentions(position - t.coefficient * atom_nat(a), w.index[axis]))
      return Slope{t.coefficient * *c, *b};
  }
  return std::nullopt;
}

Distance distance_of(const LoadCase& load, const WrittenElement& w, std::size_t axis, std::int64_t read_scale,
                     std::int64_t write_scale) {
  const Facts& facts = load.at.facts;
  const std::int64_t unit = std::gcd(read_scale, write_scale);  // less is proved of multiples
  const Nat d = facts.simplify(without_divisions(
      facts.simplify(read_scale / unit * load.at.position[axis] - write_scale / unit * w.position[axis])));
  const auto whole = [&](std::optional<std::int64_t> n) { return n ? std::optional(*n * unit) : n; };
  Distance r{whole(d.constant()), whole(d.constant()), load.load, load.load, {}};
  if (!r.min) {
    r.min = whole(lower_bound(d, facts));
    const auto above = whole(lower_bound(-d, facts));
    r.max = above ? std::optional(-*above) : std::nullopt;
    if (!r.bounded()) r.why = load.load + ": " + d.str() + " is not bounded by numbers";
  }
  if (!load.at.wrapped[axis]) return r;
  if (!facts.proves(less(d, 0))) r.max.reset();
  if (!facts.proves(less(0, d))) r.min.reset();
  r.why = load.load + " wraps around a periodic boundary";
  return r;
}

Distance hull(const Distance& a, const Distance& b) {
  const bool lower = a.min && (!b.min || *b.min < *a.min), higher = a.max && (!b.max || *b.max > *a.max);
  return {lower ? b.min : a.min, higher ? b.max : a.max, lower ? b.at_min : a.at_min,
          higher ? b.at_max : a.at_max, a.why.empty() ? b.why : a.why};
}

}  // namespace lift
