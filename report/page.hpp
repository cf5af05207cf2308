// A result as one HTML file that needs nothing else: no network, no other file.
#pragma once

#include <string>

namespace lift::report {

/// Of what `liftgen explore --json` has written. UserError, one line, for anything else.
std::string page(const std::string& json);
/// Around sections; `charts`: what page.js draws, as JSON.
std::string whole_page(const std::string& title, const std::string& sections, const std::string& charts);

}  // namespace lift::report
