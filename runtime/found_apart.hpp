// What devices there are, found by a process of its own: whoever has a driver in use cannot be copied (fork)
// any more, see worker.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/grid_device.hpp"
#include "runtime/message.hpp"

namespace lift {

std::string bytes_of_info(const GridDeviceInfo& info);
GridDeviceInfo take_info(Reader& in);

/// What `find` returns or throws; EnvironmentError when `driver` (as it is called in messages) crashes.
std::vector<GridDeviceInfo> found_apart(const std::function<std::vector<GridDeviceInfo>()>& find,
                                        const char* driver);

}  // namespace lift
