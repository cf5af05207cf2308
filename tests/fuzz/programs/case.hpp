// A case: a program, what is decided about it, and data. As text it is a .lift file whose first comments say
// the rest, so that the tool's own commands read it too.
#pragma once

#include <memory>

#include "ir/expr/interpret.hpp"
#include "ir/expr/sizes.hpp"
#include "lower/lower.hpp"
#include "rewrite/engine/derivation.hpp"
#include "rewrite/space/space.hpp"

namespace lift::fuzz {

struct Case {
  Program program;  ///< over size variables
  Sizes sizes = {};
  bool symbolic = false;  ///< the kernel is for any size, else for these
  Target target = Target::openmp;
  int vector_bytes = 32;
  std::uint64_t data = 1;  ///< seed
  enum class Choice : std::uint8_t { written, defaulted, derived } choice = Choice::written;
  Derivation derivation = {};        ///< of what is derived
  bool interpreted = false;          ///< its loops are, not compiled
  bool alone = false;                ///< run by the caller that is emitted with it, under sanitizers
  Configuration configuration = {};  ///< that led to it, for deriving a smaller program the same way
};

std::string print(const Case& c);
/// The inverse, but for the configuration.
Case parse_case(const std::string& text, const std::string& file);

/// The program that the kernel is made of.
Program subject(const Case& c);
SpaceOptions space_options(const Case& c);
/// The kernel, called `name`. UserError: the decisions cannot be met.
Kernel kernel_of(const Case& c, const std::string& name);
/// Its sums are in another order than the program's.
bool reassociated(const Derivation& d);

/// Arguments and what the interpreter makes of them.
struct Data {
  std::map<std::string, std::vector<double>> arguments;  ///< by name; numbers have one
  std::vector<std::vector<double>> expected;             ///< by result
  std::vector<ProgramResult> results;                    ///< at these sizes
};
/// Nothing where the program reads what nobody defined.
std::shared_ptr<const Data> data_of(const Program& program, const Sizes& sizes, std::uint64_t seed);

/// "" or how what was printed and parsed again differs from the program.
std::string round_trip(const Program& program);
/// "" or why no kernels that move the program's traffic can be made, though nothing says that there are none.
std::string twin_defect(const Case& c);

}  // namespace lift::fuzz
