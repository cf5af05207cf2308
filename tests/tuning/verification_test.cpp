// Verification accepts right kernels and catches wrong ones; what kernels do to their process is recorded.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/host_data.hpp"
#include "patterns/operators.hpp"
#include "rewrite/analysis/decided.hpp"
#include "runtime/apart_device.hpp"
#include "runtime/file.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "runtime/worker.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/candidate.hpp"
#include "tuning/reference.hpp"

using namespace lift;

namespace {

constexpr int kThreads = 2;

/// A small problem of a pattern: what its reference says, with bounds.
struct Situation {
  Problem problem;
  Program program;
  NativeCompiler compiler;
  ProblemData arguments;
  ExpectedResults expected;

  Situation(const Pattern& pattern, Scalar type)
      : problem(problem_of(type)),
        program(pattern.build(problem)),
        arguments(pattern, problem, program, kThreads),
        expected(program, kThreads) {
    if (pattern.reference) pattern.reference(problem, arguments.all(), expected.results());
    compute_reference(program, {}, compiler, arguments, expected,
                      {.values = !pattern.reference, .limit_seconds = 60, .threads = kThreads});
    expected.measure_magnitudes();
  }
  static Problem problem_of(Scalar type) {
    Problem p;
    p.box = 8, p.boxes = 2, p.type = type;
    return p;
  }
};

Difference difference_of(const Expected& e, const void* got) {
  const Scalar type = element_of(e.result.type).scalar();
  return difference(type, got, e.result.data, e.bounds, host::count(e.result.type), e.mean, tolerance(type));
}

/// A copy of what is expected, to be spoiled.
std::vector<char> copy_of(const Expected& e) {
  const auto* data = static_cast<const char*>(e.result.data);
  return {data, data + bytes_of(e.result.type)};
}

bool openmp_is_loaded() {
  void* handle = ::dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

/// Whether the test ran in a process of its own, since this one cannot be copied any more.
bool ran_elsewhere(const std::string& test) {
  if (!openmp_is_loaded()) return false;
  const ProcessResult r = run_process({"/proc/self/exe", "-tc=" + test}, {.timeout_seconds = 300});
  CHECK_MESSAGE(r.status == 0, r.output);
  return true;
}

/// A kernel of the first pattern's arguments whose text is `body`, verified and timed.
Variant tried(Executor& executor, const Kernel& kernel, const std::vector<Expected>& expected,
              const std::string& body) {
  std::string code = executor.source(kernel);
  const std::size_t brace = code.find("{\n", code.rfind("void " + kernel.name + "("));
  REQUIRE(brace != std::string::npos);
  code.insert(brace + 2, body + "\n");
  const Job job{kernel, code, {}, {}, {}};
  Candidate candidate;
  candidate.kernel = kernel;
  accept(candidate, executor.compile({&job, 1}, {}).front());
  REQUIRE_MESSAGE(candidate.compiled.program, candidate.compiled.error);
  verify_and_time(candidate, executor, expected);
  return candidate.variant;
}

}  // namespace

TEST_CASE("verification: for every operator, its own kernel is within the bounds, and what is wrong is not") {
  for (const auto& pattern : all_patterns())
    for (const Scalar type : {f64, f32}) {
      CAPTURE(pattern->name);
      const std::string precision = text(type);
      CAPTURE(precision);
      Situation s(*pattern, type);
      ExpectedResults own(s.program, kThreads);
      compute_reference(s.program, {}, s.compiler, s.arguments, own,
                        {.limit_seconds = 60, .threads = kThreads});
      const std::vector<Expected> expected = s.expected.all();
      for (std::size_t n = 0; n < expected.size(); ++n) {
        const Expected& e = expected[n];
        REQUIRE(e.bounds != nullptr);
        const bool wide = element_of(e.result.type).scalar() == f64;
        const Difference kernel = difference_of(e, own.results()[n].data);
        CHECK_MESSAGE(kernel.right(), kernel.excess);
        // Nothing was written.
        std::vector<char> got = copy_of(e);
        poison(got.data(), got.size());
        CHECK_FALSE(difference_of(e, got.data()).right());
        // Nor into an argument that it replaces.
        for (const HostArray& a : s.arguments.all())
          if (a.type == e.result.type &&
              std::count(s.program.overwritable.begin(), s.program.overwritable.end(), a.name) > 0)
            CHECK_FALSE_MESSAGE(difference_of(e, a.data).right(), a.name);
        // One element: moved by one, by a small part, not written, no number.
        const auto count = static_cast<std::size_t>(host::count(e.result.type));
        std::size_t at = 0;  // where rounding matters least
        const auto sharpness = [&](std::size_t i) {
          const double x = wide ? static_cast<const double*>(e.result.data)[i]
                                : static_cast<const float*>(e.result.data)[i];
          return e.bounds[i] > 0 ? std::abs(x) / e.bounds[i] : 0;
        };
        for (std::size_t i = 1; i < count; ++i) at = sharpness(i) > sharpness(at) ? i : at;
        const auto spoiled = [&](const auto& change) {
          got = copy_of(e);
          if (wide)
            change(reinterpret_cast<double*>(got.data())[at]);
          else
            change(reinterpret_cast<float*>(got.data())[at]);
          return difference_of(e, got.data());
        };
        CHECK_FALSE(spoiled([](auto& x) { x += 1; }).right());
        CHECK_FALSE(spoiled([](auto& x) { x = NAN; }).right());
        CHECK_FALSE(spoiled([](auto& x) { x = INFINITY; }).right());
        CHECK(spoiled([](auto& x) { poison(&x, sizeof x); }).unwritten == 1);
        const double part = wide && type == f64 ? 1e-10 : 1e-3;
        CHECK_FALSE(
            spoiled([&](auto& x) { x = static_cast<std::decay_t<decltype(x)>>(x * (1 + part)); }).right());
      }
    }
}

TEST_CASE("verification: the bound is the element's own, whatever else the array holds") {
  std::vector<double> b(1000, 1.0), a = b;
  std::vector<float> bounds(1000, 1e-15F);
  b[0] = a[0] = 1e20;
  CHECK(difference(f64, a.data(), b.data(), bounds.data(), 1000, 1e17, 1e-12).right());
  a[500] += 1e-10;
  CHECK_FALSE(difference(f64, a.data(), b.data(), bounds.data(), 1000, 1e17, 1e-12).right());
  a = b;
  a[7] = NAN;
  CHECK_FALSE(difference(f64, a.data(), b.data(), bounds.data(), 1000, 1e17, 1e-12).right());
  b[7] = NAN;
  const Difference both = difference(f64, a.data(), b.data(), bounds.data(), 1000, 1e17, 1e-12);
  CHECK(both.right());
  CHECK(both.no_numbers == 1);
  poison(&a[7], sizeof a[7]);
  CHECK_FALSE(difference(f64, a.data(), b.data(), bounds.data(), 1000, 1e17, 1e-12).right());
  a[7] = INFINITY, b[7] = -INFINITY;
  CHECK_FALSE(difference(f64, a.data(), b.data(), bounds.data(), 1000, 1e17, 1e-12).right());
}

TEST_CASE("verification: wherever an element is among those compared together") {
  const auto look = [](auto zero, Scalar type) {
    using T = decltype(zero);
    constexpr std::int64_t n = 77;
    std::vector<T> b(n);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(1 + i);
    std::vector<float> bounds(n, 1e-3F);
    for (std::size_t at = 0; at < b.size(); ++at)
      for (const bool bounded : {true, false}) {
        const float* limits = bounded ? bounds.data() : nullptr;
        CAPTURE(at);
        const double allowed = bounded ? 1e-3F : tolerance(type) * b[at];
        std::vector<T> a = b;
        const auto compared = [&] {
          return difference(type, a.data(), b.data(), limits, n, 1, tolerance(type));
        };
        CHECK(compared().error == 0);
        a[at] = static_cast<T>(b[at] + 100 * allowed);
        a[(at + 5) % n] = static_cast<T>(b[(at + 5) % n] + 1e-2 * allowed);
        CHECK(compared().excess == doctest::Approx((a[at] - b[at]) / allowed));
        CHECK(compared().error == doctest::Approx((a[at] - b[at]) / b[at]));
        a[at] = std::numeric_limits<T>::infinity();
        CHECK_FALSE(compared().right());
        poison(&a[at], sizeof(T));
        CHECK(compared().unwritten == 1);
        const T kept = std::exchange(b[at], std::numeric_limits<T>::quiet_NaN());
        a[at] = b[at];
        CHECK(compared().right());
        CHECK(compared().no_numbers == 1);
        b[at] = kept;
      }
  };
  look(double{}, f64);
  look(float{}, f32);
}

TEST_CASE("verification: a number is wrong where infinity is right, also behind small errors elsewhere") {
  constexpr std::int64_t n = 1000;
  std::vector<double> b(n, 1.0), a(n, 1.0 + 1e-15);
  const std::vector<float> bounds(n, 1e-12F);
  for (const float* limits : {static_cast<const float*>(nullptr), bounds.data()}) {
    CHECK(difference(f64, a.data(), b.data(), limits, n, 1, tolerance(f64)).right());
    for (const std::size_t at : {0, 31, 100, 450, 999}) {
      const double kept = std::exchange(b[at], std::numeric_limits<double>::infinity());
      CHECK_FALSE(difference(f64, a.data(), b.data(), limits, n, 1, tolerance(f64)).right());
      b[at] = kept;
    }
  }
}

TEST_CASE("verification: each result by its own type, and all of them") {
  // 1e-6 is rounding beside f32 and far off beside f64.
  const double b = 1, a = 1 + 1e-6;
  const float c = 1, d = 1.000001F;
  CHECK(difference(f32, &d, &c, nullptr, 1, 1, tolerance(f32)).right());
  CHECK_FALSE(difference(f64, &a, &b, nullptr, 1, 1, tolerance(f64)).right());
  CHECK_FALSE(worse(difference(f64, &a, &b, nullptr, 1, 1, tolerance(f64)),
                    difference(f32, &d, &c, nullptr, 1, 1, tolerance(f32)))
                  .right());
  const double near = 1 + 1e-11;
  CHECK_FALSE(difference(f64, &near, &b, nullptr, 1, 1, tolerance(f64)).right());
}

namespace {

/// Runs nothing; the n-th result is as `right` says.
class Pretended : public Executor {
 public:
  explicit Pretended(std::vector<bool> right) : right_(std::move(right)) {}
  std::string source(const Kernel&) override { return ""; }
  std::vector<Compiled> compile(std::span<const Job>, const std::function<bool(std::size_t)>&) override {
    return {};
  }
  TimedRun bind(const Kernel&, const Compiled&) override {
    return [] { return 1.0; };
  }
  void restore(const Kernel&) override {}
  HostArray fetch(const Kernel&, std::size_t, const HostArray& staging) override { return staging; }
  Difference compare(const Kernel&, std::size_t n, const Expected&) override {
    Difference d;
    d.excess = right_.at(n) ? 0.5 : 2;
    return d;
  }
  double convert_ms(const Kernel&) const override { return 0; }

 private:
  std::vector<bool> right_;
};

}  // namespace

TEST_CASE("verification: one wrong result of several is enough") {
  const std::vector<Expected> three(3);
  for (const std::size_t wrong : {0, 1, 2}) {
    std::vector<bool> right(3, true);
    Pretended all(right);
    CHECK(run_and_compare(all, Kernel(), Compiled(), three).difference.right());
    right[wrong] = false;
    Pretended executor(right);
    CHECK_FALSE(run_and_compare(executor, Kernel(), Compiled(), three).difference.right());
  }
}

TEST_CASE("worker: kernels that crash, exit, hang or take all memory are recorded, and the next one runs") {
  const std::string name = "worker: kernels that crash*";
  if (ran_elsewhere(name)) return;
  const Pattern& pattern = find_pattern("smooth3d");
  Situation s(pattern, f64);
  const Kernel kernel = lower(undecided(s.program), {.target = Target::openmp});
  const auto executor = make_native_executor(s.compiler, s.arguments, kThreads);
  const std::vector<Expected> expected = s.expected.all();
  executor->guard(expected);
  executor->set_limit(5);
  const auto status = [&](const std::string& body) {
    const Variant v = tried(*executor, kernel, expected, body);
    CAPTURE(body);
    CAPTURE(v.message);
    CHECK((v.status == Status::ok) == v.verified);
    return v.status;
  };
  CHECK(status("") == Status::ok);
  CHECK(status("return;") == Status::wrong);
  CHECK(status("*(volatile int *)0 = 1;") == Status::crashed);
  CHECK(status("") == Status::ok);
  CHECK(status("extern void abort(void); abort();") == Status::crashed);
  CHECK(status("extern void exit(int); exit(0);") == Status::crashed);
  CHECK(status("for (volatile int i = 0; i < 1; i = 0) {}") == Status::hung);
  // Arguments and what is expected cannot be written.
  CHECK(status("((volatile double *)beta_i)[600] = 0;") == Status::crashed);
  CHECK(status("extern void *malloc(__SIZE_TYPE__); while (1) { volatile char *p = malloc(1u << 28); "
               "for (unsigned i = 0; i < 1u << 28; i += 1u << 20) p[i] = 1; }") != Status::ok);
  CHECK(status("") == Status::ok);
}

TEST_CASE("worker: kernels of a grid device that crash or hang are recorded, and what was bound runs again") {
  if (const std::string why = opencl::why_unavailable(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  if (ran_elsewhere("worker: kernels of a grid*")) return;
  const Pattern& pattern = find_pattern("smooth3d");
  Situation s(pattern, f64);
  const Kernel kernel = lower(undecided(s.program), {.target = Target::opencl});
  const auto device = open_apart([] { return std::make_unique<opencl::Device>(); }, opencl::is_open());
  const auto executor = make_grid_executor(device, s.compiler, s.arguments, kThreads);
  const std::vector<Expected> expected = s.expected.all();
  executor->guard(expected);
  executor->set_limit(3);
  const auto status = [&](const std::string& body) {
    const Variant v = tried(*executor, kernel, expected, body);
    CAPTURE(body);
    CAPTURE(v.message);
    CHECK((v.status == Status::ok) == v.verified);
    return v.status;
  };
  CHECK(status("") == Status::ok);
  CHECK(status("return;") == Status::wrong);
  const Job job{kernel, {}, {}, {}, {}};
  const Compiled compiled = executor->compile({&job, 1}, {}).front();
  const TimedRun bound = executor->bind(kernel, compiled);
  executor->restore(kernel);
  bound();
  CHECK(status("*(volatile int *)0 = 1;") == Status::crashed);
  const auto is_right = [&] { return executor->compare(kernel, 0, expected.at(0)).right(); };
  bound();  // uploads the arguments again
  CHECK(is_right());
  CHECK(status("for (volatile int i = 0; i < 1; i = 0) {}") == Status::hung);
  CHECK(status("") == Status::ok);
  // Arguments cannot be written.
  if (device->info().cpu) CHECK(status("((volatile __global double *)beta_i)[600] = 0;") == Status::crashed);
  CHECK(status("") == Status::ok);
}

TEST_CASE("worker: calls and errors come back, and a lost child is replaced") {
  if (ran_elsewhere("worker: calls and errors*")) return;
  Worker worker;
  const auto nothing = [](std::string_view input) { return std::string(input); };
  CHECK(worker.call(nothing, "begun") == "begun");
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) (void)worker.call(nothing, "again");
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  MESSAGE("ms a call: " << took.count() / 200);
  CHECK(worker.generation() == 1);
  CHECK_THROWS_AS(worker.call([](std::string_view) -> std::string { throw UserError("so"); }, ""), UserError);
  CHECK_THROWS_AS(worker.call([](std::string_view) -> std::string { throw EnvironmentError("so"); }, ""),
                  EnvironmentError);
  CHECK(worker.generation() == 1);
  CHECK_THROWS_AS(worker.call([](std::string_view) -> std::string { std::abort(); }, ""), WorkerLost);
  CHECK(worker.call(nothing, "anew") == "anew");
  CHECK(worker.generation() == 2);
}

TEST_CASE("worker: what a crashed child has started ends with it") {
  if (ran_elsewhere("worker: what a crashed child*")) return;
  const test::Scratch scratch;
  const std::string file = scratch.path() / "held";
  write_file_atomically(file, "");
  Worker worker;
  const auto start_and_crash = [](std::string_view path) -> std::string {
    const int held = ::open(std::string(path).c_str(), O_RDONLY);
    int ready[2];
    if (held < 0 || ::pipe(ready) != 0) return "";
    if (::fork() == 0) {  // it holds the file until it ends, and nothing of its parent's
      for (int fd = 3; fd < 1024; ++fd)
        if (fd != held && fd != ready[1]) ::close(fd);
      if (::flock(held, LOCK_EX) == 0) (void)!::write(ready[1], "x", 1);
      ::sleep(20);
      ::_exit(0);
    }
    char byte = 0;
    (void)!::read(ready[0], &byte, 1);
    std::abort();
  };
  CHECK_THROWS_AS(worker.call(start_and_crash, file), WorkerLost);
  const int wanted = ::open(file.c_str(), O_RDONLY);
  bool is_free = false;
  for (int tries = 0; tries < 500 && !is_free; ++tries) {
    is_free = ::flock(wanted, LOCK_EX | LOCK_NB) == 0;
    if (!is_free) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::close(wanted);
  CHECK(is_free);
}
