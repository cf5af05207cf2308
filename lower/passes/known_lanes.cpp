// Lanes of a vector at an edge, each of which is known: where a clamp or a reflection brings it, and on which
// side of a boundary it lies.
#include <algorithm>
#include <iterator>
#include <utility>

#include "lower/loops/visit.hpp"
#include "lower/passes/lanes.hpp"

namespace lift {
namespace {

using CertainLoads = std::map<std::pair<std::string, std::uint32_t>, Nat>;

/// What is loaded whatever conditions say, as where both sides of one load it.
const CertainLoads& certain_loads(const Term& t, std::map<std::uint32_t, CertainLoads>& memo) {
  if (const auto it = memo.find(t->id); it != memo.end()) return it->second;
  CertainLoads r;
  if (t->kind == TermKind::Load) r.emplace(std::pair{t->name, t->nats.at(0).id()}, t->nats[0]);
  for (std::size_t i = 0; i < (is_conditional(t) ? 1 : t->args.size()); ++i)
    r.merge(CertainLoads(certain_loads(t->args[i], memo)));
  if (is_conditional(t) && t->op == Op::Select) {
    const CertainLoads &a = certain_loads(t->args[1], memo), &b = certain_loads(t->args[2], memo);
    std::copy_if(a.begin(), a.end(), std::inserter(r, r.end()),
                 [&](const auto& x) { return b.count(x.first) > 0; });
  }
  return memo.emplace(t->id, std::move(r)).first->second;
}

}  // namespace

void Lanes::assume_rows(const Stmt& s) {
  const auto note = [&](const std::string& array, const Nat& n) {
    const auto a = affine_in(n, f_.var);
    if (a && a->coefficient == Nat(1)) rows_[array].push_back(n);
  };
  if (const auto* x = std::get_if<Store>(&s.v)) note(x->array, x->position.at(0));
  std::map<std::uint32_t, CertainLoads> memo;
  if (const Term* t = value_of(s))
    for (const auto& [key, n] : certain_loads(*t, memo)) note(key.first, n);
}

void Lanes::assume_stored(const Block& b) {
  if (!size_of_) return;
  for (const Stmt& s : b)
    if (const auto* x = std::get_if<Store>(&s.v)) assume_rows({Store{x->array, x->position, x->value}});
}

/// Of a condition that tells lanes apart, or is the same in all.
std::optional<bool> Lanes::decided(const Term& c, int lane) const {
  if (c->kind == TermKind::Compare) {
    const NatCond here{c->conds[0].kind, at_lane(c->conds[0].a, lane)};
    if (Facts().proves(here)) return true;
    if (Facts().refutes(here)) return false;
    return std::nullopt;
  }
  if (c->kind != TermKind::Apply) return std::nullopt;
  if (c->op == Op::Not) {
    const auto x = decided(c->args[0], lane);
    return x ? std::optional(!*x) : std::nullopt;
  }
  if (c->op != Op::And && c->op != Op::Or) return std::nullopt;
  const auto x = decided(c->args[0], lane), y = decided(c->args[1], lane);
  const bool ends = c->op == Op::Or;  // the operation, where one side has this value
  if ((x && *x == ends) || (y && *y == ends)) return ends;
  return x && y ? std::optional(!ends) : std::nullopt;
}

bool Lanes::holds_in_all(const Term& guard) const {
  if (!size_of_) return false;
  bool all = true;
  for (int l = 0; l < width_; ++l) {
    const auto here = decided(guard, l);
    if (here && !*here) refuse_vector(f_, "a guard keeps some of its iterations from storing");
    all = all && here;
  }
  return all;
}

/// The term where only these lanes are asked for.
Term Lanes::of_lanes(const Term& t, std::vector<bool> active) {
  std::swap(active_, active);
  auto around = std::exchange(memo_, std::move(memo_of_[active_]));
  const Term r = term(t);
  memo_of_[active_] = std::exchange(memo_, std::move(around));
  std::swap(active_, active);
  return r;
}

/// Of two values, chosen by a condition that is decided in each lane asked for; each value is computed for
/// its own lanes. Nothing: some lane's is not.
std::optional<Term> Lanes::chosen(const Term& select) {
  std::vector<bool> first(active_.size()), second(active_.size());
  for (int l = 0; l < width_; ++l) {
    const auto i = static_cast<std::size_t>(l);
    if (!active_[i]) continue;
    const auto which = decided(select->args[0], l);
    if (!which) return std::nullopt;
    (*which ? first : second)[i] = true;
  }
  if (first == active_) return of_lanes(select->args[1], std::move(first));
  if (second == active_) return of_lanes(select->args[2], std::move(second));
  std::vector<NatCond> lanes;  // 0 == 0, or 1 == 0: mask vectors have no other form
  for (int l = 0; l < width_; ++l)
    lanes.push_back({NatCond::Kind::Zero, first[static_cast<std::size_t>(l)] ? 0 : 1});
  const Term mask = lane_term(TermKind::Lanes, boolean, {}, std::move(lanes));
  const Term a = of_lanes(select->args[1], std::move(first)),
             b = of_lanes(select->args[2], std::move(second));
  return apply_term(Op::Select, select->type, {mask, a, b});
}

/// The lanes asked for, out of neighbours that all exist.
Term Lanes::load_known(const Term& t) const {
  const Nat& index = t->nats.at(0);
  std::optional<Nat> origin;
  std::vector<std::optional<std::int64_t>> offset(active_.size());  // from the first lane that is asked for
  std::int64_t least = 0, most = 0;
  for (int l = 0; l < width_; ++l) {
    if (!active_[static_cast<std::size_t>(l)]) continue;
    const Nat here = Facts().simplify(at_lane(index, l));
    if (!origin) origin = here;
    const auto d = Facts().simplify(here - *origin).constant();
    if (!d) refuse_vector(f_, "it is not known how far apart the elements of " + t->name + " are");
    offset[static_cast<std::size_t>(l)] = *d;
    least = std::min(least, *d), most = std::max(most, *d);
  }
  if (least == most) return load_term(t->name, {*origin}, t->type);
  if (most - least >= width_)
    refuse_vector(f_, "elements of " + t->name + " lie further apart than a vector has lanes");
  const auto size = size_of_(t->name);
  const auto rows = rows_.find(t->name);
  const auto exists = [&](std::int64_t at) {  // the element so far from the origin
    if (at >= least && at <= most) return true;
    if (rows != rows_.end())
      for (const Nat& row : rows->second)
        if (const auto d = Facts().simplify(at_lane(row, 0) - *origin).constant();
            d && at >= *d && at < *d + width_)
          return true;
    return size && Facts().proves_nonnegative(*origin + at) && Facts().proves(less(*origin + at, *size));
  };
  // One that needs no shuffle, then those that go on beyond one end.
  std::vector<std::int64_t> begins;
  for (int l = 0; l < width_ && begins.empty(); ++l)
    if (const auto& d = offset[static_cast<std::size_t>(l)]) begins.push_back(*d - l);
  begins.push_back(least), begins.push_back(most - width_ + 1);
  for (const std::int64_t begin : begins) {
    std::vector<int> lanes;
    bool straight = true, fits = true;
    for (int l = 0; l < width_; ++l) {
      const auto& d = offset[static_cast<std::size_t>(l)];
      const std::int64_t lane = d ? *d - begin : l;
      straight = straight && lane == l, fits = fits && lane >= 0 && lane < width_ && exists(begin + l);
      lanes.push_back(static_cast<int>(lane));
    }
    if (!fits) continue;
    const Term all = load_term(t->name, {*origin + begin}, t->type, width_);
    return straight ? all : shuffle_term({all}, lanes);
  }
  refuse_vector(f_, "neighbours of elements of " + t->name + " may not exist");
}

}  // namespace lift
