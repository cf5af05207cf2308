#include "rewrite/analysis/footprint.hpp"

#include <algorithm>
#include <numeric>

#include "ir/expr/attributes.hpp"
#include "ir/expr/elementary.hpp"
#include "rewrite/analysis/written_element.hpp"

namespace lift {
namespace {

/// Arithmetic operators in the C body of a user function.
int operators_in(const std::string& body) {
  return static_cast<int>(std::count_if(
      body.begin(), body.end(), [](char c) { return std::string("+-*/").find(c) != std::string::npos; }));
}

/// position - written position, where that is constant in every dimension.
std::optional<std::vector<std::int64_t>> offsets(const std::vector<Nat>& position, const WrittenElement& w,
                                                 const Facts& facts) {
  if (position.size() != w.position.size()) return std::nullopt;
  std::vector<std::int64_t> r;
  for (std::size_t d = 0; d < position.size(); ++d) {
    const auto c = facts.simplify(position[d] - w.position[d]).constant();
    if (!c) return std::nullopt;
    r.push_back(*c);
  }
  return r;
}

ArrayFootprint reads_of(std::vector<std::vector<Nat>> positions, const WrittenElement& w,
                        const Facts& facts) {
  ArrayFootprint f{std::move(positions), {}, {}, true};
  for (const auto& p : f.positions) {
    const auto o = offsets(p, w, facts);
    f.stencil = f.stencil && o;
    if (!f.stencil) continue;
    if (f.low.empty()) f.low = f.high = *o;
    for (std::size_t d = 0; d < o->size(); ++d)
      f.low[d] = std::min(f.low[d], (*o)[d]), f.high[d] = std::max(f.high[d], (*o)[d]);
  }
  if (!f.stencil) f.low.clear(), f.high.clear();
  return f;
}

using Positions = std::map<std::string, std::vector<std::vector<Nat>>>;
Positions positions_in(const std::vector<Term>& terms) {
  Positions p;
  for (const Term& t : terms)
    for (const Term& l : loads_of(t)) {
      auto& of_array = p[l->name];
      if (std::find(of_array.begin(), of_array.end(), l->nats) == of_array.end()) of_array.push_back(l->nats);
    }
  return p;
}

}  // namespace

int flops_of(const Term& value) {
  int n = 0;
  visit(value, [&](const Term& t) {
    if (t->kind == TermKind::Call) n += operators_in(user_body(t->user));
    if (t->kind != TermKind::Apply || !is_float(t->type)) return;
    switch (t->op) {
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Min:
      case Op::Max:
        ++n;
        break;
      default:
        n += elementary(t->op) != nullptr ? 1 : 0;
    }
  });
  return n;
}

double admitted(const NatCond& c) {
  if (c.kind == NatCond::Kind::NonNegative) return 1;
  for (const NatTerm& t : terms(c.a))
    for (const NatFactor& f : t.factors) {
      if (f.atom->kind != AtomKind::Mod || f.power != 1 || (t.coefficient != 1 && t.coefficient != -1))
        continue;
      const auto m = f.atom->b.constant();
      if (!m || !(c.a - t.coefficient * atom_nat(*f.atom)).is_constant()) continue;
      for (const NatTerm& x : terms(f.atom->a)) {
        const bool variable =
            x.factors.size() == 1 && x.factors[0].power == 1 && x.factors[0].atom->kind == AtomKind::Var;
        if (!variable || std::gcd(x.coefficient, *m) != 1) continue;
        const double one = 1.0 / static_cast<double>(*m);
        return c.kind == NatCond::Kind::Zero ? one : 1 - one;
      }
    }
  return 1;
}

Footprint footprint(const Program& program) {
  const WrittenElement w = written_element(program);
  Facts inside;
  for (const NatCond& c : w.boundary) inside = inside.with(c);

  Footprint f;
  f.index = w.index;
  f.guard = w.guard;
  std::vector<Term> terms{w.value}, terms_inside;
  terms.insert(terms.end(), w.tests.begin(), w.tests.end());
  for (const Term& t : terms) terms_inside.push_back(simplify(t, inside));
  Positions everywhere = positions_in(terms), away = positions_in(terms_inside);
  for (auto& [array, positions] : everywhere) {
    f.reads[array] = reads_of(away[array], w, inside);
    if (away[array].empty() || !f.reads[array].stencil) f.reads[array] = reads_of(positions, w, {});
  }
  f.writes[w.updated.empty() ? "out" : w.updated] = w.position;
  f.flops = flops_of(terms_inside[0]);
  return f;
}

}  // namespace lift
