// One call of a compiled kernel on the memory of the caller.
#include "embed/variant.hpp"
#include "ir/error.hpp"
#include "ir/ops.hpp"
#include "runtime/buffer.hpp"

namespace lift {
namespace {

/// The memory a kernel gets for one array, and where it goes afterwards.
struct Pass {
  ArgumentValue caller;          ///< no data: nothing to check or to copy
  std::size_t bytes = 0;         ///< of an element
  std::string what;
  bool written = false;
  Buffer copy = {};              ///< where the kernel cannot work on the caller's memory
  bool copied() const { return copy.data() != nullptr; }
};

class Call {
 public:
  Call(const Callable::Impl& impl, const Callable::Variant& v, std::span<const ArgumentValue> arguments, std::span<void* const> returned, std::string where)
      : impl_(impl), v_(v), arguments_(arguments), returned_(returned), where_(std::move(where)) {}

  void run() {
    const std::size_t given = impl_.plan.program.arguments.size();
    const auto& slots = v_.kernel.arguments;
    pointers_.resize(slots.size());
    passes_.reserve(slots.size());  // so that buffers stay where they are
    for (std::size_t i = 0; i < given; ++i) slots[i].type.is_array() ? array(i, arguments_[i], slots[i].written, impl_.plan.argument_text(i)) : scalar(i);
    std::size_t slot = given;
    for (std::size_t r = 0; r < impl_.plan.results.size(); ++r)
      if (!in_place(r)) result(r, slot++);
    check_overlaps();
    v_.call(pointers_.data());
    for (Pass& p : passes_)
      if (p.copied() && p.written) scatter(p.copy.data(), p.bytes, p.caller);
  }

 private:
  /// Whether the kernel itself overwrites the argument that the result goes to.
  bool in_place(std::size_t r) const {
    const ResultTarget& t = impl_.plan.targets[r];
    return t.kind == ResultTarget::Kind::in_place && v_.kernel.arguments[t.index].written;
  }

  void scalar(std::size_t i) {
    const KernelArgument& a = v_.kernel.arguments[i];
    pointers_[i] = arguments_[i].data;
    if (a.range.empty()) return;
    const std::int64_t value = *static_cast<const std::int32_t*>(arguments_[i].data);
    const auto low = a.range[0].constant(), high = a.range[1].constant();
    if ((low && value < *low) || (high && value > *high))
      throw UserError(impl_.plan.argument_text(i) + " is " + std::to_string(value) + ", but lies in " + a.range[0].str() + ".." + a.range[1].str() + where_);
  }

  void array(std::size_t slot, const ArgumentValue& caller, bool written, const std::string& what) {
    if (!caller.data) throw UserError(what + " has no data (a null pointer)" + where_);
    Pass p{caller, v_.bytes[slot], what, written};
    pointers_[slot] = caller.data;
    if (!caller.contiguous()) {
      p.copy = Buffer(static_cast<std::size_t>(caller.count()) * p.bytes, {1, 0});
      gather(caller, p.bytes, p.copy.data());
      pointers_[slot] = p.copy.data();
    }
    passes_.push_back(std::move(p));
  }

  void result(std::size_t r, std::size_t slot) {
    const ResultTarget& t = impl_.plan.targets[r];
    if (t.kind == ResultTarget::Kind::returned) {
      pointers_[slot] = returned_[t.index];
    } else if (t.kind == ResultTarget::Kind::argument) {
      array(slot, arguments_[t.index], true, impl_.plan.argument_text(t.index));
    } else {  // an update not provably safe in place
      const ArgumentValue& caller = arguments_[t.index];
      Pass p{caller, v_.bytes[slot], impl_.plan.argument_text(t.index), true, Buffer(static_cast<std::size_t>(caller.count()) * v_.bytes[slot], {1, 0})};
      pointers_[slot] = p.copy.data();
      passes_.push_back(std::move(p));
    }
  }

  void check_overlaps() const {
    for (const Pass& a : passes_)
      for (const Pass& b : passes_)
        if (&a != &b && a.written && !a.copied() && !b.copied() && overlap(a.caller, a.bytes, b.caller, b.bytes))
          throw UserError(a.what + " is written, but shares memory with " + b.what.substr(b.what.find(": ") + 2) + "; pass separate arrays, or write the expression as an update" + where_);
  }

  const Callable::Impl& impl_;
  const Callable::Variant& v_;
  std::span<const ArgumentValue> arguments_;
  std::span<void* const> returned_;
  std::string where_;
  std::vector<void*> pointers_;
  std::vector<Pass> passes_;
};

}  // namespace

void Callable::run(const Variant& v, std::span<const ArgumentValue> arguments, std::span<void* const> returned, std::source_location where) const {
  Call(*impl_, v, arguments, returned, line_of(where)).run();
}

}  // namespace lift
