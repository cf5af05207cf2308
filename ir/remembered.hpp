// What a function returned for arguments that it was asked about before. Rewriting asks the same of equal
// expressions again and again, and they are interned, so that their ids make keys.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "ir/region.hpp"

namespace lift {

/// Thread-safe. Begins anew when it holds too much, and when nodes go. Stays for ever itself.
template <class Key, class Value>
class Remembered {
 public:
  Remembered() {
    detail::add_forgetting([this] {
      const std::lock_guard lock(mutex_);
      known_.clear();
    });
  }
  /// What compute() returns, or has returned for this key; two threads may compute it at once.
  template <class Compute>
  Value operator()(const Key& key, const Compute& compute) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto it = known_.find(key); it != known_.end()) return it->second;
    }
    Value value = compute();
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    return known_.emplace(key, std::move(value)).first->second;
  }

 private:
  static constexpr std::size_t kMost = 1 << 16;
  std::mutex mutex_;
  std::map<Key, Value> known_;
};

}  // namespace lift
