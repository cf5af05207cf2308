#include "runtime/cache.hpp"

#define XXH_INLINE_ALL
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "ir/error.hpp"
#include "runtime/file.hpp"

namespace lift {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kDigits = 32;  ///< of a hash

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Makes the directory and writes to it; the reason when that fails.
std::optional<std::string> unusable(const fs::path& directory) {
  try {
    make_directories(directory / "tmp");
  } catch (const UserError& error) {
    return error.what();
  }
  if (::access((directory / "tmp").c_str(), W_OK | X_OK) != 0)
    return "the directory " + directory.string() + " cannot be written";
  return std::nullopt;
}

/// A directory for this user only, under $TMPDIR.
fs::path temporary_cache() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  const fs::path path = base / ("liftgen-" + std::to_string(::getuid()));
  ::mkdir(path.c_str(), 0700);
  struct stat status {};
  // Objects from here are executed, so nobody else may have put them there.
  const bool ours = ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                    status.st_uid == ::getuid() && (status.st_mode & 022) == 0;
  if (!ours || unusable(path))
    throw EnvironmentError("no directory for compiled kernels: " + path.string() +
                           " cannot be used; set LIFTGEN_CACHE to a directory of yours");
  return path;
}

}  // namespace

std::string hash_text(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

fs::path cache_directory(const fs::path& asked) {
  const std::string from_variable = variable("LIFTGEN_CACHE");
  if (const fs::path wanted = asked.empty() ? fs::path(from_variable) : asked; !wanted.empty()) {
    if (const auto why = unusable(wanted))
      throw UserError("the cache of compiled kernels" +
                      std::string(asked.empty() ? " ($LIFTGEN_CACHE)" : "") + ": " + *why);
    return fs::absolute(wanted);
  }
  for (const auto& [base, below] :
       {std::pair{variable("XDG_CACHE_HOME"), "liftgen"}, {variable("HOME"), ".cache/liftgen"}}) {
    if (base.empty() || base[0] != '/') continue;
    const fs::path path = fs::path(base) / below;
    if (!unusable(path)) return path;
  }
  return temporary_cache();
}

void prune_cache(const fs::path& directory, std::size_t max_bytes) {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const fs::path& path = it->path();
    const auto bytes = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    const auto used = it->last_write_time(gone);
    if (gone || bytes == 0) continue;
    const std::string parent = path.parent_path().filename().string();
    if (parent == "tmp") {
      if (now - used > std::chrono::hours(24)) fs::remove(path, gone);  // left by a process that was killed
    } else if (parent.size() == 2 && (path.extension() == ".so" || path.extension() == ".bin")) {
      total += bytes;
      entries.push_back({used, bytes, path});
    }
  }
  if (total <= max_bytes) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes / 4 * 3) return;
    total -= entry.bytes;
    std::error_code gone;
    for (const char* suffix : {".so", ".c", ".cpp", ".bin"})
      fs::remove(fs::path(entry.path).replace_extension(suffix), gone);
  }
}

BinaryCache::BinaryCache(const fs::path& directory) : directory_(cache_directory(directory)) {
  prune_cache(directory_, kMaxCacheBytes);
}

fs::path BinaryCache::path_of(const std::string& key) const {
  return directory_ / key.substr(0, 2) / (key + ".bin");
}

std::optional<std::string> BinaryCache::find(const std::string& key) const {
  std::error_code error;
  const fs::path path = path_of(key);
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    std::string text = read_file(path);
    if (text.size() < kDigits || hash_text(text.substr(kDigits)) != text.substr(0, kDigits))
      return std::nullopt;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // recently used
    return text.substr(kDigits);
  } catch (const UserError&) {
    return std::nullopt;  // removed this moment
  }
}

void BinaryCache::remove(const std::string& key) const {
  std::error_code ignored;
  fs::remove(path_of(key), ignored);
}

void BinaryCache::keep(const std::string& key, const std::string& binary) const {
  try {
    const fs::path path = path_of(key);
    make_directories(path.parent_path());
    write_file_atomically(path, hash_text(binary) + binary);
  } catch (const UserError&) {  // it will be built again
  }
}

}  // namespace lift
