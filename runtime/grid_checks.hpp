// What is checked before a device is asked for anything, by itself or through one of its queues.
#pragma once

#include "runtime/grid_device.hpp"

namespace lift {

/// InternalError when there is no buffer.
GridBuffer& checked(const GridMemory& memory, const char* what);
/// InternalError beyond the end of a buffer of `size` bytes.
void check_range(const char* what, std::size_t bytes, std::size_t offset, std::size_t size);
/// InternalError for a copy between buffers of different sizes.
void check_same_size(const GridBuffer& to, const GridBuffer& from);
/// Whether this launch can run at all; said before the driver says less. LimitError, InternalError.
void check_fits(const GridLaunch& launch, const GridDeviceInfo& device);

}  // namespace lift
