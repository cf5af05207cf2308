#include "runtime/grid_checks.hpp"

#include "ir/limit_error.hpp"

namespace lift {
namespace {

constexpr const char* kRemedy = "; use smaller tiles, or fewer work-items a group";

void check_arguments(const GridLaunch& launch, const std::string& what) {
  const int wanted = launch.kernel->info().arguments;
  if (wanted >= 0 && static_cast<int>(launch.args.size()) != wanted)
    throw InternalError(what + " takes " + std::to_string(wanted) + " arguments, not " +
                        std::to_string(launch.args.size()));
  for (std::size_t i = 0; i < launch.args.size(); ++i)
    if (launch.args[i].kind() == GridArg::Kind::Memory && !launch.args[i].memory())
      throw InternalError(what + ": argument " + std::to_string(i) + " is an empty buffer");
}

void check_local_memory(const GridLaunch& launch, const std::string& what, const GridDeviceInfo& device) {
  const std::size_t declared = launch.kernel->info().local_bytes;
  std::size_t bytes = declared + launch.local_bytes;
  for (const GridArg& arg : launch.args) bytes += arg.kind() == GridArg::Kind::Local ? arg.bytes() : 0;
  const std::size_t most = declared > device.local_bytes
                               ? device.local_bytes
                               : std::max(device.local_bytes, device.max_local_bytes);
  if (bytes > most)
    throw LimitError(what + " needs " + std::to_string(bytes) + " bytes of local memory; " + device.name +
                     " has " + std::to_string(most) + " a work-group; use smaller tiles");
}

void check_grid(const GridLaunch& launch, const std::string& what, const GridDeviceInfo& device) {
  if (launch.local == std::array<std::size_t, 3>{0, 0, 0}) {
    if (!device.chooses_local_size)
      throw InternalError(what + ": " + device.name + " does not choose a work-group's size");
    return;
  }
  std::size_t items = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(launch.dims); ++d) {
    const std::string in = " in dimension " + std::to_string(d);
    const std::size_t local = launch.local[d];
    items *= local;
    if (local == 0 || launch.global[d] % local != 0)
      throw UserError(what + ": work-groups of " + std::to_string(local) + " do not divide the grid's " +
                      std::to_string(launch.global[d]) + in);
    if (local > device.max_work_items[d])
      throw LimitError(what + ": work-groups of " + std::to_string(local) + " work-items" + in + "; " +
                       device.name + " allows " + std::to_string(device.max_work_items[d]) + kRemedy);
    if (device.max_groups[d] > 0 && launch.global[d] / local > device.max_groups[d])
      throw LimitError(what + ": " + std::to_string(launch.global[d] / local) + " work-groups" + in + "; " +
                       device.name + " allows " + std::to_string(device.max_groups[d]) +
                       "; use larger tiles, or another dimension");
  }
  const std::size_t most = launch.kernel->info().max_work_group;
  if (items > most)
    throw LimitError(what + ": work-groups of " + std::to_string(items) + " work-items; " + device.name +
                     " allows " + std::to_string(most) + " for it" + kRemedy);
}

}  // namespace

GridBuffer& checked(const GridMemory& memory, const char* what) {
  if (!memory) throw InternalError(std::string("device: ") + what + " of an empty buffer");
  return *memory;
}

void check_range(const char* what, std::size_t bytes, std::size_t offset, std::size_t size) {
  if (offset <= size && bytes <= size - offset) return;
  throw InternalError(std::string("device: ") + what + " of " + std::to_string(bytes) + " bytes at " +
                      std::to_string(offset) + " in a buffer of " + std::to_string(size));
}

void check_same_size(const GridBuffer& to, const GridBuffer& from) {
  if (to.bytes() != from.bytes())
    throw InternalError("device: copy of " + std::to_string(from.bytes()) + " bytes to a buffer of " +
                        std::to_string(to.bytes()));
}

void check_fits(const GridLaunch& launch, const GridDeviceInfo& device) {
  if (!launch.kernel) throw InternalError("device: launch of an empty kernel");
  const std::string what = "kernel " + launch.kernel->name();
  if (launch.dims < 1 || launch.dims > 3) throw InternalError(what + ": a grid has 1 to 3 dimensions");
  check_arguments(launch, what);
  check_local_memory(launch, what, device);
  check_grid(launch, what, device);
}

}  // namespace lift
