#include "embed/arguments.hpp"

#include <cstring>

namespace lift {
namespace {

/// f(offset of a row's first element in the view, number of the row's first element), rows being the
/// innermost dimension.
template <class F>
void for_rows(const ArgumentValue& v, const F& f) {
  const auto last = static_cast<std::size_t>(v.rank - 1);
  if (v.count() == 0) return;
  std::array<std::int64_t, kMaxRank> at{};
  for (std::int64_t done = 0;; done += v.shape[last]) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < last; ++d) offset += at[d] * v.strides[d];
    f(offset, done);
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == v.shape[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

template <class F>
void for_elements(const ArgumentValue& v, std::size_t bytes, const F& f) {
  const auto last = static_cast<std::size_t>(v.rank - 1);
  for_rows(v, [&](std::int64_t offset, std::int64_t first) {
    char* row = static_cast<char*>(v.data) + offset * static_cast<std::int64_t>(bytes);
    const std::size_t at = static_cast<std::size_t>(first) * bytes;
    if (v.strides[last] == 1) return f(row, at, static_cast<std::size_t>(v.shape[last]) * bytes);
    for (std::int64_t i = 0; i < v.shape[last]; ++i)
      f(row + i * v.strides[last] * static_cast<std::int64_t>(bytes),
        at + static_cast<std::size_t>(i) * bytes, bytes);
  });
}

}  // namespace

std::int64_t ArgumentValue::count() const {
  std::int64_t n = 1;
  for (int d = 0; d < rank; ++d) n *= shape[static_cast<std::size_t>(d)];
  return n;
}

bool ArgumentValue::contiguous() const {
  std::int64_t expected = 1;
  for (auto d = static_cast<std::size_t>(rank); d-- > 0; expected *= shape[d])
    if (shape[d] != 1 && strides[d] != expected) return false;
  return true;
}

std::string shape_text(const ArgumentValue& v) {
  std::string s;
  for (int d = 0; d < v.rank; ++d) s += (d ? "x" : "") + std::to_string(v.shape[static_cast<std::size_t>(d)]);
  return s.empty() ? "a number" : s;
}

bool overlap(const ArgumentValue& a, std::size_t a_bytes, const ArgumentValue& b, std::size_t b_bytes) {
  const auto begin_a = reinterpret_cast<std::uintptr_t>(a.data),
             begin_b = reinterpret_cast<std::uintptr_t>(b.data);
  const auto end_a = begin_a + static_cast<std::size_t>(a.count()) * a_bytes,
             end_b = begin_b + static_cast<std::size_t>(b.count()) * b_bytes;
  return begin_a < end_b && begin_b < end_a;
}

void gather(const ArgumentValue& from, std::size_t bytes, void* to) {
  for_elements(from, bytes, [&](const char* element, std::size_t at, std::size_t n) {
    std::memcpy(static_cast<char*>(to) + at, element, n);
  });
}

void scatter(const void* from, std::size_t bytes, const ArgumentValue& to) {
  for_elements(to, bytes, [&](char* element, std::size_t at, std::size_t n) {
    std::memcpy(element, static_cast<const char*>(from) + at, n);
  });
}

}  // namespace lift
