#include "gmg/found_weight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "embed/compiler.hpp"
#include "gmg/fourier.hpp"
#include "ir/error.hpp"
#include "ir/number_text.hpp"

namespace lift {
extern const char* const kSourceVersion;  // cmake/source_version.cmake
}

namespace lift::gmg {
namespace {

std::string text(const std::vector<double>& all) {
  std::string s;
  for (const double x : all) s += fmt::format(" {:.17g}", x);
  return s + "\n";
}

double kept_or_found(const std::string& key, const Equation& equation, const Plan& plan) {
  if (const auto kept = shared_vault().find(key, kWeightSuffix))
    if (const auto w = read_number<double>(*kept); w && *w > 0 && *w < 2) return *w;
  const double w = best_weight(equation, plan);
  try {
    shared_vault().keep(key, kWeightSuffix, fmt::format("{:.17g}", w));
  } catch (const UserError&) {  // where it cannot be written, it is found again
  }
  return w;
}

}  // namespace

std::string weight_key(const Equation& equation, const Plan& plan, const Ratios& first) {
  std::vector<double> fine, coarse;
  for (std::size_t d = 0; d < first.size(); ++d) {
    fine.push_back(equation.domain().spacing(d));
    coarse.push_back(fine.back() * first[d]);
  }
  std::string all = fmt::format("weight of {}, {} and {} sweeps\n", kSourceVersion, plan.down, plan.up);
  for (const Offset& o : equation.footprint()) all += fmt::format("{}\n", fmt::join(o, " "));
  return hash_text(all + text(equation.weights({}, fine)) + text(equation.weights({}, coarse)));
}

double found_weight(const Equation& equation, const Plan& plan) {
  const auto colours = colours_of(equation, equation.domain());
  if (plan.weight > 0 || !colours || colours->count() != 2) return 0;
  if (plan.smoother != Smoother::automatic && plan.smoother != Smoother::gauss_seidel) return 0;
  const Ratios first =
      plan.ratios.empty() ? suggested_ratios(equation, equation.domain()) : plan.ratios.front();
  if (first.empty() || std::any_of(first.begin(), first.end(), [](int r) { return r != 2; })) return 0;
  try {
    return kept_or_found(weight_key(equation, plan, first), equation, plan);
  } catch (const UserError&) {  // a footprint without colours modulo 2, say
    return 0;
  }
}

}  // namespace lift::gmg
