// A .lift file as something to explore: its program with numbers for its sizes, filled as it declares.
#pragma once

#include <filesystem>

#include "ir/text/parse.hpp"
#include "tuning/expression_problem.hpp"

namespace lift {

/// `given` replaces the sizes that the file declares. C functions of the file mean to the interpreter what
/// the C compiler makes of them. With Problem::symbolic the pattern builds the program over its sizes.
/// UserError: the file cannot be read, is wrong (file:line:column), or does not admit a size; a data file of
/// another length or type.
PatternProblem load_lift_file(const std::filesystem::path& path, const Sizes& given = {});
/// The same with arguments from other files than it declares: .npy, else raw. Shapes of .npy files say what
/// sizes are; these join `sizes`.
PatternProblem load_lift_file(const std::filesystem::path& path, Sizes& sizes,
                              const std::map<std::string, std::filesystem::path>& inputs);

/// What a file declares that the arguments of its program are filled with; names of raw files are relative to
/// `directory`.
std::map<std::string, ArgumentData> data_in(const LiftFile& file, const Program& program,
                                            const std::filesystem::path& directory);

/// Gives the interpreter the meanings of all user functions of a program, in messages those of `file`: what
/// the C compiler makes of them. Nothing is compiled before the result is called, which compiles them all, or
/// the interpreter meets one.
std::function<void()> give_meanings(const Program& p, const std::string& file);

}  // namespace lift
