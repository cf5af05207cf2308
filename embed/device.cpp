#include "embed/device.hpp"

#include <algorithm>
#include <map>

#include "embed/compiler.hpp"
#include "embed/queue_parts.hpp"
#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/cuda.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"

namespace lift {

struct Device::Impl {
  Target backend = Target::opencl;
  int index = 0;
  bool emulated = false;
  GridDeviceInfo info;
  std::mutex mutex;  ///< of what follows
  std::shared_ptr<GridDevice> grid;
  std::vector<std::unique_ptr<QueueParts>> idle;  ///< go before the device does
};

namespace {

std::mutex devices_mutex;

/// Found once; where there are none they are looked for again.
const std::vector<GridDeviceInfo>& devices_of(Target backend) {
  static auto* known = new std::map<Target, std::vector<GridDeviceInfo>>;
  const std::lock_guard lock(devices_mutex);
  if (const auto at = known->find(backend); at != known->end()) return at->second;
  const OriginalAffinity affinity;  // for the driver's workers
  if (backend == Target::opencl) opencl::configure_pocl(0);
  return (*known)[backend] = backend == Target::opencl ? opencl::devices() : cuda::devices();
}

/// The device that others have, if any.
std::shared_ptr<Device::Impl> shared(Target backend, int index, bool emulated, const GridDeviceInfo& info) {
  static auto* known = new std::map<std::tuple<Target, int, bool>, std::weak_ptr<Device::Impl>>;
  const std::lock_guard lock(devices_mutex);
  std::weak_ptr<Device::Impl>& kept = (*known)[{backend, index, emulated}];
  if (auto there = kept.lock()) return there;
  auto made = std::make_shared<Device::Impl>();
  made->backend = backend, made->index = index, made->emulated = emulated, made->info = info;
  kept = made;
  return made;
}

void check_has_devices(Target backend) {
  if (!is_grid(backend))
    throw UserError(std::string("lift::Device: ") + text(backend) +
                    " kernels run on the processors, without a device; take Target::opencl or Target::cuda");
}

std::string list_of(const std::vector<GridDeviceInfo>& devices) {
  std::string s;
  for (const GridDeviceInfo& d : devices)
    s += (s.empty() ? "" : ", ") + std::to_string(d.index) + " (" + d.name + ")";
  return s;
}

std::shared_ptr<Device::Impl> chosen(Target backend, int index) {
  check_has_devices(backend);
  const std::vector<GridDeviceInfo>& all = devices_of(backend);
  auto at = all.begin();
  if (index >= 0)
    at = std::find_if(all.begin(), all.end(), [&](const GridDeviceInfo& d) { return d.index == index; });
  else if (const auto gpu = std::find_if(all.begin(), all.end(), [](const auto& d) { return d.gpu; });
           gpu != all.end())
    at = gpu;
  if (at == all.end())
    throw EnvironmentError(std::string("there is no ") + text(backend) + " device " + std::to_string(index) +
                           "; choose from " + list_of(all));
  return shared(backend, at->index, false, *at);
}

std::string in_lower_case(std::string_view s) {
  std::string r(s);
  for (char& c : r) c = lower_case(c);
  return r;
}

std::shared_ptr<Device::Impl> named(Target backend, std::string_view part) {
  check_has_devices(backend);
  const std::vector<GridDeviceInfo>& all = devices_of(backend);
  std::vector<GridDeviceInfo> fit;
  for (const GridDeviceInfo& d : all)
    if (in_lower_case(d.name).find(in_lower_case(part)) != std::string::npos) fit.push_back(d);
  if (fit.size() != 1)
    throw UserError("lift::Device: '" + std::string(part) + "' is in the name of " +
                    (fit.empty() ? "no" : std::to_string(fit.size())) + " " + text(backend) + " device" +
                    (fit.empty() ? "" : "s") + "; choose by number from " + list_of(fit.empty() ? all : fit));
  return shared(backend, fit[0].index, false, fit[0]);
}

}  // namespace

Device::Device(Target backend, int index) : impl_(chosen(backend, index)) {}
Device::Device(Target backend, std::string_view part) : impl_(named(backend, part)) {}
std::vector<Device> Device::all(Target backend) {
  check_has_devices(backend);
  std::vector<Device> devices;
  for (const GridDeviceInfo& d : devices_of(backend)) devices.emplace_back(backend, d.index);
  return devices;
}
Device Device::emulated_cuda() {
  return Device(shared(Target::cuda, 0, true, make_cuda_host_device(shared_compiler())->info()));
}

Target Device::backend() const { return impl_->backend; }
int Device::index() const { return impl_->index; }
bool Device::is_emulated() const { return impl_->emulated; }
const std::string& Device::name() const { return impl_->info.name; }
const GridDeviceInfo& Device::info() const { return impl_->info; }
GridTransfers Device::transfers() const { return grid().transfers(); }

GridDevice& Device::grid() const {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->grid) return *impl_->grid;
  if (impl_->emulated)
    impl_->grid = make_cuda_host_device(shared_compiler());
  else if (impl_->backend == Target::opencl)
    impl_->grid = std::make_shared<opencl::Device>(impl_->index);
  else
    impl_->grid = std::make_shared<cuda::Device>(impl_->index);
  return *impl_->grid;
}

GridMemory Device::allocate(std::size_t bytes) const {
  GridDevice& device = grid();
  try {
    return device.allocate(bytes);
  } catch (const OutOfDeviceMemory&) {  // queues that nobody uses have some to spare
    const std::lock_guard lock(impl_->mutex);
    for (const auto& parts : impl_->idle) parts->scratch.clear();
  }
  try {
    return device.allocate(bytes);
  } catch (const OutOfDeviceMemory&) {
    throw OutOfDeviceMemory("an array of " + std::to_string(bytes >> 20) + " MB does not fit on " + name() +
                            ", which has " + std::to_string(info().global_bytes >> 20) +
                            " MB in all; use smaller arrays, or let go of others");
  }
}

std::uintptr_t Device::handle_of(const GridMemory& memory) const {
  if (is_emulated())
    throw UserError(name() + " is emulated: no driver knows its memory; download the array instead");
  if (backend() == Target::opencl) return reinterpret_cast<std::uintptr_t>(opencl::memory_object(*memory));
  return cuda::device_address(*memory);
}

GridMemory QueueParts::scratch_of(const Device& device, std::size_t n, std::size_t bytes) {
  GridMemory& memory = scratch[{n, bytes}];
  if (!memory) memory = device.allocate(bytes);
  return memory;
}

Queue::Queue(const Device& device) : device_(device), parts_(std::make_unique<QueueParts>()) {
  parts_->grid = device_.grid().new_queue();
}

Queue::Queue(Queue&&) noexcept = default;
Queue& Queue::operator=(Queue&& other) noexcept {
  std::swap(device_, other.device_), std::swap(parts_, other.parts_);
  return *this;
}

QueueParts& Queue::parts() {
  if (!parts_) throw UserError("lift::Queue: it was moved from; use the queue that it was moved to");
  return *parts_;
}
void Queue::wait() { parts().grid->wait(); }
void Queue::begin_together() { parts().grid->hold(); }
void Queue::end_together() { parts().grid->release(); }

Queue::~Queue() {
  if (!parts_) return;
  try {
    parts_->grid->wait();  // another queue that follows this one may keep it
  } catch (...) {          // lost, as is said
  }
}

QueueLoan::QueueLoan(const Device& device) : device_(device) {
  GridDevice& grid = device_.grid();
  const std::lock_guard lock(device_.impl_->mutex);
  auto& idle = device_.impl_->idle;
  if (!idle.empty()) {
    parts_ = std::move(idle.back());
    idle.pop_back();
  } else {
    parts_ = std::make_unique<QueueParts>();
    parts_->grid = grid.new_queue();
  }
}

QueueLoan::~QueueLoan() {
  try {
    if (!parts_->grid->is_idle()) parts_->grid->wait();
  } catch (...) {  // something else is being thrown
    return;
  }
  constexpr std::size_t kMostKept = 32;  // arrays of calls whose sizes may never come again
  if (parts_->scratch.size() > kMostKept) parts_->scratch.clear();
  const std::lock_guard lock(device_.impl_->mutex);
  device_.impl_->idle.push_back(std::move(parts_));
}

}  // namespace lift
