// Periodic boundaries of chains. Each stage that wraps around waits for the whole of the one before it:
// its first plane reads the last one. When every stage computes some planes beyond both ends of the period,
// as many as later ones read there, only the chain's arguments wrap around, and the stages follow one another
// plane by plane. So they do along any axis, whose planes are what is said of here.
#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

/// Planes before and after those that an array has.
struct Ends {
  std::int64_t low = 0, high = 0;
  bool none() const { return low == 0 && high == 0; }
  Ends operator+(const Ends& o) const { return {low + o.low, high + o.high}; }
};

struct PeriodicStage {
  Expr name, value;  ///< a param; over the params of stages before it
  Ends ends = {};    ///< planes to be computed beyond the period
};

/// Along one axis of all arrays.
class PeriodicChain {
 public:
  PeriodicChain(const Expr& let, std::size_t axis) : axis_(axis) {
    Expr e = let;
    while (e.is(Op::Let)) {
      std::vector<Expr> name;
      const Expr rest = open(e.child(1), name);
      index_[name.at(0).id()] = stages_.size();
      stages_.push_back({name.at(0), e.child(0)});
      e = rest;
    }
    result_ = e;
    need(e, {});
    for (std::size_t i = stages_.size(); i-- > 0;) need(stages_[i].value, stages_[i].ends);
  }

  bool changes() const {
    return std::any_of(stages_.begin(), stages_.end(), [](const PeriodicStage& s) { return !s.ends.none(); });
  }

  /// Nothing: planes are needed beyond the period of several arrays of which it is not known how they are
  /// made.
  std::optional<Expr> wrapped_once() {
    for (const PeriodicStage& s : stages_) {
      const Expr value = extended(s.value, s.ends);
      values_.push_back(value);
      names_.push_back(fresh_param(param_name(s.name), value.type()));
    }
    Expr r = extended(*result_, {});
    if (impossible_) return std::nullopt;
    for (std::size_t i = stages_.size(); i-- > 0;) r = make(Op::Let, {values_[i], lambda({names_[i]}, r)});
    return r;
  }

 private:
  /// What a pad adds; nothing where that is no number.
  std::optional<Ends> ends_of_pad(const Expr& pad) const {
    if (low_widths(pad).size() <= axis_) return Ends{};
    const auto low = low_widths(pad)[axis_].constant(), high = high_widths(pad)[axis_].constant();
    if (!low || !high) return std::nullopt;
    return Ends{*low, *high};
  }
  /// Whether a pad is periodic as far as it adds planes.
  bool is_periodic(const Expr& pad) const {
    const auto ends = ends_of_pad(pad);
    return ends && (ends->none() || pad_boundary(pad) == Boundary::wrap);
  }
  /// Whether a pad, or what cuts off, leaves the planes as they are.
  bool keeps_planes(const Expr& e) const {
    if (e.is(Op::Drop))
      return low_widths(e).size() <= axis_ ||
             (low_widths(e)[axis_] == Nat(0) && high_widths(e)[axis_] == Nat(0));
    const auto ends = e.is(Op::Pad) ? ends_of_pad(e) : std::nullopt;
    return ends && ends->none();
  }
  bool has_windows_of(const Expr& e, std::int64_t planes) const {
    return e.is(Op::Slide) && slide_steps(e).size() > axis_ && slide_steps(e)[axis_] == Nat(1) &&
           slide_sizes(e)[axis_] == Nat(planes);
  }
  /// Windows around each plane of an array with a period: as many as it has planes.
  bool has_windows_over_period(const Expr& e) const {
    if (!e.is(Op::Slide) || !e.child(0).is(Op::Pad) || !is_periodic(e.child(0))) return false;
    const Ends ends = *ends_of_pad(e.child(0));
    return has_windows_of(e, ends.low + ends.high + 1);
  }
  /// Widths of which only that along the axis is not 0.
  std::vector<Nat> along_axis(std::int64_t width) const {
    std::vector<Nat> r(axis_ + 1, Nat(0));
    r[axis_] = Nat(width);
    return r;
  }

  PeriodicStage* stage(const Expr& e) {
    const auto it = index_.find(e.id());
    return it == index_.end() ? nullptr : &stages_[it->second];
  }
  bool reads_stages(const Expr& e) {
    return contains(e, [&](const Expr& x) { return stage(x) != nullptr; });
  }
  /// Parts whose planes are those of what is made of them, one by one; none: what becomes of planes is not
  /// known.
  std::vector<int> parts(const Expr& e) {
    if (is_identity(e.op()) || e.is(Op::Get)) return {0};
    const bool elementwise = is_map(e.op()) || e.is(Op::Zip) || e.is(Op::Unzip);
    if (elementwise && static_cast<std::size_t>(op_rank(e)) <= axis_)
      return {};  // the axis is within elements
    if (e.is(Op::Unzip)) return {0};
    if (is_map(e.op()) && !reads_stages(e.child(0))) return {1};
    std::vector<int> all;
    if (e.is(Op::Zip) || e.is(Op::Tuple))
      for (std::size_t i = 0; i < e.children().size(); ++i) all.push_back(static_cast<int>(i));
    if (keeps_planes(e) || (has_windows_of(e, 1) && !e.child(0).is(Op::Pad))) all.push_back(0);
    return all;
  }
  void need(const Expr& e, const Ends& ends) {
    if (!e.type().has_arrays() || !seen_.insert({e.id(), ends.low, ends.high}).second) return;
    if (PeriodicStage* s = stage(e)) {
      s->ends = {std::max(s->ends.low, ends.low), std::max(s->ends.high, ends.high)};
      return;
    }
    if (has_windows_over_period(e)) return need(e.child(0).child(0), ends + *ends_of_pad(e.child(0)));
    for (const int p : parts(e)) need(e.child(static_cast<std::size_t>(p)), ends);
  }

  /// The planes of a stage's array from `ends` before the period to `ends` after it.
  Expr planes(const PeriodicStage& s, const Expr& array, const Ends& ends) const {
    const Ends cut{s.ends.low - ends.low, s.ends.high - ends.high};
    if (cut.none()) return array;
    if (array.type().is_tuple()) {
      std::vector<Expr> parts;
      for (std::size_t i = 0; i < array.type().parts().size(); ++i)
        parts.push_back(planes(s, get(static_cast<int>(i), array), ends));
      return tuple(parts);
    }
    return !array.type().is_array() ? array : drop(along_axis(cut.low), along_axis(cut.high), array);
  }

  /// e, and as many planes beyond it as in `ends`.
  Expr extended(const Expr& e, const Ends& ends) {
    if (ends.none() && !reads_stages(e)) return e;
    if (const PeriodicStage* s = stage(e))
      return planes(*s, names_.at(static_cast<std::size_t>(s - stages_.data())), ends);
    if (has_windows_over_period(e)) return windows(e, ends);
    const std::vector<int> of = parts(e);
    if (of.empty()) {
      if (!ends.none() && e.type().is_tuple() && e.type().has_arrays()) impossible_ = true;
      const Expr whole =
          substitute(e, [&](const Expr& leaf) { return stage(leaf) != nullptr ? extended(leaf, {}) : leaf; });
      return ends.none() || !e.type().is_array() ? whole : padded(whole, ends);
    }
    std::vector<Expr> children(e.children().begin(), e.children().end());
    for (const int p : of) {
      Expr& c = children[static_cast<std::size_t>(p)];
      c = extended(c, ends);
    }
    if (e.is(Op::Get) && children[0].is(Op::Tuple))
      return children[0].child(static_cast<std::size_t>(tuple_index(e)));
    return with_children(e, children);
  }
  Expr padded(const Expr& array, const Ends& ends) const {
    return pad(along_axis(ends.low), along_axis(ends.high), Boundary::wrap, array);
  }
  /// What a stage makes has its planes, and what is padded by another boundary along the other axes is
  /// wrapped around before; along those it is padded as before.
  Expr windows(const Expr& e, const Ends& ends) {
    const Expr p = e.child(0);
    const Ends own = *ends_of_pad(p);
    std::vector<Nat> low(low_widths(p).begin(), low_widths(p).end()),
        high(high_widths(p).begin(), high_widths(p).end());
    const bool here = !reads_stages(p.child(0)) && low.size() > axis_ && pad_boundary(p) == Boundary::wrap;
    const Ends left = here ? own + ends : Ends{};
    if (low.size() > axis_) low[axis_] = left.low, high[axis_] = left.high;
    std::vector<Expr> children(p.children().begin(), p.children().end());
    if (!here) children[0] = extended(p.child(0), own + ends);
    const auto zero = [](const Nat& n) { return n == Nat(0); };
    if (std::all_of(low.begin(), low.end(), zero) && std::all_of(high.begin(), high.end(), zero))
      return with_children(e, {children[0]});
    return with_children(
        e, {make(Op::Pad, children, attributes::pad(low, high, pad_boundary(p), pad_number(p)))});
  }

  std::size_t axis_;
  std::vector<PeriodicStage> stages_;
  std::map<std::uint32_t, std::size_t> index_;
  std::optional<Expr> result_;
  bool impossible_ = false;
  std::set<std::tuple<std::uint32_t, std::int64_t, std::int64_t>> seen_;
  std::vector<Expr> names_, values_;
};

Result<Expr> wrap_once_along(const Site& site, std::int64_t axis) {
  if (!site.e.is(Op::Let)) return Failure{"needs let x1 = ... in let x2 = ... in ..."};
  PeriodicChain chain(site.e, static_cast<std::size_t>(axis));
  if (!chain.changes())
    return Failure{"no stage reads another one around a period along axis " + std::to_string(axis)};
  const std::optional<Expr> once = chain.wrapped_once();
  if (!once) return Failure{"a stage makes several arrays as one, which cannot be computed beyond a period"};
  return *once;
}

}  // namespace

std::vector<Rule> wrap_rules() {
  const std::string maths =
      "let x1 = f1 (pad l h wrap x0) in f2 (pad l h wrap x1) = let x1 = f1 (pad 2l 2h wrap x0) in f2 x1";
  return {
      constructed("wrap-once", maths,
                  [](const Site& site, const Arguments&) { return wrap_once_along(site, 0); })
          .says("stages are computed beyond both ends of a period, as far as later ones read there, so that "
                "only what comes first wraps around"),
      constructed("wrap-once-along", maths,
                  [](const Site& site, const Arguments& a) { return wrap_once_along(site, number(a, 0)); })
          .takes("axis", "of the period; outermost: 0")
          .says("along axis %1, too, stages are computed beyond both ends of a period, and only what comes "
                "first wraps around"),
  };
}

}  // namespace lift
