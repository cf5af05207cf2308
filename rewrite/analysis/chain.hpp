// Chains of stages, the one notion of time: let x1 = S1(x0) in let x2 = S2(x1) in ... Sn. Half-sweeps of a
// smoother, steps of a polynomial or of an iteration, and different operators one after the other are chains.
// A chain may stand below maps (over boxes, over planes): what these hand to it are arrays like arguments.
//
// The value of a stage is an expression over opaque arrays: an earlier stage is a name, nothing is inlined,
// so that looking at a chain costs as much as its stages are large.
#pragma once

#include <optional>

#include "ir/expr/attributes.hpp"
#include "rewrite/engine/strategy.hpp"

namespace lift {

struct ChainStage {
  Place place;          ///< of its expression in the program's body
  std::string name;     ///< of the array that it computes, in the values of later stages
  Expr value;           ///< over the chain's arguments and the names of earlier stages
  bool result = false;  ///< one of the program's results, or read for one after the chain

  /// The arrays that later stages read, by name: of an array of tuples, one a component.
  std::vector<std::string> arrays() const;
  bool makes(const std::string& array) const;
};
struct Chain {
  std::vector<Expr> arguments;            ///< of the program, and what the maps around hand to the chain
  std::vector<std::string> overwritable;  ///< those of them whose old contents nobody needs
  Expr result;                            ///< over the names of stages; the last stage, if that has none
  std::vector<ChainStage> stages;         ///< results that have no name at the end, together
  std::vector<Expr> afterwards;           ///< results that are numbers: computed from whole stages
  std::vector<Band> bands;                ///< around it, outermost first

  std::vector<Band> going(Band::Shape s) const;  ///< the bands of that shape
  Place place() const;                           ///< of the let around the first stage's value
};

/// A band, or a ring, which is read within one.
bool is_schedule(const Expr& e);

/// What a schedule (bands, rings) is about: the program, or the step of the iteration that it
/// stands in. UserError where there is one within an iteration and another outside of it.
Program scheduled_program(const Program& program);

/// The chain that a program computes its result by; of one stage when it has no named arrays on the way.
Chain chain_of(const Program& program);

/// What makes a program's one result, over arrays that hold its earlier stages: what is to be known of it is
/// known of elements, however many stages those are computed by. The program itself where it has no such
/// stages.
Program last_of_chain(const Program& program);

/// Whether a value is an update in place, also below maps, or made by steps in place of what is there.
bool overwrites_base(const Expr& value);
/// What the steps of an iteration do with one of the arrays that they hand on: each makes another one, in
/// arrays that take turns; it stays what it is; each overwrites it.
enum class StepPart : std::uint8_t { turns, handed_on, overwritten };
/// Of each component of what an iteration hands on; of one array, of that.
std::vector<StepPart> parts_of_steps(const Expr& iterate);
/// Whether some of them take no turns.
bool overwrites_steps(const Expr& iterate);

/// The array that a stage replaces a region of: the base of its update, also below maps over zipped arrays.
std::optional<Expr> updated_array(const Expr& value);

// ---- chains in which every stage updates an array: sweeps, each a loop nest of its own

/// Where each sweep stands, in order; one place, the empty one, for a program that is no such sequence.
std::vector<Place> sweeps_of(const Expr& body);
/// Sweep `n` by itself: the variables of the sweeps before stand for the arrays that these overwrite. The
/// program itself when it has one sweep.
Program single_sweep(const Program& program, std::size_t n);
/// Whether the sweeps may overwrite their arrays one after the other: no array is used under its old name
/// after it has been overwritten. Empty: they may; else the reason.
std::string why_not_one_after_the_other(const Program& program);

// ---- chains of computed arrays within one result: stored, or computed again where the next stage reads them

/// Where the named values stand that are such stages, outer before inner; none when computing all of them
/// where they are used would repeat too much.
std::vector<Place> stages_of(const Expr& body);
/// The program in which every stage is computed where it is used.
Rewriting with_stages_fused(Rewriting start);
/// Elements of all stages together, of one iteration of the loops around them; nothing when a length is not
/// known.
std::optional<std::int64_t> elements_of_stages(const Expr& body);

}  // namespace lift
