// The domain that `liftgen solve` is asked for, as --size, --spacing and --bc say it.
#pragma once

#include "cli/solve_options.hpp"
#include "gmg/domain.hpp"

namespace lift::cli {

/// "96,200,256", or "64" for 64,64,64. UserError.
std::vector<std::int64_t> cells_of(const std::string& size, const std::string& option = "--size");
/// With the faces of --bc; Dirichlet ones where it is empty. UserError, naming the option.
gmg::Domain domain_of(const std::vector<std::int64_t>& cells, const SolveOptions& o);

}  // namespace lift::cli
