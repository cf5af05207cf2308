// One call of a compiled kernel on the memory of the caller.
#include "embed/checks.hpp"
#include "embed/run_on_device.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel.hpp"

namespace lift {
namespace {

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
    passed_.reserve(slots.size()), copies_.reserve(slots.size());  // so that buffers stay where they are
    for (std::size_t i = 0; i < given; ++i)
      slots[i].type.is_array() ? array(i, arguments_[i], slots[i].written, i) : scalar(i);
    for (std::size_t r = 0; r < impl_.plan.results.size(); ++r)
      if (const std::size_t slot = slot_of(v_.kernel, v_.kernel.results.at(r)); slot >= given)
        result(r, slot);
    for (std::size_t i = given; i < slots.size(); ++i)
      if (slots[i].work) pointer(i) = work(i);
    check_overlaps(impl_.plan, passed_, where_);
    if (has_lost_threads()) set_openmp_threads(1);
    if (v_.native.call(pointers_.data()) != 0)
      throw UserError(impl_.plan.program.name + ": there is not enough memory for what it keeps in between" +
                      line_of(where_));
    for (std::size_t i = 0; i < passed_.size(); ++i)
      if (passed_[i].beside && passed_[i].written)
        scatter(copies_[i].data(), passed_[i].bytes, passed_[i].caller);
  }

 private:
  /// What the kernel gets for its argument `slot`.
  void*& pointer(std::size_t slot) { return pointers_[v_.size_arguments.size() + slot]; }

  /// Memory for intermediate values.
  void* work(std::size_t slot) {
    work_.emplace_back(v_.memory[slot], BufferOptions{1, 0});
    return work_.back().data();
  }

  void scalar(std::size_t i) {
    pointer(i) = arguments_[i].data;
    check_range(impl_.plan, v_.kernel, i, arguments_[i], where_);
  }

  /// What the kernel gets for it: the caller's memory, or beside it a copy of its size.
  void pass(std::size_t slot, Passed p) {
    pointer(slot) = p.caller.data;
    copies_.push_back(p.beside ? Buffer(static_cast<std::size_t>(p.caller.count()) * p.bytes, {1, 0})
                               : Buffer());
    if (p.beside) pointer(slot) = copies_.back().data();
    passed_.push_back(p);
  }

  void array(std::size_t slot, const ArgumentValue& given, bool written, std::size_t argument) {
    const ArgumentValue caller = storage_of(given);
    check_data(impl_.plan, argument, caller, where_);
    const bool beside = !caller.contiguous() && !passed_with_gaps(argument);
    pass(slot, {caller, v_.bytes[slot], argument, written, beside});
    if (beside) gather(caller, v_.bytes[slot], copies_.back().data());
  }

  bool passed_with_gaps(std::size_t argument) const {
    return !v_.around.empty() && !v_.around[argument].empty();
  }

  void result(std::size_t r, std::size_t slot) {
    const ResultTarget& t = impl_.plan.targets[r];
    if (t.kind == ResultTarget::Kind::returned) {
      pointer(slot) = returned_[t.index];
    } else if (t.kind == ResultTarget::Kind::argument) {
      array(slot, as_array(arguments_[t.index]), true, t.index);
    } else {  // an update not provably safe in place
      pass(slot, {storage_of(arguments_[t.index]), v_.bytes[slot], t.index, true, true});
    }
  }

  const Callable::Impl& impl_;
  const Callable::Variant& v_;
  std::span<const ArgumentValue> arguments_;
  std::span<void* const> returned_;
  std::source_location where_;
  std::vector<void*> pointers_;
  std::vector<Passed> passed_;
  std::vector<Buffer> copies_;  ///< of those that are computed beside
  std::vector<Buffer> work_;
};

}  // namespace

void Callable::run(const Variant& v, std::span<const ArgumentValue> arguments,
                   std::span<void* const> returned, std::source_location where) const {
  if (impl_->options.device)
    run_on_device(*impl_, v, arguments, returned, where);
  else
    Call(*impl_, v, arguments, returned, where).run();
}

void Callable::ask(const Variant& v, std::span<const ArgumentValue> arguments,
                   std::span<void* const> returned, Queue& queue, std::source_location where) const {
  ask_device(*impl_, v, arguments, returned, queue, where);
}

}  // namespace lift
