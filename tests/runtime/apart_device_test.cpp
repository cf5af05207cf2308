// Devices in a process of their own: one in host memory whose "kernels" are named after what goes wrong, and
// OpenCL's.
#include "runtime/apart_device.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "ir/limit_error.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "runtime/worker.hpp"
#include "tests/message.hpp"

using namespace lift;

namespace apart_device_test {
namespace {

struct Bytes final : GridBuffer {
  std::vector<unsigned char> data;
  explicit Bytes(std::size_t n) : GridBuffer(n), data(n, 0xAA) {}
};
std::vector<unsigned char>& data_of(const GridBuffer& b) {
  return const_cast<std::vector<unsigned char>&>(static_cast<const Bytes&>(b).data);
}

struct NamedKernel final : GridFunction {
  explicit NamedKernel(const std::string& name) : GridFunction(name) { info_.max_work_group = 64; }
};
struct NamedProgram final : GridProgram {
  GridKernel kernel(const std::string& name) override { return std::make_shared<NamedKernel>(name); }
};

class Fake final : public GridDevice {
 public:
  explicit Fake(bool cpu) {
    info_.name = "fake", info_.cpu = cpu, info_.max_work_group = 64, info_.chooses_local_size = true;
    info_.max_allocation = 1 << 30, info_.cache_bytes = 4096, info_.max_work_items = {64, 64, 64};
  }
  std::string default_options() const override { return "-fake"; }
  std::string timing_source() const override { return "timing"; }

 private:
  GridBuild build_one(const std::string& source, const std::string& options) override {
    GridBuild b;
    if (source == "crashing source") ::raise(SIGSEGV);
    if (source == "wrong")
      b.error = "wrong with " + options;
    else
      b.program = std::make_shared<NamedProgram>();
    return b;
  }
  GridMemory allocate_bytes(std::size_t bytes) override {
    if (bytes > 1 << 28) throw OutOfDeviceMemory("too much");
    return std::make_shared<Bytes>(bytes);
  }
  void write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) override {
    std::memcpy(data_of(to).data() + offset, from, bytes);
  }
  void read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) override {
    std::memcpy(to, data_of(from).data() + offset, bytes);
  }
  void copy_bytes(GridBuffer& to, GridBuffer& from) override { data_of(to) = data_of(from); }
  void fill_bytes(GridBuffer& to, const void* pattern, std::size_t bytes) override {
    for (std::size_t at = 0; at < to.bytes(); at += bytes)
      std::memcpy(data_of(to).data() + at, pattern, bytes);
  }
  double run_all(std::span<const GridLaunch> launches, int times) override {
    const std::string& name = launches.front().kernel->name();
    if (name == "compiled late") ::usleep(1500000);
    tell_queued();
    if (name == "crash") ::raise(SIGSEGV);
    if (name == "leave") std::exit(3);
    while (name == "spin") ::usleep(1000);
    if (name == "lose") throw DeviceLost("illegal address");
    if (name == "limit") throw LimitError("too large");
    if (name == "liftgen_read") ++flushes_;
    if (name == "flushes") return flushes_;
    if (name == "add")  // to every byte, the number
      for (unsigned char& b : data_of(*launches.front().args[0].memory()))
        b = static_cast<unsigned char>(b + *static_cast<const int*>(launches.front().args[1].value()));
    return times;
  }
  int flushes_ = 0;
};

std::shared_ptr<GridDevice> open_fake(bool cpu = false) {
  return open_apart([cpu] { return std::make_unique<Fake>(cpu); }, false);
}

/// Runs the test in a process of its own where an OpenMP run time is open in this one.
bool ran_elsewhere(const std::string& test) {
  if (Worker::is_possible()) return false;
  const ProcessResult r = run_process({"/proc/self/exe", "-tc=" + test}, {.timeout_seconds = 300});
  CHECK_MESSAGE(r.status == 0, r.output);
  return true;
}

double run(GridDevice& device, GridProgram& program, const char* kernel, std::vector<GridArg> args = {}) {
  return device.run({program.kernel(kernel), std::move(args)});
}

/// A buffer of so many bytes goes through the device and back.
bool carries(GridDevice& device, GridProgram& program, std::size_t n) {
  std::vector<unsigned char> bytes(n), back(n);
  std::iota(bytes.begin(), bytes.end(), 0);
  const GridMemory a = device.allocate(n), b = device.allocate(n);
  device.write(a, bytes.data(), n);
  device.copy(b, a);
  run(device, program, "add", {b, 5});
  device.read(b, back.data(), n);
  for (std::size_t i = 0; i < n; ++i)
    if (back[i] != static_cast<unsigned char>(bytes[i] + 5)) return false;
  device.read(b, back.data(), n / 2, n / 4);
  return back[0] == static_cast<unsigned char>(bytes[n / 4] + 5);
}

}  // namespace

TEST_CASE("apart: a device in another process does what it does in this one") {
  if (ran_elsewhere("apart: a device in another*")) return;
  const auto device = open_fake();
  REQUIRE(device->worker());
  CHECK(device->info().name == "fake");
  CHECK(device->default_options() == "-fake");
  const GridBuild built = device->build("source");
  REQUIRE(built.program);
  CHECK(device->build("source").cached);
  CHECK(device->build("wrong", "-more").error == "wrong with -fake -more");
  CHECK(carries(*device, *built.program, 1000));
  CHECK(carries(*device, *built.program, 5000000));  // in several chunks
  const GridMemory filled = device->allocate(16);
  device->fill(filled, std::int32_t{0x01020304});
  std::int32_t got = 0;
  device->read(filled, &got, 4, 8);
  CHECK(got == 0x01020304);
  // Written before the process began: it is seen there under its address.
  static std::int32_t there = 7;
  const GridMemory small = device->allocate(4);
  device->write_there(small, &there);
  device->read(small, &got, 4);
  CHECK(got == 7);
  CHECK(device->contents(small) == nullptr);
  // By its own clock, or as processors are timed.
  const GridLaunch nothing{built.program->kernel("nothing"), {}};
  CHECK(device->time({&nothing, 1}, 1000) == 1000);
  CHECK(device->time_from_memory({&nothing, 1}, 7) == 7);
  CHECK(run(*device, *built.program, "flushes") == 7);
  CHECK(device->launch_ms() == 1);
  const auto processors = open_fake(true);
  const auto program = processors->build("source").program;
  const GridLaunch idle{program->kernel("nothing"), {}};
  CHECK(processors->time({&idle, 1}, 1000) < 900);
  // Errors keep their classes.
  CHECK_THROWS_WITH_AS(run(*device, *built.program, "limit"), "too large", LimitError);
  CHECK_THROWS_WITH_AS(device->allocate(1 << 29), "too much", OutOfDeviceMemory);
  CHECK(device->generation() == 1);
}

TEST_CASE("apart: what a device's process is lost to is said, and the next one goes on") {
  if (ran_elsewhere("apart: what a device's process*")) return;
  // What this program does at its end is not done by a process that a kernel ends.
  static const pid_t parent = ::getpid();
  std::atexit([] {
    if (::getpid() != parent) ::_exit(99);
  });
  const auto device = open_fake();
  const auto program = device->build("source").program;
  device->set_limit(0.5);
  unsigned generation = 1;
  const auto lost = [&](const char* kernel) {
    CHECK(device->generation() == generation);
    const GridMemory before = device->allocate(4);
    std::string what;
    try {
      run(*device, *program, kernel);
    } catch (const WorkerLost& error) {
      what = (error.kind == WorkerLost::Kind::hung ? "hung: " : "crashed: ") + std::string(error.what());
    }
    CHECK(device->generation() == ++generation);
    int number = 0;
    CHECK_THROWS_WITH_AS(device->read(before, &number, 4), doctest::Contains("of a process that has ended"),
                         InternalError);
    CHECK(carries(*device, *program, 100));  // the program is there again
    return what;
  };
  CHECK(lost("crash") == "crashed: the kernel crashed: Segmentation fault");
  CHECK(lost("leave") == "crashed: the kernel ended the process, with status 3");
  CHECK(lost("spin") == "hung: the kernel did not end within 0.5 s");
  for (int again = 0; again < 6; ++again)
    CHECK(lost("lose") == "crashed: the kernel crashed: illegal address");
  CHECK_NOTHROW(run(*device, *program, "compiled late"));  // the limit is for what runs
  CHECK(device->generation() == generation);
}

TEST_CASE("apart: a device that fails again and again, or that cannot be opened again, is lost") {
  if (ran_elsewhere("apart: a device that fails*")) return;
  const auto device = open_fake();
  const auto program = device->build("source").program;
  int recorded = 0;
  const auto until_lost = [&] {
    for (; recorded < 100; ++recorded) try {
        run(*device, *program, "lose");
      } catch (const WorkerLost&) {
      }
  };
  CHECK_THROWS_AS(until_lost(), DeviceLost);
  CHECK(recorded == 4);

  static bool broken;
  broken = false;
  const auto breaking = open_apart(
      []() -> std::unique_ptr<GridDevice> {
        if (broken) throw EnvironmentError("no such device");
        return std::make_unique<Fake>(false);
      },
      false);
  broken = true;
  CHECK_THROWS_AS(run(*breaking, *breaking->build("source").program, "crash"), WorkerLost);
  const std::string what = test::message<DeviceLost>([&] { (void)breaking->generation(); });
  CHECK_MESSAGE(what.starts_with("the device cannot be opened again: no such device"), what);
  CHECK_THROWS_AS(breaking->allocate(4), DeviceLost);

  CHECK_THROWS_WITH_AS(open_apart([]() -> std::unique_ptr<GridDevice> { std::abort(); }, false),
                       "the device's driver crashed: Aborted when the device was opened", EnvironmentError);
}

TEST_CASE("apart: a program that its compiler crashes at is one that does not compile") {
  if (ran_elsewhere("apart: a program that*")) return;
  const auto device = open_fake();
  const std::vector<std::string> sources = {"one", "crashing source", "wrong", "one", "two"};
  const std::vector<GridBuild> built = device->build_all(sources);
  CHECK(built[0].program);
  CHECK(built[1].error == "the device's compiler crashed: Segmentation fault");
  CHECK(built[2].error == "wrong with -fake");
  CHECK(built[3].program == built[0].program);
  CHECK(carries(*device, *built[0].program, 10));
  CHECK(carries(*device, *built[4].program, 10));
  const std::vector<GridBuild> stopped =
      device->build_all(sources, "-other", [](std::size_t) { return false; });
  CHECK_FALSE(stopped[1].program);
}

TEST_CASE("apart: OpenCL kernels that crash or do not end, and the next one") {
  if (ran_elsewhere("apart: OpenCL kernels*")) return;
  if (const std::string why = opencl::why_unavailable(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  if (opencl::is_open()) {  // by other cases of this program
    const ProcessResult r =
        run_process({"/proc/self/exe", "-tc=apart: OpenCL kernels*"}, {.timeout_seconds = 300});
    CHECK_MESSAGE(r.status == 0, r.output);
    return;
  }
  const auto device = open_apart([] { return std::make_unique<opencl::Device>(); }, opencl::is_open());
  REQUIRE(device->worker());
  CHECK_FALSE(opencl::is_open());
  const GridBuild built = device->build(
      "kernel void add(global int* a) { a[get_global_id(0)] += 1; }\n"
      "kernel void crash(global int* a) { volatile global int* p = 0; *p = a[0]; }\n"
      "kernel void spin(global int* a) { for (volatile int i = 0; i < 1; i = 0) {} }\n");
  REQUIRE_MESSAGE(built.program, built.error);
  const auto sum = [&](const char* kernel) {
    const GridMemory memory = device->allocate(4 * 64);
    device->fill(memory, std::int32_t{2});
    device->run({built.program->kernel(kernel), {memory}, {64, 1, 1}, {16, 1, 1}, 1, 0});
    std::vector<std::int32_t> numbers(64);
    device->read(memory, numbers.data(), 4 * 64);
    return std::accumulate(numbers.begin(), numbers.end(), 0);
  };
  device->set_limit(3);
  CHECK(sum("add") == 3 * 64);
  CHECK_THROWS_WITH_AS(sum("crash"), "the kernel crashed: Segmentation fault", WorkerLost);
  CHECK(sum("add") == 3 * 64);
  CHECK_THROWS_WITH_AS(sum("spin"), "the kernel did not end within 3 s", WorkerLost);
  CHECK(sum("add") == 3 * 64);
  CHECK(device->generation() == 3);
}

}  // namespace apart_device_test
