#include "runtime/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "ir/error.hpp"
#include "runtime/descriptor.hpp"

namespace lift {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& what, const fs::path& path, int error) {
  throw UserError("cannot " + what + " " + path.string() + ": " + std::strerror(error));
}

/// 0, or the error that stopped it.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_in_place(const fs::path& path, std::string_view text) {
  const Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.get() < 0) fail("write", path, errno);
  if (const int error = write_all(out.get(), text)) fail("write", path, error);
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view text) {
  if (path.empty()) throw UserError("cannot write a file without a name");
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("write", path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, text);

  std::error_code error, none;
  fs::path target = path;
  for (int links = 0; links < 40 && !error && fs::is_symlink(target, none);
       ++links)  // also to what is not there
    target = target.parent_path() / fs::read_symlink(target, error);
  if (error) target = path;
  // Renaming would replace even a file that may not be written.
  if (exists && ::access(target.c_str(), W_OK) != 0) fail("write", path, errno);

  static std::atomic<unsigned> serial{0};
  fs::path beside = target;
  beside += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(serial++);
  Descriptor out(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (out.get() < 0) fail("write", path, errno);
  int failure = write_all(out.get(), text);
  if (failure == 0 && exists && ::fchmod(out.get(), status.st_mode & 07777) != 0) failure = errno;
  if (out.close() != 0 && failure == 0) failure = errno;
  if (failure == 0 && ::rename(beside.c_str(), target.c_str()) != 0) failure = errno;
  if (failure != 0) {
    ::unlink(beside.c_str());
    fail("write", path, failure);
  }
}

void write_private_file(const fs::path& path, std::string_view text) {
  Descriptor out(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (out.get() < 0) fail("write", path, errno);
  int failure = write_all(out.get(), text);
  if (failure == 0 && ::fchmod(out.get(), 0600) != 0) failure = errno;
  if (out.close() != 0 && failure == 0) failure = errno;
  if (failure == 0) return;
  ::unlink(path.c_str());
  fail("write", path, failure);
}

std::string read_file(const fs::path& path) {
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) fail("read", path, errno);
  std::string text;
  char block[1 << 16];
  while (true) {
    const ssize_t count = ::read(in.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path, errno);
    if (count == 0) return text;
    text.append(block, static_cast<std::size_t>(count));
  }
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw UserError("cannot create the directory " + path.string() + ": " + error.message());
}

}  // namespace lift
