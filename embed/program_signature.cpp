#include "embed/program_signature.hpp"

#include <algorithm>

#include "embed/plan.hpp"
#include "ir/error.hpp"

namespace lift {
namespace {

ArgumentKind kind_of(const Type& t, const std::string& array_name) {
  if (!t.is_array()) return {t.is_scalar() ? t.scalar() : f64, 0, false, "a number"};
  const Type element = element_of(t);
  return {element.is_scalar() ? element.scalar() : f64, rank_of(t), false,
          array_name + " " + std::to_string(rank_of(t)) + " dimensions"};
}

/// Of each result whether it is a number, in the order of results_of.
void find_numbers(const Type& t, std::vector<bool>& to) {
  if (t.is_tuple())
    for (const Type& part : t.parts()) find_numbers(part, to);
  else if (t.is_array())
    to.insert(to.end(), component_arrays(t).size(), false);
  else
    to.push_back(true);
}

}  // namespace

Signature signature_of(const Program& opened, const std::string& array_name, const std::string& where) {
  Signature s;
  for (const Expr& a : opened.arguments) s.arguments.push_back(kind_of(a.type(), array_name));
  for (const std::string& name : opened.overwritable) {
    const auto it = std::find_if(opened.arguments.begin(), opened.arguments.end(),
                                 [&](const Expr& a) { return param_name(a) == name && a.type().is_array(); });
    if (it == opened.arguments.end())
      throw UserError(opened.name + ": '" + name +
                      "' is to be overwritten, but is no array among the arguments" + where);
    s.arguments[static_cast<std::size_t>(it - opened.arguments.begin())].writable = true;
  }
  std::vector<bool> numbers, updated(opened.arguments.size(), false);
  find_numbers(opened.body.type(), numbers);
  const std::vector<ProgramResult> results = results_of(opened);
  for (std::size_t r = 0; r < results.size(); ++r)
    if (const auto argument = updated_argument(opened, r, s))
      updated[*argument] = true;
    else
      s.returned.push_back(kind_of(numbers[r] ? element_of(results[r].type) : results[r].type, array_name));
  for (std::size_t i = 0; i < updated.size(); ++i)
    if (s.arguments[i].writable && !updated[i])
      throw UserError(opened.name + ": '" + param_name(opened.arguments[i]) +
                      "' is to be overwritten, but no result updates it; write the result as update(" +
                      param_name(opened.arguments[i]) + ", ...), or leave it out" + where);
  return s;
}

}  // namespace lift
