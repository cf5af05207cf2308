// Chains of stages whose loops differ, as a kind of program: what is known of one, and its decisions.
#pragma once

#include "rewrite/space/kind.hpp"

namespace lift {

struct ChainFacts : ProgramFacts {
  bool in_place = false;             ///< updates may overwrite their bases
  bool rings = false;                ///< some stages need arrays of their own
  bool tiles = false;                ///< the chain can be computed a tile of its result at a time
  bool copies = false;               ///< so it can where results that other stages read are copied
  std::optional<std::string> steps;  ///< the outermost axis of the stages' arrays, if they can go along it
  std::optional<std::string> rows;   ///< the next axis, if threads can take skewed tiles of it in turns
  std::int64_t row_count = 0;        ///< of the finest grid along it; 0: not known
  std::int64_t around = 1;           ///< iterations of the loops around the chain
  std::int64_t last_bytes = 0;       ///< of results that no stage reads
  std::int64_t planes = 0;           ///< of all stages along that axis, of the finest grid; 0: not known
  std::size_t stages = 1;
  std::int64_t colour_axes = 0;       ///< of stages that update cells of one colour: see Colours; 0: none do
  std::vector<std::string> coloured;  ///< arguments that these stages read or update
  std::vector<std::string> apart;     ///< further arrays, on a coarser grid, say
};
using ChainDecision = Decision<ChainFacts>;

ChainFacts chain_facts(const Program& program, const SpaceOptions& options);

/// Results that have a name, and are read by other stages: in tiles they would be written by two of them, so
/// that each is copied to where the result goes, and kept as far as it is read.
std::vector<Place> named_results(const Program& program);
/// Results that no stage reads again: what comes after all names, and is no name.
std::vector<Place> last_results(const Expr& body);

/// Whether threads can take tiles of so many rows in turns, some stages in rings.
bool can_take_turns_in_rings(const Program& program, std::int64_t rows);

/// No loops around and no tiles to give each thread its own: a stage's planes of a step are what is shared.
bool shares_steps(const ChainFacts& f);
/// Too few loops around for all threads, which take skewed tiles in turns.
bool goes_in_turns(const ChainFacts& f, const Configuration& c);
/// Strips of the result, so many a thread.
AxisSizes strips_a_thread(const ChainFacts& f, std::int64_t each);

namespace chain {

const ChainDecision& in_place();
const ChainDecision& layout();
const ChainDecision& time();
const ChainDecision& strips();
const ChainDecision& team();
const ChainDecision& inner();
const ChainDecision& width();
const ChainDecision& late();
const ChainDecision& stream();

}  // namespace chain
}  // namespace lift
