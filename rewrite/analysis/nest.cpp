#include "rewrite/analysis/nest.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"

namespace lift {
namespace {

/// Follows one result; see main_nest.
class Path {
 public:
  Path(const Expr& body, const Place& start, int result) : e_(part_at(body, start)), place_(start) {
    if (element_of(e_.type()).is_tuple()) components_.push_back(result);
  }
  Nest follow() {
    while (step()) {
    }
    return nest_;
  }

 private:
  /// A binder that was passed: the value of its variable, if it has a name.
  struct Binder {
    std::optional<std::pair<Expr, Place>> value;
    std::size_t outside;  ///< binders around the value
  };

  bool descend(int child) {
    place_.push_back(child);
    e_ = e_.child(static_cast<std::size_t>(child));
    return true;
  }
  bool enter(int function, std::optional<int> value) {
    Binder b{{}, binders_.size()};
    if (value) {
      Place p = place_;
      p.push_back(*value);
      b.value.emplace(e_.child(static_cast<std::size_t>(*value)), std::move(p));
    }
    binders_.push_back(std::move(b));
    descend(function);
    return descend(0);
  }
  bool step() {
    if (is_map(e_.op())) {
      nest_.levels.push_back({place_, shape_of(e_.type(), op_rank(e_))});
      if (e_.child(0).type().result().is_scalar()) return false;
      return enter(0, std::nullopt);
    }
    if (is_update(e_.op())) {
      if (!nest_.update) nest_.update = place_, nest_.above_update = nest_.levels.size();
      return descend(1);
    }
    if (is_identity(e_.op())) return descend(0);
    switch (e_.op()) {
      case Op::Let:
        return enter(1, 0);
      case Op::Apply:
        return enter(0, e_.children().size() == 2 ? std::optional(1) : std::nullopt);
      case Op::Tuple: {
        int i = 0;
        if (!components_.empty()) i = components_.back(), components_.pop_back();
        return descend(i);
      }
      case Op::Get:
        components_.push_back(tuple_index(e_));
        return descend(0);
      case Op::Bound:
        return named_value();
      case Op::Interleave:
      case Op::Concat:
        return descend(0);
      default:
        return rearranges(e_.op()) && !e_.is(Op::At) && descend(0);
    }
  }
  bool named_value() {
    const auto depth = static_cast<std::size_t>(bound_depth(e_));
    if (depth >= binders_.size()) return false;
    const Binder b = binders_[binders_.size() - 1 - depth];
    if (!b.value || !(b.value->first.type().is_array() || b.value->first.type().is_tuple())) return false;
    binders_.resize(b.outside);
    std::tie(e_, place_) = *b.value;
    return true;
  }

  Expr e_;
  Place place_;
  Nest nest_;
  std::vector<int> components_;  ///< chosen of the tuples to come, the next last
  std::vector<Binder> binders_;
};

bool is_array(const Type& t) {
  return t.is_array() || (t.is_tuple() && std::any_of(t.parts().begin(), t.parts().end(), is_array));
}

/// Kept in variables, or in none at all: no loop computes it.
bool is_small(const Type& t) { return t.is_function() || has_few_scalars(t); }

/// `scans`: of a program with scans, where short rows are loops, too.
void loops_below(const Expr& e, Place& at, std::vector<Place>& found, bool scans);

/// Scans in argument position are stored first: they are loops where nothing else is.
void loops_in_argument(const Expr& e, Place& at, std::vector<Place>& found, bool scans) {
  if (is_scan(e.op())) return loops_below(e, at, found, scans);
  if (e.is(Op::Lambda) || !has_scan(e)) return;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    loops_in_argument(e.child(i), at, found, scans);
    at.pop_back();
  }
}

void loops_below(const Expr& e, Place& at, std::vector<Place>& found, bool scans) {
  const auto below = [&](std::initializer_list<int> children, const Expr& part) {
    at.insert(at.end(), children);
    loops_below(part, at, found, scans);
    at.resize(at.size() - children.size());
  };
  if (is_map(e.op())) {
    found.push_back(at);
    const Type result = e.child(0).type().result();
    if (!is_small(result) || (scans && is_array(result))) below({0, 0}, e.child(0).child(0));
    at.push_back(1);
    loops_in_argument(e.child(1), at, found, scans);
    at.pop_back();
    return;
  }
  if (is_scan(e.op())) {
    at.push_back(2);
    loops_in_argument(e.child(2), at, found, scans);
    at.pop_back();
    if (is_array(e.child(1).type())) below({0, 0}, e.child(0).child(0));
    return;
  }
  if (is_update(e.op())) {
    if (is_map(e.child(0).op()))
      below({0}, e.child(0));  // a copy of the base, or what is computed instead of one
    return below({1}, e.child(1));
  }
  if (is_identity(e.op())) return below({0}, e.child(0));
  switch (e.op()) {
    case Op::Let:
      if (!is_small(e.child(0).type())) below({0}, e.child(0));
      return below({1, 0}, e.child(1).child(0));
    case Op::Apply:
      for (std::size_t i = 1; i < e.children().size(); ++i)
        if (!is_small(e.child(i).type())) below({static_cast<int>(i)}, e.child(i));
      return below({0, 0}, e.child(0).child(0));
    case Op::Tuple:
    case Op::Interleave:
    case Op::Concat:
      for (std::size_t i = 0; i < e.children().size(); ++i) below({static_cast<int>(i)}, e.child(i));
      return;
    case Op::Get:
      return below({0}, e.child(0));
    case Op::Iterate:  // the steps are stored, each by the same loops
      if (is_small(e.type())) return;
      if (e.child(1).is(Op::ToGlobal) || e.child(1).is(Op::Iterate)) below({1}, e.child(1));
      for (std::size_t i = 0; e.child(1).is(Op::Tuple) && i < e.child(1).children().size(); ++i)
        if (e.child(1).child(i).is(Op::ToGlobal)) below({1, static_cast<int>(i)}, e.child(1).child(i));
      if (e.type().is_array()) below({0, 0}, e.child(0).child(0));
      return;
    default:
      if (rearranges(e.op()) && !e.is(Op::At)) below({0}, e.child(0));
      return;
  }
}

}  // namespace

Nest main_nest(const Expr& body, const Place& start, int result) {
  return Path(body, start, result).follow();
}

bool has_scan(const Expr& e) {
  return contains(e, [](const Expr& x) { return is_scan(x.op()); });
}

namespace {
std::size_t levels_around(const Expr& body, const Nest& nest, bool (*is_there)(const Expr&)) {
  std::size_t levels = 0;
  if (!is_there(body)) return 0;
  for (std::size_t l = 0; l < nest.levels.size(); ++l)
    if (is_there(part_at(body, nest.levels[l].place).child(0))) levels = l + 1;
  return levels;
}
}  // namespace

std::size_t levels_around_scans(const Expr& body, const Nest& nest) {
  return levels_around(body, nest, has_scan);
}

bool is_long_reduction(const Expr& e) {
  return is_reduce(e.op()) && e.child(2).type().length().constant().value_or(kFewScalars + 1) > kFewScalars;
}

std::size_t levels_around_reductions(const Expr& body, const Nest& nest) {
  return levels_around(body, nest, [](const Expr& e) { return contains(e, is_long_reduction); });
}

std::vector<Place> loop_places(const Expr& body) {
  std::vector<Place> found;
  Place at;
  loops_below(body, at, found, has_scan(body));
  return found;
}

}  // namespace lift
