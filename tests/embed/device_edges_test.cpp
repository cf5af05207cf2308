// Devices and queues at the edges of what they are for: arrays without data, queues that have gone, what is
// kept between calls, compilers that refuse a kernel.
#include <doctest/doctest.h>

#include "embed/grid_code.hpp"
#include "embed/native_code.hpp"
#include "embed/queue_parts.hpp"
#include "liftgen/lift.hpp"
#include "runtime/interrupt.hpp"
#include "tests/embed/devices.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::devices;
using lift::test::message;

namespace device_edges_test {
namespace {

const Nat n = lift::nat("n");
using Line = device_array<float, 1>;
using Cells = std::vector<float>;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// y = x + a
Expr plus() {
  return fun({array(f32, n), Type(f32)},
             [](Expr x, Expr a) { return x | map([=](Expr e) { return e + a; }); });
}
using Plus = void(const Line&, float, Line&);

/// Calls functions of the user's own whose text is no C.
Program broken() {
  const Expr x = param("x", array(f32, Nat(4)));
  const auto function = [](const char* name) {
    return UserFun(name, {{"v", f32}}, f32, "return v + ;", [](std::span<const double> v) { return v[0]; });
  };
  return {"broken", {x}, x | map(function("first")) | map(function("second")), {}};
}

}  // namespace

TEST_CASE("device edges: arrays of the host that have no data, or another rank, are refused") {
  const Device device = Device::emulated_cuda();
  Line x(device, Cells{1, 2, 3});
  CHECK(message([&] { x.upload(array_view<const float, 1>(nullptr, {3})); }) ==
        "lift::device_array: upload: the host's array has no data");
  CHECK(message([&] { x.download(array_view<float, 1>(nullptr, {3})); }) ==
        "lift::device_array: download: the host's array has no data");
  Queue queue(device);
  CHECK(message([&] { x.upload(queue, array_view<const float, 1>(nullptr, {3})); }) ==
        "lift::device_array: upload: the host's array has no data");
  // As Python has it, where ranks are no types.
  Cells cells{7, 8, 9};
  ArgumentValue v;
  v.data = cells.data(), v.rank = 2, v.shape = {3, 1}, v.strides = {1, 1};
  CHECK(message([&] { x.memory()->upload(v); }) ==
        "lift::device_array: upload: 3 elements are on the device, the host's array has 3x1");
  v.rank = 1, v.shape = {3}, v.strides = {1};
  CHECK(x.download() == Cells{1, 2, 3});
  x.memory()->upload(v);
  CHECK(x.download() == cells);
}

TEST_CASE("device edges: queues that have read an array and gone are in nobody's way") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto add = compile<Plus>(plus(), {.device = device});
    Line x(device, Cells{1, 2, 3}), y(device, {3}), z(device, {3});
    const auto read_and_go = [&](float a) {
      Queue queue(device);
      add.async(queue, x, a, y);
    };
    read_and_go(1);
    add(x, 2, z);  // reads, too
    CHECK(y.download() == Cells{2, 3, 4});
    CHECK(z.download() == Cells{3, 4, 5});
    read_and_go(10);
    const Cells other{5, 5, 5};
    x.upload(array_view(other.data(), {3}));  // writes
    CHECK(y.download() == Cells{11, 12, 13});
    CHECK(x.download() == other);
  }
}

TEST_CASE("device edges: a queue that was moved leaves nothing behind that waits") {
  const Device device = Device::emulated_cuda();
  const auto add = compile<Plus>(plus(), {.device = device});
  Line x(device, Cells{1, 2}), y(device, {2}), z(device, {2});
  std::optional<Queue> first(device);
  add.async(*first, x, 1, y);
  Queue second(std::move(*first));
  first.reset();
  add.async(second, y, 1, z);
  second.wait();
  CHECK(z.download() == Cells{3, 4});
  // Assigned to, a queue keeps what it was asked for: it is done when either goes.
  {
    Queue third(device);
    add.async(third, z, 1, x);
    add.async(second, z, 5, y);
    second = std::move(third);
    second.wait();
    CHECK(x.download() == Cells{4, 5});
  }
  CHECK(y.download() == Cells{8, 9});
}

TEST_CASE("device edges: a kernel may go before what it was asked for is done") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    Queue queue(device);
    Line x(device, Cells{1, 2, 3}), y(device, {3});
    compile<Plus>(plus(), {.device = device}).async(queue, x, 7, y);
    queue.wait();
    CHECK(y.download() == Cells{8, 9, 10});
  }
}

TEST_CASE("device edges: arrays that were moved from have no elements for a call") {
  const Device device = Device::emulated_cuda();
  const Expr x = param("x", array(f32, Nat(4)));
  const Program p{"twice", {x}, x | map([](Expr e) { return e * 2.0f; }), {}};
  const auto there = compile<void(const Line&, Line&)>(p, {.device = device});
  Line a(device, Cells{1, 2, 3, 4}), b(device, {4});
  const Line kept = std::move(a);
  CHECK(has(message([&] { there(a, b); }), "argument 1 (x) has length 0, expected 4"));  // NOLINT
  CHECK(b.download() == Cells(4, 0));
  there(kept, b);
  CHECK(b.download() == Cells{2, 4, 6, 8});
  using View = array_view<const float, 1>;
  const auto here = compile<void(View, array_view<float, 1>)>(p);
  auto c = allocate<float>({4}), d = allocate<float>({4});
  const auto held = std::move(c);
  CHECK(has(message([&] { here(c, d); }), "argument 1 (x) has no data (a null pointer)"));  // NOLINT
  CHECK(has(message([&] { here(d, c); }), "argument 2 (the result) has no data (a null pointer)"));
}

TEST_CASE("device edges: views of the host go there and back whatever their strides are") {
  using Byte = std::uint8_t;
  const Nat m = lift::nat("m");
  const Expr a = param("a", array({n, m}, u8));
  const Program p{"twice", {a}, a | map2([](Expr e) { return cast(u8, e * 2); }), {}};
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto kernel = compile<void(array_view<const Byte, 2>, array_view<Byte, 2>)>(p, {.device = device});
    std::vector<Byte> in{1, 2, 3, 99, 4, 5, 6}, columns(8, 7), backwards(12, 7);
    const array_view<const Byte, 2> from(in.data(), {2, 3}, {4, 1});
    kernel(from, array_view<Byte, 2>(columns.data() + 1, {2, 3}, {1, 2}));
    CHECK(columns == std::vector<Byte>{7, 2, 8, 4, 10, 6, 12, 7});
    kernel(from, array_view<Byte, 2>(backwards.data() + 11, {2, 3}, {-6, -2}));
    CHECK(backwards == std::vector<Byte>{7, 12, 7, 10, 7, 8, 7, 6, 7, 4, 7, 2});
  }
}

TEST_CASE("device edges: memory of calls is kept for the next ones, unless it is of very many sizes") {
  const Device device = Device::emulated_cuda();
  const auto use = [&](std::size_t arrays) {
    QueueLoan loan(device);
    const std::size_t before = loan->scratch.size();
    for (std::size_t a = 0; a < arrays; ++a) CHECK(loan->scratch_of(device, a, 64 + a)->bytes() == 64 + a);
    CHECK(loan->scratch_of(device, 0, 64) == loan->scratch_of(device, 0, 64));
    return before;
  };
  {
    QueueLoan emptied(device), others(device);
    emptied->scratch.clear(), others->scratch.clear();
  }
  CHECK(use(32) == 0);
  CHECK(use(32) == 32);
  CHECK(use(33) == 32);  // one too many
  CHECK(use(1) == 0);
}

TEST_CASE("device edges: memory has an address for its driver, and none where it is emulated") {
  for (const Device& device : devices()) {
    Line x(device, {3}), y(device, {3});
    const auto handle = [&](Line& a) { return device.handle_of(a.memory()->memory()); };
    if (device.is_emulated()) {
      CHECK(message([&] { handle(x); }) == device.name() +
                                               " is emulated: no driver knows its memory; download the array "
                                               "instead");
    } else {
      CHECK(handle(x) != 0);
      CHECK(handle(x) != handle(y));
    }
  }
  CHECK(has(message([] { Device::all(Target::openmp); }),
            "openmp kernels run on the processors, without a device"));
}

TEST_CASE("device edges: an array of f64 is refused where a device has none, before it is compiled") {
  const Device device = Device::emulated_cuda();
  auto& info = const_cast<GridDeviceInfo&>(device.info());
  const auto sized = [&](Scalar t, Scalar factor) {
    const Expr x = param("x", array(t, Nat(4))), a = param("a", factor);
    return Program{"p", {x, a}, x | map([=](Expr e) { return e * cast(t, a); })};
  };
  info.f64 = false;
  const std::string of_array = message([&] {
    compile<std::vector<double>(std::span<const double>, float)>(sized(f64, f32), {.device = device});
  });
  const std::string of_number =
      message([&] { compile<Cells(std::span<const float>, double)>(sized(f32, f64), {.device = device}); });
  Cells got;
  const std::string of_neither = message([&] {
    got = compile<Cells(std::span<const float>, float)>(sized(f32, f32), {.device = device})(
        Cells{1, 2, 3, 4}, 2);
  });
  info.f64 = true;
  CHECK(has(of_array, "p: 'x' is of f64, which the device emulated CUDA device does not have; use f32"));
  CHECK(has(of_number, "p: 'a' is of f64, which the device"));
  CHECK(of_neither.empty());
  CHECK(got == Cells{2, 4, 6, 8});
}

TEST_CASE(
    "device edges: text that a compiler refuses is the user's where there are functions of the user's") {
  const Device device = Device::emulated_cuda();
  const std::string there = message([&] { compile<Cells(const Cells&)>(broken(), {.device = device}); });
  CHECK(has(there,
            "broken: the compiler of emulated CUDA device refuses the kernel; look at the text of the "
            "user function first, second:\n"));
  CHECK(has(
      message([] { compile<Cells(const Cells&)>(broken()); }),
      "broken: the C compiler refuses the kernel; look at the C text of the user function first, second:\n"));
  // Without them it is a defect.
  Kernel kernel;
  kernel.name = "mine";
  CHECK(has(message<InternalError>([&] { native_code(kernel, "this is no C\n"); }),
            "mine: the C compiler refuses the generated kernel:\n"));
  CHECK(has(message<InternalError>([&] { grid_code(kernel, "this is no C\n", device); }),
            "mine: the compiler of emulated CUDA device refuses the generated kernel:\n"));
}

TEST_CASE("device edges: what is interrupted while it compiles is neither the user's nor a defect") {
  const Device device = Device::emulated_cuda();
  Kernel kernel;
  kernel.name = "mine";
  const InterruptScope scope;
  request_interrupt();
  CHECK(
      has(message<EnvironmentError>([&] { native_code(kernel, "int stopped_before(void) { return 1; }\n"); }),
          "mine: not compiled: "));
  CHECK(has(message<EnvironmentError>(
                [&] { grid_code(kernel, "int stopped_before(void) { return 2; }\n", device); }),
            "mine: not compiled: "));
}

}  // namespace device_edges_test
