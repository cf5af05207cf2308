// Texts of others on their way into HTML: none of them becomes a tag, an attribute or a script.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lift::report {

/// In the text of an element, or in an attribute within double quotes. Control characters are spelled out.
std::string escaped(std::string_view text);

/// JSON as the text of a <script type="application/json">, which knows no entities: no < > & is left in it.
std::string script_text(const nlohmann::ordered_json& json);

}  // namespace lift::report
