#include "lower/passes/lanes.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "ir/error.hpp"
#include "ir/nat/nat_atoms.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

constexpr std::int64_t longest_stride = 4;  ///< longer ones are gathered from as many cache lines as there
                                            ///< are lanes, but for those of whole records

bool arithmetic(const Term& t) {
  if (t->kind != TermKind::Apply || !is_float(t->type)) return false;
  switch (t->op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Neg:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
    case Op::Sqrt:
      return true;
    default:
      return false;
  }
}

std::vector<int> every(int step, int start, int width) {
  std::vector<int> lanes;
  for (int l = 0; l < width; ++l) lanes.push_back(start + step * l);
  return lanes;
}

}  // namespace

void refuse_vector(const For& f, const std::string& why) {
  throw UserError("map_vec over " + f.var.str() + ": " + why +
                  "; use map_seq there, or another layout or loop order");
}

// ---- loads

void Lanes::assume(const Block& b) {
  const auto touch = [&](const std::string& array, const Nat& n) {
    const auto a = affine_in(n, f_.var);
    if (const auto stride = a ? a->coefficient.constant() : std::nullopt; stride && *stride > 1)
      touched_[{array, *stride, (a->rest - constant_part(a->rest)).id()}].insert(constant_part(a->rest));
  };
  for (const Stmt& s : b) {
    if (const auto* x = std::get_if<Store>(&s.v)) touch(x->array, x->position.at(0));
    if (const Term* t = value_of(s))
      visit_certain(*t, [&](const Term& x) {
        if (x->kind == TermKind::Load) touch(x->name, x->nats.at(0));
      });
    if (size_of_) assume_rows(s);
  }
}

Lanes::Access Lanes::access(const std::string& array, const Nat& n) const {
  const auto a = affine_in(n, f_.var);
  if (!a) refuse_vector(f_, "the index of " + array + ", " + n.str() + ", is not linear in " + f_.var.str());
  const auto stride = a->coefficient.constant();
  if (!stride || *stride > longest_stride || -*stride > longest_stride)
    refuse_vector(f_, array + " is accessed with stride " + a->coefficient.str());
  return {at_lane(n, 0), *stride};
}

/// What the computed variables of t are in a lane.
std::vector<Term> Lanes::arguments(const Term& t, int lane) {
  std::vector<Term> all;
  for (const Term& a : t->args) {
    const Term v = term(a);
    all.push_back(v->width > 1 ? shuffle_term({v}, {lane}) : v);
  }
  return all;
}

/// The part of a flat index that is computed, as vectors of i32: one lane is taken of it for each element,
/// instead of one for each dimension. Nothing where it is a single number already, or may be beyond an i32.
std::optional<Lanes::Flat> Lanes::flat(const Nat& n) {
  Flat f{{}, 0, 1};
  int parts = 0;
  for (const NatTerm& t : terms(n)) {
    const Nat one = detail::from_terms({t});
    if (!is_computed(one)) {
      f.rest = f.rest + one;
      continue;
    }
    const NatAtom& a = *t.factors[0].atom;
    if (t.factors.size() > 1 || t.factors[0].power > 1 || !a.computed || t.coefficient < 0)
      return std::nullopt;
    Term part = term(computed_term(a));
    if (t.coefficient > 1)
      part = apply_term(Op::Mul, i32, {part, constant_term(static_cast<double>(t.coefficient), i32)});
    f.computed = parts++ == 0 ? part : apply_term(Op::Add, i32, {f.computed, part});
    f.length = f.length + t.coefficient * a.upper;
  }
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  const auto most = Facts().bounds(f.length).upper;
  if (parts < 2 || f.computed->width == 1 || !most || *most > kLargest) return std::nullopt;
  return f;
}

/// A load or an index at positions that are computed, in vectors: element by element.
Term Lanes::computed(const Term& t) {
  std::vector<Term> elements;
  if (const auto f = t->kind == TermKind::Load ? flat(t->nats[0]) : std::nullopt) {
    for (int l = 0; l < width_; ++l)
      elements.push_back(
          load_term(t->name, {at_lane(f->rest, l) + position_of(shuffle_term({f->computed}, {l}), f->length)},
                    t->type));
    return shuffle_term(std::move(elements), every(1, 0, width_));
  }
  for (int l = 0; l < width_; ++l) {
    const Term at = with_args(t, arguments(t, l));
    elements.push_back(at->kind == TermKind::Load ? load_term(at->name, {at_lane(at->nats[0], l)}, at->type)
                       : at->kind == TermKind::Index ? index_term(at_lane(at->nats[0], l))
                                                     : at);
  }
  const bool same =
      std::all_of(elements.begin(), elements.end(), [&](const Term& e) { return e == elements[0]; });
  return same ? elements[0] : shuffle_term(std::move(elements), every(1, 0, width_));
}

Term Lanes::load(const Term& t) {
  if (size_of_ &&
      (std::count(active_.begin(), active_.end(), false) > 0 || !affine_in(t->nats.at(0), f_.var)))
    return load_known(t);
  if (auto column = of_records(t)) return *column;
  const auto [at, stride] = access(t->name, t->nats.at(0));
  if (stride == 0) return t;
  if (stride == 1) return load_term(t->name, {at}, t->type, width_);
  if (stride == 2) return every_second(t);
  if (stride == -1)
    return shuffle_term({load_term(t->name, {at_lane(t->nats[0], width_ - 1)}, t->type, width_)},
                        every(-1, width_ - 1, width_));
  std::vector<Term> elements;
  for (int l = 0; l < width_; ++l) elements.push_back(load_term(t->name, {at_lane(t->nats[0], l)}, t->type));
  return shuffle_term(std::move(elements), every(1, 0, width_));
}

/// Lanes of t's index 2*i + c, from two vectors. Where the loop also touches the elements between, the two
/// are contiguous, and serve both. Else the second one ends with the last lane, so that nothing beyond it is
/// read.
Term Lanes::every_second(const Term& t) {
  const auto a = *affine_in(t->nats[0], f_.var);
  const std::int64_t c = constant_part(a.rest);
  const auto found = touched_.find({t->name, 2, (a.rest - c).id()});
  const std::set<std::int64_t> touched = found == touched_.end() ? std::set<std::int64_t>{} : found->second;
  std::optional<std::int64_t> first;
  for (auto x = touched.begin(); x != touched.end(); ++x) {  // pairs from the lowest on
    if (!touched.count(*x + 1)) continue;
    if (*x == c || *x + 1 == c) first = *x;
    if (first || ++x == touched.end()) break;
  }
  if (!first && touched.count(c - 1) && touched.count(c)) first = c - 1;
  const Nat at = at_lane(t->nats[0], 0) + (first ? *first - c : 0);
  const auto vector = [&](int offset) { return load_term(t->name, {at + offset}, t->type, width_); };
  if (first) return shuffle_term({vector(0), vector(width_)}, every(2, static_cast<int>(c - *first), width_));
  std::vector<int> lanes;
  for (int l = 0; l < width_; ++l) lanes.push_back(2 * l < width_ ? 2 * l : 2 * l + 1);
  return shuffle_term({vector(0), vector(width_ - 1)}, lanes);
}

// ---- other terms

Term Lanes::term(const Term& t) {
  if (const auto it = locals_.find(t->id); it != locals_.end()) return it->second;
  if (const auto it = memo_.find(t->id); it != memo_.end()) return it->second;
  const Term r = convert(t);
  memo_.emplace(t->id, r);
  return r;
}

Term Lanes::local(const Term& scalar, const Term& value) {
  const Term l = local_term(scalar->name + suffix_, value->type, value->width);
  locals_[scalar->id] = l->type == scalar->type ? l : apply_term(Op::Cast, scalar->type, {l});
  return l;
}

Term Lanes::lane_term(TermKind kind, Scalar type, std::vector<Nat> nats, std::vector<NatCond> conds) const {
  TermNode n;
  n.kind = kind, n.type = type, n.width = width_, n.nats = std::move(nats), n.conds = std::move(conds);
  return intern(std::move(n));
}

Term Lanes::convert(const Term& t) {
  switch (t->kind) {
    case TermKind::Load:
      return t->args.empty() ? load(t) : computed(t);
    case TermKind::Index: {
      if (!t->args.empty()) return computed(t);
      if (!mentions(t->nats[0], f_.var)) return t;
      const auto a = affine_in(t->nats[0], f_.var);
      if (!a) refuse_vector(f_, "the value " + t->nats[0].str() + " is not linear in " + f_.var.str());
      return lane_term(TermKind::LaneIndex, t->type, {at_lane(t->nats[0], 0), a->coefficient}, {});
    }
    case TermKind::Compare: {
      if (!mentions(t->conds[0].a, f_.var)) return t;
      std::vector<NatCond> conds;
      for (int l = 0; l < width_; ++l) {
        const Term c = t->args.empty() ? t : with_args(t, arguments(t, l));
        if (c->kind != TermKind::Compare) refuse_vector(f_, "a condition is decided in some lanes only");
        conds.push_back({c->conds[0].kind, at_lane(c->conds[0].a, l)});
      }
      return lane_term(TermKind::Lanes, boolean, {}, std::move(conds));
    }
    case TermKind::Apply:
    case TermKind::Call: {
      if (size_of_ && t->kind == TermKind::Apply && t->op == Op::Select)
        if (const auto r = chosen(t)) return *r;
      std::vector<Term> args;
      for (const Term& a : t->args) args.push_back(term(a));
      return with_args(t, std::move(args));
    }
    default:
      return t;
  }
}

// ---- interleaved stores

namespace {

class Interleaver {
 public:
  explicit Interleaver(int width) : width_(width) {}

  using Halves = std::pair<Term, Term>;
  /// Shuffles that halves(a, b) need; those of loads that are stored as they lie in memory are saved.
  int cost(const Term& a, const Term& b) {
    if (a == b && a->width == 1) return 0;
    const auto [it, added] = costs_.try_emplace({a->id, b->id}, 1);
    if (!added) return it->second;
    const Halves h = direct(a, b);
    int c = h.first->kind == TermKind::Shuffle || h.second->kind == TermKind::Shuffle ? 1 : -1;
    if (c == 1 && alike(a, b)) c = std::min(c, cost_of_arguments(a, b));
    return costs_[{a->id, b->id}] = c;
  }
  Halves halves(const Term& a, const Term& b) {
    if (a == b && a->width == 1) return {a, a};
    if (!alike(a, b) || cost_of_arguments(a, b) >= 1) return direct(a, b);
    std::vector<Term> low, high;
    for (std::size_t i = 0; i < a->args.size(); ++i) {
      const Halves h = halves(a->args[i], b->args[i]);
      low.push_back(h.first), high.push_back(h.second);
    }
    return {with_args(a, std::move(low)), with_args(a, std::move(high))};
  }

 private:
  bool alike(const Term& a, const Term& b) const {
    return arithmetic(a) && arithmetic(b) && a->op == b->op && a->width == width_ && b->width == width_;
  }
  int cost_of_arguments(const Term& a, const Term& b) {
    int sum = 0;
    for (std::size_t i = 0; i < a->args.size(); ++i) sum += cost(a->args[i], b->args[i]);
    return sum;
  }
  Halves direct(const Term& a, const Term& b) const {
    const std::vector<Term> both{broadcast(a, width_), broadcast(b, width_)};
    std::vector<int> low, high;
    for (int l = 0; l < width_; ++l) {
      low.push_back(l / 2 + (l % 2) * width_);
      high.push_back(low.back() + width_ / 2);
    }
    return {shuffle_term(both, low), shuffle_term(both, high)};
  }

  int width_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> costs_;
};

}  // namespace

std::pair<Term, Term> interleave_lanes(const Term& a, const Term& b, int width) {
  Interleaver i(width);
  const auto [low, high] = i.halves(a, b);
  return {broadcast(low, width), broadcast(high, width)};
}

// ---- order of lanes

namespace {

/// A term, and where it exists the same with its lanes out of order: lane `order()[l]` of `raw` is lane l of
/// `plain`.
struct Ordered {
  Term plain;
  std::optional<Term> raw;
  int shuffles = 0;  ///< in raw
};

int per_block(const Term& t) { return static_cast<int>(16 / size_of(t->type)); }

/// Every second element of two vectors x and y, p and q being the first of each: x[p] x[p+2] ... y[q] y[q+2]
/// ...
bool takes_every_second(const Term& t) {
  if (t->kind != TermKind::Shuffle || t->args.size() != 2 || t->args[0]->width != t->width) return false;
  const int w = t->width, b = per_block(t);
  if (w % b != 0 || w == b || b < 2) return false;
  for (int l = 1; l < w; ++l)
    if (l != w / 2 && t->lanes[static_cast<std::size_t>(l)] != t->lanes[static_cast<std::size_t>(l - 1)] + 2)
      return false;
  return t->lanes[0] < 2 && t->lanes[static_cast<std::size_t>(w / 2)] >= w &&
         t->lanes[static_cast<std::size_t>(w / 2)] < w + 2;
}
/// The same elements, those of x and y taking turns in each 16 bytes.
Term in_blocks(const Term& t) {
  const int w = t->width, b = per_block(t);
  std::vector<int> lanes;
  for (int k = 0; k < w; k += b)
    for (const int first : {t->lanes[0], t->lanes[static_cast<std::size_t>(w / 2)]})
      for (int m = 0; m < b; m += 2) lanes.push_back(first + k + m);
  return shuffle_term(t->args, lanes);
}
std::vector<int> order(const Term& t) {
  const int w = t->width, b = per_block(t);
  std::vector<int> lanes;
  for (int half = 0; half < b; half += b / 2)
    for (int l = 0; l < w / 2; ++l) lanes.push_back(2 * l / b * b + half + 2 * l % b / 2);
  return lanes;
}

}  // namespace

Term order_lanes_last(const Term& value) {
  std::unordered_map<std::uint32_t, Ordered> memo;
  const std::function<Ordered(const Term&)> go = [&](const Term& t) -> Ordered {
    if (const auto it = memo.find(t->id); it != memo.end()) return it->second;
    Ordered r{t, std::nullopt};
    if (takes_every_second(t)) {
      r = {t, in_blocks(t), 1};
    } else if (!t->args.empty()) {
      std::vector<Term> plain, raw;
      bool changed = false;
      for (const Term& a : t->args) {
        const Ordered o = go(a);
        plain.push_back(o.plain), changed |= !(o.plain == a);
        if (o.raw)
          raw.push_back(*o.raw), r.shuffles += o.shuffles;
        else if (a->width == 1)
          raw.push_back(a);
      }
      if (arithmetic(t) && r.shuffles > 0 && raw.size() == t->args.size())
        r.raw = with_args(t, std::move(raw));
      if (r.raw && r.shuffles > 1)
        r.plain = shuffle_term({*r.raw}, order(t));
      else if (changed)
        r.plain = with_args(t, std::move(plain));
    }
    return memo.emplace(t->id, r).first->second;
  };
  return go(value).plain;
}

}  // namespace lift
