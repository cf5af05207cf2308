// Buffers, parallel loops, affinity, measurement, interruption, files, processes.
#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/buffer.hpp"
#include "runtime/file.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/measure.hpp"
#include "runtime/parallel.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
using lift::test::Variable;

namespace host_test {

TEST_CASE("buffer: aligned, zeroed, readable beyond both ends") {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{3} << 20, std::size_t{9} << 20}) {
    CAPTURE(bytes);
    Buffer buffer(bytes, {.threads = 2});
    CHECK(buffer.bytes() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    const auto all = buffer.as<unsigned char>();
    CHECK(std::all_of(all.begin(), all.end(), [](unsigned char byte) { return byte == 0; }));
    const volatile char* data = static_cast<const char*>(buffer.data());
    CHECK(data[-static_cast<std::ptrdiff_t>(Buffer::slack)] + data[bytes + Buffer::slack - 1] == 0);
  }
  CHECK(Buffer(20).as<double>().size() == 2);
}

TEST_CASE("buffer: successive ones start at different lines of a page, unless told where") {
  const Buffer a(64), b(64);
  const auto line = [](const Buffer& buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096;
  };
  CHECK(line(a) != line(b));
  const Buffer c(64, {.skew = 128}), d(64, {.skew = 128});
  CHECK(line(c) == line(d));
  CHECK_THROWS_AS(Buffer(64, {.skew = 8}), InternalError);
}

TEST_CASE("buffer: copies, clears, moves") {
  Buffer a(std::size_t{5} << 20, {.threads = 3});
  auto numbers = a.as<std::int32_t>();
  std::iota(numbers.begin(), numbers.end(), 7);
  Buffer b(a.bytes(), {.threads = 2});
  b.copy_from(a);
  CHECK(std::equal(numbers.begin(), numbers.end(), b.as<std::int32_t>().begin()));
  a.clear();
  CHECK(numbers[1000] == 0);
  const void* where = b.data();
  Buffer c = std::move(b);
  CHECK(c.data() == where);
  CHECK(c.as<const std::int32_t>()[3] == 10);
  Buffer wrong(16);
  CHECK_THROWS_AS(wrong.copy_from(a), InternalError);
}

TEST_CASE("buffer: more than there is") { CHECK_THROWS_AS(Buffer(std::size_t{1} << 60), UserError); }

TEST_CASE("parallel: chunks cover the range once, in order of threads") {
  for (const std::size_t n : {0, 1, 2, 3, 17, 1000}) {
    for (const int threads : {1, 2, 3, 8}) {
      std::vector<std::atomic<int>> hits(n);
      std::atomic<int> calls{0};
      parallel_for_chunks(n, threads, [&](std::size_t begin, std::size_t end) {
        ++calls;
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
      });
      CHECK(std::all_of(hits.begin(), hits.end(), [](const auto& count) { return count == 1; }));
      CHECK(calls == std::min<int>(threads, static_cast<int>(n)));
    }
  }
  CHECK_THROWS_AS(parallel_for_chunks(10, 2,
                                      [](std::size_t begin, std::size_t) {
                                        if (begin > 0) throw std::runtime_error("here");
                                      }),
                  std::runtime_error);
}

TEST_CASE("affinity: threads and children of a pinned thread get the process's processors back") {
  CHECK(!allowed_cpus().empty());
  CHECK(default_threads() >= 1);
  std::size_t cpus = 0;
  for (const auto& place : core_places()) cpus += place.size();
  CHECK(cpus == allowed_cpus().size());
  CHECK(place_of_thread(0, 1) == core_places().front());
  CHECK(place_of_thread(3, 4) == (core_places().size() < 4 ? core_places().back() : core_places()[3]));

  std::thread([] {
    const auto allowed = [] {
      cpu_set_t set;
      CPU_ZERO(&set);
      sched_getaffinity(0, sizeof set, &set);
      return static_cast<std::size_t>(CPU_COUNT(&set));
    };
    bind_this_thread(allowed_cpus());
    const auto unpinned = run_process({"grep", "Cpus_allowed_list", "/proc/self/status"});
    CHECK(unpinned.status == 0);
    bind_this_thread({allowed_cpus().back()});
    CHECK(allowed() == 1);
    {
      const OriginalAffinity scope;
      CHECK(allowed() == allowed_cpus().size());
    }
    CHECK(allowed() == 1);
    const auto child = run_process({"grep", "Cpus_allowed_list", "/proc/self/status"});
    CHECK(child.output == unpinned.output);
  }).join();
}

TEST_CASE("affinity: the number of threads and the binding follow the user's settings") {
  {
    const Variable threads("OMP_NUM_THREADS", "1");
    CHECK(default_threads() == 1);
    const Variable more("OMP_NUM_THREADS", "100000");
    CHECK(default_threads() == static_cast<int>(allowed_cpus().size()));
    const Variable bind("OMP_PROC_BIND", "false");
    CHECK_FALSE(should_pin(4));
  }
  CHECK_FALSE(should_pin(1));
}

namespace {

/// A run that takes `ms` by a clock of its own; `calls` counts them.
TimedRun taking(double ms, long& calls) {
  return [ms, &calls](int times) {
    calls += times;
    return ms * times;
  };
}

}  // namespace

TEST_CASE("measure: counts of runs, callbacks, and batches of short runs") {
  int calls = 0;
  int between = 0;
  const auto slow = [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(6));
  };
  const Timing timing = measure(
      slow, {.warmup = 2, .min_runs = 4, .max_runs = 5, .max_seconds = -1, .between = [&] { ++between; }});
  CHECK(timing.runs == 4);
  CHECK(calls == 6);
  CHECK(between == 6);
  CHECK_FALSE(timing.aborted);
  CHECK(timing.min_ms >= 6);
  CHECK(timing.min_ms <= timing.median_ms);
  CHECK(timing.median_ms <= timing.max_ms);

  long short_calls = 0;
  const Timing batched = measure(taking(0.01, short_calls), {.min_runs = 3, .max_runs = 3});
  CHECK(batched.runs == 3);
  CHECK(batched.median_ms == doctest::Approx(0.01));
  CHECK(short_calls >= 3 * 200);  // samples of 2 ms
}

TEST_CASE("measure: what cannot win is given up early") {
  long calls = 0;
  const TimedRun slow = taking(6, calls);
  const Timing hopeless = measure(slow, {.max_runs = 9, .abort_above_ms = 1});
  CHECK(hopeless.aborted);
  CHECK(hopeless.runs == 1);
  CHECK(calls == 2);
  const Timing close = measure(slow, {.max_runs = 9, .abort_above_ms = 5.5});
  CHECK(close.aborted);
  CHECK(close.runs == 2);
  // What is behind, but not hopeless, is timed twice.
  const Timing brief = measure(slow, {.max_runs = 9, .abort_above_ms = 10, .brief_above_ms = 5.5});
  CHECK_FALSE(brief.aborted);
  CHECK(brief.runs == 2);
  CHECK(brief.median_ms == 6);
  CHECK(measure(slow, {.max_runs = 9, .abort_above_ms = 10, .brief_above_ms = 6.5}).runs == 9);
  // One run that was disturbed after a fast one gives nothing up.
  long done = 0;
  const TimedRun disturbed = [&](int times) { return times * (++done == 3 ? 60.0 : 6.0); };
  const Timing kept = measure(disturbed, {.min_runs = 4, .max_runs = 4, .abort_above_ms = 7});
  CHECK_FALSE(kept.aborted);
  CHECK(kept.runs == 4);
  CHECK(kept.median_ms == 6);
}

TEST_CASE("measure: an interruption ends it after the sample under way") {
  const InterruptScope scope;
  int calls = 0;
  const Timing timing = measure(
      [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(6));
        if (++calls == 3) request_interrupt();
      },
      {.warmup = 1, .min_runs = 9, .max_runs = 9});
  CHECK(timing.aborted);
  CHECK(timing.runs == 2);
}

TEST_CASE("measure: side by side, in turn") {
  std::string order;
  const auto slow = [&](char name) {
    return [&order, name] {
      order += name;
      std::this_thread::sleep_for(std::chrono::milliseconds(6));
    };
  };
  const std::vector<TimedRun> runs = {slow('A'), slow('B'), slow('C')};
  const auto timings = interleaved(runs, {.rounds = 3});
  REQUIRE(timings.size() == 3);
  CHECK(order == "ABCABCABCABC");
  CHECK(timings[1].runs == 3);

  // What is far behind the fastest takes part in every third round.
  long fast_calls = 0, slow_calls = 0;
  const std::vector<TimedRun> both = {taking(6, fast_calls), taking(30, slow_calls)};
  const auto seldom = interleaved(both, {.rounds = 7, .far = 4});
  CHECK(seldom[0].runs == 7);
  CHECK(seldom[1].runs == 3);
  CHECK(seldom[1].median_ms == 30);
  CHECK(interleaved(both, {.rounds = 7, .far = 6})[1].runs == 7);
  // Time that is up ends it, but not before the least rounds.
  CHECK(interleaved(both, {.rounds = 7, .least_rounds = 4, .seconds = 0})[0].runs == 4);
}

TEST_CASE("measure: the median") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(median({5}) == 5);
}

TEST_CASE("interrupt: the signals set the flag within a scope, and former handlers come back") {
  const auto handler = [](int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler;
  };
  const auto before = handler(SIGTERM);
  CHECK_FALSE(interrupted());
  for (const int signal : {SIGINT, SIGTERM}) {
    const InterruptScope outer;
    CHECK((handler(SIGTERM) != before));
    {
      const InterruptScope inner;
      raise(signal);
      CHECK(interrupted());
    }
    CHECK(interrupted());
  }
  CHECK_FALSE(interrupted());
  CHECK((handler(SIGTERM) == before));
}

TEST_CASE("file: written whole or not at all") {
  const Scratch scratch;
  const auto path = scratch.path() / "a.txt";
  const auto entries = [&] {
    return std::distance(std::filesystem::directory_iterator(scratch.path()),
                         std::filesystem::directory_iterator{});
  };
  write_file_atomically(path, "first");
  std::filesystem::permissions(path,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  write_file_atomically(path, std::string(100000, 'x'));
  CHECK(read_file(path) == std::string(100000, 'x'));
  CHECK(std::filesystem::status(path).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(entries() == 1);

  std::filesystem::create_symlink("a.txt", scratch.path() / "link");
  write_file_atomically(scratch.path() / "link", "through");
  CHECK(read_file(path) == "through");
  CHECK(std::filesystem::is_symlink(scratch.path() / "link"));

  CHECK_THROWS_AS(write_file_atomically(scratch.path() / "none" / "a.txt", "x"), UserError);
  CHECK_THROWS_AS(write_file_atomically(scratch.path(), "x"), UserError);
  CHECK_THROWS_WITH_AS(
      read_file(scratch.path() / "nothing"),
      ("cannot read " + (scratch.path() / "nothing").string() + ": No such file or directory").c_str(),
      UserError);
  CHECK_THROWS_AS(read_file(scratch.path()), UserError);
  CHECK(entries() == 2);
}

TEST_CASE("file: a full device leaves the former text") {
  if (!std::filesystem::exists("/dev/full")) return;
  CHECK_THROWS_WITH_AS(write_file_atomically("/dev/full", "x"),
                       "cannot write /dev/full: No space left on device", UserError);
}

TEST_CASE("file: a failure while writing removes what was begun") {
  const Scratch scratch;
  const auto path = scratch.path() / "a.txt";
  write_file_atomically(path, "former");
  // In a child, because a limit once lowered stays.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file_atomically(path, std::string(5000, 'x'));
    } catch (const UserError&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_file(path) == "former");
  CHECK(std::distance(std::filesystem::directory_iterator(scratch.path()),
                      std::filesystem::directory_iterator{}) == 1);
}

TEST_CASE("file: directories") {
  const Scratch scratch;
  make_directories(scratch.path() / "a" / "b");
  make_directories(scratch.path() / "a" / "b");
  CHECK(std::filesystem::is_directory(scratch.path() / "a" / "b"));
  write_file_atomically(scratch.path() / "file", "");
  CHECK_THROWS_AS(make_directories(scratch.path() / "file" / "c"), UserError);
  CHECK_THROWS_AS(make_directories(scratch.path() / "file"), UserError);
}

TEST_CASE("process: output, status, directory, environment, time limit") {
  const Scratch scratch;
  const auto shell = [&](const std::string& text, ProcessOptions options = {}) {
    return run_process({"sh", "-c", text}, options);
  };
  const auto both = shell("echo out; echo err >&2; exit 3");
  CHECK(both.status == 3);
  CHECK(both.output == "out\nerr\n");
  CHECK(shell("pwd -P", {.directory = scratch.path().string()}).output ==
        std::filesystem::canonical(scratch.path()).string() + "\n");
  CHECK(shell("echo $COLOUR", {.variables = {"COLOUR=red"}}).output == "red\n");
  CHECK(shell("head -c 5000000 /dev/zero", {.max_output = 1000}).output.size() == 1000);
  CHECK(shell("kill -9 $$").status == 128 + 9);
  const auto slow = shell("sleep 1000", {.timeout_seconds = 0.1});
  CHECK(slow.timed_out);
  CHECK(slow.status > 128);
  CHECK_THROWS_AS(run_process({"no-such-program-at-all"}), EnvironmentError);
  CHECK(find_program("sh").ends_with("/sh"));
  CHECK(find_program("sh").starts_with("/"));
  CHECK(find_program("/no/such/thing").empty());
}

TEST_CASE("process: one that does not heed SIGTERM is ended by SIGKILL") {
  Process deaf({"sh", "-c", "trap '' TERM; echo deaf; sleep 1000"}, {});
  while (deaf.output().empty() && !deaf.poll()) wait_for_any({&deaf}, 100);
  CHECK(deaf.output() == "deaf\n");
  deaf.stop();
  CHECK(deaf.status() == 128 + 9);
}

}  // namespace host_test
