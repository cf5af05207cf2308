// By what a program is found again: its expression over symbolic sizes, whatever its names, and the sizes.
#pragma once

#include "ir/expr/sizes.hpp"
#include "patterns/pattern.hpp"
#include "tuning/database/record.hpp"

namespace lift {

/// A program as text that is the same in every process, and for every choice of names of arguments, sizes,
/// results and the program itself: one line a distinct node, children first. Sums within lengths are sorted,
/// as their order in memory is that in which a process met their variables. Sizes that never have a length of
/// an argument to themselves are told apart by name.
std::string canonical_text(const Program& program);

/// `sizes`: a number for each size of the program; UserError when one is missing. Where the arguments'
/// lengths do not tell all sizes, the program with its numbers is the expression, without sizes.
ProgramKey program_key(const Program& program, const Sizes& sizes);

/// Of the problem's symbolic program, where the pattern has one and its lengths tell the sizes; else of the
/// program as it is, without sizes. `text`, when asked for, becomes the program printed. UserError: the
/// pattern cannot be built for the problem.
ProgramKey program_key(const Pattern& pattern, const Problem& problem, std::string* text = nullptr);

}  // namespace lift
