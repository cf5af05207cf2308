// How the best came from what was written: the expression before and after each step, and what became of it.
#include <fmt/format.h>

#include "report/changes.hpp"
#include "report/escape.hpp"
#include "report/highlight.hpp"
#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {
namespace {

std::string folded(const std::string& title, const std::string& html, bool open) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "", title, html);
}

std::string step_html(std::size_t number, const Step& s, const std::string& before) {
  const Changes c = changes(before, s.after);
  const auto side = [](const char* title, const std::string& html) {
    return "<div><h4>" + std::string(title) + "</h4>\n" + code_block(html) + "</div>\n";
  };
  const std::string title =
      fmt::format("{}. {} <code class=\"step\">{}</code>", number, escaped(s.prose), escaped(s.step));
  return folded(title,
                "<div class=\"sides\">\n" + side("before", c.before) + side("after", c.after) + "</div>\n",
                true);
}

/// Without the expressions: what older results have.
std::string bare(const Best& best) {
  std::string steps;
  for (const std::string& step : best.derivation) steps += step + "\n";
  return code_block(escaped(steps));
}

}  // namespace

std::string derivation_section(const Result& r) {
  if (!r.best) return "";
  const std::string title = "Derivation of the best";
  if (!r.explanation) return r.best->derivation.empty() ? "" : section("derivation", title, bare(*r.best));
  const Explanation& e = *r.explanation;
  std::string html = paragraph("What was written:") + code_block(highlighted(e.high));
  const std::string* before = &e.high;
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    html += step_html(i + 1, e.steps[i], *before);
    before = &e.steps[i].after;
  }
  if (e.steps.empty()) html += paragraph("No step was taken: the best is what was written.");
  if (!e.low.empty())
    html += paragraph("What became of it, with all storage decided:") + code_block(highlighted(e.low));
  return section("derivation", title, html);
}

std::string code_section(const Result& r) {
  if (!r.explanation) return "";
  std::string html;
  if (!r.explanation->loops.empty())
    html += "<h3>Loops</h3>\n" + code_block(highlighted(r.explanation->loops));
  if (!r.explanation->code.empty()) {
    html += "<h3>Code</h3>\n";
    if (r.best && !r.best->source.empty()) html += paragraph("Written to " + r.best->source + ".");
    html += code_block(highlighted(r.explanation->code));
  }
  return html.empty() ? "" : section("code", "Loops and code of the best", html);
}

}  // namespace lift::report
