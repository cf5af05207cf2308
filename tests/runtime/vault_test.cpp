// The vault of compiled kernels: what it trusts, what it removes, what it leaves alone.
#include "runtime/vault.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <fstream>
#include <mutex>
#include <thread>

#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
namespace vault_test {

namespace fs = std::filesystem;

namespace {

const std::string kKey = hash_text("an entry");

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

/// What `f` says on standard error.
template <class F>
std::string said(const F& f) {
  const Scratch scratch;
  const int before = ::dup(2), file = ::open((scratch.path() / "said").c_str(), O_RDWR | O_CREAT, 0600);
  ::dup2(file, 2);
  f();
  std::fflush(stderr);
  ::dup2(before, 2);
  ::close(before), ::close(file);
  return read_file(scratch.path() / "said");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("vault: an entry is found as it was kept, by another process too, in files for this user alone") {
  const Scratch scratch;
  const Vault vault(scratch.path());
  CHECK_FALSE(vault.find(kKey, ".bin"));
  vault.keep(kKey, ".bin", std::string("con\0tents", 9));
  CHECK(vault.find(kKey, ".bin") == std::string("con\0tents", 9));
  CHECK(Vault(scratch.path()).find(kKey, ".bin"));
  CHECK_FALSE(vault.find(kKey, ".so"));
  CHECK(vault.directory() == scratch.path() / "kernels");
  CHECK(mode_of(vault.directory()) == 0700);
  CHECK(mode_of(vault.directory() / "tmp") == 0700);
  CHECK(mode_of(vault.path_of(kKey, ".bin").parent_path()) == 0700);
  CHECK(mode_of(vault.path_of(kKey, ".bin")) == 0600);
  CHECK(mode_of(vault.directory() / "index") == 0600);
}

TEST_CASE("vault: what is damaged, of another key, or open to others is not used, and said") {
  const Scratch scratch;
  const Vault vault(scratch.path());
  const fs::path path = vault.path_of(kKey, ".so");
  const std::string other = kKey.substr(0, 31) + (kKey[31] == '0' ? '1' : '0');
  const auto refused = [&](const std::string& part) {
    bool found = true;
    const std::string text = said([&] { found = vault.find(kKey, ".so").has_value(); });
    CAPTURE(text);
    CHECK_FALSE(found);
    CHECK(has(text, part));
    CHECK(has(text, path.string()));
  };
  vault.keep(kKey, ".so", "0123456789");
  CHECK(said([&] { CHECK(vault.find(kKey, ".so")); }).empty());
  SUBCASE("a changed byte") {
    std::string bytes = read_file(path);
    bytes[3] ^= 1;
    write_private_file(path, bytes);
    refused("is damaged");
    vault.keep(kKey, ".so", "0123456789");
    CHECK(vault.find(kKey, ".so") == "0123456789");
  }
  SUBCASE("cut") {
    fs::resize_file(path, 12);
    refused("is damaged");
  }
  SUBCASE("another entry's file") {
    vault.keep(other, ".so", "evil");
    fs::rename(vault.path_of(other, ".so"), path);
    refused("is damaged");
  }
  SUBCASE("a file that others may write") {
    fs::permissions(path, fs::perms(0622));
    refused("has mode 622");
  }
  SUBCASE("a folder and a file that others may read") {
    fs::permissions(vault.directory(), fs::perms(0755));
    fs::permissions(path, fs::perms(0644));
    CHECK(vault.find(kKey, ".so"));
    CHECK(Vault{scratch.path()}.directory() == vault.directory());
  }
  SUBCASE("a symbolic link") {
    fs::rename(path, scratch.path() / "elsewhere");
    fs::create_symlink(scratch.path() / "elsewhere", path);
    refused(":");
  }
  SUBCASE("a file with two names") {
    fs::create_hard_link(path, scratch.path() / "second");
    refused("is no file of its own");
  }
  SUBCASE("a folder that others may write") {
    fs::permissions(vault.directory(), fs::perms::all);
    refused("has mode 777");
    CHECK_THROWS_AS(Vault{scratch.path()}, UserError);
    fs::permissions(vault.directory(), fs::perms::owner_all);
    fs::permissions(path.parent_path(), fs::perms::all);
    refused("has mode 777");
    CHECK_THROWS_AS(vault.keep(kKey, ".so", "x"), UserError);
  }
  SUBCASE("a file of another user") {
    if (::getuid() != 0 || ::chown(path.c_str(), 12345, 12345) != 0) return;  // only root can give it away
    refused("belongs to user 12345");
  }
}

TEST_CASE("vault: a folder that holds somebody else's files is refused; a deleted one is made again") {
  const Scratch scratch;
  fs::create_directories(scratch.path() / "kernels");
  fs::permissions(scratch.path() / "kernels", fs::perms::owner_all);
  write_file_atomically(scratch.path() / "kernels" / "thesis.tex", "years of work");
  CHECK_THROWS_WITH_AS(Vault{scratch.path()},
                       ("the cache of compiled kernels: the folder " + (scratch.path() / "kernels").string() +
                        " holds files that liftgen did not write")
                           .c_str(),
                       UserError);
  fs::remove(scratch.path() / "kernels" / "thesis.tex");
  const Vault vault(scratch.path());
  const fs::path before = vault.workspace();
  CHECK(vault.workspace() == before);
  fs::remove_all(scratch.path() / "kernels");
  CHECK_FALSE(vault.find(kKey, ".so"));
  vault.keep(kKey, ".so", "text");
  CHECK(vault.find(kKey, ".so"));
  CHECK(fs::is_directory(vault.workspace()));
}

TEST_CASE("vault: what is left of one that was deleted while it was written is taken over") {
  const Scratch scratch;
  {
    const Vault vault(scratch.path());
    vault.keep(kKey, ".so", "text");
    for (const auto& entry : fs::directory_iterator(vault.directory()))
      if (entry.is_regular_file() && entry.path().filename() != "index")
        fs::remove(entry.path());  // its marker
  }
  {
    const Vault again(scratch.path());
    CHECK(again.find(kKey, ".so"));
  }
  for (const auto& entry : fs::directory_iterator(scratch.path() / "kernels"))
    if (entry.is_regular_file() && entry.path().filename() != "index") fs::remove(entry.path());
  write_file_atomically(scratch.path() / "kernels" / "ab.txt", "somebody's");
  CHECK_THROWS_AS(Vault{scratch.path()}, UserError);
}

TEST_CASE("vault: its workspace is removed though there are no descriptors left") {
  const Scratch scratch;
  fs::path workspace;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  {
    const Vault vault(scratch.path());
    workspace = vault.workspace();
    write_file_atomically(workspace / "half.c", "int");
    const rlimit none{0, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK_FALSE(fs::exists(workspace));
}

TEST_CASE("vault: removes what stands in its index, and nothing else, least recently used first") {
  const Scratch scratch;
  // Files of a user in and beside the vault, with names like those of a cache.
  const Vault vault(scratch.path());
  const fs::path folder = vault.path_of(kKey, "").parent_path();
  const auto planted = {scratch.path() / "tmp" / "data", scratch.path() / "ab" / "library.so",
                        vault.directory() / "tmp" / "old", folder / "mine.so", vault.directory() / "notes"};
  vault.keep(kKey, ".so", std::string(1000, 'a'));
  vault.keep_beside(kKey, ".c", std::string(1000, 'a'));
  vault.keep(kKey, ".finished", std::string(10, 'a'));
  for (const fs::path& path : planted) {
    fs::create_directories(path.parent_path());
    write_file_atomically(path, std::string(5000, 'x'));
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1000));
  }
  // An index of somebody's making does not reach out of the folder.
  std::ofstream(vault.directory() / "index", std::ios::app)
      << "../../" << std::string(26, 'a') << " .so 5000 1\n"
      << kKey << " /../../notes 5000 1\n"
      << "mine .so 5000 1\n";
  const std::string second = hash_text("second");
  vault.keep(second, ".so", std::string(1000, 'b'));
  vault.prune(10000);
  CHECK(vault.find(kKey, ".so"));  // used last now
  vault.tidy(2900);                // for those who add nothing: no entry goes
  CHECK(fs::exists(vault.path_of(second, ".so")));
  vault.prune(2900);
  CHECK(vault.find(kKey, ".so"));
  CHECK_FALSE(vault.find(second, ".so"));
  vault.prune(10);
  CHECK_FALSE(fs::exists(vault.path_of(kKey, ".so")));
  CHECK_FALSE(fs::exists(vault.path_of(kKey, ".c")));
  CHECK_FALSE(fs::exists(vault.path_of(kKey, ".finished")));
  for (const fs::path& path : planted) CHECK_MESSAGE(fs::exists(path), path);
}

TEST_CASE("vault: one who holds on to its index, being stopped, does not hold up others") {
  const Scratch scratch;
  const Vault vault(scratch.path());
  vault.keep(kKey, ".so", std::string(1000, 'a'));
  const fs::path index = vault.directory() / "index";
  const std::string other = hash_text("other"), noted = read_file(index);
  // As a process that was stopped while it removed entries; it would go on after half a minute.
  std::mutex mutex;
  std::condition_variable end;
  bool done = false, gone_on = false;
  const int held = ::open(index.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  {
    const std::jthread holder([&] {
      std::unique_lock lock(mutex);
      gone_on = !end.wait_for(lock, std::chrono::seconds(30), [&] { return done; });
      ::flock(held, LOCK_UN);
    });
    CHECK(vault.find(kKey, ".so"));
    vault.keep(other, ".so", std::string(1000, 'b'));
    vault.prune(10);
    const std::lock_guard lock(mutex);
    CHECK_FALSE(gone_on);
    CHECK(read_file(index) == noted);
    done = true, end.notify_all();
  }
  ::close(held);
  // Then all is as ever: what was kept meanwhile is noted down when it is used.
  CHECK(vault.find(other, ".so"));
  CHECK(has(read_file(index), other));
  vault.prune(10);
  CHECK_FALSE(vault.find(kKey, ".so"));
}

TEST_CASE("vault: what is used while the index is about to be pruned is not forgotten") {
  const Scratch scratch;
  const Vault vault(scratch.path());
  const std::string second = hash_text("second");
  vault.keep(kKey, ".so", std::string(1000, 'a'));
  vault.keep(second, ".so", std::string(1000, 'b'));
  // Another process writes a line: that the first entry is used last.
  const int index = ::open((vault.directory() / "index").c_str(), O_WRONLY | O_APPEND);
  REQUIRE(::flock(index, LOCK_SH) == 0);
  std::thread pruning([&] { vault.prune(1500); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // pruning waits for it
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string line = kKey + " .so 1000 " + std::to_string(std::chrono::nanoseconds(now).count()) + "\n";
  CHECK(::write(index, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  ::close(index);
  pruning.join();
  vault.prune(1500);  // it waits for a while only
  CHECK(vault.find(kKey, ".so"));
  CHECK_FALSE(vault.find(second, ".so"));
}

TEST_CASE("vault: the workspaces of dead processes go, those of living ones stay") {
  const Scratch scratch;
  const Vault vault(scratch.path());
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Vault theirs(scratch.path());
    write_private_file(theirs.workspace() / "half.so", "x");
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  ::close(ready[0]), ::close(ready[1]);
  const fs::path mine = vault.workspace();
  const auto count = [&] {
    return std::distance(fs::directory_iterator(vault.directory() / "tmp"), fs::directory_iterator());
  };
  vault.prune(1 << 20);
  CHECK(count() == 2);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  vault.tidy(1 << 20);
  CHECK(count() == 1);
  CHECK(fs::exists(mine));
  // Whoever emptied the cache may have come between a lock and what was written after it.
  const fs::path lost = vault.directory() / "tmp" / (std::to_string(child) + "-7");
  fs::create_directory(lost);
  write_private_file(lost / "half.so", "x");
  fs::create_directory(vault.directory() / "tmp" / (std::to_string(::getpid()) + "-7"));
  vault.tidy(1 << 20);
  CHECK_FALSE(fs::exists(lost));
  CHECK(count() == 2);
}

TEST_CASE("vault: an index in which entries stand many times is shortened, by whoever finds it very long") {
  const Scratch scratch;
  const Vault vault(scratch.path());
  vault.keep(kKey, ".so", std::string(100, 'a'));
  const fs::path index = vault.directory() / "index";
  const std::string line = read_file(index);
  std::string many;
  while (many.size() < (std::size_t{1} << 21)) many += line;
  std::ofstream(index, std::ios::app) << many;
  vault.tidy(1 << 20);  // long, but not for that
  CHECK(fs::file_size(index) > many.size());
  vault.prune(1 << 20);
  CHECK(fs::file_size(index) == line.size());
  for (int times = 0; times < 17; ++times) std::ofstream(index, std::ios::app) << many;
  vault.tidy(1 << 20);
  CHECK(fs::file_size(index) == line.size());
  // Of entries that stand there once each, nothing can be left out: it stays the file that it is.
  std::string distinct;
  for (int n = 0; distinct.size() < (std::size_t{1} << 20) + 100; ++n)
    distinct += hash_text(std::to_string(n)) + " .so 1 1\n";
  std::ofstream(index, std::ios::app) << distinct;
  vault.prune(1 << 30);
  CHECK(fs::file_size(index) > distinct.size());
  CHECK(vault.find(kKey, ".so"));
}

TEST_CASE("vault: a planted object is not loaded but compiled again") {
  const Scratch scratch;
  const NativeSource source{.code = "int number(void) { return 1; }\n"};
  fs::path object;
  {
    NativeCompiler compiler({.cache_directory = scratch.path()});
    const CompileResult first = compiler.compile(source);
    REQUIRE_MESSAGE(first.library, first.error);
    object = first.library->path();
    const CompileResult evil = compiler.compile({.code = "int number(void) { return 2; }\n"});
    REQUIRE(evil.library);
    fs::remove(object);
    fs::copy_file(evil.library->path(), object);
    fs::permissions(object, fs::perms(0600));
  }
  const std::string text = said([&] {
    NativeCompiler compiler({.cache_directory = scratch.path()});
    const CompileResult again = compiler.compile(source);
    REQUIRE_MESSAGE(again.library, again.error);
    CHECK_FALSE(again.cached);
    CHECK(again.library->function<int()>("number")() == 1);
  });
  CHECK(has(text, "is damaged; it is not used but made again"));
}

}  // namespace vault_test
