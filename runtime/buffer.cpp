#include "runtime/buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "runtime/affinity.hpp"
#include "runtime/parallel.hpp"

namespace lift {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kWorthThreads = std::size_t{1} << 20;

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

/// 19 lines apart: coprime to the 64 lines of a page.
std::size_t next_skew() {
  static std::atomic<unsigned> serial{0};
  return std::size_t{64} * ((serial++ * 19u) % 64u);
}

int threads_for(std::size_t bytes, int threads) { return bytes < kWorthThreads ? 1 : threads; }

}  // namespace

Buffer::Buffer(std::size_t bytes, BufferOptions options) : bytes_(bytes) {
  if (options.skew >= static_cast<std::ptrdiff_t>(kPage) || (options.skew > 0 && options.skew % 64 != 0))
    throw InternalError("buffer: skew must be a multiple of 64 below 4096");
  threads_ = options.threads > 0 ? options.threads : default_threads();
  const auto megabytes = [](std::size_t n) { return std::to_string((n + (1 << 20) - 1) >> 20) + " MB"; };
  const std::size_t available = available_memory();
  if (bytes > available)
    throw UserError("an array of " + megabytes(bytes) + " does not fit: " + megabytes(available) +
                    " of memory are available; use a smaller box or fewer of them");

  const bool large = bytes >= 2 * kHugePage;
  const std::size_t alignment = large ? kHugePage : kPage;
  const std::size_t skew = options.skew >= 0 ? static_cast<std::size_t>(options.skew) : next_skew();
  mapped_bytes_ = round_up(slack + skew + bytes, kPage) + alignment;  // a page of it at least lies behind
  mapping_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw UserError("the system refused " + megabytes(bytes) +
                    " of memory; use a smaller box or fewer of them");
  }
  if (large) (void)::madvise(mapping_, mapped_bytes_, MADV_HUGEPAGE);
  const std::size_t start = round_up(reinterpret_cast<std::uintptr_t>(mapping_), alignment);
  data_ = reinterpret_cast<void*>(start + slack + skew);
  if (options.touch) clear();
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
}

void Buffer::clear() {
  parallel_for_chunks(bytes_, threads_for(bytes_, threads_), [this](std::size_t begin, std::size_t end) {
    std::memset(static_cast<char*>(data_) + begin, 0, end - begin);
  });
}

void Buffer::copy_from(const Buffer& other) {
  if (bytes_ != other.bytes_)
    throw InternalError("buffer: copying " + std::to_string(other.bytes_) + " bytes into " +
                        std::to_string(bytes_));
  parallel_for_chunks(bytes_, threads_for(bytes_, threads_), [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<char*>(data_) + begin, static_cast<const char*>(other.data_) + begin,
                end - begin);
  });
}

std::size_t available_memory() {
  std::size_t available = std::numeric_limits<std::size_t>::max() / 2;
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 2 || words[0] != "MemAvailable:") continue;
    if (const auto kilobytes = read_number<std::size_t>(words[1])) available = *kilobytes * 1024;
  }
  return std::min(available, memory_quota());
}

}  // namespace lift
