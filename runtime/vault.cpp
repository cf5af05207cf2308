#include "runtime/vault.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/file.hpp"

namespace lift {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFolder = "kernels";
constexpr const char* kMarker = ".liftgen-kernels";
constexpr const char* kMarkerText = "The kernels that liftgen has compiled. The folder may be deleted.\n";
constexpr std::size_t kLongestSuffix = 12;
constexpr const char* kIndex = "index";
constexpr const char* kLock = ".lock";  ///< of a workspace: held while its process lives
constexpr std::size_t kDigits = 32;     ///< of a hash, at the end of an entry
constexpr std::size_t kLongIndex = std::size_t{1} << 20, kVeryLongIndex = std::size_t{1} << 25;
constexpr std::chrono::milliseconds kPatience{250};  ///< with those who hold the index, usually microseconds

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Why a file or folder may have been written by others; nothing when only this user can. Others may read it.
std::optional<std::string> open_to_others(const struct stat& status) {
  if (status.st_uid != ::geteuid()) return "belongs to user " + std::to_string(status.st_uid);
  if ((status.st_mode & 022) != 0) {
    return fmt::format("has mode {:03o}, so that others may have written it", status.st_mode & 0777U);
  }
  return std::nullopt;
}

/// A folder of this user's alone, made if need be; the reason when there is none.
std::optional<std::string> private_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return "cannot create the directory " + path.string() + ": " + std::strerror(errno);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return path.string() + ": " + std::strerror(errno);
  if (!S_ISDIR(status.st_mode)) return path.string() + " is no directory";
  if (const auto why = open_to_others(status))
    return "the folder " + path.string() + " " + *why +
           (status.st_uid == ::geteuid() ? "; chmod go-w it, or delete it"
                                         : "; set LIFTGEN_CACHE to a directory of yours, or delete it");
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    return "the directory " + path.string() + " cannot be written";
  return std::nullopt;
}

bool has_marker(const fs::path& folder) {
  struct stat status {};
  return ::lstat((folder / kMarker).c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         !open_to_others(status);
}

/// Nothing but what a vault makes: what is left of one whose marker was removed while it was in use.
bool holds_only_entries(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool of_keys = name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!of_keys && name != kIndex && name != "tmp") return false;
  }
  return !error;
}

std::optional<std::string> fault_in_making(const fs::path& folder) {
  try {
    make_directories(folder.parent_path());
  } catch (const UserError& error) {
    return error.what();
  }
  if (auto why = private_folder(folder)) return why;
  if (!has_marker(folder)) {
    if (!holds_only_entries(folder) && !has_marker(folder))
      return "the folder " + folder.string() + " holds files that liftgen did not write";
    const Descriptor marker(
        ::open((folder / kMarker).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (marker.get() >= 0)
      (void)!::write(marker.get(), kMarkerText, std::strlen(kMarkerText));
    else if (!has_marker(folder))
      return "the directory " + folder.string() + " cannot be written: " + std::strerror(errno);
  }
  return private_folder(folder / "tmp");
}

/// Makes the vault's folders; the reason when that fails, also if somebody deletes them meanwhile.
std::optional<std::string> unusable(const fs::path& folder) {
  std::optional<std::string> why;
  for (int tries = 0; tries < 5; ++tries) {
    why = fault_in_making(folder);
    if (!why) break;
  }
  return why;
}

/// A directory for this user only, under $TMPDIR.
fs::path temporary_parent() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  fs::path path = base / ("liftgen-" + std::to_string(::getuid()));
  if (private_folder(path) || unusable(path / kFolder))
    throw EnvironmentError("no directory for compiled kernels: " + path.string() +
                           " cannot be used; set LIFTGEN_CACHE to a directory of yours");
  return path;
}

fs::path find_parent(const fs::path& asked) {
  const std::string from_variable = variable("LIFTGEN_CACHE");
  if (const fs::path wanted = asked.empty() ? fs::path(from_variable) : asked; !wanted.empty()) {
    if (const auto why = unusable(fs::absolute(wanted) / kFolder))
      throw UserError("the cache of compiled kernels" +
                      std::string(asked.empty() ? " ($LIFTGEN_CACHE)" : "") + ": " + *why);
    return fs::absolute(wanted);
  }
  for (const auto& [base, below] :
       {std::pair{variable("XDG_CACHE_HOME"), "liftgen"}, {variable("HOME"), ".cache/liftgen"}}) {
    if (base.empty() || base[0] != '/') continue;
    fs::path path = fs::path(base) / below;
    if (!unusable(path / kFolder)) return path;
  }
  return temporary_parent();
}

/// What an entry has behind its contents.
std::string seal(const std::string& key, std::string_view contents) {
  return hash_text(key + hash_text(contents));
}

/// The whole file, when only this user can have written it.
std::optional<std::string> read_private(const fs::path& path, std::string& why) {
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (in.get() < 0 || ::fstat(in.get(), &status) != 0) {
    if (errno != ENOENT) why = std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1) why = "is no file of its own";
  if (const auto open = open_to_others(status)) why = *open;
  if (!why.empty()) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(in.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

/// Whether `fd` was locked. One who holds the lock may be stopped, or its disk away: the wait has a bound,
/// and there is none at all while the last one was in vain.
bool locked(int fd, int lock) {
  static std::atomic<bool> in_vain = false;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (auto pause = std::chrono::microseconds(50); ::flock(fd, lock | LOCK_NB) != 0; pause *= 2) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || in_vain || std::chrono::steady_clock::now() >= until) {
      in_vain = true;
      return false;
    }
    std::this_thread::sleep_for(std::min<std::chrono::microseconds>(pause, std::chrono::milliseconds(10)));
  }
  in_vain = false;
  return true;
}

/// The index, locked (LOCK_SH to append, LOCK_EX to replace); -1 when it cannot be opened or is not let go.
int open_index(const fs::path& path, int lock) {
  while (true) {
    const int fd = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return -1;
    struct stat mine {
    }, now{};
    if (!locked(fd, lock)) {
      ::close(fd);
      return -1;
    }
    // It may have been replaced before it was locked.
    if (::fstat(fd, &mine) == 0 && ::lstat(path.c_str(), &now) == 0 && mine.st_ino == now.st_ino) return fd;
    ::close(fd);
  }
}

bool is_key(const std::string& text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct Entry {
  std::int64_t used = 0;                     ///< nanoseconds since the epoch
  std::map<std::string, std::size_t> files;  ///< bytes by suffix
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& file : files) sum += file.second;
    return sum;
  }
};

/// Lines `KEY SUFFIX BYTES TIME`, the later ones in place of the earlier.
std::map<std::string, Entry> read_index(const std::string& text) {
  std::map<std::string, Entry> entries;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 4) continue;
    const std::string &key = words[0], &suffix = words[1];
    const auto bytes = read_number<std::size_t>(words[2]);
    const auto used = read_number<std::int64_t>(words[3]);
    if (!bytes || !used || !is_key(key) || suffix.size() > kLongestSuffix || suffix[0] != '.' ||
        suffix.find('/') != std::string::npos)
      continue;
    entries[key].files[suffix] = *bytes;
    entries[key].used = std::max(entries[key].used, *used);
  }
  return entries;
}

/// Removes a workspace that nobody else holds, with the flat files in it; `folder` is its open directory,
/// which is closed. Opens nothing, since there may be no descriptors left.
void remove_workspace(const fs::path& workspace, int folder) {
  DIR* const entries = ::fdopendir(folder);
  if (entries == nullptr) {
    ::close(folder);
    return;
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries)) names.emplace_back(entry->d_name);
  for (const std::string& name : names)
    if (name != kLock && name != "." && name != "..") (void)::unlinkat(folder, name.c_str(), 0);
  (void)::unlinkat(folder, kLock, 0);
  ::closedir(entries);
  ::rmdir(workspace.c_str());
}

int open_folder(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/// Whether a workspace's name has the number of a process that there is not.
bool is_of_no_process(const fs::path& workspace) {
  const pid_t pid = leading_number<pid_t>(workspace.filename().native()).value_or(0);
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// A workspace whose process is gone. Somebody may have removed its lock meanwhile, and not the rest.
void remove_dead(const fs::path& workspace) {
  const Descriptor lock(::open((workspace / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  const bool lost = lock.get() < 0 && errno == ENOENT && is_of_no_process(workspace);
  if (!lost && (lock.get() < 0 || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)) return;
  if (const int folder = open_folder(workspace); folder >= 0) remove_workspace(workspace, folder);
}

}  // namespace

std::string hash_text(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", std::uint64_t{hash.high64}, std::uint64_t{hash.low64});
}

/// A locked folder below `tmp`, made when it is first asked for.
struct Vault::Workspace {
  std::mutex mutex;
  fs::path path;
  std::optional<Descriptor> lock;
  int folder = -1;  ///< open, so that it can be emptied whatever happens

  void make(const fs::path& parent) {
    static std::atomic<unsigned> serial{0};
    for (int tries = 0; tries < 100; ++tries) {
      path = parent / (std::to_string(::getpid()) + "-" + std::to_string(serial++));
      if (::mkdir(path.c_str(), 0700) != 0) {
        if (errno == EEXIST) continue;
        break;
      }
      lock.emplace(::open((path / kLock).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      // Another process may have taken it for one that was left behind.
      if (lock->get() >= 0 && ::flock(lock->get(), LOCK_EX | LOCK_NB) == 0 &&
          ::access((path / kLock).c_str(), F_OK) == 0) {
        if (folder >= 0) ::close(folder);  // of one that was removed meanwhile
        folder = open_folder(path);
        return;
      }
      const bool full = lock->get() < 0;
      lock.reset();
      if (full) break;
    }
    throw UserError("cannot write " + path.string() + ": " + std::strerror(errno));
  }
  ~Workspace() {
    if (lock && folder >= 0) remove_workspace(path, folder);
  }
};

Vault::Vault(const fs::path& parent)
    : directory_(find_parent(parent) / kFolder), workspace_(std::make_shared<Workspace>()) {}

fs::path Vault::path_of(const std::string& key, const std::string& suffix) const {
  return directory_ / key.substr(0, 2) / (key + suffix);
}

fs::path Vault::workspace() const {
  const std::lock_guard lock(workspace_->mutex);
  std::error_code error;
  if (workspace_->lock && fs::exists(workspace_->path / kLock, error)) return workspace_->path;
  if (const auto why = unusable(directory_)) throw UserError("the cache of compiled kernels: " + *why);
  workspace_->make(directory_ / "tmp");
  return workspace_->path;
}

std::optional<std::string> Vault::find(const std::string& key, const std::string& suffix) const {
  const fs::path path = path_of(key, suffix);
  std::string why;
  for (const fs::path& folder : {directory_, path.parent_path()}) {
    struct stat status {};
    if (::lstat(folder.c_str(), &status) != 0) return std::nullopt;
    if (!S_ISDIR(status.st_mode)) why = "lies in " + folder.string() + ", which is no folder";
    if (const auto open = open_to_others(status)) why = "lies in " + folder.string() + ", which " + *open;
  }
  std::optional<std::string> bytes;
  if (why.empty()) bytes = read_private(path, why);
  if (bytes) {
    const std::size_t size = bytes->size() < kDigits ? 0 : bytes->size() - kDigits;
    if (bytes->size() >= kDigits &&
        bytes->substr(size) == seal(key, std::string_view(*bytes).substr(0, size))) {
      log_use(key, suffix, bytes->size());
      bytes->resize(size);
      return bytes;
    }
    why = "is damaged";
  }
  if (!why.empty())
    std::fprintf(stderr, "liftgen: the compiled kernel %s %s; it is not used but made again\n", path.c_str(),
                 why.c_str());
  return std::nullopt;
}

void Vault::put(const std::string& key, const std::string& suffix, std::string_view bytes) const {
  static std::atomic<unsigned> serial{0};
  const fs::path beside = workspace() / (key.substr(0, 12) + "-" + std::to_string(serial++) + ".new");
  const fs::path path = path_of(key, suffix);
  if (const auto why = private_folder(path.parent_path()))
    throw UserError("the cache of compiled kernels: " + *why);
  write_private_file(beside, bytes);
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    int error = errno;
    std::error_code ignored;
    if (error == EISDIR && fs::remove_all(path, ignored) > 0 && ::rename(beside.c_str(), path.c_str()) == 0)
      return log_use(key, suffix, bytes.size());  // no entry is a folder
    ::unlink(beside.c_str());
    throw UserError("cannot write " + path.string() + ": " + std::strerror(error));
  }
  log_use(key, suffix, bytes.size());
}

void Vault::keep(const std::string& key, const std::string& suffix, std::string_view contents) const {
  put(key, suffix, std::string(contents) + seal(key, contents));
}

void Vault::keep_beside(const std::string& key, const std::string& suffix, std::string_view text) const {
  put(key, suffix, text);
}

void Vault::remove(const std::string& key, const std::string& suffix) const {
  ::unlink(path_of(key, suffix).c_str());
}

void Vault::log_use(const std::string& key, const std::string& suffix, std::size_t bytes) const {
  const Descriptor index(open_index(directory_ / kIndex, LOCK_SH));
  if (index.get() < 0) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string line = key + ' ' + suffix + ' ' + std::to_string(bytes) + ' ' +
                           std::to_string(std::chrono::nanoseconds(now).count()) + '\n';
  (void)!::write(index.get(), line.data(), line.size());
}

void Vault::prune_entries(std::size_t max_bytes) const {
  const Descriptor lock(open_index(directory_ / kIndex, LOCK_EX));
  if (lock.get() < 0) return;
  const std::string text = read_file(directory_ / kIndex);
  std::map<std::string, Entry> entries = read_index(text);
  std::size_t total = 0;
  std::vector<std::pair<std::int64_t, std::string>> by_use;
  std::size_t files = 0;
  for (const auto& [key, entry] : entries)
    total += entry.bytes(), files += entry.files.size(), by_use.emplace_back(entry.used, key);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (total <= max_bytes && (text.size() < kLongIndex || lines < 2 * files)) return;
  std::sort(by_use.begin(), by_use.end());
  if (total > max_bytes)
    for (const auto& [used, key] : by_use) {
      if (total <= max_bytes / 4 * 3) break;
      total -= entries[key].bytes();
      for (const auto& file : entries[key].files) ::unlink(path_of(key, file.first).c_str());
      entries.erase(key);
    }
  std::string left;
  for (const auto& [key, entry] : entries)
    for (const auto& [suffix, bytes] : entry.files)
      if (::access(path_of(key, suffix).c_str(), F_OK) == 0)
        left += key + ' ' + suffix + ' ' + std::to_string(bytes) + ' ' + std::to_string(entry.used) + '\n';
  const fs::path beside = workspace() / kIndex;
  write_private_file(beside, left);
  ::rename(beside.c_str(), (directory_ / kIndex).c_str());
}

void Vault::prune(std::size_t max_bytes) const {
  try {
    if (private_folder(directory_)) return;
    prune_entries(max_bytes);
  } catch (const UserError&) {  // the next process tries again
  }
  remove_dead_workspaces();
}

void Vault::tidy(std::size_t max_bytes) const {
  std::error_code error;
  const auto bytes = fs::file_size(directory_ / kIndex, error);
  if (!error && bytes > kVeryLongIndex) return prune(max_bytes);
  if (!private_folder(directory_)) remove_dead_workspaces();
}

void Vault::remove_dead_workspaces() const {
  std::error_code error;
  for (fs::directory_iterator it(directory_ / "tmp", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find_first_not_of("0123456789-") == std::string::npos && name.find('-') != std::string::npos)
      remove_dead(it->path());
  }
}

}  // namespace lift
