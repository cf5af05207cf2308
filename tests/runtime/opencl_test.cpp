#include "runtime/opencl.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include <unistd.h>

#include "ir/limit_error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/cache.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;

namespace opencl_test {
namespace {

const char* kSource = R"(
kernel void add(global const float* a, global const float* b, global float* c, float scale) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + scale * b[i];
}
kernel void reverse(global int* data, local int* tile) {
  const size_t l = get_local_id(0);
  tile[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[get_local_size(0) - 1 - l];
}
kernel void where(global int* data) {
  data[get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2))] =
      (int)(get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2));
}
)";

bool skip_without_device() {
  const std::string why = opencl::why_unavailable();
  if (!why.empty()) MESSAGE("skipped: " << why);
  return !why.empty();
}

std::set<std::string> threads_of_this_process() {
  std::set<std::string> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(task.path().string());
  return threads;
}

std::size_t allowed_cpus_of(const std::string& task) {
  std::ifstream in(task + "/status");
  std::size_t cpus = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("Cpus_allowed:")) continue;
    for (const char digit : line.substr(line.find(':') + 1))
      if (std::isxdigit(static_cast<unsigned char>(digit)))
        cpus += static_cast<std::size_t>(
            __builtin_popcount(static_cast<unsigned>(std::stoi(std::string(1, digit), nullptr, 16))));
  }
  return cpus;
}

/// Runs one of the cases marked `skip` below in a process of its own, as a loader is opened once.
ProcessResult run_child(const std::string& name, const std::string& variable) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  return run_process({self, "--no-skip", "--test-case=" + name},
                     {.timeout_seconds = 60, .variables = {variable}});
}

/// Time on processors, in ns.
long long worked(const std::string& task) {
  std::ifstream in(task + "/schedstat");
  long long ns = 0;
  in >> ns;
  return ns;
}

}  // namespace

// First, because a driver starts its threads once.
TEST_CASE("opencl: the driver's threads do not inherit the pinning of who opens it, and all of them work") {
  std::thread([] {
    const int workers = static_cast<int>(std::min<std::size_t>(2, allowed_cpus().size()));
    const test::Variable count("POCL_MAX_PTHREAD_COUNT", std::to_string(workers));
    bind_this_thread({allowed_cpus().front()});  // as OpenMP pins its master
    const auto before = threads_of_this_process();
    if (skip_without_device()) return;
    opencl::Device device;
    const GridBuild built = device.build(
        "kernel void busy(global float* a) { float x = get_global_id(0); for (int n = 0; n < 20000; ++n) x = "
        "x * 0.5f + 1; a[get_global_id(0)] = x; }");
    REQUIRE_MESSAGE(built.program, built.error);
    std::map<std::string, long long> ns;
    for (const auto& thread : threads_of_this_process())
      if (!before.contains(thread)) ns[thread] = worked(thread);
    device.run({built.program->kernel("busy"), {device.allocate(4 * 8192)}, {8192, 1, 1}, {8, 1, 1}, 1, 0});
    int busy = 0;
    for (const auto& [thread, earlier] : ns) {
      CHECK(allowed_cpus_of(thread) == allowed_cpus().size());
      busy += worked(thread) > earlier + 1000000;
    }
    if (device.info().platform == "Portable Computing Language") CHECK(busy == workers);
  }).join();
}

TEST_CASE("opencl: what the devices can do") {
  if (skip_without_device()) return;
  int index = 0;
  for (const auto& device : opencl::devices()) {
    CHECK(device.index == index++);
    CHECK_FALSE(device.name.empty());
    CHECK_FALSE(device.platform.empty());
    CHECK(device.version.starts_with("OpenCL "));
    CHECK(device.compute_units > 0);
    CHECK(device.max_work_group > 0);
    CHECK(device.max_work_items[0] > 0);
    CHECK(device.local_bytes >= 1024);
    CHECK(device.max_allocation <= device.global_bytes);
  }
  CHECK_THROWS_AS(opencl::Device(99), EnvironmentError);
}

TEST_CASE("opencl: vector addition, with buffers, numbers and times") {
  if (skip_without_device()) return;
  opencl::Device device;
  const auto built = device.build(kSource, "-DADD=" + std::to_string(::getpid()));
  REQUIRE_MESSAGE(built.program, built.error);
  CHECK_FALSE(built.cached);

  const std::size_t n = 4096;
  std::vector<float> a(n), b(n), c(n);
  std::iota(a.begin(), a.end(), 0.0f);
  std::iota(b.begin(), b.end(), 1.0f);
  const auto da = device.allocate(n * 4), db = device.allocate(n * 4), dc = device.allocate(n * 4);
  device.write(da, a.data(), n * 4);
  device.write(db, b.data(), n * 4);
  device.fill(dc, -1.0f);
  const GridKernel add = built.program->kernel("add");
  CHECK(add->info().arguments == 4);
  const double ms = device.run({add, {da, db, dc, 2.0f}, {n, 1, 1}, {64, 1, 1}, 1, 0});
  CHECK(ms >= 0);
  device.read(dc, c.data(), n * 4);
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) right = right && c[i] == a[i] + 2 * b[i];
  CHECK(right);

  device.copy(da, dc);
  float one = 0;
  device.read(da, &one, 4, 4 * 10);
  CHECK(one == c[10]);
  CHECK_THROWS_AS(device.read(da, c.data(), n * 4, 4), InternalError);
}

TEST_CASE("opencl: the kernels for timing compile, and processors are timed as they are") {
  if (!opencl::why_unavailable().empty()) return;
  opencl::Device device;
  CHECK(device.launch_ms() > 0);
  if (!device.info().cpu) return;
  const GridKernel idle = device.build(device.timing_source()).program->kernel("liftgen_idle");
  const GridLaunch launch{idle, {}, {1, 1, 1}, {1, 1, 1}, 1, 0};
  CHECK(device.time_from_memory({&launch, 1}, 3) > 0);
}

TEST_CASE("opencl: local memory, several launches at once, three dimensions") {
  if (skip_without_device()) return;
  opencl::Device device;
  const auto program = device.build(kSource).program;
  REQUIRE(program);
  std::vector<std::int32_t> data(64);
  std::iota(data.begin(), data.end(), 0);
  const auto memory = device.allocate(64 * 4);
  device.write(memory, data.data(), 64 * 4);
  const GridKernel reverse = program->kernel("reverse");
  const GridLaunch by16{
      .kernel = reverse, .args = {memory, GridArg::local(16 * 4)}, .global = {64, 1, 1}, .local = {16, 1, 1}};
  const GridLaunch by32{
      .kernel = reverse, .args = {memory, GridArg::local(32 * 4)}, .global = {64, 1, 1}, .local = {32, 1, 1}};
  const std::vector<GridLaunch> launches = {by16, by32, by32};
  CHECK(device.run(launches) >= 0);
  device.read(memory, data.data(), 64 * 4);
  CHECK(data[0] == 15);
  CHECK(data[63] == 48);

  device.run({program->kernel("where"), {memory}, {4, 4, 4}, {2, 1, 4}, 3, 0});
  device.read(memory, data.data(), 64 * 4);
  CHECK(data[63] == 31);
  CHECK(data[2] == 1);
}

TEST_CASE("opencl: a program that does not compile gives the build log") {
  if (skip_without_device()) return;
  opencl::Device device;
  const auto built = device.build("kernel void f(global int* a) { a[0] = undeclared_thing; }");
  CHECK_FALSE(built.program);
  CHECK_MESSAGE(built.error.find("undeclared_thing") != std::string::npos, built.error);
}

TEST_CASE("opencl: programs are kept on disk, and built again when the file is damaged or refused") {
  if (skip_without_device()) return;
  const auto folder =
      std::filesystem::temp_directory_path() / ("liftgen-opencl-test-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  const auto files = [&] {
    std::vector<std::filesystem::path> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
      if (file.path().extension() == ".bin") found.push_back(file.path());
    return found;
  };
  const auto works = [](opencl::Device& device, const GridBuild& built) {
    REQUIRE_MESSAGE(built.program, built.error);
    std::vector<std::int32_t> data(64, 1);
    const auto memory = device.allocate(64 * 4);
    device.run({built.program->kernel("where"), {memory}, {4, 4, 4}, {2, 1, 4}, 3, 0});
    device.read(memory, data.data(), 64 * 4);
    return data[63] == 31;
  };
  {
    opencl::Device device(-1, folder);
    const GridBuild built = device.build(kSource);
    CHECK_FALSE(built.cached);
    CHECK(works(device, built));
    CHECK_FALSE(device.build(kSource, "-DOTHER").cached);
    CHECK(files().size() == 2);
  }
  {
    opencl::Device device(-1, folder);
    const GridBuild built = device.build(kSource);
    CHECK(built.cached);
    CHECK(built.seconds == 0);
    CHECK(works(device, built));
  }
  // Damaged on the disk, then in a way that only the driver can tell.
  for (const auto& file : files()) std::ofstream(file, std::ios::app) << "x";
  {
    opencl::Device device(-1, folder);
    const GridBuild built = device.build(kSource);
    CHECK_FALSE(built.cached);
    CHECK(works(device, built));
  }
  const BinaryCache cache(folder);
  for (const auto& file : files()) cache.keep(file.stem().string(), "no binary of any driver");
  opencl::Device device(-1, folder);
  const GridBuild built = device.build(kSource);
  CHECK_FALSE(built.cached);
  CHECK(works(device, built));
  std::filesystem::remove_all(folder);
}

TEST_CASE("opencl: what the device cannot do is said in words") {
  if (skip_without_device()) return;
  opencl::Device device;
  const auto program = device.build(kSource).program;
  REQUIRE(program);
  const auto memory = device.allocate(1 << 20);
  const GridKernel reverse = program->kernel("reverse");
  const std::size_t far = 2 * device.info().max_work_group;
  CHECK_THROWS_WITH_AS(device.run({reverse, {memory, GridArg::local(64)}, {10, 1, 1}, {4, 1, 1}, 1, 0}),
                       "kernel reverse: work-groups of 4 do not divide the grid's 10 in dimension 0",
                       UserError);
  CHECK_THROWS_AS(device.run({reverse, {memory, GridArg::local(64)}, {far, 1, 1}, {far, 1, 1}, 1, 0}),
                  LimitError);
  CHECK_THROWS_AS(
      device.run(
          {reverse, {memory, GridArg::local(device.info().local_bytes + 4)}, {4, 1, 1}, {4, 1, 1}, 1, 0}),
      LimitError);
  CHECK_THROWS_WITH_AS(device.run({reverse, {memory}, {4, 1, 1}, {4, 1, 1}, 1, 0}),
                       "kernel reverse takes 2 arguments, not 1", InternalError);
  CHECK_THROWS_AS(device.run({reverse, {GridMemory(), GridArg::local(16)}, {4, 1, 1}, {4, 1, 1}, 1, 0}),
                  InternalError);
  CHECK_THROWS_AS(program->kernel("nothing"), InternalError);
  CHECK_THROWS_AS(device.allocate(device.info().max_allocation + 1), OutOfDeviceMemory);
}

TEST_CASE("opencl: without a loader or a driver, the error says how to get one") {
  const auto no_loader = run_child("opencl child: no loader", "LIFTGEN_OPENCL_LIBRARY=libNoSuchLoader.so.1");
  CHECK_MESSAGE(no_loader.status == 0, no_loader.output);
  if (skip_without_device()) return;
  if (!std::filesystem::exists("/etc/OpenCL/vendors"))
    return;  // not the loader whose variable the child sets
  const auto no_driver = run_child("opencl child: no driver", "OCL_ICD_VENDORS=/nonexistent");
  CHECK_MESSAGE(no_driver.status == 0, no_driver.output);
}

TEST_CASE("opencl child: no loader" * doctest::skip()) {
  CHECK_THROWS_WITH_AS(
      opencl::devices(),
      "no OpenCL loader: libNoSuchLoader.so.1 cannot be opened; for OpenCL on the processor: apt-get install "
      "ocl-icd-libopencl1 pocl-opencl-icd; for a GPU: its vendor's driver",
      EnvironmentError);
}

TEST_CASE("opencl child: no driver" * doctest::skip()) {
  const std::string why = opencl::why_unavailable();
  CHECK_MESSAGE(why.find("no OpenCL platform") != std::string::npos, why);
  CHECK_MESSAGE(why.find("apt-get install") != std::string::npos, why);
  CHECK_THROWS_AS(opencl::Device(0), EnvironmentError);
}

}  // namespace opencl_test
