// Scalar terms of a vector loop's body as vectors: which lanes a load gives, and in which order values are
// stored.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "lower/passes/passes.hpp"

namespace lift {

/// UserError: the vector loop `f` cannot be, and why.
[[noreturn]] void refuse_vector(const For& f, const std::string& why);

class Lanes {
 public:
  /// Lane l of vectors of `width` stands for the index u + l of the loop f. Locals get `suffix` behind their
  /// names.
  Lanes(const For& f, const Nat& u, int width, std::string suffix = "")
      : f_(f), u_(u), width_(width), suffix_(std::move(suffix)) {}

  /// What every statement of `b` reads and writes, whatever the masks, exists: it may be loaded with its
  /// neighbours.
  void assume(const Block& b);
  /// What statements of `b` store to exists, whatever the masks.
  void assume_stored(const Block& b);
  using SizeOf = std::function<std::optional<Nat>(const std::string& array)>;
  /// The first lane's index is a number, or a size less a number (For::edge): conditions are decided lane by
  /// lane, and a load whose lanes lie anyhow among as many neighbours as there are lanes is a shuffle of
  /// these. `size` says of an array how many elements there surely are from its first one on.
  void know_each(SizeOf size) {
    size_of_ = std::move(size), active_.assign(static_cast<std::size_t>(width_), true);
  }
  /// The vector of t over all lanes; a scalar when it is the same in all.
  Term term(const Term& t);
  /// Of a guard, where lanes are known one by one; false: that is not known. UserError: there are lanes in
  /// which it does not hold, so that what it guards may not exist.
  bool holds_in_all(const Term& guard) const;
  int width() const { return width_; }
  Nat at(const Nat& n) const { return at_lane(n, 0); }

  /// Position of lane 0, and the distance of one lane to the next; 0 when all are one element.
  struct Access {
    Nat at;
    std::int64_t stride;
  };
  Access access(const std::string& array, const Nat& n) const;
  /// A value stored under a name, maybe in narrower lanes; later uses of the scalar mean it.
  Term local(const Term& scalar, const Term& value);

 private:
  Term convert(const Term& t);
  Term load(const Term& t);
  Term computed(const Term& t);
  struct Flat {
    Term computed;  ///< i32
    Nat rest;       ///< what is added
    Nat length;     ///< the first is less
  };
  std::optional<Flat> flat(const Nat& n);
  std::vector<Term> arguments(const Term& t, int lane);
  Term every_second(const Term& t);
  std::optional<Term> of_records(const Term& t) const;
  // Of lanes that are known one by one (known_lanes.cpp):
  std::optional<Term> chosen(const Term& select);
  Term load_known(const Term& t) const;
  std::optional<bool> decided(const Term& condition, int lane) const;
  void assume_rows(const Stmt& s);
  Term of_lanes(const Term& t, std::vector<bool> active);
  Term lane_term(TermKind kind, Scalar type, std::vector<Nat> nats, std::vector<NatCond> conds) const;
  Nat at_lane(const Nat& n, int lane) const { return substitute(n, f_.var, u_ + lane); }

  const For& f_;
  Nat u_;
  int width_;
  std::string suffix_;
  std::unordered_map<std::uint32_t, Term> memo_, locals_;
  SizeOf size_of_;            ///< none: lanes are not known one by one
  std::vector<bool> active_;  ///< the others may have any value
  std::map<std::vector<bool>, std::unordered_map<std::uint32_t, Term>> memo_of_;  ///< with other lanes active
  /// Elements at stride*i + rest that every iteration i touches: array, stride and rest without its constant
  /// -> constants.
  std::map<std::tuple<std::string, std::int64_t, std::uint32_t>, std::set<std::int64_t>> touched_;
  std::map<std::string, std::vector<Nat>>
      rows_;  ///< array -> indices i + rest that every iteration i touches
};

/// The two vectors whose elements are a0 b0 a1 b1 ...: shuffles of a and b, or of what they are computed from
/// where that takes fewer.
std::pair<Term, Term> interleave_lanes(const Term& a, const Term& b, int width);

/// The same value, computed from loads of stride 2 whose lanes are out of order and put in order once, at the
/// end: even and odd elements can be told apart within each 16 bytes by one instruction, but not beyond.
Term order_lanes_last(const Term& value);

}  // namespace lift
