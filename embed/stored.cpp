#include "embed/stored.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "embed/compiler.hpp"
#include "ir/error.hpp"
#include "tuning/converter.hpp"

namespace lift {
namespace {

std::int64_t number(const Nat& n) {
  if (!n.constant()) throw InternalError("embed: " + n.str() + " is not a number");
  return *n.constant();
}

/// UserError where lengths are none, or so large that those of a layout, with what it leaves free, are no
/// numbers any more.
Type type_of(Scalar element, std::span<const std::int64_t> shape, const LayoutRequest& request) {
  std::vector<std::int64_t> most(shape.begin(), shape.end());
  most.insert(most.end(),
              {64, std::max<std::int64_t>(1, request.align), std::max<std::int64_t>(1, request.lead)});
  if (bytes_of(most, size_of(element), "stored_array") == kTooManyBytes)
    throw UserError("stored_array: there is not the memory for " + shape_text(row_major(shape)) +
                    " elements in the layout '" + str(request) + "'; use smaller arrays");
  return array(std::vector<Nat>(shape.begin(), shape.end()), element);
}

using Conversion = void (*)(void**);

/// Compiled once a process, and kept on disk.
Conversion conversion(const Type& type, const Layout& from, const Layout& to) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, std::shared_ptr<NativeLibrary>>;
  const std::string key = type.str() + " / " + str(from.request()) + " / " + str(to.request());
  const std::lock_guard lock(mutex);
  std::shared_ptr<NativeLibrary>& library = known[key];
  if (!library) library = compile_conversion(shared_compiler(), type, from, to);
  return library->function<void(void**)>("liftgen_call");
}

}  // namespace

Stored::Stored(Scalar element, std::span<const std::int64_t> shape, const LayoutRequest& request)
    : type_(type_of(element, shape, request)), layout_(request, type_), value_(row_major(shape)) {
  for (const Nat& s : layout_.strides()) strides_.push_back(number(s));
  offset_ = number(layout_.offset()), half_ = number(layout_.half());
  split_from_ = request.kind == LayoutRequest::Kind::Split ? value_.rank - request.axes : value_.rank;
  value_.layout = request, value_.stored = number(layout_.size());
  memory_ = Buffer(static_cast<std::size_t>(value_.stored) * size_of(element));
  value_.data = memory_.data();
}

void Stored::check_shape(const ArgumentValue& v) const {
  if (v.rank != value_.rank || v.shape != value_.shape)
    throw UserError("stored_array: " + shape_text(value_) + " elements are stored, the view has " +
                    shape_text(v));
}

void Stored::convert(const Layout& from, const void* source, const Layout& to, void* target) const {
  void* arguments[] = {const_cast<void*>(source), target};
  conversion(type_, from, to)(arguments);
}

void Stored::assign(const ArgumentValue& from) {
  check_shape(from);
  const std::size_t bytes = size_of(element_of(type_).scalar());
  const Layout rows(kCallersLayout, type_);
  if (from.contiguous()) return convert(rows, from.data, layout_, value_.data);
  Buffer dense(static_cast<std::size_t>(from.count()) * bytes);
  gather(from, bytes, dense.data());
  convert(rows, dense.data(), layout_, value_.data);
}

void Stored::copy_to(const ArgumentValue& to) const {
  check_shape(to);
  const std::size_t bytes = size_of(element_of(type_).scalar());
  const Layout rows(kCallersLayout, type_);
  if (to.contiguous()) return convert(layout_, value_.data, rows, to.data);
  Buffer dense(static_cast<std::size_t>(to.count()) * bytes);
  convert(layout_, value_.data, rows, dense.data());
  scatter(dense.data(), bytes, to);
}

std::int64_t Stored::index(std::span<const std::int64_t> position) const {
  const std::size_t rank = position.size();
  std::int64_t flat = offset_, parity = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    if (d + 1 < rank) flat += position[d] * strides_[d];
    if (static_cast<std::int64_t>(d) >= split_from_) parity ^= position[d] & 1;
  }
  if (split_from_ == value_.rank) return flat + position.back();
  return flat + half_ * parity + position.back() / 2;
}

ArgumentValue Stored::value() const { return value_; }

}  // namespace lift
