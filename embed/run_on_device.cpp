#include "embed/run_on_device.hpp"

#include "embed/checks.hpp"
#include "embed/device_memory.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "ir/limit_error.hpp"
#include "runtime/buffer.hpp"
#include "tuning/grid_launches.hpp"

namespace lift {
namespace {

class DeviceCall {
 public:
  DeviceCall(const Callable::Impl& impl, const Callable::Variant& v, std::span<const ArgumentValue> arguments,
             std::span<void* const> returned, QueueParts& queue, std::source_location where)
      : impl_(impl),
        v_(v),
        device_(*impl.options.device),
        arguments_(arguments),
        returned_(returned),
        queue_(queue),
        where_(where) {}

  /// All of it in the queue, which nobody else asks anything meanwhile. Nothing, when the call is refused.
  void ask() {
    const std::size_t given = impl_.plan.program.arguments.size();
    const auto& slots = v_.kernel.arguments;
    memory_.resize(slots.size());
    for (std::size_t i = 0; i < given; ++i)
      slots[i].type.is_array() ? array(i, arguments_[i], slots[i].written, i)
                               : check_range(impl_.plan, v_.kernel, i, arguments_[i], where_);
    for (std::size_t r = 0; r < impl_.plan.results.size(); ++r)
      if (const std::size_t slot = slot_of(v_.kernel, v_.kernel.results.at(r)); slot >= given)
        result(r, slot);
    check_overlaps(impl_.plan, passed_, where_);
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i].type.is_array() && !memory_[i]) memory_[i] = queue_.scratch_of(device_, i, v_.memory[i]);
    upload();
    run();
    download();
  }

  /// When the queue has been waited for.
  void finish() {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i].back && hosts_[i].dense.data())
        scatter(hosts_[i].dense.data(), hosts_[i].bytes, hosts_[i].caller);
  }

 private:
  /// What is copied between the host and the memory of an argument.
  struct Host {
    ArgumentValue caller;
    std::size_t bytes = 0;  ///< of an element
    std::size_t slot = 0;
    bool there = false, back = false;
    Buffer dense = {};  ///< of what has gaps
  };
  /// What is on the device and used by the call, beside the kernel's own memory.
  struct OnDevice {
    DeviceMemory* memory;
    std::size_t slot;
    bool written = false;
    bool beside = false;  ///< its new contents are in the slot's memory
  };

  void check_device(const Device& other, const std::string& what) const {
    if (!(other == device_))
      throw UserError(what + " is on " + other.name() + ", but the kernel runs on " + device_.name() +
                      "; download it, and make an array on the kernel's device" + line_of(where_));
  }

  /// Where an argument of the call lies; `beside`: the kernel does not work on it.
  void take(std::size_t slot, const ArgumentValue& caller, std::size_t argument, bool there, bool written,
            bool beside) {
    if (DeviceMemory* const m = caller.on_device) {
      check_device(m->device(), impl_.plan.argument_text(argument));
      on_device_.push_back({m, slot, written, beside});
      if (!beside) memory_[slot] = m->memory();
    } else {
      hosts_.push_back({caller, v_.bytes[slot], slot, there, written});
    }
    passed_.push_back({caller, v_.bytes[slot], argument, written, beside});
  }

  void array(std::size_t slot, const ArgumentValue& given, bool written, std::size_t argument) {
    const ArgumentValue caller = storage_of(given);
    check_data(impl_.plan, argument, caller, where_);
    take(slot, caller, argument, slot < impl_.plan.program.arguments.size(), written, false);
  }

  void result(std::size_t r, std::size_t slot) {
    const ResultTarget& t = impl_.plan.targets[r];
    if (t.kind == ResultTarget::Kind::argument) {
      array(slot, as_array(arguments_[t.index]), true, t.index);
    } else if (t.kind == ResultTarget::Kind::in_place) {  // an update not provably safe in place
      take(slot, storage_of(arguments_[t.index]), t.index, false, true, true);
    } else if (impl_.signature.returned[t.index].on_device) {
      auto* const to = static_cast<DeviceMemory*>(returned_[t.index]);
      on_device_.push_back({to, slot, true, false});
      memory_[slot] = to->memory();
    } else {
      ArgumentValue to;
      to.data = returned_[t.index], to.rank = 1, to.strides[0] = 1;
      to.shape[0] = static_cast<std::int64_t>(v_.memory[slot] / v_.bytes[slot]);
      hosts_.push_back({to, v_.bytes[slot], slot, false, true});
    }
  }

  void upload() {
    for (Host& h : hosts_) {
      if (!h.caller.contiguous()) h.dense = Buffer(memory_[h.slot]->bytes(), {1, 0});
      if (!h.there) continue;
      if (h.dense.data()) gather(h.caller, h.bytes, h.dense.data());
      queue_.grid->write(memory_[h.slot], h.dense.data() ? h.dense.data() : h.caller.data,
                         memory_[h.slot]->bytes());
    }
  }

  void run() {
    for (const OnDevice& d : on_device_) d.memory->order(queue_.grid, d.written);
    std::vector<GridArg> args;
    for (std::size_t i = 0; i < v_.kernel.arguments.size(); ++i)
      args.push_back(v_.kernel.arguments[i].type.is_array()
                         ? GridArg(memory_[i])
                         : GridArg::value_of(arguments_[i].data, v_.bytes[i]));
    try {
      queue_.grid->run(called(v_.grid.kernel, v_.grid.launches, args));
    } catch (const LimitError& e) {
      throw LimitError(impl_.plan.program.name + ": " + e.what() + line_of(where_));
    }
  }

  void download() {
    for (const OnDevice& d : on_device_)
      if (d.beside) queue_.grid->copy(d.memory->memory(), memory_[d.slot]);
    for (Host& h : hosts_)
      if (h.back)
        queue_.grid->read(memory_[h.slot], h.dense.data() ? h.dense.data() : h.caller.data,
                          memory_[h.slot]->bytes());
  }

  const Callable::Impl& impl_;
  const Callable::Variant& v_;
  const Device& device_;
  std::span<const ArgumentValue> arguments_;
  std::span<void* const> returned_;
  QueueParts& queue_;
  std::source_location where_;
  std::vector<GridMemory> memory_;  ///< of the kernel's arguments
  std::vector<Host> hosts_;
  std::vector<OnDevice> on_device_;
  std::vector<Passed> passed_;
};

}  // namespace

void run_on_device(const Callable::Impl& impl, const Callable::Variant& v,
                   std::span<const ArgumentValue> arguments, std::span<void* const> returned,
                   std::source_location where) {
  std::optional<DeviceCall> call;  // goes when nothing uses its memory any more
  QueueLoan queue(*impl.options.device);
  call.emplace(impl, v, arguments, returned, *queue, where).ask();
  queue->grid->wait();
  call->finish();
}

void ask_device(const Callable::Impl& impl, const Callable::Variant& v,
                std::span<const ArgumentValue> arguments, std::span<void* const> returned, Queue& queue,
                std::source_location where) {
  const std::string& name = impl.plan.program.name;
  if (!impl.options.device)
    throw UserError(name +
                    ": an openmp kernel runs on the processors, without a queue; call it, or set "
                    "CompileOptions::backend" +
                    line_of(where));
  if (queue.device() != *impl.options.device)
    throw UserError(name + ": the queue is of " + queue.device().name() + ", but the kernel runs on " +
                    impl.options.device->name() + "; take a queue of the kernel's device" + line_of(where));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!impl.signature.arguments[i].is_scalar() && !impl.signature.arguments[i].on_device)
      throw UserError(impl.plan.argument_text(i) + " is " + impl.signature.arguments[i].cpp +
                      ", whose memory a queue cannot use; write a lift::device_array there" + line_of(where));
  const std::lock_guard lock(queue.parts().mutex);
  DeviceCall(impl, v, arguments, returned, queue.parts(), where).ask();
}

}  // namespace lift
