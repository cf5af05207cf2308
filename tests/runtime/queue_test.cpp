// Queues of devices: what is asked of them is done in order, later, and what goes wrong is thrown by wait.
#include "runtime/grid_queue.hpp"

#include <doctest/doctest.h>

#include "ir/limit_error.hpp"
#include "runtime/cuda.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/opencl.hpp"
#include "tests/message.hpp"
#include "tests/runtime/fake_cuda.hpp"

using namespace lift;
using lift::test::FakeCuda;
using lift::test::message;
using lift::test::Variable;

namespace queue_test {
namespace {

const char* const kCuda =
    "extern \"C\" __global__ void __launch_bounds__(4) twice(float *__restrict__ x) {\n"
    "  x[blockIdx.x * 4 + threadIdx.x] *= 2;\n"
    "}\n";
const char* const kOpencl = "kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }";

GridLaunch twice(GridDevice& device, const char* source, const GridMemory& x) {
  const GridBuild built = device.build(source);
  REQUIRE_MESSAGE(built.program, built.error);
  return {built.program->kernel("twice"), {x}, {8, 1, 1}, {4, 1, 1}, 1, 0};
}

std::vector<float> contents(GridDevice& device, const GridMemory& x) {
  std::vector<float> all(8);
  device.read(x, all.data(), 32);
  return all;
}

/// The same of every device.
void check_order(GridDevice& device, const char* source, int many) {
  const std::shared_ptr<GridQueue> queue = device.new_queue(), other = device.new_queue();
  const GridMemory x = device.allocate(32), y = device.allocate(32), z = device.allocate(32);
  const std::vector<float> ones(8, 1), threes(2, 3);
  std::vector<float> back(8);
  CHECK(queue->is_idle());
  const GridTransfers before = device.transfers();
  const GridLaunch doubled = twice(device, source, x);
  const std::vector<GridLaunch> four = {doubled, doubled};
  queue->write(x, ones.data(), 32);
  queue->write(x, threes.data(), 8, 24);
  queue->run(four);
  queue->copy(y, x);
  queue->run(four);
  CHECK_FALSE(queue->is_idle());
  other->follow(queue);
  other->copy(z, x);
  queue->follow(other);
  queue->run(four);
  other->read(z, back.data(), 32);
  other->wait();
  CHECK(back == std::vector<float>{16, 16, 16, 16, 16, 16, 48, 48});
  CHECK(other->is_idle());
  queue->wait();
  CHECK(contents(device, x) == std::vector<float>{64, 64, 64, 64, 64, 64, 192, 192});
  CHECK(contents(device, y) == std::vector<float>{4, 4, 4, 4, 4, 4, 12, 12});
  const GridTransfers after = device.transfers();
  CHECK(after.writes - before.writes == 2);
  CHECK(after.written_bytes - before.written_bytes == 40);
  CHECK(after.reads - before.reads == 3);
  for (int run = 0; run < many; ++run) queue->run({&doubled, 1});
  queue->write(x, ones.data(), 32);
  queue->wait();
  CHECK(contents(device, x) == ones);
  // Gathered: divided by what else is asked, and before what another queue asks after them.
  queue->hold();
  queue->run({&doubled, 1});
  queue->hold();
  queue->run({&doubled, 1});
  queue->release();
  queue->copy(y, x);
  queue->run({&doubled, 1});
  other->follow(queue);
  other->copy(z, x);
  other->wait();
  CHECK(contents(device, z) == std::vector<float>(8, 8));
  queue->run({&doubled, 1});
  queue->release();
  CHECK_THROWS_AS(queue->release(), InternalError);
  queue->run({&doubled, 1});
  queue->hold();
  queue->run({&doubled, 1});
  queue->wait();
  queue->release();
  CHECK(contents(device, y) == std::vector<float>(8, 4));
  CHECK(contents(device, x) == std::vector<float>(8, 64));
  queue->write(x, ones.data(), 32);
  queue->wait();
  // What requests use is kept for them.
  GridMemory brief = device.allocate(32);
  const std::weak_ptr<GridBuffer> watched = brief;
  queue->copy(brief, x);
  brief = nullptr;
  CHECK_FALSE(watched.expired());
  queue->wait();
  CHECK(watched.expired());
  CHECK_THROWS_AS(queue->write(x, ones.data(), 32, 4), InternalError);
  CHECK_THROWS_AS(queue->copy(x, device.allocate(16)), InternalError);
  CHECK_THROWS_AS(queue->read(nullptr, back.data(), 4), InternalError);
  GridLaunch wrong = doubled;
  wrong.local = {3, 1, 1};
  CHECK_THROWS_AS(queue->run({&wrong, 1}), UserError);
  CHECK(queue->is_idle());
}

}  // namespace

TEST_CASE("queue: requests in order on a device that is emulated") {
  NativeCompiler compiler;
  const auto device = make_cuda_host_device(compiler);
  check_order(*device, kCuda, 5);
  // Nothing is done before it is waited for, and nothing after what failed.
  const auto queue = device->new_queue(), other = device->new_queue();
  const GridMemory x = device->allocate(32), short_one = device->allocate(16);
  const std::vector<float> ones(8, 1);
  device->fill(x, 0.0f);
  queue->write(x, ones.data(), 32);
  CHECK(contents(*device, x) == std::vector<float>(8, 0));
  GridLaunch beyond = twice(*device, kCuda, short_one);
  queue->run({&beyond, 1});
  queue->run({&beyond, 1});
  const GridLaunch well = twice(*device, kCuda, x);
  queue->run({&well, 1});
  other->follow(queue);
  CHECK_NOTHROW(other->wait());
  CHECK(contents(*device, x) == ones);
  CHECK_THROWS_AS(queue->wait(), KernelFault);
  CHECK_NOTHROW(queue->wait());
  CHECK(contents(*device, x) == ones);
  queue->run({&well, 1});
  CHECK_NOTHROW(queue->wait());
  CHECK(contents(*device, x) == std::vector<float>(8, 2));
  const auto another = make_cuda_host_device(compiler);
  CHECK_THROWS_AS(another->new_queue()->follow(queue), InternalError);
}

TEST_CASE("queue: requests in order with OpenCL") {
  if (const std::string why = opencl::why_unavailable(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  opencl::Device device;
  check_order(device, kOpencl, 1000);
  // One queue waits for another that takes its time; and each for itself, as it goes.
  const GridMemory x = device.allocate(32), y = device.allocate(32);
  std::vector<float> back(8);
  {
    const GridBuild slow = device.build(
        "kernel void slow(global float* x) { float a = 0; for (int n = 0; n < 4000000; ++n) a = a * 0.5f + "
        "1; "
        "x[get_global_id(0)] = a; }");
    REQUIRE_MESSAGE(slow.program, slow.error);
    const GridLaunch launch{slow.program->kernel("slow"), {x}, {8, 1, 1}, {8, 1, 1}, 1, 0};
    const auto queue = device.new_queue(), other = device.new_queue();
    device.fill(x, 0.0f);
    queue->run({&launch, 1});
    other->follow(queue);
    other->copy(y, x);
    other->read(y, back.data(), 32);
  }
  CHECK(back == std::vector<float>(8, 2));
}

TEST_CASE("queue: streams of CUDA") {
  FakeCuda fake;
  cuda::Device device(-1, fake.cache());
  const GridMemory x = device.allocate(256), y = device.allocate(256);
  const GridLaunch doubled{
      device.build("add twice").program->kernel("twice"), {x}, {64, 1, 1}, {64, 1, 1}, 1, 0};
  const auto queue = device.new_queue(), other = device.new_queue();
  const std::vector<float> ones(64, 1);
  std::vector<float> back(64);
  fake.calls();
  queue->write(x, ones.data(), 256);
  queue->run({&doubled, 1});
  other->follow(queue);
  other->copy(y, x);
  other->read(y, back.data(), 256);
  CHECK(fake.calls() ==
        "cuMemcpyHtoDAsync_v2\nlaunch twice 1x1x1 of 64x1x1, 0 bytes\ncuLaunchKernel\ncuEventCreate\n"
        "cuEventRecord\ncuStreamWaitEvent\ncuMemcpyDtoDAsync_v2\ncuMemcpyDtoHAsync_v2\n");
  queue->wait(), other->wait();
  CHECK(fake.calls() == "cuStreamSynchronize\ncuStreamSynchronize\n");
  CHECK(back == std::vector<float>(64, 2));
  other->follow(queue);  // has nothing to do
  CHECK(fake.calls().empty());
  {
    const Variable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:1:701");
    CHECK_THROWS_AS(queue->run({&doubled, 1}), LimitError);
    CHECK_NOTHROW(queue->wait());
  }
  const Variable fail("FAKE_CUDA_FAIL", "cuStreamSynchronize:1:700");
  queue->run({&doubled, 1});
  CHECK(
      message<DeviceLost>([&] { queue->wait(); }).starts_with("kernel twice on Fake 0: CUDA_ERROR_ILLEGAL"));
  CHECK_THROWS_AS(queue->run({&doubled, 1}), DeviceLost);
  CHECK_THROWS_AS(other->wait(), DeviceLost);
}

TEST_CASE("queue: a chain of launches that is asked for again is one call of CUDA's driver") {
  FakeCuda fake;
  cuda::Device device(-1, fake.cache());
  const GridMemory x = device.allocate(256), y = device.allocate(256);
  const auto program = device.build("add twice").program;
  const auto doubled = [&](const GridMemory& of, std::size_t groups = 1) {
    return GridLaunch{program->kernel("twice"), {of}, {32 * groups, 1, 1}, {32, 1, 1}, 1, 0};
  };
  const GridKernel sum = program->kernel("add");
  const auto added = [&](float times) {  // x = x + times*y
    return GridLaunch{sum, {x, y, x, times}, {64, 1, 1}, {64, 1, 1}, 1, 0};
  };
  const auto queue = device.new_queue();
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
  };
  /// Driver calls of asking for it.
  const auto ask = [&](const std::vector<GridLaunch>& chain) {
    fake.calls();
    queue->hold();
    for (const GridLaunch& launch : chain) queue->run({&launch, 1});
    queue->release();
    return fake.calls();
  };
  std::vector<GridLaunch> twenty(19, doubled(y, 2));
  twenty.push_back(added(2));
  device.fill(x, 0.0f), device.fill(y, 1.0f);
  std::string calls = ask(twenty);
  CHECK(count(calls, "cuLaunchKernel") == 20);
  CHECK(count(calls, "Graph") + count(calls, "Capture") == 0);
  calls = ask(twenty);
  CHECK(count(calls, "cuStreamBeginCapture_v2") == 1);
  CHECK(count(calls, "cuGraphLaunch") == 1);
  for (int again = 0; again < 3; ++again) CHECK(ask(twenty) == "cuGraphLaunch\n");
  // Twice as often doubled each time, and added with a weight of two.
  std::vector<float> back(64);
  queue->read(x, back.data(), 256);
  queue->wait();
  double expected = 0, factor = 1;
  for (int time = 0; time < 5; ++time) factor *= 524288, expected += 2 * factor;
  CHECK(back[63] == static_cast<float>(expected));
  // Another number, array or size: another chain; those before are remembered.
  twenty.back() = added(3);
  CHECK(count(ask(twenty), "cuLaunchKernel") == 20);
  std::vector<GridLaunch> others = twenty;
  others[4] = doubled(x, 2);
  CHECK(count(ask(others), "cuLaunchKernel") == 20);
  others[4] = doubled(y, 1);
  CHECK(count(ask(others), "cuLaunchKernel") == 20);
  others.pop_back();
  CHECK(count(ask(others), "cuLaunchKernel") == 19);
  CHECK(count(ask(twenty), "cuGraphLaunch") == 1);
  twenty.back() = added(2);
  CHECK(ask(twenty) == "cuGraphLaunch\n");
  // A kernel that is refused within a graph is asked for without.
  const auto unknown = device.build("elsewhere").program->kernel("elsewhere");
  const std::vector<GridLaunch> two(2, GridLaunch{unknown, {x}, {32, 1, 1}, {32, 1, 1}, 1, 0});
  for (int time = 0; time < 3; ++time) {
    calls = ask(two);
    CHECK(count(calls, "cuLaunchKernel") == (time == 1 ? 3 : 2));  // the first of them, to be captured
    CHECK(count(calls, "cuGraphLaunch") == 0);
  }
  // Of many chains, those of long ago are forgotten.
  for (std::size_t n = 2; n < 22; ++n) ask(std::vector<GridLaunch>(n, doubled(y)));
  CHECK(count(ask(twenty), "cuLaunchKernel") == 20);
  {
    const Variable fail("FAKE_CUDA_FAIL", "cuGraphLaunch:0:701");
    CHECK(message<LimitError>([&] { ask(twenty); }).starts_with("kernel twice, add on Fake 0"));
  }
  CHECK_THROWS_AS(queue->release(), InternalError);
  queue->wait();
}

}  // namespace queue_test
