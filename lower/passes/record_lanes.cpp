// Loads of stride s where each iteration has all s elements of a record, as the features of a point: whole
// vectors are loaded as they lie in memory and transposed by shuffles of two of them, which the elements of a
// record share.
#include <algorithm>
#include <bit>

#include "lower/passes/lanes.hpp"

namespace lift {
namespace {

/// A vector, and which elements of the records one after the other its lanes hold.
struct HeldLanes {
  Term vector;
  std::vector<int> elements;
};

/// The lanes of two vectors, those with a 0 in a bit of their number from the first and the others from the
/// second: all of those that have `kept` there.
HeldLanes exchanged(const HeldLanes& first, const HeldLanes& second, unsigned bit, unsigned kept,
                    bool in_order) {
  const auto width = static_cast<unsigned>(first.elements.size());
  std::vector<std::pair<int, int>> taken;  // element, lane
  for (unsigned l = 0; l < width; ++l) {
    const unsigned from = (l & ~(1U << bit)) | (kept << bit);
    const bool of_second = (l >> bit & 1U) != 0;
    taken.emplace_back((of_second ? second : first).elements[from],
                       static_cast<int>(from + (of_second ? width : 0)));
  }
  if (in_order) std::sort(taken.begin(), taken.end());
  HeldLanes r;
  std::vector<int> lanes;
  for (const auto& [element, lane] : taken) r.elements.push_back(element), lanes.push_back(lane);
  r.vector = shuffle_term({first.vector, second.vector}, lanes);
  return r;
}

/// Of `stride` vectors that hold records of `stride` elements one after the other, a vector of each element.
std::vector<HeldLanes> transposed(std::vector<HeldLanes> v) {
  const auto stride = static_cast<unsigned>(v.size()), width = static_cast<unsigned>(v[0].elements.size());
  const unsigned stages = static_cast<unsigned>(std::countr_zero(std::min(stride, width)));
  const unsigned whole = static_cast<unsigned>(std::countr_zero(stride)) - stages;  // vectors of a record
  for (unsigned bit = 0; bit < stages; ++bit) {
    const unsigned apart = 1U << (whole + bit);
    std::vector<HeldLanes> next;
    for (unsigned i = 0; i < stride; ++i)
      next.push_back(
          exchanged(v[i & ~apart], v[i | apart], bit, (i & apart) != 0 ? 1 : 0, bit + 1 == stages));
    v = std::move(next);
  }
  return v;
}

}  // namespace

/// Nothing where other strides serve, or an iteration leaves out elements of its record.
std::optional<Term> Lanes::of_records(const Term& t) const {
  constexpr std::int64_t shortest = 8, longest = 16;  // that many vectors stay in registers
  const auto a = affine_in(t->nats.at(0), f_.var);
  const auto stride = a ? a->coefficient.constant() : std::nullopt;
  const auto is_power = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
  if (!stride || *stride < shortest || *stride > longest || !is_power(*stride) || !is_power(width_))
    return std::nullopt;
  const std::int64_t c = constant_part(a->rest);
  const auto found = touched_.find({t->name, *stride, (a->rest - c).id()});
  if (found == touched_.end()) return std::nullopt;
  const std::set<std::int64_t>& touched = found->second;
  const std::int64_t first = *touched.begin();
  if (c >= first + *stride || static_cast<std::int64_t>(std::distance(
                                  touched.begin(), touched.lower_bound(first + *stride))) < *stride)
    return std::nullopt;
  std::vector<HeldLanes> vectors;
  for (std::int64_t k = 0; k < *stride; ++k) {
    HeldLanes v{load_term(t->name, {at_lane(t->nats[0], 0) + (first - c + k * width_)}, t->type, width_), {}};
    for (int l = 0; l < width_; ++l) v.elements.push_back(static_cast<int>(k) * width_ + l);
    vectors.push_back(std::move(v));
  }
  for (HeldLanes& column : transposed(std::move(vectors)))
    if (column.elements[0] == c - first) return column.vector;
  return std::nullopt;
}

}  // namespace lift
