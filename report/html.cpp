#include "report/html.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/escape.hpp"

namespace lift::report {

std::string section(const std::string& id, const std::string& title, const std::string& html) {
  return "<section id=\"" + escaped(id) + "\">\n<h2>" + escaped(title) + "</h2>\n" + html + "</section>\n";
}

std::string paragraph(const std::string& text) { return "<p>" + escaped(text) + "</p>\n"; }

std::string canvas(const std::string& id, const std::string& name) {
  return "<div class=\"chart\" id=\"" + escaped(id) + "-box\"><canvas id=\"" + escaped(id) +
         "\" role=\"img\" aria-label=\"" + escaped(name) + "\"></canvas></div>\n";
}

std::string Table::html() const {
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    const bool number = column < numbers.size() && numbers[column];
    return fmt::format("<{}{}>{}</{}>", tag, number ? " class=\"n\"" : "", escaped(text), tag);
  };
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (std::size_t c = 0; c < head.size(); ++c) out += cell("th", c, head[c]);
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) out += cell("td", c, row[c]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string code_block(const std::string& html) {
  return "<pre tabindex=\"0\"><code>" + html + "</code></pre>\n";
}

std::string ms_text(double ms) {
  if (!(ms > 0)) return "";
  return fmt::format("{:.{}f}", ms, ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 0.1 ? 3 : 5);
}
std::string times_text(double factor) { return factor > 0 ? fmt::format("{:.2f}\u00d7", factor) : ""; }
std::string percent_text(double share) { return share > 0 ? fmt::format("{:.0f} %", 100 * share) : ""; }
std::string plain_number(double n) {
  return std::fabs(n) < 1e15 && n == std::floor(n) ? fmt::format("{:.0f}", n) : fmt::format("{:.4g}", n);
}

}  // namespace lift::report
