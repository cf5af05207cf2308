// The sections of a page, in its order: from the result to its details. Each is HTML, "" where the result has
// nothing for it, and may leave data for a chart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/result.hpp"

namespace lift::report {

/// What page.js draws: by the id of the canvas that a section has placed.
using Charts = nlohmann::ordered_json;

std::string summary_section(const Result& r);
std::string times_section(const Result& r, Charts& charts);
std::string roofline_section(const Result& r, Charts& charts);
std::string progress_section(const Result& r, Charts& charts);
std::string depths_section(const Result& r);
std::string decisions_section(const Result& r, Charts& charts);
std::string derivation_section(const Result& r);
std::string code_section(const Result& r);
std::string machine_section(const Result& r);

/// The result in one sentence, as plain text.
std::string sentence(const Result& r);

}  // namespace lift::report
