// What operators in one layout cost, for programs.
#pragma once

#include <string>
#include <vector>

#include "tuning/one_layout.hpp"

namespace lift {

/// JSON, schema 1: the layouts with the milliseconds of a round in each, the best of them, and what
/// json_report says of each operator's exploration in it, in their order.
std::string json_report(const LayoutChoice& choice, const std::vector<double>& applied,
                        const std::vector<std::string>& operators);

}  // namespace lift
