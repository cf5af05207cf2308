// Devices of C++ programs and their drivers: what is missing, which device is meant, what the driver is asked
// for. In processes of their own, as drivers are found once.
#include <doctest/doctest.h>

#include "liftgen/lift.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "tests/message.hpp"
#include "tests/runtime/fake_cuda.hpp"

using namespace lift;
using lift::test::FakeCuda;
using lift::test::message;

namespace drivers_test {
namespace {

const Nat n = lift::nat("n");
using Line = device_array<float, 1>;

/// What the fake driver's kernel of that name does.
Program twice() {
  const Expr x = param("x", array(f32, n));
  return {"twice", {x}, update(x, {0}, x | map([](Expr e) { return 2.0f * e; }))};
}

/// Not safe in place.
Program shifted() {
  const Expr x = param("x", array(f32, n + 2));
  return {"another", {x}, update(x, {1}, x | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; }))};
}

void in_child(const std::string& name, const std::vector<std::string>& variables) {
  const ProcessResult child = run_process({"/proc/self/exe", "--no-skip", "--test-case=" + name},
                                          {.timeout_seconds = 120, .variables = variables});
  CHECK_MESSAGE(child.status == 0, child.output);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

}  // namespace

TEST_CASE("drivers: without a device, compiling says what is missing") {
  in_child("drivers child: none",
           {"LIFTGEN_OPENCL_LIBRARY=libNoSuchLoader.so.1", "LIFTGEN_CUDA_LIBRARY=libNoSuchDriver.so.1"});
}
TEST_CASE("drivers child: none" * doctest::skip()) {
  const auto why = [](Target backend) {
    return message<EnvironmentError>([&] { compile<void(Line&)>(twice(), {.backend = backend}); });
  };
  CHECK(
      why(Target::opencl).starts_with("no OpenCL loader: libNoSuchLoader.so.1 cannot be opened; for OpenCL"));
  CHECK(why(Target::cuda).starts_with("no CUDA driver: libNoSuchDriver.so.1 cannot be opened; install"));
  CHECK_THROWS_AS(Device(Target::cuda), EnvironmentError);
  CHECK_THROWS_AS(explore(twice(), {.sizes = {{"n", 8}}, .backend = Target::cuda}), EnvironmentError);
  // What needs none.
  const auto emulated =
      compile<std::vector<float>(const std::vector<float>&)>(twice(), {.device = Device::emulated_cuda()});
  CHECK(emulated({1, 2}) == std::vector<float>{2, 4});
}

TEST_CASE("drivers: exploring first leaves the driver to another process") {
  if (const std::string why = opencl::why_unavailable(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  in_child("drivers child: exploring", {});
}
TEST_CASE("drivers child: exploring" * doctest::skip()) {
  const Device device(Target::opencl);
  CHECK(device.info().f64);
  ExpressionOptions options{.sizes = {{"n", 1000}}, .backend = Target::opencl};
  options.more.configurations = 1, options.more.rivals = options.more.plain = false;
  options.database = "/dev/null/none", options.unless_known = true;
  const Tuned tuned = explore(twice(), options);
  CHECK_FALSE(opencl::is_open());
  CHECK(*tuned.device == device);
  Line x(device, std::vector<float>(1000, 1));
  CHECK(opencl::is_open());
  tuned.kernel<void(Line&)>()(x);
  CHECK(x.download() == std::vector<float>(1000, 2));
}

TEST_CASE("drivers: what CUDA's driver is asked for") {
  const std::string library = lift::test::fake_cuda_library();
  in_child("drivers child: cuda",
           {"LIFTGEN_CUDA_LIBRARY=" + library, "LIFTGEN_NVRTC_LIBRARY=" + library, "FAKE_CUDA_DEVICES=2"});
}
TEST_CASE("drivers child: cuda" * doctest::skip()) {
  FakeCuda fake;
  const Device first(Target::cuda), second(Target::cuda, 1);
  CHECK(first.name() == "Fake 0");
  CHECK(second.name() == "Fake 1");
  CHECK(Device(Target::cuda, "fake 1") == second);
  CHECK(Device::all(Target::cuda) == std::vector<Device>{first, second});
  CHECK(
      message([] { Device(Target::cuda, "fake"); }) ==
      "lift::Device: 'fake' is in the name of 2 cuda devices; choose by number from 0 (Fake 0), 1 (Fake 1)");
  CHECK(message<EnvironmentError>([] { Device(Target::cuda, 2); }) ==
        "there is no cuda device 2; choose from 0 (Fake 0), 1 (Fake 1)");

  constexpr std::size_t length = 1 << 16;  // of which every launch of the fake's is a part
  const auto kernel = compile<void(Line&)>(twice(), {.device = second});
  Line x(second, std::vector<float>(length, 1));
  kernel.prepare({{"n", length}});
  Queue queue(second);
  fake.calls();
  for (int time = 0; time < 3; ++time) kernel.async(queue, x);
  const std::string asked = fake.calls();
  CHECK(count(asked, "cuLaunchKernel") == 3);
  CHECK(count(asked, "cuMemcpy") + count(asked, "cuStreamSynchronize") + count(asked, "cuMemAlloc") == 0);
  queue.wait();
  CHECK(fake.calls() == "cuStreamSynchronize\n");
  kernel(x);
  CHECK(count(fake.calls(), "cuMemcpy") == 0);
  CHECK(x.download()[0] == 16);
  const auto of_host = compile<void(std::span<float>)>(twice(), {.device = second});
  std::vector<float> y(length, 1);
  fake.calls();
  of_host(y);
  const std::string copied = fake.calls();
  CHECK(count(copied, "cuMemcpyHtoDAsync_v2") == 1);
  CHECK(count(copied, "cuMemcpyDtoHAsync_v2") == 1);
  CHECK(y[0] == 2);
  // What is computed beside, in two sizes in turn: memory for it is allocated once.
  const auto beside = compile<void(Line&)>(shifted(), {.device = second});
  Line z(second, {100}), longer(second, {200});
  for (int time = 0; time < 4; ++time) {
    if (time == 1) fake.calls();
    beside.async(queue, z), beside.async(queue, longer);
  }
  const std::string again = fake.calls();
  CHECK(count(again, "cuLaunchKernel") == 6);
  CHECK(count(again, "cuMemcpyDtoDAsync_v2") == 6);
  CHECK(count(again, "cuMemAlloc") == 0);
  queue.wait();
  // Twenty calls as one chain: from the third time on one call of the driver.
  Line w(second, std::vector<float>(length, 1)), v(second, std::vector<float>(length, 1));
  const auto twenty = [&](Line& of) {
    queue.together([&] {
      for (int time = 0; time < 20; ++time) kernel.async(queue, of);
    });
  };
  twenty(w), twenty(w);
  fake.calls();
  twenty(w);
  CHECK(fake.calls() == "cuGraphLaunch\n");
  twenty(v);
  const std::string anew = fake.calls();
  CHECK(count(anew, "cuLaunchKernel") == 20);
  CHECK(count(anew, "cuGraphLaunch") == 0);
  CHECK_THROWS_AS(queue.together([&] {
    kernel.async(queue, v);
    throw UserError("of the caller");
  }),
                  UserError);
  queue.wait();
  CHECK(v.download()[0] == 2097152);
  CHECK(w.download()[0] == 1152921504606846976.0f);
  fake.calls();
  Line elsewhere(first, {static_cast<std::int64_t>(length)});
  CHECK(message([&] {
          kernel(elsewhere);
        }).find("argument 1 (x) is on Fake 0, but the kernel runs on Fake 1") != std::string::npos);
  CHECK(message<EnvironmentError>([&] {
          Line(first, {std::int64_t{1} << 28});
        }).find("an array of 1024 MB does not fit on Fake 0, which has 1024 MB in all; use smaller arrays") ==
        0);
}

TEST_CASE("drivers: memory that calls have left is given back before an array does not fit") {
  const std::string library = lift::test::fake_cuda_library();
  in_child("drivers child: memory", {"LIFTGEN_CUDA_LIBRARY=" + library, "LIFTGEN_NVRTC_LIBRARY=" + library,
                                     "FAKE_CUDA_MEMORY=1000000"});
}
TEST_CASE("drivers child: memory" * doctest::skip()) {
  FakeCuda fake;
  const Device device(Target::cuda);
  Line x(device, std::vector<float>(75000, 1));  // 300 of 1000 kB
  CHECK(device.handle_of(x.memory()->memory()) != 0);
  CHECK(message<OutOfDeviceMemory>([&] {
          Line(device, {200000});
        }).find("an array of 0 MB does not fit on Fake 0, which has 0 MB in all") == 0);
  const auto beside = compile<void(Line&)>(shifted(), {.device = device});
  beside(x);  // leaves 300 kB that the next call would use again
  Line large(device, {150000});
  CHECK(large.length(0) == 150000);
  CHECK(device.handle_of(large.memory()->memory()) != device.handle_of(x.memory()->memory()));
  CHECK_THROWS_AS(beside(x), OutOfDeviceMemory);
}

TEST_CASE("drivers: a device that failed works again when all that was on it has gone") {
  const std::string library = lift::test::fake_cuda_library();
  in_child("drivers child: lost", {"LIFTGEN_CUDA_LIBRARY=" + library, "LIFTGEN_NVRTC_LIBRARY=" + library});
}
TEST_CASE("drivers child: lost" * doctest::skip()) {
  FakeCuda fake;
  const std::vector<float> ones(1 << 16, 1);
  {
    const Device device(Target::cuda);
    const auto kernel = compile<void(Line&)>(twice(), {.device = device});
    Line x(device, ones);
    Queue queue(device);
    kernel.prepare({{"n", 1 << 16}});
    const lift::test::Variable fail("FAKE_CUDA_FAIL", "cuStreamSynchronize:1:700");
    kernel.async(queue, x);
    CHECK_THROWS_AS(queue.wait(), DeviceLost);
    CHECK_THROWS_AS(kernel.async(queue, x), DeviceLost);
    CHECK_THROWS_AS(kernel(x), DeviceLost);
    CHECK_THROWS_AS(x.download(), DeviceLost);
    CHECK_THROWS_AS(Line(Device(Target::cuda), {4}), DeviceLost);
  }
  const auto kernel = compile<void(Line&)>(twice(), {.backend = Target::cuda});
  Line x(Device(Target::cuda), ones);
  kernel(x);
  CHECK(x.download()[0] == 2);
}

}  // namespace drivers_test
