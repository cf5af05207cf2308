// Calls that go on while the program does other things: order, errors, several queues, devices and threads.
#include <doctest/doctest.h>

#include <thread>

#include "liftgen/lift.hpp"
#include "tests/embed/devices.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::devices;
using lift::test::message;

namespace queue_test {
namespace {

const Nat n = lift::nat("n");
using Line = device_array<float, 1>;

/// y = x + a
Expr plus() {
  return fun({array(f32, n), Type(f32)},
             [](Expr x, Expr a) { return x | map([=](Expr e) { return e + a; }); });
}
/// u = 2 u on the inside, in place.
Program twice() {
  const Expr u = param("u", array(f32, n + 2));
  return {"twice", {u}, update(u, {1}, u | drop(1, 1) | map([](Expr e) { return 2.0f * e; })), {}};
}
/// Two stages through an array of their own.
Program staged() {
  const Expr x = param("x", array(f32, n));
  return {"staged", {x}, let(x | map([](Expr e) { return e * 3.0f; }), [](Expr y) {
            return y | pad(1, 1, wrap) | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; });
          })};
}
/// Goes beyond its array.
Program faulty() {
  const Expr x = param("x", array(f32, n));
  const UserFun far("far", {{"v", f32}}, f32, "return *(const float *)(v == 2.0f ? 8 : 0);",
                    [](std::span<const double> v) { return v[0]; });
  return {"faulty", {x}, x | map(far)};
}
using Plus = void(const Line&, float, Line&);

/// What is in the memory, whoever is still to write it.
std::vector<float> as_it_is(Line& x) {
  std::vector<float> all(static_cast<std::size_t>(x.length(0)));
  x.device().grid().read(x.memory()->memory(), all.data(), 4 * all.size());
  return all;
}

}  // namespace

TEST_CASE("queue: calls are done in order, when they are waited for") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto add = compile<Plus>(plus(), {.device = device});
    const auto doubled = compile<void(Line&)>(twice(), {.device = device});
    Queue queue(device);
    Line x(device, std::vector<float>{1, 2, 3, 4}), y(device, {4});
    queue.wait();
    add.async(queue, x, 10, y);
    doubled.async(queue, y);
    add.async(queue, y, 1, x);
    if (device.is_emulated()) CHECK(as_it_is(x) == std::vector<float>{1, 2, 3, 4});  // not yet
    queue.wait();
    CHECK(as_it_is(x) == std::vector<float>{12, 25, 27, 15});
    CHECK(as_it_is(y) == std::vector<float>{11, 24, 26, 14});
    queue.wait();
  }
}

TEST_CASE(
    "queue: transfers in order with calls, results on the device, arrays that go before they are used") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto add = compile<Line(const Line&, float)>(plus(), {.device = device});
    const auto mixed = compile<Line(const Line&)>(staged(), {.device = device});
    Queue queue(device);
    const std::vector<float> from{1, 2, 3};
    std::vector<float> to(3);
    Line x(device, {3});
    x.upload(queue, array_view(from.data(), {3}));
    {
      Line between = add.async(queue, x, 1);
      for (int again = 0; again < 5; ++again) between = add.async(queue, between, 1);
      const Line last = mixed.async(queue, mixed.async(queue, between));
      last.download(queue, array_view(to.data(), {3}));
    }
    queue.wait();
    // 7 8 9 -> 3 * (17 16 15) -> 9 * (31 32 33)
    CHECK(to == std::vector<float>{279, 288, 297});
  }
}

TEST_CASE("queue: calls in several queues wait for one another where they share an array") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto add = compile<Plus>(plus(), {.device = device});
    const auto doubled = compile<void(Line&)>(twice(), {.device = device});
    Queue first(device), second(device), third(device);
    for (int round = 0; round < 3; ++round) {
      Line x(device, std::vector<float>{1, 2, 3, 4}), y(device, {4}), z(device, {4}), w(device, {4});
      add.async(first, x, 1, y);    // 2 3 4 5
      add.async(second, y, 1, z);   // 3 4 5 6: after the first wrote y
      add.async(third, y, 10, w);   // 12 13 14 15
      doubled.async(first, y);      // 2 6 8 5: after both read it
      add.async(third, y, 100, x);  // 102 106 108 105: after x was read
      third.wait();
      CHECK(as_it_is(x) == std::vector<float>{102, 106, 108, 105});
      CHECK(as_it_is(w) == std::vector<float>{12, 13, 14, 15});
      CHECK(as_it_is(z) == std::vector<float>{3, 4, 5, 6});
      first.wait(), second.wait();
    }
  }
}

TEST_CASE("queue: calls as one chain do what they do apart, again and again, and others see them") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto add = compile<Plus>(plus(), {.device = device});
    const auto doubled = compile<void(Line&)>(twice(), {.device = device});
    Queue queue(device), other(device);
    Line x(device, std::vector<float>{1, 2, 3}), y(device, {3}), z(device, {3});
    for (int round = 0; round < 4; ++round)
      queue.together([&] {
        add.async(queue, x, 1, y);
        queue.together([&] { doubled.async(queue, y); });
        add.async(queue, y, static_cast<float>(round), x);
      });
    add.async(other, x, 100, z);
    CHECK(z.download() == std::vector<float>{111, 173, 113});
    std::vector<float> to(3);
    queue.together([&] {
      doubled.async(queue, x);
      x.download(queue, array_view(to.data(), {3}));
      doubled.async(queue, x);
      add.async(other, x, 1, z);  // after both
      CHECK(z.download() == std::vector<float>{12, 293, 14});
      doubled.async(queue, x);
      queue.wait();
      CHECK(as_it_is(x) == std::vector<float>{11, 584, 13});
    });
    CHECK(to == std::vector<float>{11, 146, 13});
  }
}

TEST_CASE("queue: one that goes waits, whoever follows it") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto add = compile<Plus>(plus(), {.device = device});
    Line x(device, std::vector<float>{1, 2}), y(device, {2});
    std::vector<float> to(2);
    {
      Queue first(device), second(device);
      add.async(first, x, 1, y);
      add.async(second, y, 1, x);
      add.async(first, x, 1, y);
      y.download(second, array_view(to.data(), {2}));
      add.async(first, y, 1, x);
    }
    CHECK(to == std::vector<float>{4, 5});
    CHECK(as_it_is(x) == std::vector<float>{5, 6});
  }
}

TEST_CASE("queue: what waits by itself comes after what was asked of an array before") {
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto add = compile<Plus>(plus(), {.device = device});
    const auto sum = compile<std::vector<float>(const Line&, float)>(plus(), {.device = device});
    Queue queue(device);
    Line x(device, std::vector<float>{1, 2}), y(device, {2});
    add.async(queue, x, 1, y);
    CHECK(y.download() == std::vector<float>{2, 3});
    add.async(queue, y, 1, x);
    CHECK(sum(x, 10) == std::vector<float>{13, 14});
    add.async(queue, x, 5, y);
    CHECK(y.copy().download() == std::vector<float>{8, 9});
    add.async(queue, x, 7, y);
    const std::vector<float> other{-1, -2};
    x.upload(array_view(other.data(), {2}));  // when it has been read
    CHECK(y.download() == std::vector<float>{10, 11});
    CHECK(x.download() == other);
  }
}

TEST_CASE("queue: what goes wrong later is thrown by wait, once") {
  const Device device = Device::emulated_cuda();
  const auto bad = compile<Line(const Line&)>(faulty(), {.device = device});
  const auto add = compile<Plus>(plus(), {.device = device});
  Queue queue(device), another(device);
  const Line x(device, std::vector<float>{1, 2, 3});
  Line y(device, {3}), z(device, {3});
  CHECK_NOTHROW(bad.async(queue, x));
  CHECK_NOTHROW(add.async(queue, x, 1, y));
  CHECK_NOTHROW(add.async(another, x, 1, z));
  CHECK_NOTHROW(another.wait());
  CHECK_THROWS_AS(queue.wait(), KernelFault);
  CHECK(as_it_is(y) == std::vector<float>(3, 0));  // was to follow what failed
  CHECK_NOTHROW(queue.wait());
  add.async(queue, x, 1, y);
  CHECK_NOTHROW(queue.wait());
  CHECK(y.download() == z.download());
  CHECK_THROWS_AS(bad(x), KernelFault);
  add(x, 2, y);
  CHECK(y.download() == std::vector<float>{3, 4, 5});
}

TEST_CASE("queue: what a queue cannot do is refused at once") {
  const Device device = Device::emulated_cuda();
  Queue queue(device);
  const auto add = compile<Plus>(plus(), {.name = "add", .device = device});
  Line x(device, {3}), y(device, {3}), longer(device, {4});
  CHECK(message([&] { add.async(queue, x, 1, longer); }).find("x1 3, result 4") != std::string::npos);
  CHECK(message([&] { add.async(queue, x, 1, x); }).find("shares memory") != std::string::npos);
  CHECK_NOTHROW(queue.wait());
  const Callable native(twice(), {{{f32, ArgumentKind::flat, true, "std::span<float>"}}, {}}, {},
                        Where::current());
  std::vector<float> host(5);
  ArgumentValue v;
  v.data = host.data(), v.rank = 1, v.shape[0] = 5, v.strides[0] = 1;
  CHECK(message([&] {
          native.ask(native.variant({&v, 1}, Where::current()), {&v, 1}, {}, queue, Where::current());
        }).find("twice: an openmp kernel runs on the processors, without a queue") == 0);
  const Callable grid(twice(), {{{f32, ArgumentKind::flat, true, "std::span<float>"}}, {}},
                      {.device = device}, Where::current());
  CHECK(message([&] {
          grid.ask(grid.variant({&v, 1}, Where::current()), {&v, 1}, {}, queue, Where::current());
        }).find("argument 1 (u) is std::span<float>, whose memory a queue cannot use") != std::string::npos);
  for (const Device& other : devices()) {
    if (other == device) continue;
    Queue there(other);
    CHECK(message([&] {
            add.async(there, x, 1, y);
          }).find("add: the queue is of " + other.name() + ", but the kernel runs on emulated CUDA device") ==
          0);
    CHECK(message([&] {
            x.download(there, array_view(host.data(), {3}));
          }).find("take a queue of the array's") != std::string::npos);
  }
  CHECK(message([&] {
          y.upload(queue, array_view<const float, 1>(host.data(), {3}, {2}));
        }).find("the host's array has gaps") != std::string::npos);
}

TEST_CASE("queue: several devices and threads at once") {
  const auto all = devices();
  std::vector<int> wrong(2 * all.size(), 0);
  std::vector<TypedKernel<Plus>> kernels;
  for (const Device& device : all) kernels.push_back(compile<Plus>(plus(), {.device = device}));
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      const Device& device = all[t % all.size()];
      const auto& add = kernels[t % all.size()];
      Queue queue(device);
      Line x(device, {100}), y(device, {100});
      for (int round = 0; round < 5; ++round) {
        add.async(queue, x, 1, y);
        add.async(queue, y, 1, x);
      }
      queue.wait();
      for (const float e : x.download()) wrong[t] += e != 10;
    });
  threads.clear();
  for (const int w : wrong) CHECK(w == 0);
}

}  // namespace queue_test
