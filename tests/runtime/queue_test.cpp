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

}  // namespace queue_test
