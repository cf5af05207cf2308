// An array on a device, without its C++ type.
#pragma once

#include <memory>

#include "embed/arguments.hpp"
#include "embed/queue.hpp"

namespace lift {

class GridQueue;

/// Row-major, without gaps; or, made from a lift::stored_array, in its layout. Used by one thread at a time
/// where one writes it. All transfers are of the whole array. UserError: another shape or layout, a queue of
/// another device, a view with gaps in a queue.
class DeviceMemory {
 public:
  /// Contents undefined. UserError: a length below 1. OutOfDeviceMemory.
  DeviceMemory(const Device& device, Scalar element, std::span<const std::int64_t> shape);
  /// What `from` holds.
  DeviceMemory(const Device& device, Scalar element, const ArgumentValue& from);
  /// What another one holds, copied on its device.
  explicit DeviceMemory(DeviceMemory& other);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  void clear();  ///< zeros
  /// What calls and transfers that were asked for before are to write is waited for.
  void upload(const ArgumentValue& from);
  void download(const ArgumentValue& to);
  /// In a queue: the host's memory is in use until its wait().
  void upload(Queue& queue, const ArgumentValue& from);
  void download(Queue& queue, const ArgumentValue& to);

  /// Waits for what calls and transfers that were asked for before do with it.
  void settle();
  /// For what is asked of `queue` next, which reads or writes this: after what others have asked of it.
  void order(const std::shared_ptr<GridQueue>& queue, bool writes);

  const Device& device() const { return device_; }
  const GridMemory& memory() const { return memory_; }
  const LayoutRequest& layout() const { return value_.layout; }
  std::int64_t length(std::size_t dimension) const { return value_.shape[dimension]; }
  /// As a kernel gets it.
  ArgumentValue value();

 private:
  void transfer(QueueParts& queue, const ArgumentValue& host, bool up);
  void check(const Queue& queue, const ArgumentValue& host, const char* what) const;
  void check_shape(const ArgumentValue& host, const char* what) const;

  Device device_;
  ArgumentValue value_;  ///< without data
  std::size_t bytes_of_element_;
  GridMemory memory_;
  struct Users;
  std::unique_ptr<Users> users_;
};

}  // namespace lift
