#include "embed/checks.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"

namespace lift {

std::size_t slot_of(const Kernel& kernel, const std::string& array) {
  const auto& slots = kernel.arguments;
  return static_cast<std::size_t>(
      std::find_if(slots.begin(), slots.end(), [&](const KernelArgument& a) { return a.name == array; }) -
      slots.begin());
}

void check_range(const Plan& plan, const Kernel& kernel, std::size_t argument, const ArgumentValue& value,
                 std::source_location where) {
  const KernelArgument& a = kernel.arguments[argument];
  if (a.range.empty()) return;
  const std::int64_t given = *static_cast<const std::int32_t*>(value.data);
  const auto low = a.range[0].constant(), high = a.range[1].constant();
  if ((low && given < *low) || (high && given > *high))
    throw UserError(plan.argument_text(argument) + " is " + std::to_string(given) + ", but lies in " +
                    a.range[0].str() + ".." + a.range[1].str() + line_of(where));
}

void check_data(const Plan& plan, std::size_t argument, const ArgumentValue& value,
                std::source_location where) {
  if (!value.data && !value.on_device)
    throw UserError(plan.argument_text(argument) + " has no data (a null pointer)" + line_of(where));
}

namespace {

/// Where `a` is written: what is beside may lie where others are read, but not where others are written.
bool harmful(const Passed& a, const Passed& b) {
  return (!a.beside && !b.beside) || (b.written && a.argument != b.argument);
}

}  // namespace

void check_overlaps(const Plan& plan, std::span<const Passed> passed, std::source_location where) {
  for (const Passed& a : passed)
    for (const Passed& b : passed)
      if (&a != &b && a.written && harmful(a, b) && overlap(a.caller, a.bytes, b.caller, b.bytes))
        throw UserError(plan.argument_text(a.argument) + " is written, but shares memory with argument " +
                        std::to_string(b.argument + 1) +
                        "; pass separate arrays, or write the expression as an update" + line_of(where));
}

}  // namespace lift
