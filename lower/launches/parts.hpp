// Which statements of a block go into which launch: a loop over the grid is one, and so is what lies between
// two of them, which one work-item does.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lower/loops/loop.hpp"

namespace lift {

/// What statements refer to, those within them included.
struct Uses {
  std::set<std::string> locals, loads, stores, assigned;
  std::set<const NatAtom*> indices;
};
Uses uses_of(const Stmt& s);
bool touches(const Uses& u, const std::string& array);

bool is_over_groups(const Stmt& s);
bool is_host_loop(const Stmt& s);
bool holds_grid(const Stmt& s);
bool holds_host_loop(const Block& b);

/// The launch of a statement that stands in each launch that needs it.
constexpr int kWhereUsed = -1;

/// The launch of each statement: an odd number for a loop over the grid, the even ones around it for what
/// lies before and after. Names and arrays go where they are used.
std::vector<int> launches_of(const Block& b);
/// In order, each once, without kWhereUsed.
std::vector<int> distinct(std::vector<int> launch);

/// One launch of a block: which statements it takes, and the variables it would have to get from another one.
struct Part {
  std::vector<bool> takes;
  std::set<std::string> missing;
};
Part part_of(const Block& b, const std::vector<int>& launch, int which);
Block statements(const Block& b, const Part& p);

/// What is done once has an array of its own once: those that two launches use stand before it, and are gone
/// from it.
Block taken_out(Block& b, std::vector<int>& launch);

}  // namespace lift
