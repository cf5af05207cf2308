#include "embed/device_memory.hpp"

#include <mutex>

#include "embed/queue_parts.hpp"
#include "ir/error.hpp"
#include "runtime/buffer.hpp"

namespace lift {
namespace {

/// What a device has of what the host's array holds.
ArgumentValue shape_of(const ArgumentValue& host) {
  ArgumentValue v = row_major({host.shape.data(), static_cast<std::size_t>(host.rank)});
  v.layout = host.layout, v.stored = host.stored;
  return v;
}

std::size_t bytes_there(const ArgumentValue& v, std::size_t element) {
  const ArgumentValue flat = storage_of(v);
  return static_cast<std::size_t>(
      bytes_of({flat.shape.data(), static_cast<std::size_t>(flat.rank)}, element, "lift::device_array"));
}

}  // namespace

/// Queues with requests that use the array; those who wait for nothing any more may be among them.
struct DeviceMemory::Users {
  std::mutex mutex;  ///< of what follows
  std::weak_ptr<GridQueue> writer;
  std::vector<std::weak_ptr<GridQueue>> readers;
};

DeviceMemory::DeviceMemory(const Device& device, Scalar element, std::span<const std::int64_t> shape)
    : device_(device),
      value_(row_major(shape)),
      bytes_of_element_(size_of(element)),
      memory_(device_.allocate(bytes_there(value_, bytes_of_element_))),
      users_(std::make_unique<Users>()) {}

DeviceMemory::DeviceMemory(const Device& device, Scalar element, const ArgumentValue& from)
    : device_(device),
      value_(shape_of(from)),
      bytes_of_element_(size_of(element)),
      memory_(device_.allocate(bytes_there(value_, bytes_of_element_))),
      users_(std::make_unique<Users>()) {
  upload(from);
}

DeviceMemory::DeviceMemory(DeviceMemory& other)
    : device_(other.device_),
      value_(other.value_),
      bytes_of_element_(other.bytes_of_element_),
      memory_(device_.allocate(other.memory_->bytes())),
      users_(std::make_unique<Users>()) {
  QueueLoan queue(device_);
  other.order(queue->grid, false);
  queue->grid->copy(memory_, other.memory_);
  queue->grid->wait();
}

DeviceMemory::~DeviceMemory() = default;

void DeviceMemory::clear() { device_.grid().fill(memory_, std::uint8_t{0}); }

void DeviceMemory::check_shape(const ArgumentValue& host, const char* what) const {
  if (!host.data)
    throw UserError(std::string("lift::device_array: ") + what + ": the host's array has no data");
  if (host.rank != value_.rank || host.shape != value_.shape)
    throw UserError(std::string("lift::device_array: ") + what + ": " + shape_text(value_) +
                    " elements are on the device, the host's array has " + shape_text(host));
  if (host.layout != value_.layout)
    throw UserError(std::string("lift::device_array: ") + what + ": on the device it is in the layout '" +
                    str(value_.layout) + "', on the host in '" + str(host.layout) +
                    "'; pass an array of that layout");
}

void DeviceMemory::check(const Queue& queue, const ArgumentValue& host, const char* what) const {
  check_shape(host, what);
  if (queue.device() != device_)
    throw UserError(std::string("lift::device_array: ") + what + ": the array is on " + device_.name() +
                    ", the queue of " + queue.device().name() + "; take a queue of the array's device");
  if (!storage_of(host).contiguous())
    throw UserError(std::string("lift::device_array: ") + what +
                    " in a queue: the host's array has gaps, and would be copied first; copy it, or "
                    "transfer it without a queue");
}

void DeviceMemory::transfer(QueueParts& queue, const ArgumentValue& host, bool up) {
  order(queue.grid, up);
  if (up)
    queue.grid->write(memory_, host.data, memory_->bytes());
  else
    queue.grid->read(memory_, host.data, memory_->bytes());
}

void DeviceMemory::upload(Queue& queue, const ArgumentValue& from) {
  check(queue, from, "upload");
  const std::lock_guard lock(queue.parts().mutex);
  transfer(queue.parts(), from, true);
}

void DeviceMemory::download(Queue& queue, const ArgumentValue& to) {
  check(queue, to, "download");
  const std::lock_guard lock(queue.parts().mutex);
  transfer(queue.parts(), to, false);
}

void DeviceMemory::upload(const ArgumentValue& from) {
  check_shape(from, "upload");
  ArgumentValue dense = storage_of(from);
  Buffer copy;
  QueueLoan queue(device_);
  if (!dense.contiguous()) {
    copy = Buffer(memory_->bytes(), {1, 0});
    gather(from, bytes_of_element_, copy.data());
    dense.data = copy.data();
  }
  transfer(*queue, dense, true);
  queue->grid->wait();
}

void DeviceMemory::download(const ArgumentValue& to) {
  check_shape(to, "download");
  ArgumentValue dense = storage_of(to);
  Buffer copy;
  QueueLoan queue(device_);
  if (!dense.contiguous()) {
    copy = Buffer(memory_->bytes(), {1, 0});
    dense.data = copy.data();
  }
  transfer(*queue, dense, false);
  queue->grid->wait();
  if (copy.data()) scatter(copy.data(), bytes_of_element_, to);
}

void DeviceMemory::order(const std::shared_ptr<GridQueue>& queue, bool writes) {
  const std::lock_guard lock(users_->mutex);
  if (const auto writer = users_->writer.lock()) queue->follow(writer);
  std::erase_if(users_->readers, [&](const std::weak_ptr<GridQueue>& r) {
    const auto reader = r.lock();
    if (writes && reader) queue->follow(reader);
    return writes || !reader || reader->is_idle() || reader == queue;
  });
  if (writes)
    users_->writer = queue;
  else
    users_->readers.push_back(queue);
}

void DeviceMemory::settle() {
  QueueLoan queue(device_);
  order(queue->grid, true);
  queue->grid->wait();
}

ArgumentValue DeviceMemory::value() {
  ArgumentValue v = value_;
  v.on_device = this;
  return v;
}

}  // namespace lift
