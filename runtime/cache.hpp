// Device programs as their drivers give them, kept in the vault of compiled kernels.
#pragma once

#include "runtime/vault.hpp"

namespace lift {

constexpr std::size_t kMaxCacheBytes = std::size_t{1} << 30;

/// Programs by a key that says all they depend on.
class BinaryCache {
 public:
  /// `directory`: see Vault.
  explicit BinaryCache(const std::filesystem::path& directory = {});
  std::optional<std::string> find(const std::string& key) const { return vault_.find(key, ".bin"); }
  /// Replaces what is there; does nothing when it cannot be written.
  void keep(const std::string& key, const std::string& binary) const;
  void remove(const std::string& key) const { vault_.remove(key, ".bin"); }
  const std::filesystem::path& directory() const { return vault_.directory(); }

 private:
  Vault vault_;
};

}  // namespace lift
