// A solve as one HTML file that needs nothing else: how it converged, its cycle as it goes through the
// levels, and where the time went.
#pragma once

#include <string>

#include "gmg/report.hpp"

namespace lift::report {

/// `steps`: of the cycle. `lines`: what else is to be said, a sentence each.
std::string solve_page(const gmg::Report& r, const std::string& problem, const gmg::CycleSteps& steps,
                       const std::vector<std::string>& lines);

}  // namespace lift::report
