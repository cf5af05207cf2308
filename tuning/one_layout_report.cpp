#include "tuning/one_layout_report.hpp"

#include <nlohmann/json.hpp>

namespace lift {

std::string json_report(const LayoutChoice& choice, const std::vector<double>& applied,
                        const std::vector<std::string>& operators) {
  using Json = nlohmann::ordered_json;
  const LayoutCost& best = choice.costs[choice.best];
  Json json{{"schema", 1}, {"layout", str(best.layout)}, {"ms", best.ms}};
  json["applied"] = applied.empty() ? std::vector<double>(operators.size(), 1) : applied;
  json["layouts"] = Json::array();
  for (const LayoutCost& c : choice.costs) {
    Json layout{{"layout", str(c.layout)}, {"ms", c.why_not.empty() ? Json(c.ms) : Json(nullptr)}};
    if (!c.why_not.empty()) layout["message"] = c.why_not;
    json["layouts"].push_back(std::move(layout));
  }
  json["operators"] = Json::array();
  for (const std::string& report : operators) json["operators"].push_back(Json::parse(report));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lift
