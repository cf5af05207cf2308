// The variant that commands take when nobody explores: given by a derivation, or the space's best guess.
#pragma once

#include "cli/options.hpp"
#include "lower/lower.hpp"
#include "tuning/explore.hpp"

namespace lift::cli {

struct Chosen {
  Program program;  ///< as the pattern builds it
  Derivation derivation;
  Program low;  ///< after the derivation
  Kernel kernel;
  std::string name = "default variant";  ///< what it is, where nobody gave a derivation
};

/// From --derivation, else what the database knows to be fastest here (said on standard error), else the
/// first of the space's seeds in the caller's layout that can be met. With Problem::symbolic the variant is
/// chosen at the sizes given and its derivation replayed over the size variables, or, where that cannot be
/// done, chosen among those of the symbolic program. UserError when a derivation does not apply.
Chosen choose_variant(const Options& o);
/// The command line that emits the kernel of these options again, its derivation being in FILE.
std::string command_of(const Options& o);
/// What `choose_variant` lowers with.
LowerOptions lowering_of(const Machine& machine, Target target);
/// From the file of --derivation; nothing when none was given.
std::optional<Derivation> given_derivation(const Options& o);

}  // namespace lift::cli
