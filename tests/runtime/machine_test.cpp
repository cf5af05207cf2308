#include "runtime/machine.hpp"

#include <doctest/doctest.h>

#include "runtime/affinity.hpp"
#include "runtime/parallel.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
using lift::test::Variable;

namespace machine_test {

TEST_CASE("machine: what is known without measuring") {
  const Scratch scratch;
  NativeCompiler compiler({.cache_directory = scratch.path()});
  const Machine machine = probe(compiler, 3, false);
  CHECK(machine.threads == 3);
  CHECK(machine.cores >= 1);
  CHECK_FALSE(machine.device.empty());
  CHECK_FALSE(machine.compiler.empty());
  CHECK(machine.vector_bytes >= 8);
  CHECK(machine.memory_bytes > (std::size_t{1} << 20));
  CHECK(machine.triad_gbs == 0);
  for (std::size_t i = 0; i < machine.caches.size(); ++i) {
    CHECK(machine.caches[i].bytes >= 1024);
    CHECK(machine.caches[i].count >= 1);
    if (i > 0) CHECK(machine.caches[i].level > machine.caches[i - 1].level);
  }
}

TEST_CASE("machine: the triad") {
  const Scratch scratch;
  const Variable as_large_as_it_takes("LIFTGEN_TRIAD_MB", "");
  NativeCompiler compiler({.cache_directory = scratch.path()});
  configure_openmp(default_threads());
  const Machine machine = probe(compiler);
  CHECK_MESSAGE(machine.triad_error.empty(), machine.triad_error);
  CHECK(machine.triad_ordinary_gbs > 0);
  CHECK(
      (machine.triad_gbs == machine.triad_ordinary_gbs || machine.triad_gbs == machine.triad_streaming_gbs));
  MESSAGE(machine.device << ": " << machine.threads << " threads, " << machine.simd << ", triad "
                         << machine.triad_ordinary_gbs << " GB/s, streaming " << machine.triad_streaming_gbs);
}

TEST_CASE("machine: without a compiler everything but the triad is still known") {
  const Scratch scratch;
  const Variable path("PATH", "");
  const Variable cc("CC", "");
  NativeCompiler compiler({.cache_directory = scratch.path()});
  const Machine machine = probe(compiler);
  CHECK(machine.compiler.empty());
  CHECK(machine.triad_error.find("no C compiler") != std::string::npos);
  CHECK(machine.vector_bytes >= 8);
}

}  // namespace machine_test
