// A device in a worker's child: what it is asked to do, as tasks of a Worker. Each request begins with the
// number of the device (several may be served), buffers and programs go by numbers that are given here. The
// other side is apart_device.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/grid_device.hpp"

namespace lift::served {

using Open = std::function<std::unique_ptr<GridDevice>()>;
using Number = std::uint64_t;  ///< of a device, a buffer or a program; 0: none

/// Memory of both processes.
struct Shared {
  static constexpr std::size_t kChunk = std::size_t{2} << 20;  ///< small enough to stay in a cache
  std::atomic<bool> queueing = false;                          ///< kernels are queued, and compiled for that
  alignas(64) unsigned char chunk[kChunk];
};

// Of each: what follows the device's number -> what comes back. Errors are the device's.

std::string open(std::string_view);   ///< const Open*, Shared* -> information, source for timing, options
std::string close(std::string_view);  ///< -> nothing
std::string build(std::string_view);  ///< options, count, sources -> nothing; goes on meanwhile
std::string built(std::string_view);  ///< whether to stop -> how many, whether all; then the results
std::string drop(std::string_view);   ///< program -> nothing
std::string kernel_info(std::string_view);  ///< program, name -> GridKernelInfo
std::string allocate(std::string_view);     ///< bytes -> buffer
std::string share(std::string_view);        ///< address, bytes -> buffer or 0
std::string release(std::string_view);      ///< buffer -> nothing
std::string write(std::string_view);        ///< buffer, offset, bytes (from the chunk) -> nothing
std::string read(std::string_view);         ///< buffer, offset, bytes (to the chunk) -> nothing
std::string write_there(std::string_view);  ///< buffer, address -> nothing
std::string read_there(std::string_view);   ///< buffer, address -> nothing
std::string contents(std::string_view);     ///< buffer -> address or null
std::string copy(std::string_view);         ///< to, from -> nothing
std::string fill(std::string_view);         ///< buffer, pattern -> nothing
/// As GridDevice::run, time or time_from_memory.
enum class Run : std::uint8_t { plainly, compared, from_memory };
/// How, times, count, launches -> ms. Of a launch: program, name, grid, arguments.
std::string run(std::string_view);

}  // namespace lift::served
