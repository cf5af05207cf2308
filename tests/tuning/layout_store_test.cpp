// Which arrays of kernels share memory.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "tuning/executor.hpp"

using namespace lift;

namespace layout_store_test {

TEST_CASE("storage: arrays of one name share memory only where they are of one size, element and layout") {
  const auto work = [](std::int64_t n, Scalar s) {
    KernelArgument a;
    a.name = "work1", a.type = array({Nat(n)}, s), a.layout = Layout({}, a.type), a.work = true;
    return storage_key(a);
  };
  CHECK(work(256, f64) == work(256, f64));
  CHECK(work(256, f64) != work(1024, f64));  // parts of a reduction in another variant of it
  CHECK(work(256, f64) != work(256, f32));
}

}  // namespace layout_store_test
