// A C compiler that does not come to an end.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "liftgen/lift.hpp"
#include "tests/jumping_clock.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"

LIFT_TEST_CLOCK

using namespace lift;
using lift::test::message;

namespace slow_compiler_test {
namespace {

using Vector = std::vector<double>;

/// Of a text that no other test compiles. The mistake that some C text has is not what is wrong.
auto compiled() {
  const UserFun add("slow_compiler_add", {{"x", f64}}, f64, "return x + 0.6875;",
                    [](std::span<const double> x) { return x[0] + 0.6875; });
  const Expr x = param("x", array({3}, f64));
  return compile<Vector(const Vector&)>(Program{"slow", {x}, x | map([&](Expr e) { return add(e); })});
}

}  // namespace

TEST_CASE("a compiler that takes longer than anybody waits is no mistake of the user's, and asked again") {
  const Expr y = param("y", array({3}, f64));
  (void)compile<Vector(const Vector&)>(Program{"p", {y}, y | map([](Expr e) { return e * 2.0; })});
  {
    const test::Scratch folder;
    const auto cc = folder.path() / "slow-cc", called = folder.path() / "called";
    std::ofstream(cc) << "#!/bin/sh\nif [ \"$1\" = --version ]; then echo slow 1.0; exit 0; fi\n: > " +
                             called.string() + "\nsleep 1000\n";
    std::filesystem::permissions(cc, std::filesystem::perms::owner_all);
    const test::Variable chosen("CC", cc.string());
    const test::JumpingClock clock(called.string());
    const std::string said = message<EnvironmentError>([] { (void)compiled(); });
    CHECK(said.starts_with("slow: not compiled: the compiler did not end within 480 s"));
    CHECK(said.find("; try again") != std::string::npos);
    CHECK(said.find("slow_compiler_add") == std::string::npos);
  }
  CHECK(compiled()({1, 2, 3}) == Vector{1.6875, 2.6875, 3.6875});
}

}  // namespace slow_compiler_test
