#include "embed/grid_code.hpp"

#include "embed/native_code.hpp"
#include "ir/error.hpp"
#include "lower/launches.hpp"
#include "tuning/grid_launches.hpp"

namespace lift {
namespace {

void check_f64(const Kernel& kernel, const Device& device) {
  if (device.info().f64) return;
  for (const KernelArgument& a : kernel.arguments)
    if ((a.type.is_array() ? element_of(a.type) : a.type).scalar() == f64)
      throw UserError(kernel.name + ": '" + a.name + "' is of f64, which the device " + device.name() +
                      " does not have; use f32, or another device");
}

}  // namespace

GridCode grid_code(const Kernel& kernel, const std::string& source, const Device& device) {
  check_f64(kernel, device);
  const GridBuild built = device.grid().build(source);
  if (!built.program) {
    if (built.stopped) throw EnvironmentError(kernel.name + ": not compiled: " + built.error + "; try again");
    const std::string who = kernel.name + ": the compiler of " + device.name() + " refuses the ";
    if (const std::string functions = user_functions(kernel); !functions.empty())
      throw UserError(who + "kernel; look at the text of the user function " + functions + ":\n" +
                      built.error);
    throw InternalError(who + "generated kernel:\n" + built.error);
  }
  GridCode code{kernel, grid_launches(kernel, *built.program)};
  code.kernel.body = map_launches(kernel.body, [](Launch& l) { l.body.clear(); });
  return code;
}

}  // namespace lift
