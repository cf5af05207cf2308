// What liftgen does to the program that it is used in: nothing.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "liftgen/lift.hpp"
#include "runtime/environment.hpp"

using namespace lift;

namespace host_program_test {
namespace {

using Vector = std::vector<double>;

Expr doubled() {
  return fun(array(f64, lift::nat("n")), [](Expr x) { return x | map([](Expr v) { return 2.0 * v; }); });
}

// Before main, and before the library's own objects.
const auto early_kernel = compile<Vector(const Vector&)>(doubled());
const Vector early = early_kernel(Vector{1, 2, 3});

/// How a child ends that does this; 14: it was still at it after 20 s.
template <class F>
int status_of_child(const F& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(f() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("host: a kernel at namespace scope works before main") { CHECK(early == Vector{2, 4, 6}); }

TEST_CASE("host: a kernel that was moved from can be called") {
  auto kernel = compile<Vector(const Vector&)>(doubled());
  const auto moved = std::move(kernel);
  CHECK(moved(Vector{1}) == Vector{2});
  CHECK(kernel(Vector{1}) == Vector{2});  // NOLINT
}

TEST_CASE(
    "host: a process that was forked after a call runs kernels, with one thread, and explores nothing") {
  const Vector x(1000000, 1), y(x.size(), 2);
  CHECK(early_kernel(x) == y);
  CHECK(status_of_child([&] { return early_kernel(x) == y; }) == 0);
  CHECK(status_of_child([&] {
          bool right = false;
          std::thread([&] { right = early_kernel(x) == y; }).join();
          return right;
        }) == 0);
  CHECK(status_of_child([&] {
          try {
            (void)explore(doubled(),
                          {.sizes = {{"n", 1000}}, .budget = std::chrono::seconds(1), .database = "none"});
          } catch (const EnvironmentError& e) {
            return std::string(e.what()).find("copy (fork)") != std::string::npos;
          }
          return false;
        }) == 0);
  CHECK(early_kernel(x) == y);
}

TEST_CASE("host: exploring leaves the environment as it is") {
  const std::vector<std::string> before = environment_with({});
  (void)explore(doubled(), {.sizes = {{"n", 100000}}, .budget = std::chrono::seconds(1), .database = "none"});
  CHECK(environment_with({}) == before);
}

TEST_CASE("host: workers have what run times are to find in their environment") {
  set_in_workers("LIFTGEN_TEST_A", "1");
  set_in_workers("HOME", "elsewhere");
  set_in_workers("LIFTGEN_TEST_B", "2", true);
  const std::vector<std::string> variables = environment_of_workers();
  const auto has = [&](const std::string& v) {
    return std::find(variables.begin(), variables.end(), v) != variables.end();
  };
  CHECK(has("LIFTGEN_TEST_A=1"));
  CHECK(has("LIFTGEN_TEST_B=2"));
  CHECK((std::getenv("HOME") == nullptr) == has("HOME=elsewhere"));
  CHECK(std::getenv("LIFTGEN_TEST_A") == nullptr);
}

}  // namespace host_program_test
