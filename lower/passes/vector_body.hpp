// What an iteration of a vector loop does, from what iterations of the scalar one do: stores of pairs,
// choices by masks, lanes as narrow as values allow.
#pragma once

#include <optional>

#include "lower/passes/lanes.hpp"
#include "lower/passes/narrow_lanes.hpp"

namespace lift {

/// A position at which streaming stores are aligned in every iteration, in the scalar loop's variable.
struct Aligned {
  Nat position;
  Scalar type;
  std::int64_t elements;  ///< the alignment
};

/// Whether t may read what the store of a vector of so many elements changes.
bool may_load(const Term& t, const Store& s, int width);

/// Elements that lanes touch of which guards or choices keep some from it in the scalar loop: vectors are
/// computed, read and written as a whole, so that all of them have to exist.
struct MaskedAccess {
  std::string array;
  Nat first;
  int width;
  bool store;
};

/// The body of a vector loop from that of the scalar one.
class VectorBody {
 public:
  VectorBody(const For& f, std::optional<Aligned> aligned, std::optional<NarrowLanes> narrow = std::nullopt)
      : f_(f), aligned_(aligned), narrow_(std::move(narrow)) {}

  Block statements(Lanes& lanes, const Block& body, const std::vector<Term>& mask);
  /// UserError when elements between those that are stored are not.
  void finish() const;
  const std::vector<MaskedAccess>& masked() const { return masked_; }

 private:
  Term vector(Lanes& lanes, const Term& t);
  void note_masked(const Term& t, bool masked, bool store = false);
  Term value(Lanes& lanes, const Term& t);
  void let(Lanes& lanes, const Let& l, Block& to);
  void store(Lanes& lanes, const Store& s, const std::vector<Term>& mask, Block& to);
  void half_store(Lanes& lanes, Store s, Block& to);
  void put(Lanes& lanes, Store s, Block& to);
  void guarded(Lanes& lanes, const If& i, const std::vector<Term>& mask, Block& to);
  void assign(Lanes& lanes, const Assign& a, const std::vector<Term>& mask, Block& to);
  void settle(const std::function<bool(const Term&)>& changes, Block& to);
  bool is_aligned(const Lanes& lanes, const Store& s) const;

  const For& f_;
  std::optional<Aligned> aligned_;
  std::optional<NarrowLanes> narrow_;  ///< none: lanes are as wide as what is computed
  std::vector<Store>
      halves_;  ///< stores of every second element, which wait for those of the elements between
  int names_ = 0;
  bool in_mask_ = false;  ///< below a guard that tells lanes apart
  std::vector<MaskedAccess> masked_;
  std::set<std::pair<std::uint32_t, bool>> noted_;
};

}  // namespace lift
