// The loops of a kernel in the words of integer sets: what a store's iterations are, when they come, and
// which elements they meet. Texts that isl reads; nothing here needs it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lower/loops/loop.hpp"

namespace lift::affine {

using Texts = std::vector<std::string>;

std::string joined(const Texts& parts, const std::string& between, const std::string& empty = "");
/// `name[a, b]`
std::string tuple(const std::string& name, const Texts& elements);

/// A load within the value of a store, under the conditions of the selections around it.
struct Load {
  std::string array;
  Texts cell, conditions;
};
/// How often a loop runs, and from where; absent: that is no number.
struct LoopRange {
  std::optional<std::int64_t> first, count;
};
/// A loop over threads, over work-groups, or over the work-items of one.
struct ParallelLoop {
  std::size_t depth;   ///< of its variable among those around a statement
  int id;              ///< which loop
  bool team;           ///< it is shared by a team, whose loop over steps is the next one around
  std::size_t shared;  ///< all of them with the same first variables, so many, may run at the same time
  bool turns = false;  ///< it waits, within a loop that threads take in turns, which is the next one around:
                       ///< an iteration of the two may run at the same time as earlier ones of later turns
};
/// A store: `variables` are the loops around it, `domain` says which of their iterations there are. `date`
/// has, from the outside in, the place in the text and the loop's variable in turns, and ends with a place.
struct Statement {
  Texts variables, date, domain;
  std::vector<LoopRange> ranges;  ///< of the loops
  std::string array;
  Texts cell, position;
  std::vector<Load> loads;
  bool copy = false;  ///< its value is an element as it is
  std::vector<ParallelLoop> parallel;
};

/// Goes through loops, and says what it sees. Loops, conditions on indices and stores of values that are
/// computed from elements are understood; std::runtime_error for others, which names them.
class Reader {
 public:
  explicit Reader(const Kernel& k);
  std::vector<Statement> statements;  ///< in the order of the text
  std::set<std::string> own;          ///< arrays that the kernel allocates
  /// `[colour] -> { map : conditions and what is known of parameters }`
  std::string relation(const std::string& map, Texts conditions) const;

 private:
  std::string atom(const NatAtom& a) const;
  std::string text(const Nat& n) const;
  Texts texts(const std::vector<Nat>& position) const;
  std::string text(const NatCond& c) const;
  /// Empty: it depends on what is stored.
  std::string condition(const Term& t, bool holds = true) const;
  Texts cell_of(const std::string& array, const std::vector<Nat>& position) const;
  void loads(const Term& t, const Texts& conditions);
  void block(const Block& b);
  void statement(const Stmt& s);
  void loop(const For& f);

  Texts parameters_, context_;
  std::map<const NatAtom*, std::string> names_;
  std::map<std::string, Texts> allocated_;  ///< by the iterations that have each array to themselves
  Statement here_;
  std::vector<std::size_t> teams_;  ///< depths of loops that teams go through
  std::size_t turns_ = 0;           ///< depth of loops directly within one that threads take in turns
  int loops_ = 0;
};

}  // namespace lift::affine
