// Arrays that stay on a device: what kernels of OpenCL and CUDA take without copying anything.
#pragma once

#include <memory>
#include <vector>

#include "embed/device_memory.hpp"
#include "liftgen/element.hpp"
#include "liftgen/stored_array.hpp"

namespace lift {

/// `Rank` dimensions of T, outermost first, row-major and owned, in the memory of a device. A kernel takes it
/// as `device_array<T, Rank>&` (const where it only reads), or returns it.
///
///   const lift::Device gpu(lift::Target::cuda);
///   lift::device_array phi(gpu, lift::array_view(values.data(), {66, 66, 66}));
///   smooth(phi, 0), smooth(phi, 1);
///   phi.download(lift::array_view(values.data(), {66, 66, 66}));
///
/// Errors. UserError: another shape, a length below 1, a queue of another device, an array without elements
/// (a default one, or one that was moved from). OutOfDeviceMemory, an EnvironmentError. Those of calls that
/// wrote the array are the calls'.
template <class T, std::size_t Rank>
class device_array {
 public:
  using element_type = T;

  device_array() = default;  ///< none; to be assigned to
  /// Zeros.
  template <std::convertible_to<std::int64_t> I>
  device_array(const Device& device, const I (&lengths)[Rank]) {
    std::array<std::int64_t, Rank> shape{};
    for (std::size_t d = 0; d < Rank; ++d) shape[d] = static_cast<std::int64_t>(lengths[d]);
    *this = with_shape(device, shape);
    memory_->clear();
  }
  /// What a view holds, copied; rows may have gaps.
  template <class U>
  requires std::same_as<std::remove_const_t<U>, T> device_array(const Device& device,
                                                                const array_view<U, Rank>& from)
      : memory_(std::make_unique<DeviceMemory>(device, detail::scalar_of<T>(), detail::value_of_view(from))) {
  }
  /// What a range holds, copied.
  template <detail::ContiguousRange R>
  requires(Rank == 1 && std::same_as<std::remove_const_t<detail::RangeElement<R>>, T>)
      device_array(const Device& device, const R& from)
      : device_array(device, array_view<const T, 1>(std::data(from), {std::ssize(from)})) {}
  /// What an array in a layout of its own holds, in that layout.
  device_array(const Device& device, const stored_array<T, Rank>& from)
      : memory_(std::make_unique<DeviceMemory>(device, detail::scalar_of<T>(), from.value())) {}
  /// Contents undefined.
  static device_array with_shape(const Device& device, std::span<const std::int64_t> shape) {
    device_array r;
    r.memory_ = std::make_unique<DeviceMemory>(device, detail::scalar_of<T>(), shape);
    return r;
  }

  /// The host's elements to the device, or back. Calls that use the array, in whatever queue, come first.
  void upload(const array_view<const T, Rank>& from) { there().upload(detail::value_of_view(from)); }
  void upload(const stored_array<T, Rank>& from) { there().upload(from.value()); }
  void download(const array_view<T, Rank>& to) const { there().download(detail::value_of_view(to)); }
  void download(stored_array<T, Rank>& to) const { there().download(to.value()); }
  std::vector<T> download() const {  ///< row-major
    ArgumentValue to = there().value();
    std::vector<T> all(static_cast<std::size_t>(to.count()));
    to.data = all.data(), to.on_device = nullptr, to.layout = {}, to.stored = 0;
    there().download(to);
    return all;
  }
  /// In a queue: begins when what was asked of the queue before is done. The host's memory, which has no
  /// gaps, is in use until the queue's wait().
  void upload(Queue& queue, const array_view<const T, Rank>& from) {
    there().upload(queue, detail::value_of_view(from));
  }
  void download(Queue& queue, const array_view<T, Rank>& to) const {
    there().download(queue, detail::value_of_view(to));
  }
  /// Another array of the same contents, copied on the device.
  device_array copy() const {
    device_array r;
    r.memory_ = std::make_unique<DeviceMemory>(there());
    return r;
  }

  const Device& device() const { return there().device(); }
  const LayoutRequest& layout() const { return there().layout(); }
  std::int64_t length(std::size_t dimension) const { return there().length(dimension); }

  /// As a kernel gets it: no data where there is none.
  ArgumentValue value() const { return memory_ ? memory_->value() : ArgumentValue{nullptr, Rank}; }
  DeviceMemory* memory() { return memory_.get(); }

 private:
  DeviceMemory& there() const {
    if (!memory_)
      throw UserError("lift::device_array: it has no elements: it is a default one, or moved from");
    return *memory_;
  }

  std::unique_ptr<DeviceMemory> memory_;
};

template <class U, std::size_t Rank>
device_array(const Device&, const array_view<U, Rank>&) -> device_array<std::remove_const_t<U>, Rank>;
template <detail::ContiguousRange R>
device_array(const Device&, const R&) -> device_array<std::remove_const_t<detail::RangeElement<R>>, 1>;
template <class T, std::size_t Rank>
device_array(const Device&, const stored_array<T, Rank>&) -> device_array<T, Rank>;

}  // namespace lift
