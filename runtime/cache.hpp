// The directory of compiled kernels, shared by all backends and by concurrent processes: files appear under
// their name by rename, and the least recently used go when there are too many.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace lift {

constexpr std::size_t kMaxCacheBytes = std::size_t{1} << 30;

/// `asked`, else $LIFTGEN_CACHE, else $XDG_CACHE_HOME/liftgen, else ~/.cache/liftgen, else a directory of
/// this user's under $TMPDIR; made if need be. UserError when the one that was asked for cannot be written.
std::filesystem::path cache_directory(const std::filesystem::path& asked = {});

/// 32 hexadecimal digits, of 128 bits.
std::string hash_text(const std::string& text);

/// Removes the least recently used objects of a cache until three quarters of `max_bytes` are left, when
/// there is more than that, and what killed processes left behind.
void prune_cache(const std::filesystem::path& directory, std::size_t max_bytes);

/// Device programs as their drivers give them, by a key that says all they depend on. A file that was damaged
/// is not found.
class BinaryCache {
 public:
  explicit BinaryCache(const std::filesystem::path& directory = {});
  std::optional<std::string> find(const std::string& key) const;
  /// Replaces what is there; does nothing when it cannot be written.
  void keep(const std::string& key, const std::string& binary) const;
  void remove(const std::string& key) const;
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path path_of(const std::string& key) const;
  std::filesystem::path directory_;
};

}  // namespace lift
