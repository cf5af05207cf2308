#include "embed/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "ir/error.hpp"

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

/// The first byte, and the one after the last.
std::pair<std::uintptr_t, std::uintptr_t> extent(const ArgumentValue& v, std::size_t bytes) {
  std::int64_t low = 0, high = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(v.rank); ++d) {
    const std::int64_t last = (v.shape[d] - 1) * v.strides[d];
    (last < 0 ? low : high) += last;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(v.data);
  const auto size = static_cast<std::int64_t>(bytes);
  return {first + static_cast<std::uintptr_t>(low * size), first + static_cast<std::uintptr_t>(high * size)};
}

/// Dimensions along which one of the arrays has several positions, from the longest stride to the shortest:
/// views may be transposed.
std::vector<std::size_t> dimensions(const ArgumentValue& a, const ArgumentValue& b) {
  std::vector<std::size_t> r;
  for (std::size_t d = 0; d < static_cast<std::size_t>(a.rank); ++d)
    if (a.shape[d] > 1 || b.shape[d] > 1) r.push_back(d);
  std::stable_sort(r.begin(), r.end(),
                   [&](std::size_t x, std::size_t y) { return a.strides[x] > a.strides[y]; });
  return r;
}

/// Whether positions of two arrays of the same strides differ by `apart` elements in the dimensions from the
/// n-th on. Where what the inner ones contribute is less than a step of an outer one, there are two ways at
/// most; else it is not understood.
bool meet(const ArgumentValue& a, const ArgumentValue& b, std::int64_t apart,
          const std::vector<std::size_t>& dimensions, std::size_t n) {
  if (n == dimensions.size()) return apart == 0;
  const std::size_t d = dimensions[n];
  const std::int64_t step = a.strides[d];
  std::int64_t within = 0;
  for (std::size_t m = n + 1; m < dimensions.size(); ++m)
    within += (std::max(a.shape[dimensions[m]], b.shape[dimensions[m]]) - 1) * a.strides[dimensions[m]];
  if (step <= within) return true;
  const std::int64_t steps = apart / step - (apart % step < 0 ? 1 : 0);
  for (const std::int64_t k : {steps, steps + 1})
    if (k > -b.shape[d] && k < a.shape[d] && meet(a, b, apart - k * step, dimensions, n + 1)) return true;
  return false;
}

/// The product; nothing where it is more than a number holds.
std::optional<std::int64_t> product(std::span<const std::int64_t> factors, std::int64_t n) {
  for (const std::int64_t f : factors)
    if (__builtin_mul_overflow(n, f, &n)) return std::nullopt;
  return n;
}

}  // namespace

std::int64_t bytes_of(std::span<const std::int64_t> lengths, std::size_t element_bytes,
                      const std::string& what) {
  for (const std::int64_t n : lengths)
    if (n < 1) throw UserError(what + ": a length of " + std::to_string(n) + "; lengths are at least 1");
  return product(lengths, static_cast<std::int64_t>(element_bytes)).value_or(kTooManyBytes);
}

ArgumentValue row_major(std::span<const std::int64_t> lengths) {
  ArgumentValue v;
  v.rank = static_cast<int>(lengths.size());
  for (std::size_t d = 0; d < lengths.size(); ++d)
    v.shape[d] = lengths[d], v.strides[d] = product(lengths.subspan(d + 1), 1).value_or(kTooManyBytes);
  return v;
}

bool ArgumentValue::in_reach() const {
  constexpr std::int64_t kFarthest = INT64_MAX / 16;  // elements, whose bytes are a number, negative ones too
  std::int64_t far = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    if (shape[d] < 2) continue;
    std::int64_t step = 0;
    if (strides[d] < -kFarthest || strides[d] > kFarthest ||
        __builtin_mul_overflow(shape[d] - 1, std::abs(strides[d]), &step) ||
        __builtin_add_overflow(far, step, &far))
      return false;
  }
  return far <= kFarthest && product({shape.data(), static_cast<std::size_t>(rank)}, 1).has_value();
}

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

ArgumentValue storage_of(const ArgumentValue& v) {
  if (v.layout == kCallersLayout) return v;
  ArgumentValue flat;
  flat.data = v.data, flat.on_device = v.on_device, flat.rank = 1, flat.shape[0] = v.stored,
  flat.strides[0] = 1;
  return flat;
}

ArgumentValue as_array(const ArgumentValue& v) {
  ArgumentValue one = v;
  if (v.rank == 0) one.rank = 1, one.shape[0] = 1, one.strides[0] = 1;
  return one;
}

std::string shape_text(const ArgumentValue& v) {
  std::string s;
  for (int d = 0; d < v.rank; ++d) s += (d ? "x" : "") + std::to_string(v.shape[static_cast<std::size_t>(d)]);
  return s.empty() ? "a number" : s;
}

bool overlap(const ArgumentValue& a, std::size_t a_bytes, const ArgumentValue& b, std::size_t b_bytes) {
  if (a.on_device || b.on_device) return a.on_device == b.on_device;
  const auto [begin_a, end_a] = extent(a, a_bytes);
  const auto [begin_b, end_b] = extent(b, b_bytes);
  if (begin_a >= end_b || begin_b >= end_a) return false;
  const std::int64_t apart = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data)) -
                             static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a.data));
  const auto bytes = static_cast<std::int64_t>(a_bytes);
  if (a.rank != b.rank || a.strides != b.strides || a_bytes != b_bytes || apart % bytes != 0) return true;
  const std::vector<std::size_t> along = dimensions(a, b);
  if (!along.empty() && a.strides[along.back()] <= 0) return true;
  return meet(a, b, apart / bytes, along, 0);
}

bool repeats(const ArgumentValue& v) {
  if (v.contiguous() || v.count() == 0) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // and lengths
  for (std::size_t d = 0; d < static_cast<std::size_t>(v.rank); ++d)
    if (v.shape[d] > 1) steps.emplace_back(std::abs(v.strides[d]), v.shape[d]);
  std::sort(steps.begin(), steps.end());
  std::int64_t extent = 0;
  bool apart = true;  // each step leads beyond all that the shorter ones reach
  for (const auto& [step, length] : steps) apart &= step > extent, extent += step * (length - 1);
  if (apart) return false;
  if (v.count() > extent + 1) return true;
  std::vector<std::int64_t> all{0};
  for (const auto& [step, length] : steps)
    for (std::size_t i = 0, n = all.size() * static_cast<std::size_t>(length - 1); i < n; ++i)
      all.push_back(all[i] + step);
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
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
