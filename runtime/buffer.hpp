// Memory for the data of kernels on the host.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace lift {

struct BufferOptions {
  int threads = 0;  ///< that touch the pages first; 0: default_threads()
  std::ptrdiff_t skew =
      -1;  ///< bytes added to the start, a multiple of 64, below 4096; -1: differs from buffer to buffer,
           ///< so that the same element of several arrays does not fall into the same cache set
  bool touch = true;  ///< otherwise pages are there once somebody touches them: the kernel that writes them
};

/// Zeroed bytes (where not even that is done, the system's zeros), aligned to 64, with at least `slack`
/// readable bytes before and behind, on huge pages where large. Pages are touched first by pinned threads in
/// contiguous chunks, so that on a machine with several memories each thread's part lies near to it.
/// Move-only.
class Buffer {
 public:
  static constexpr std::size_t slack = 256;

  Buffer() = default;
  /// UserError, with the sizes, when there is not that much memory.
  explicit Buffer(std::size_t bytes, BufferOptions options = {});
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  std::size_t bytes() const { return bytes_; }
  void* data() { return data_; }
  const void* data() const { return data_; }

  /// The whole elements of type T that fit.
  template <class T>
  std::span<T> as() {
    return {static_cast<T*>(data_), bytes_ / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }

  /// In parallel; both have the same number of bytes (InternalError otherwise).
  void copy_from(const Buffer& other);
  /// In parallel: every byte zero.
  void clear();

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(threads_, other.threads_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
  }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  int threads_ = 1;
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

/// Bytes of memory this process may still use: what is available, within the control group's limit.
std::size_t available_memory();

}  // namespace lift
