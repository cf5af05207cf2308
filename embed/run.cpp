// One call of a compiled kernel on the memory of the caller.
#include <algorithm>

#include "embed/variant.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "runtime/buffer.hpp"

namespace lift {
namespace {

/// The memory a kernel gets for one array, and where it goes afterwards.
struct Pass {
  ArgumentValue caller;      ///< no data: nothing to check or to copy
  std::size_t bytes = 0;     ///< of an element
  std::size_t argument = 0;  ///< of the call
  bool written = false;
  Buffer copy = {};  ///< where the kernel cannot work on the caller's memory
  bool copied() const { return copy.data() != nullptr; }
};

class Call {
 public:
  Call(const Callable::Impl& impl, const Callable::Variant& v, std::span<const ArgumentValue> arguments,
       std::span<void* const> returned, std::source_location where)
      : impl_(impl), v_(v), arguments_(arguments), returned_(returned), where_(where) {}

  void run() {
    const std::size_t given = impl_.plan.program.arguments.size();
    const auto& slots = v_.kernel.arguments;
    for (const long& n : v_.size_arguments) pointers_.push_back(const_cast<long*>(&n));
    pointers_.resize(pointers_.size() + slots.size());
    passes_.reserve(slots.size());  // so that buffers stay where they are
    for (std::size_t i = 0; i < given; ++i)
      slots[i].type.is_array() ? array(i, arguments_[i], slots[i].written, i) : scalar(i);
    for (std::size_t r = 0; r < impl_.plan.results.size(); ++r)
      if (const std::size_t slot = slot_of(v_.kernel.results.at(r)); slot >= given) result(r, slot);
    for (std::size_t i = given; i < slots.size(); ++i)
      if (slots[i].work) pointer(i) = work(i);
    check_overlaps();
    const auto kernel = v_.call_any_alignment && !aligned() ? v_.call_any_alignment : v_.call;
    if (kernel(pointers_.data()) != 0)
      throw UserError(impl_.plan.program.name + ": there is not enough memory for what it keeps in between" +
                      line_of(where_));
    for (Pass& p : passes_)
      if (p.copied() && p.written) scatter(p.copy.data(), p.bytes, p.caller);
  }

 private:
  bool aligned() const {
    for (std::size_t i = 0; i < v_.kernel.arguments.size(); ++i)
      if (v_.kernel.arguments[i].written &&
          reinterpret_cast<std::uintptr_t>(pointers_[v_.size_arguments.size() + i]) % kAlignment != 0)
        return false;
    return true;
  }

  /// What the kernel gets for its argument `slot`.
  void*& pointer(std::size_t slot) { return pointers_[v_.size_arguments.size() + slot]; }

  std::size_t slot_of(const std::string& array) const {
    const auto& slots = v_.kernel.arguments;
    return static_cast<std::size_t>(
        std::find_if(slots.begin(), slots.end(), [&](const KernelArgument& a) { return a.name == array; }) -
        slots.begin());
  }

  /// Memory for intermediate values.
  void* work(std::size_t slot) {
    std::size_t bytes = v_.bytes[slot];
    for (const Nat& n : shape_of(with_sizes(v_.kernel.arguments[slot].type, v_.sizes)))
      bytes *= static_cast<std::size_t>(n.constant().value());
    work_.emplace_back(bytes, BufferOptions{1, 0});
    return work_.back().data();
  }

  void scalar(std::size_t i) {
    const KernelArgument& a = v_.kernel.arguments[i];
    pointer(i) = arguments_[i].data;
    if (a.range.empty()) return;
    const std::int64_t value = *static_cast<const std::int32_t*>(arguments_[i].data);
    const auto low = a.range[0].constant(), high = a.range[1].constant();
    if ((low && value < *low) || (high && value > *high))
      throw UserError(impl_.plan.argument_text(i) + " is " + std::to_string(value) + ", but lies in " +
                      a.range[0].str() + ".." + a.range[1].str() + line_of(where_));
  }

  void array(std::size_t slot, const ArgumentValue& given, bool written, std::size_t argument) {
    const ArgumentValue caller = storage_of(given);
    if (!caller.data)
      throw UserError(impl_.plan.argument_text(argument) + " has no data (a null pointer)" + line_of(where_));
    Pass p{caller, v_.bytes[slot], argument, written};
    pointer(slot) = caller.data;
    if (!caller.contiguous() && !passed_with_gaps(argument)) {
      p.copy = Buffer(static_cast<std::size_t>(caller.count()) * p.bytes, {1, 0});
      gather(caller, p.bytes, p.copy.data());
      pointer(slot) = p.copy.data();
    }
    passes_.push_back(std::move(p));
  }

  bool passed_with_gaps(std::size_t argument) const {
    return !v_.around.empty() && !v_.around[argument].empty();
  }

  void result(std::size_t r, std::size_t slot) {
    const ResultTarget& t = impl_.plan.targets[r];
    if (t.kind == ResultTarget::Kind::returned) {
      pointer(slot) = returned_[t.index];
    } else if (t.kind == ResultTarget::Kind::argument) {
      ArgumentValue to = arguments_[t.index];
      if (to.rank == 0) to.rank = 1, to.shape[0] = 1, to.strides[0] = 1;  // a number
      array(slot, to, true, t.index);
    } else {  // an update not provably safe in place
      const ArgumentValue caller = storage_of(arguments_[t.index]);
      Pass p{caller, v_.bytes[slot], t.index, true,
             Buffer(static_cast<std::size_t>(caller.count()) * v_.bytes[slot], {1, 0})};
      pointer(slot) = p.copy.data();
      passes_.push_back(std::move(p));
    }
  }

  void check_overlaps() const {
    for (const Pass& a : passes_)
      for (const Pass& b : passes_)
        if (&a != &b && a.written && !a.copied() && !b.copied() &&
            overlap(a.caller, a.bytes, b.caller, b.bytes))
          throw UserError(impl_.plan.argument_text(a.argument) +
                          " is written, but shares memory with argument " + std::to_string(b.argument + 1) +
                          "; pass separate arrays, or write the expression as an update" + line_of(where_));
  }

  const Callable::Impl& impl_;
  const Callable::Variant& v_;
  std::span<const ArgumentValue> arguments_;
  std::span<void* const> returned_;
  std::source_location where_;
  std::vector<void*> pointers_;
  std::vector<Pass> passes_;
  std::vector<Buffer> work_;
};

}  // namespace

void Callable::run(const Variant& v, std::span<const ArgumentValue> arguments,
                   std::span<void* const> returned, std::source_location where) const {
  Call(*impl_, v, arguments, returned, where).run();
}

}  // namespace lift
