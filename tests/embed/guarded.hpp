// Memory that ends where the next page may not be touched.
#pragma once

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <vector>

namespace lift::test {

/// An array that ends where the next page may not be touched.
template <class T>
class Guarded {
 public:
  explicit Guarded(const std::vector<T>& contents) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), bytes = contents.size() * sizeof(T);
    const std::size_t pages = (bytes + page - 1) / page + 2;
    size_ = pages * page;
    base_ = static_cast<char*>(
        ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(base_ != MAP_FAILED);
    ::mprotect(base_ + size_ - page, page, PROT_NONE);
    span = {reinterpret_cast<T*>(base_ + size_ - page - bytes), contents.size()};
    std::copy(contents.begin(), contents.end(), span.begin());
  }
  ~Guarded() { ::munmap(base_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::vector<T> contents() const { return {span.begin(), span.end()}; }

  std::span<T> span;

 private:
  char* base_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lift::test
