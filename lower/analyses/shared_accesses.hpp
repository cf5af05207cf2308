// What the work-items of a group access of arrays that they share, between two barriers; and which accesses
// may meet at one element. Positions are logical, as before linearisation.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/nat/nat_atoms.hpp"
#include "lower/loops/visit.hpp"

namespace lift {

/// A loop over work-items around an access.
struct ItemLoop {
  Nat var, lower, trips;
  std::int64_t items = 0;
  bool operator==(const ItemLoop&) const = default;
};
struct Access {
  std::string array;
  std::vector<Nat> position;
  bool write = false;
  bool async = false;             ///< a write that is done when a barrier has waited for it
  std::map<int, ItemLoop> loops;  ///< by dimension
  std::vector<const NatAtom*>
      inner;  ///< variables of loops within the statement: differ between the two of a pair
  std::vector<NatCond> conditions;  ///< under which it is done at all, by indices that all items share
  bool operator==(const Access&) const = default;
};

/// Between whom accesses are told apart: the work-items of a group, or the items of a grid, of which a group
/// is one where it has groups.
enum class Sharers { Group, Grid };

/// A statement that all items execute without waiting, or a part of one.
class Accesses {
 public:
  Accesses(const std::map<std::string, bool>& shared, Sharers among = Sharers::Group)
      : shared_(shared), among_(among) {}
  std::vector<Access> all;
  std::vector<std::set<int>> stored;  ///< for each store: the dimensions whose items are told apart there

  void of(const Stmt& s);

 private:
  const std::map<std::string, bool>& shared_;
  Sharers among_;
  std::map<int, ItemLoop> loops_;
  std::vector<const NatAtom*> inner_;

  void loop(const For& f);
};

/// Equal positions are accessed by the same item of the group, whose dimensions are given: along each of
/// them, some index of the position is the same function of the iteration in both, one to one.
bool same_item(const Access& a, Access b, std::vector<int> dims);

/// No element is accessed by both: their positions differ, or they are done under conditions that exclude
/// each other.
bool disjoint(const Access& a, const Access& b);

/// Some iteration of the loop, another one than its variable's.
Nat another(const For& f);
/// The same accesses in that iteration.
std::vector<Access> of_another(const For& f, std::vector<Access> all, const Nat& iteration);

/// Some item of the grid may access in one iteration of the loop, which holds grid loops, what another one
/// writes in another iteration: items of different groups cannot wait for one another.
bool crosses_items(const For& f);

}  // namespace lift
