#include "report/page.hpp"

#include <map>

#include "report/escape.hpp"
#include "report/section.hpp"

namespace lift::report {

// page.html, page.css, page.js and Chart.js, as they were when liftgen was built.
extern const char* const text_of_page_html;
extern const char* const text_of_page_css;
extern const char* const text_of_page_js;
extern const char* const text_of_chart_js;

namespace {

/// {{name}} by what it stands for; what has been put in is not looked at again.
std::string filled(const std::string& form, const std::map<std::string, std::string>& parts) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = form.find("{{", at), close = form.find("}}", open);
    if (open == std::string::npos || close == std::string::npos) return out + form.substr(at);
    out += form.substr(at, open - at) + parts.at(form.substr(open + 2, close - open - 2));
    at = close + 2;
  }
}

}  // namespace

std::string whole_page(const std::string& title, const std::string& sections, const std::string& charts) {
  return filled(text_of_page_html, {{"title", escaped(title)},
                                    {"css", text_of_page_css},
                                    {"sections", sections},
                                    {"charts", charts},
                                    {"chart.js", text_of_chart_js},
                                    {"page.js", text_of_page_js}});
}

std::string page(const std::string& json) {
  const Result r = read_result(json);
  Charts charts = Charts::object();
  std::string sections = summary_section(r);
  sections += times_section(r, charts);
  sections += roofline_section(r, charts);
  sections += progress_section(r, charts);
  sections += depths_section(r);
  sections += decisions_section(r, charts);
  sections += derivation_section(r);
  sections += code_section(r);
  sections += machine_section(r);
  return whole_page(r.name + ": what liftgen found", sections, script_text(charts));
}

}  // namespace lift::report
