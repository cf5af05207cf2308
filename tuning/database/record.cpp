#include "tuning/database/record.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "ir/error.hpp"
#include "rewrite/engine/derivation.hpp"
#include "tuning/database/solver_record.hpp"
#include "tuning/disturbance.hpp"

namespace lift {
namespace {

constexpr std::size_t kLine = 1000, kText = std::size_t{1} << 18;  ///< bytes of a field
constexpr std::size_t kSteps = 2000, kSizes = 64;
constexpr std::int64_t kLatest = 253402300799;  ///< the end of the year 9999

bool is_hash(const std::string& s) {
  return s.size() == 32 && s.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_line(const std::string& s) { return s.size() <= kLine && s.find('\n') == std::string::npos; }

std::string fault_of_derivation(const std::string& text) {
  if (text.size() > kText) return "'derivation' is longer than any";
  try {
    if (parse_derivation(text).size() > kSteps) return "'derivation' has more steps than any";
  } catch (const std::exception& error) {
    return std::string("'derivation': ") + error.what();
  }
  return "";
}

bool is_ratio(double x) { return std::isfinite(x) && x >= 0 && x <= 1e6; }

/// Of where it was found, and of other lines beside it.
std::string fault_of(const Platform& p,
                     const std::vector<std::pair<const char*, const std::string*>>& beside) {
  std::vector<std::pair<const char*, const std::string*>> lines{{"backend", &p.backend},
                                                                {"device", &p.device},
                                                                {"architecture", &p.architecture},
                                                                {"compiler", &p.compiler},
                                                                {"rules", &p.rules}};
  lines.insert(lines.end(), beside.begin(), beside.end());
  for (const auto& [name, value] : lines)
    if (!is_line(*value)) return "'" + std::string(name) + "' is no line of at most 1000 bytes";
  if (p.backend.empty() || p.rules.empty()) return "'backend' or 'rules' is empty";
  return "";
}

}  // namespace

std::string fault_of(const Record& r) {
  if (!is_hash(r.program.expression)) return "'expression' is no hash of 32 hexadecimal digits";
  if (r.program.sizes.size() > kSizes || r.program.size_names.size() != r.program.sizes.size())
    return "'sizes' and their names do not belong together";
  for (const std::int64_t n : r.program.sizes)
    if (n < 1 || n > std::int64_t{1} << 50) return "'sizes' has a number that is no length";
  for (const std::string& n : r.program.size_names)
    if (n.empty() || n.size() > kLine || n.find_first_of(" \t\n") != std::string::npos)
      return "'sizes' has a name that is none";
  if (std::string fault = fault_of(
          r.platform, {{"type", &r.type}, {"name", &r.name}, {"variant", &r.variant}, {"layout", &r.layout}});
      !fault.empty())
    return fault;
  if (r.platform.threads < 0 || r.sweeps < 1) return "'threads' or 'sweeps' is no such number";
  if (r.text.size() > kText || r.parameters.size() > kText)
    return "'text' or 'parameters' is longer than any";
  if (!(r.ms > 0) || !std::isfinite(r.ms)) return "'ms' is no time";
  if (!is_ratio(r.speedup) || !is_ratio(r.roofline)) return "'speedup' or 'roofline' is no ratio";
  if (!is_possible(r.roofline, r.sweeps))
    return "'roofline' is beyond what sharing passes over memory can give";
  if (r.when < 0 || r.when > kLatest) return "'when' is no time";
  return fault_of_derivation(r.derivation);
}

std::string fault_of(const SolverRecord& r) {
  if (!is_hash(r.expression)) return "'expression' is no hash of 32 hexadecimal digits";
  if (std::string fault = fault_of(r.platform, {{"name", &r.name}}); !fault.empty()) return fault;
  if (r.platform.threads < 0) return "'threads' is no such number";
  if (r.plan.empty() || r.plan.size() > 4 * kText) return "'plan' is empty, or longer than any";
  if (r.when < 0 || r.when > kLatest) return "'when' is no time";
  return "";
}

bool faster(const Record& a, const Record& b) {
  if (a.roofline > 0 && b.roofline > 0) return a.roofline > b.roofline;
  return a.ms < b.ms;
}

std::string size_text(const ProgramKey& key) {
  std::string s;
  for (std::size_t i = 0; i < key.sizes.size(); ++i)
    s += (s.empty() ? "" : ", ") + (i < key.size_names.size() ? key.size_names[i] : "?") + " = " +
         std::to_string(key.sizes[i]);
  return s;
}

std::string time_text(std::int64_t when) {
  const std::time_t t = when;
  std::tm utc{};
  char text[32] = "";
  if (::gmtime_r(&t, &utc) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &utc);
  return text;
}

}  // namespace lift
