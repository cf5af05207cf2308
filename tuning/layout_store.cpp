#include <algorithm>

#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "tuning/executor.hpp"

namespace lift {

const KernelArgument& result_argument(const Kernel& kernel, std::size_t n) {
  for (const KernelArgument& a : kernel.arguments)
    if (a.name == kernel.results.at(n)) return a;
  throw InternalError("tuning: the kernel " + kernel.name + " has no argument '" + kernel.results[n] +
                      "' for a result");
}

Kernel signature_of(const Kernel& kernel) {
  Kernel k;
  k.name = kernel.name, k.arguments = kernel.arguments, k.results = kernel.results;
  return k;
}

void guard_arrays(KernelHost& host, const std::vector<HostArray>& arguments,
                  const std::vector<Expected>& expected) {
  std::vector<std::pair<const void*, std::size_t>> ranges;
  for (const HostArray& a : arguments) ranges.emplace_back(a.data, bytes_of(a.type));
  for (const Expected& e : expected) ranges.emplace_back(e.result.data, bytes_of(e.result.type));
  host.guard(std::move(ranges));
  host.restart();
}

std::string storage_key(const KernelArgument& argument) {
  return argument.name + " : " + argument.type.str() + " / " + str(argument.layout.request());
}

std::shared_ptr<const void> LayoutStore::in_layout(const KernelArgument& argument) {
  const HostArray* original = find(argument.name);
  if (original == nullptr) throw InternalError("tuning: no data for the argument '" + argument.name + "'");
  if (!argument.type.is_array() || is_caller_layout(argument.layout))
    return {std::shared_ptr<void>(), original->data};
  if (const auto kept = converted_.find(storage_key(argument)); kept != converted_.end()) return kept->second;

  const std::size_t bytes = bytes_of(argument.layout, element_of(argument.type).scalar());
  // What other layouts hold is given up rather than the machine's last memory.
  if (bytes + bytes / 4 > available_memory())
    std::erase_if(converted_, [](const auto& entry) { return entry.second.use_count() == 1; });
  const std::shared_ptr<void> buffer = host_->allocate(bytes);
  const Layout caller(LayoutRequest{}, argument.type);
  // Twice: the first time warms up, and the shorter time counts.
  for (int run = 0; run < 2; ++run)
    converter_.convert(*host_, argument.type, caller, original->data, argument.layout, buffer.get());
  converted_[storage_key(argument)] = buffer;
  return buffer;
}

Difference Executor::compare(const Kernel& kernel, std::size_t n, const Expected& expected) {
  const HostArray got = fetch(kernel, n, expected.staging);
  if (!(got.type == expected.result.type))
    throw InternalError("verification: " + got.type.str() + " compared with " + expected.result.type.str());
  const Scalar type = element_of(got.type).scalar();
  return difference(type, got.data, expected.result.data, expected.bounds, host::count(got.type),
                    expected.mean, tolerance(type));
}

void LayoutStore::to_caller(const KernelArgument& argument, const void* stored, void* into) {
  converter_.convert(*host_, argument.type, argument.layout, stored, Layout(LayoutRequest{}, argument.type),
                     into);
}

double LayoutStore::convert_ms(const Kernel& kernel) const {
  double ms = 0;
  for (const KernelArgument& a : kernel.arguments) {
    if (!a.type.is_array() || is_caller_layout(a.layout)) continue;
    const Layout caller(LayoutRequest{}, a.type);
    if (find(a.name) != nullptr) ms += converter_.ms(a.type, caller, a.layout);
    if (std::find(kernel.results.begin(), kernel.results.end(), a.name) != kernel.results.end())
      ms += converter_.ms(a.type, a.layout, caller);
  }
  return ms;
}

}  // namespace lift
