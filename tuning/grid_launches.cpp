#include "tuning/grid_launches.hpp"

#include <cstring>
#include <map>
#include <string>

#include "lower/launches.hpp"

namespace lift {

std::vector<GridLaunch> grid_launches(const Kernel& kernel, GridProgram& program) {
  std::vector<GridLaunch> all;
  for (const Launch& part : launches_in(kernel)) {
    GridLaunch launch;
    launch.kernel = program.kernel(part.name);
    launch.global = part.range.global, launch.local = part.range.local, launch.dims = part.range.dims;
    launch.local_bytes = part.range.local_bytes;
    all.push_back(std::move(launch));
  }
  return all;
}

std::vector<GridLaunch> called(const Kernel& kernel, const std::vector<GridLaunch>& launches,
                               const std::vector<GridArg>& arguments) {
  std::map<std::string, std::int64_t> numbers;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const KernelArgument& a = kernel.arguments[i];
    if (a.type.is_array() || a.type.scalar() != i32) continue;
    std::int32_t value = 0;
    std::memcpy(&value, arguments.at(i).value(), sizeof value);
    numbers[a.name] = value;
  }
  std::vector<GridLaunch> queue;
  for (const LaunchCall& call : launch_calls(kernel, numbers)) {
    queue.push_back(launches.at(call.launch));
    std::vector<GridArg>& own = queue.back().args;
    own = arguments;
    for (const std::int64_t step : call.steps) own.emplace_back(static_cast<std::int32_t>(step));
  }
  return queue;
}

}  // namespace lift
