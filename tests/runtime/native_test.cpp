#include "runtime/native.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
using lift::test::Variable;

namespace native_test {
namespace {

const char* kTwice = "int twice(int x) { return 2 * x; }\n";

NativeCompiler compiler_in(const Scratch& scratch, double timeout = 20) {
  return NativeCompiler({.cache_directory = scratch.path(), .timeout_seconds = timeout});
}

/// The files below a directory with this ending.
int count_files(const std::filesystem::path& directory, const std::string& ending) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file() && entry.path().extension() == ending) ++count;
  return count;
}

/// A stand-in for a compiler: a shell script that answers --version and otherwise does `body`.
std::string fake_compiler(const Scratch& scratch, const std::string& body) {
  const auto path = scratch.path() / "fake-cc";
  write_file_atomically(
      path, "#!/bin/sh\nif [ \"$1\" = --version ]; then echo fake 1.0; exit 0; fi\n" + body + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

}  // namespace

TEST_CASE("native: what was compiled before is found where there is no compiler any more") {
  const Scratch scratch, empty;
  REQUIRE(compiler_in(scratch).compile({.code = kTwice, .flags = {"-O1"}}).library);
  const std::string described = compiler_in(scratch).describe();
  const Variable none("PATH", empty.path().string());
  NativeCompiler compiler = compiler_in(scratch);
  const CompileResult again = compiler.compile({.code = kTwice, .flags = {"-O1"}});
  REQUIRE_MESSAGE(again.library, again.error);
  CHECK(again.cached);
  CHECK(again.library->function<int(int)>("twice")(21) == 42);
  CHECK(compiler.describe() == described);
  CHECK_THROWS_WITH_AS(compiler.compile({.code = kTwice, .flags = {"-O2"}}),
                       doctest::Contains("no C compiler"), EnvironmentError);
  CHECK_THROWS_AS(compiler.require_working(), EnvironmentError);
  {
    const Variable other("CC", "another-cc");  // which never compiled anything here
    CHECK_THROWS_WITH_AS(compiler_in(scratch).compile({.code = kTwice, .flags = {"-O1"}}),
                         doctest::Contains("another-cc"), EnvironmentError);
  }
  const Scratch elsewhere;
  CHECK_THROWS_AS(compiler_in(elsewhere).compile({.code = kTwice, .flags = {"-O1"}}), EnvironmentError);
}

TEST_CASE("native: a compiled kernel can be called, and is cached on disk and in memory") {
  const Scratch scratch;
  {
    NativeCompiler compiler = compiler_in(scratch);
    const CompileResult first = compiler.compile({.code = kTwice, .flags = {"-O1"}});
    REQUIRE_MESSAGE(first.library, first.error);
    CHECK_FALSE(first.cached);
    CHECK(first.library->function<int(int)>("twice")(21) == 42);
    CHECK_THROWS_AS(first.library->symbol("thrice"), EnvironmentError);
    CHECK(compiler.compile({.code = kTwice, .flags = {"-O1"}}).library == first.library);
    CHECK_FALSE(compiler.compile({.code = kTwice, .flags = {"-O2"}}).cached);
  }
  NativeCompiler another = compiler_in(scratch);
  const CompileResult second = another.compile({.code = kTwice, .flags = {"-O1"}});
  REQUIRE(second.library);
  CHECK(second.cached);
  CHECK(second.library->function<int(int)>("twice")(4) == 8);
  CHECK(count_files(scratch.path(), ".so") == 2);
  CHECK(count_files(scratch.path() / "kernels" / "tmp", ".c") == 0);
}

TEST_CASE("native: a damaged cache entry is compiled again") {
  const Scratch scratch;
  std::filesystem::path object;
  {
    NativeCompiler compiler = compiler_in(scratch);
    const CompileResult result = compiler.compile({.code = kTwice});
    REQUIRE_MESSAGE(result.library, result.error);
    object = result.library->path();
  }
  write_file_atomically(object, "not an object");
  NativeCompiler compiler = compiler_in(scratch);
  const CompileResult result = compiler.compile({.code = kTwice});
  REQUIRE(result.library);
  CHECK_FALSE(result.cached);
  CHECK(result.library->function<int(int)>("twice")(3) == 6);
}

TEST_CASE("native: a kernel with OpenMP and the default flags runs, and can be left behind") {
  const Scratch scratch;
  NativeCompiler compiler = compiler_in(scratch);
  for (int offset = 0; offset < 3; ++offset) {
    const std::string code =
        "void iota(int n, double *a) {\n#pragma omp parallel for\n  for (int i = 0; i < n; ++i) a[i] = i + " +
        std::to_string(offset) + ";\n}\n";
    const CompileResult result = compiler.compile({.code = code, .flags = default_flags()});
    REQUIRE_MESSAGE(result.library, result.error);
    std::vector<double> a(1000);
    result.library->function<void(int, double*)>("iota")(1000, a.data());
    CHECK(a[999] == 999 + offset);
  }
}

TEST_CASE("native: C++ sources") {
  const Scratch scratch;
  NativeCompiler compiler = compiler_in(scratch);
  const CompileResult result =
      compiler.compile({.code = "template <class T> T twice(T x) { return 2 * x; }\nextern \"C\" int f(int "
                                "x) { return twice(x); }\n",
                        .flags = {"-std=c++17"},
                        .language = "c++"});
  REQUIRE_MESSAGE(result.library, result.error);
  CHECK(result.library->function<int(int)>("f")(5) == 10);
}

TEST_CASE("native: a compile error gives the compiler's words, and does not disturb its neighbours") {
  const Scratch scratch;
  NativeCompiler compiler = compiler_in(scratch);
  const std::vector<NativeSource> sources = {{.code = kTwice},
                                             {.code = "int f(void) { return undeclared_thing; }\n"},
                                             {.code = kTwice},
                                             {.code = "int g(void);\nint h(void) { return g(); }\n"}};
  std::size_t last = 0;
  const auto results = compiler.compile_all(sources, [&](std::size_t done) {
    last = done;
    return true;
  });
  REQUIRE(results.size() == 4);
  CHECK(last == 4);
  CHECK(results[0].library);
  CHECK(results[0].library == results[2].library);
  CHECK_FALSE(results[1].library);
  CHECK(results[1].error.find("undeclared_thing") != std::string::npos);
  CHECK(results[1].error.find("error") != std::string::npos);
  CHECK_FALSE(results[3].library);  // a symbol nobody defines
  CHECK(results[3].error.find("undefined reference to `g'") != std::string::npos);
  for (const char* ending : {".c", ".so"})
    CHECK(count_files(scratch.path() / "kernels" / "tmp", ending) == 0);
}

TEST_CASE("native: without a compiler, the error says what was looked for and how to get it") {
  const Scratch scratch;
  const Variable path("PATH", (scratch.path() / "empty").string());
  const Variable cc("CC", "");
  NativeCompiler compiler = compiler_in(scratch);
  try {
    compiler.compile({.code = kTwice});
    FAIL("expected an EnvironmentError");
  } catch (const EnvironmentError& error) {
    const std::string text = error.what();
    for (const char* part : {"no C compiler", "$CC", "cc, gcc and clang", "apt-get install gcc"})
      CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  }
  const Variable wrong("CC", "no-such-compiler-at-all");
  CHECK_THROWS_WITH_AS(
      compiler.compile({.code = kTwice}),
      "the compiler that $CC names, no-such-compiler-at-all, cannot be found; install one with: apt-get "
      "install gcc g++, or unset CC",
      EnvironmentError);
}

TEST_CASE("native: a compiler may wait, but not work, for longer than its limit") {
  const Scratch scratch;
  const std::string waits = fake_compiler(scratch, "sleep 2; exec cc \"$@\"");
  CHECK(compiler_in(scratch, 1).compile({.code = kTwice, .compiler = waits}).library);
  const std::string works = fake_compiler(scratch, "sh -c 'while :; do :; done'; exit 1");
  const CompileResult result = compiler_in(scratch, 1).compile({.code = "int x;", .compiler = works});
  CHECK(result.timed_out);
  CHECK(result.error == "the compiler needed more than 1 s of processor time");
}

TEST_CASE("native: a compiler that takes too long is ended with what it started") {
  const Scratch scratch;
  const std::string slow = fake_compiler(scratch, "sleep 1000 & echo $! >../../../pid; wait");
  NativeCompiler compiler = compiler_in(scratch, 0.25);
  const CompileResult result = compiler.compile({.code = kTwice, .compiler = slow});
  CHECK_FALSE(result.library);
  CHECK(result.timed_out);
  CHECK(result.error.starts_with("the compiler did not end within 2 s"));
  const auto pid = scratch.path() / "pid";
  if (!std::filesystem::exists(pid)) return;  // ended before the script came that far
  const std::filesystem::path grandchild = "/proc/" + std::to_string(std::stol(read_file(pid))) + "/stat";
  const auto alive = [&] {
    std::string state;
    if (std::ifstream in(grandchild); in) std::getline(in, state);
    return !state.empty() && state.find(") Z ") == std::string::npos;
  };
  while (alive())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // ctest ends it should it not end
}

TEST_CASE("native: compilation stops when told to, and on interruption") {
  const Scratch scratch;
  const std::string slow = fake_compiler(scratch, "sleep 1000");
  NativeCompiler compiler = compiler_in(scratch);
  const std::vector<NativeSource> sources = {
      {.code = kTwice}, {.code = "int a;", .compiler = slow}, {.code = "int b;", .compiler = slow}};

  const auto told = compiler.compile_all(sources, [](std::size_t done) { return done < 1; });
  CHECK(told[0].library);
  CHECK(told[1].stopped);
  CHECK(told[2].error == "not compiled: stopped");

  const InterruptScope scope;
  const auto stopped = compiler.compile_all(sources, [](std::size_t done) {
    if (done == 1) request_interrupt();
    return true;
  });
  CHECK(stopped[0].cached);
  CHECK(stopped[1].stopped);
  CHECK(stopped[2].stopped);
}

TEST_CASE("native: where the cache lies") {
  const Scratch scratch;
  const Variable cache("LIFTGEN_CACHE", "");
  const Variable xdg("XDG_CACHE_HOME", (scratch.path() / "xdg").string());
  CHECK(NativeCompiler().cache_directory() == scratch.path() / "xdg" / "liftgen" / "kernels");
  const Variable chosen("LIFTGEN_CACHE", (scratch.path() / "chosen").string());
  CHECK(NativeCompiler().cache_directory() == scratch.path() / "chosen" / "kernels");

  write_file_atomically(scratch.path() / "file", "");
  const Variable bad("LIFTGEN_CACHE", (scratch.path() / "file" / "below").string());
  CHECK_THROWS_AS(NativeCompiler(), UserError);
}

TEST_CASE("native: an entry that is a folder is replaced") {
  const Scratch scratch;
  std::filesystem::path object;
  {
    NativeCompiler compiler = compiler_in(scratch);
    object = compiler.compile({.code = kTwice}).library->path();
  }
  std::filesystem::remove(object);
  std::filesystem::create_directories(object / "with" / "more");
  CHECK_FALSE(compiler_in(scratch).compile({.code = kTwice}).cached);
  CHECK(compiler_in(scratch).compile({.code = kTwice}).cached);
}

TEST_CASE("native: what cannot be kept is used from where it was made") {
  const Scratch scratch;
  std::shared_ptr<NativeLibrary> library;
  {
    NativeCompiler compiler = compiler_in(scratch);
    const std::filesystem::path object = compiler.compile({.code = kTwice}).library->path();
    std::filesystem::remove_all(object.parent_path());
    write_file_atomically(object.parent_path(), "a file in the folder's place");
    NativeCompiler again = compiler_in(scratch);
    library = again.compile({.code = kTwice}).library;
    REQUIRE(library);
  }
  CHECK(library->function<int(int)>("twice")(21) == 42);
}

TEST_CASE("native: a folder that is deleted while it compiles is made again, and not for ever") {
  const Scratch scratch;
  const std::string folder = scratch.path().string();
  const std::string once =
      fake_compiler(scratch, "if [ ! -e " + folder + "/was ]; then touch " + folder +
                                 "/was; rm -r ../../../kernels; exit 1; fi; exec cc \"$@\"");
  CHECK(compiler_in(scratch).compile({.code = kTwice, .compiler = once}).library);
  const std::string always = fake_compiler(scratch, "rm -r ../../../kernels; exit 1");
  CHECK_THROWS_AS(compiler_in(scratch).compile({.code = "int x;", .compiler = always}), EnvironmentError);
}

TEST_CASE("native: no room, and an object without what was asked for, are the machine's fault") {
  const Scratch scratch;
  const std::string full =
      fake_compiler(scratch, "echo 'a.s: Fatal error: cannot write: No space left on device'; exit 1");
  try {
    (void)compiler_in(scratch).compile({.code = kTwice, .compiler = full});
    CHECK(false);
  } catch (const EnvironmentError& error) {
    const std::string text = error.what();
    CHECK_MESSAGE(text.find("LIFTGEN_CACHE") != std::string::npos, text);
  }
  const auto library = compiler_in(scratch).compile({.code = kTwice}).library;
  REQUIRE(library);
  CHECK_THROWS_AS((void)library->symbol("thrice"), EnvironmentError);
}

TEST_CASE("native: the least recently used objects leave a full cache, with their sources") {
  const Scratch scratch;
  const std::string padding(3000, ' ');
  {
    NativeCompiler compiler = compiler_in(scratch);
    for (const char* name : {"a", "b", "c"})
      CHECK(compiler.compile({.code = "int " + std::string(name) + ";" + padding}).library);
  }
  CHECK(compiler_in(scratch).compile({.code = "int a;" + padding}).cached);  // used again
  const auto size = std::filesystem::file_size(scratch.path() / "kernels" / "index");
  CHECK(size > 0);
  std::size_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
    if (entry.path().extension() == ".so" || entry.path().extension() == ".c") bytes += entry.file_size();
  NativeCompiler small({.cache_directory = scratch.path(), .max_cache_bytes = bytes - 1});
  CHECK(small.compile({.code = "int other;"}).library);
  CHECK(count_files(scratch.path(), ".so") == 3);
  CHECK(count_files(scratch.path(), ".c") == 3);
  CHECK(small.compile({.code = "int a;" + padding}).cached);
  CHECK_FALSE(small.compile({.code = "int b;" + padding}).cached);
}

TEST_CASE("native: a compiler of another version, and other flags, compile again") {
  const Scratch scratch;
  const auto script = [&](const std::string& version) {
    const auto path = scratch.path() / "some-cc";
    write_file_atomically(path, "#!/bin/sh\nif [ \"$1\" = --version ]; then echo some " + version +
                                    "; exit 0; fi\nexec cc \"$@\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  };
  const auto cached = [&](const std::string& version, const std::string& flag) {
    NativeCompiler compiler = compiler_in(scratch);
    const CompileResult r = compiler.compile({.code = kTwice, .flags = {flag}, .compiler = script(version)});
    REQUIRE_MESSAGE(r.library, r.error);
    return r.cached;
  };
  CHECK_FALSE(cached("1.0", "-O1"));
  CHECK(cached("1.0", "-O1"));
  CHECK_FALSE(cached("1.1", "-O1"));
  CHECK_FALSE(cached("1.0", "-O2"));
  CHECK(cached("1.0", "-O1"));
}

TEST_CASE("native: the compiler's name") {
  const Scratch scratch;
  const std::string name = compiler_in(scratch).describe();
  CHECK_MESSAGE(name.find_first_of("0123456789") != std::string::npos, name);
}

}  // namespace native_test
